#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever breaks while a hundred clients ask: the upstream sees a good credential or no request at all. (What a clock
does that is set is tried where time is an argument: minting_test, task_test.)"""

import os
import signal
import subprocess
import time

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.processes import child_of
from support.tls_server import TlsServer
from support.token_server import SECRET, credentials, handlers

API, ISSUER = "127.0.0.6", "127.0.0.7"
CLIENTS = 30
# Runs in the sandbox until there is a file "stop"; prints each status that it has seen.
PROGRAM = """
import http.client, os, sys, threading, time, urllib.error, urllib.request
seen = set()
def note(status):
    seen.add(status)
    open(f"saw-{status}", "w").close()
def ask():
    while not os.path.exists("stop"):
        try:
            with urllib.request.urlopen("https://tokens.test/data", timeout=60) as answer:
                note(answer.status)
                answer.read()
        except urllib.error.HTTPError as error:
            note(error.code)
            error.read()
        except (OSError, http.client.HTTPException) as error:
            print(repr(error), file=sys.stderr)
        time.sleep(0.1)
threads = [threading.Thread(target=ask) for _ in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*sorted(seen))
"""


class Chaos(EndToEnd):
    wanted = ()

    def setUp(self):
        super().setUp()
        tokens = handlers(lifetime=2)
        self.state = tokens.state
        self.issuer = TlsServer(tokens, self.upstreams.authority, ISSUER, "idp.test")
        self.addCleanup(self.stop_issuer)
        api = TlsServer(tokens, self.upstreams.authority, API, "tokens.test")
        self.addCleanup(api.stop)
        self.person.operate(idp_test=ISSUER, tokens_test=API)
        self.person.allow(allow("tokens", "tokens.test", "tokens", methods=["GET"]))
        secret = self.person.write("secret", SECRET)
        secret.chmod(0o600)
        self.person.credentials = self.person.write("credentials.yaml", credentials(secret, "{client_credentials: {}}"))

    def stop_issuer(self):
        issuer, self.issuer = self.issuer, None
        if issuer:
            issuer.stop()

    def start(self, clients=CLIENTS, options=()):
        process, outcome = self.person.start(PYTHON, "-c", PROGRAM, str(clients), options=options)
        self.addCleanup(self.end, process)
        return process, outcome

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.communicate()

    def wait_until(self, true, what, pause=0.02):
        deadline = time.monotonic() + 120
        while not true():
            self.assertLess(time.monotonic(), deadline, f"never: {what}")
            time.sleep(pause)

    def wait_for_calls(self, more):
        wanted = self.state.calls + more
        self.wait_until(lambda: self.state.calls >= wanted, "calls of the upstream")

    def wait_for_status(self, status):
        self.wait_until(lambda: (self.person.work / f"saw-{status}").exists(), f"a client that saw {status}")

    def wait_for_refusal(self, outcome, text=""):
        self.wait_until(lambda: any(r["reason"] == "credential-unavailable" and text in r["error"]
                                    for r in outcome.requests()), f"a request without a credential {text}", pause=0.5)

    def finish(self, process):
        (self.person.work / "stop").touch()
        out, err = process.communicate(timeout=120)
        self.person.told += [out, err]
        return out.split(), err

    def assert_nothing_went_without(self):
        self.assertTrue(self.state.seen)
        self.assertEqual([shown for shown, good in self.state.seen if not good], [])

    def test_the_broker_is_killed(self):
        process, outcome = self.start()
        self.wait_for_calls(100)
        os.kill(child_of(process.pid, "aduana-broker"), signal.SIGKILL)
        _, err = self.finish(process)
        self.assertEqual(process.returncode, 137)
        self.assertIn("without it there are no credentials", err)
        self.assert_nothing_went_without()
        self.assertEqual({r["reason"] for r in outcome.requests() if r["status"] == 200}, {"allowed"})

    def test_the_courier_is_killed(self):
        process, _ = self.start()
        self.wait_for_calls(100)
        os.kill(child_of(process.pid, "aduana-courier"), signal.SIGKILL)
        self.finish(process)
        self.assert_nothing_went_without()

    def test_the_issuer_goes_away(self):
        process, outcome = self.start()
        self.wait_for_calls(100)
        self.state.refuse = (503, b"")    # on connections that are open
        self.stop_issuer()
        self.wait_for_refusal(outcome)
        statuses, err = self.finish(process)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(statuses, ["200", "503"], err)
        self.assertEqual({r["reason"] for r in outcome.requests()}, {"allowed", "credential-unavailable"})
        self.assert_nothing_went_without()

    def test_the_issuer_hangs_and_more_wait_than_may(self):
        self.state.open.clear()
        process, outcome = self.start(clients=400)
        # On a slow machine the issuer is given up first, and asked again when all of them have come.
        self.wait_for_refusal(outcome, "too many requests wait for its issuer")
        self.assertEqual(self.state.calls, 0)
        self.state.open.set()
        self.wait_for_calls(20)
        _, err = self.finish(process)
        self.assertEqual(process.returncode, 0, err)
        self.assert_nothing_went_without()

    def test_the_disk_of_the_journal_is_full(self):
        folder = self.person.folder / "small"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        process, _ = self.start(options=("--journal", folder / "journal"))
        self.wait_for_calls(20)
        self.fill(folder / "rest")
        self.wait_for_status(503)
        statuses, err = self.finish(process)
        self.assertIn("503", statuses, err)
        self.assert_nothing_went_without()
        allowed = "".join(file.read_text(errors="replace") for file in (folder / "journal").glob("*.jsonl"))
        # A request that is sent again behind a 401, since its token had just ended, is one in the record.
        calls = self.state.calls - self.state.answered_401
        self.assertGreaterEqual(allowed.count('"request.start"'), calls, "a request without a record")

    @staticmethod
    def fill(file):
        with open(file, "wb", buffering=0) as rest:
            try:
                while True:
                    rest.write(b"\0" * 4096)
            except OSError:
                return


if __name__ == "__main__":
    main()
