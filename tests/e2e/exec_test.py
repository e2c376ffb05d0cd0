#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Credentials that a program of the operator's prints: run once for everybody and again when they end, with nothing
but what was declared, and never seen by the command. A program that others could change, or that fails, hands out
nothing."""

import json
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.serving import Serving
from support.tls_server import Handler, TlsServer

ADDRESS, BROKER = "127.0.0.8", 61902
CREDENTIALS = """version: 1
credentials:
  printed:
    source: {{exec: {exec}}}
    destinations: [{{hosts: [printed.test]}}]
    inject: {{bearer: {{}}}}
    placeholder: {{env: [PRINTED]}}
"""
# Prints a token, and notes what it found when it ran.
MINT = """#!/usr/bin/python3 -I
import json, os, resource, subprocess, sys, time
token = "printed-token-%d-4b1c" % time.monotonic_ns()
print("about to print " + token, file=sys.stderr)
with open("{log}/runs", "a") as log:
    log.write(json.dumps({{"token": token, "argv": sys.argv[1:], "environment": dict(os.environ), "uid": os.getuid(),
                          "core": resource.getrlimit(resource.RLIMIT_CORE),
                          "open": sorted(os.listdir("/proc/self/fd"))[:-1], "stdin": sys.stdin.read()}}) + "\\n")
{rest}
"""
PRINT = 'print(json.dumps({"value": token, "expires_in": 3600}))'
CLIENT = """
import collections, ssl, sys, urllib.error, urllib.request
from concurrent.futures import ThreadPoolExecutor
workers, times = map(int, sys.argv[1:])
def ask(_):
    seen = []
    for _ in range(times):
        try:
            with urllib.request.urlopen("https://printed.test/", timeout=60) as answer:
                seen.append((answer.status, answer.read().decode()))
        except urllib.error.HTTPError as error:
            seen.append((error.code, error.read().decode()))
    return seen
with ThreadPoolExecutor(workers) as pool:
    for status, body in (one for seen in pool.map(ask, range(workers)) for one in seen):
        print(status, body.replace("\\n", " "))
"""


class Api(Handler):
    seen, lock = [], threading.Lock()

    def do_GET(self):
        with self.lock:
            self.seen.append(self.headers["Authorization"])
        body = f"echo {self.headers['Authorization']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Exec(EndToEnd):
    wanted = ()

    def setUp(self):
        super().setUp()
        # Below /run, which only root can write to: the person's own folders lie in /var/tmp, which all can.
        self.folder = Path(tempfile.mkdtemp(prefix="aduana-exec-", dir="/run"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        self.log = self.folder / "log"
        self.log.mkdir()
        os.chown(self.log, BROKER, BROKER)
        self.program = self.folder / "mint"
        Api.seen = []
        server = TlsServer(Api, self.upstreams.authority, ADDRESS, "printed.test")
        self.addCleanup(server.stop)
        self.person.operate(printed_test=ADDRESS)
        self.person.allow(allow("printed", "printed.test", "printed", methods=["GET"]))
        self.declare(command=[str(self.program)])
        self.mint()

    def mint(self, rest=PRINT):
        self.program.write_text(MINT.format(log=self.log, rest=rest))
        self.program.chmod(0o755)

    def declare(self, **keys):
        self.person.credentials = self.person.write("credentials.yaml", CREDENTIALS.format(exec=json.dumps(keys)))
        self.person.credentials.chmod(0o600)

    def runs(self):
        noted = self.log / "runs"
        return [json.loads(line) for line in noted.read_text().splitlines()] if noted.exists() else []

    def ask(self, workers=1, times=1):
        outcome = self.person.run(PYTHON, "-c", CLIENT, str(workers), str(times))
        self.assert_exit(outcome, 0)
        self.assert_sound(outcome)
        return outcome, outcome.stdout.splitlines()

    def assert_unseen(self, outcome):
        told = outcome.stdout + outcome.stderr + "".join(f.read_text() for f in outcome.journal.glob("*.jsonl"))
        for run in self.runs():
            self.assertNotIn(run["token"], told)

    def assert_served(self, outcome, lines, count):
        self.assertEqual([line.split()[0] for line in lines], ["200"] * count, str(outcome))
        self.assertLessEqual(set(Api.seen), {f"Bearer {run['token']}" for run in self.runs()})
        self.assert_unseen(outcome)

    def test_one_run_serves_everybody_with_what_was_declared_and_nothing_else(self):
        self.declare(command=[str(self.program), "--for", "$HOME; id"], environment={"HOME": "/nowhere"})
        outcome, lines = self.ask(workers=20, times=5)
        self.assert_served(outcome, lines, 100)
        (run,) = self.runs()
        self.assertEqual(run["argv"], ["--for", "$HOME; id"])
        self.assertEqual(run["environment"].pop("ADUANA_TASK"), outcome.events("task.start")[0]["task"])
        self.assertEqual(run["environment"], {"HOME": "/nowhere", "PATH": "/usr/local/bin:/usr/bin:/bin"} |
                         {name: value for name, value in run["environment"].items() if name == "LC_CTYPE"})
        self.assertEqual((run["uid"], run["stdin"]), (BROKER, ""))
        least = 1 if resource.getrlimit(resource.RLIMIT_CORE)[1] else 0
        self.assertEqual(run["core"], [least] * 2, "no core, not even where one would be piped")
        self.assertEqual(run["open"], ["0", "1", "2", "3"], "the streams, and the log")

    def test_it_is_run_again_before_its_value_ends(self):
        self.mint('print(json.dumps({"value": token, "expires_in": 2}))')
        slowly = CLIENT.replace("        try:", "        time.sleep(0.05)\n        try:")
        process, outcome = self.person.start(PYTHON, "-c", "import time" + slowly, "4", "60")
        stdout, _ = process.communicate(timeout=120)
        self.assert_served(outcome, stdout.splitlines(), 240)
        self.assertGreater(len(self.runs()), 2)

    def test_a_single_line_is_a_value_where_that_is_declared(self):
        self.mint("print(token)")
        self.declare(command=[str(self.program)], output="line")
        outcome, lines = self.ask()
        self.assert_served(outcome, lines, 1)

    def test_what_fails_hands_out_nothing_and_says_why(self):
        cases = {
            "failed with exit status 3": ("sys.exit(3)", None),
            "was ended by signal 9": ("os.kill(os.getpid(), 9)", None),
            "printed more than 64 KiB": ("print(token * 10000)", None),
            "ran for longer than 9 s": ("sys.stdout.flush(); time.sleep(60)", None),
            "something else than one JSON object": ("print(token)", None),
            "its `value` is missing": ('print(json.dumps({"token": token}))', None),
            "has expired already": ('print(json.dumps({"value": token, "expires_at": "2020-01-01T00:00:00Z"}))', None),
            "a space, a control character": ('print(json.dumps({"value": token + "\\r\\nX: y"}))', None),
            "can be written by its group or by everybody": (PRINT, lambda: self.program.chmod(0o775)),
            "belongs to uid 1234": (PRINT, lambda: os.chown(self.program, 1234, 0)),
            "cannot be executed": (PRINT, lambda: self.program.chmod(0o744)),
            "could be changed by others: " + str(self.folder): (PRINT, lambda: self.folder.chmod(0o775)),
            "named through the symbolic link": (PRINT, self.link),
        }
        for why, (rest, harm) in cases.items():
            with self.subTest(why=why):
                self.folder.chmod(0o755)
                self.program.unlink(missing_ok=True)
                self.mint(rest)
                if harm:
                    harm()
                outcome, lines = self.ask()
                self.assertNotIn("200", [line.split()[0] for line in lines], str(outcome))
                self.assertEqual(Api.seen, [])
                (record,) = outcome.requests()
                self.assertEqual(record["reason"], "credential-unavailable")
                self.assertIn(why, record["error"] + outcome.stderr, str(outcome))
                self.assert_unseen(outcome)

    def test_what_is_not_there_is_told_before_anything_runs(self):
        for why, harm in (("cannot run " + str(self.program), self.program.unlink),
                          ("it is not executable", lambda: (self.mint(), self.program.chmod(0o644)))):
            with self.subTest(why=why):
                harm()
                outcome = self.person.run("/bin/true")
                self.assert_exit(outcome, 125)
                self.assertIn(why, outcome.stderr)
                checked = self.check()
                self.assertEqual(checked.returncode, 1)
                self.assertIn(why, checked.stderr)

    def test_the_check_finds_a_program_that_others_could_change(self):
        self.assertEqual(self.check().returncode, 0)
        self.program.chmod(0o775)
        checked = self.check()
        self.assertEqual(checked.returncode, 1)
        self.assertIn("can be written by its group or by everybody", checked.stderr)

    def check(self):
        return self.person.aduana("policy", "check", self.person.policy, "--credentials", self.person.credentials)

    def link(self):
        self.program.rename(self.folder / "other")
        self.program.symlink_to(self.folder / "other")

    def test_a_program_that_the_command_could_change_is_refused(self):
        inside = self.person.work / "mint"
        inside.write_text("#!/bin/sh\n")
        for command in ([str(inside)], ["/usr/bin/dash", str(inside)]):
            self.declare(command=command)
            outcome = self.person.run("/bin/true")
            self.assert_exit(outcome, 125)
            self.assertIn("the program of `printed`", outcome.stderr)

    def test_what_a_program_leaves_behind_ends_with_the_task(self):
        self.mint('subprocess.Popen(["/bin/sleep", "98765.25"], start_new_session=True)\n' + PRINT)
        outcome, lines = self.ask()
        self.assert_served(outcome, lines, 1)
        for _ in range(50):
            left = subprocess.run(["pgrep", "-fx", "/bin/sleep 98765.25"], capture_output=True, check=False).stdout
            if not left:
                break
            time.sleep(0.1)
        self.assertEqual(left, b"")

    def test_tasks_that_share_processes_have_runs_of_their_own(self):
        serving = Serving(self.person, "--config", str(self.person.operator))
        self.addCleanup(serving.stop)
        for count in (1, 2):
            outcome, lines = self.ask(workers=4)
            self.assert_served(outcome, lines, 4)
            self.assertEqual(len(self.runs()), count)
        self.assertEqual(serving.stop(), 0)


if __name__ == "__main__":
    main()
