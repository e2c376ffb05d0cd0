#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""While a task runs that uses credentials of every kind of source: no spelling of them in the arguments or the
environment of any process, nor anywhere in the memory of what runs in the sandbox, although the server sends each of
them back; nor in a core file, when what holds or fetches them crashes. The search itself is tried on a program that
has them."""

import base64
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support import canary
from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.mirror_server import Mirror
from support.processes import fault, named
from support.tls_server import TlsServer
from support.token_server import SECRET, credentials, handlers

ADDRESS, ISSUER, BROKER = "127.0.0.6", "127.0.0.7", 61902
CORES = Path("/proc/sys/kernel/core_pattern").read_text().strip()
SECRETS = {name: f"{name}-canary-{number}f8c27d91b" for number, name in enumerate(("file", "env", "box"))}
# Runs in the sandbox: asks each host, keeps what came back, and waits.
PROGRAM = """
import sys, time, urllib.request
kept = [urllib.request.urlopen(f"https://{host}.test/").read() for host in sys.argv[1:]]
open("done", "w").close()
time.sleep(600)
"""


def processes():
    """Process number -> (name, arguments, environment)."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            found[int(entry.name)] = ((entry / "comm").read_text().strip(), (entry / "cmdline").read_bytes(),
                                      (entry / "environ").read_bytes())
        except OSError:
            continue
    return found


def memory_of(process):
    """All of it that can be read."""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            region, access = line.split()[:2]
            start, end = (int(part, 16) for part in region.split("-"))
            if not access.startswith("rw") or line.endswith(("[vvar]", "[vsyscall]")):
                continue
            try:
                memory.seek(start)
                yield memory.read(end - start)
            except OSError:
                continue


def found_in(content, secrets=None):
    return {name for name, secret in (secrets or SECRETS).items()
            for spelling in canary.spellings(secret).values() if spelling in content}


def places_of_cores(process, person):
    """Where a core file of a process would lie, if it left one."""
    folders = [Path(os.readlink(f"/proc/{process}/cwd")), person.work]
    return folders + ([Path(CORES).parent] if CORES.startswith("/") else [])


def is_dumpable(process):
    """Of a process that is not, what lies in /proc belongs to root and not to its user (proc(5))."""
    return Path(f"/proc/{process}/environ").stat().st_uid != 0


def cores_in(folders):
    return [file for folder in folders if folder.is_dir() for file in folder.glob("*core*") if file.is_file()]


class Canary(EndToEnd):
    wanted = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.mirror = Mirror(ADDRESS, cls.upstreams.authority.issue(*[f"{name}.test" for name in SECRETS]))
        cls.addClassCleanup(cls.mirror.stop)

    def setUp(self):
        super().setUp()
        person = self.person
        person.operate(**{f"{name}_test": ADDRESS for name in SECRETS})
        person.allow(*[allow(name, f"{name}.test", name, methods=["GET"]) for name in SECRETS])
        stored = subprocess.run([os.environ["ADUANA_BIN"] + "/aduana", "secret", "put", "box", "--host", "box.test"],
                                input=SECRETS["box"], text=True, env=person.environment(), capture_output=True)
        self.assertEqual(stored.returncode, 0, stored.stderr)
        file = person.write("file", SECRETS["file"])
        file.chmod(0o600)
        sources = {"file": f"file: {file}", "env": "env: CANARY", "box": "secret: box"}
        person.credentials = person.write("credentials.yaml", "version: 1\ncredentials:\n" + "".join(
            f"  {name}:\n    source: {{{source}}}\n    destinations: [{{hosts: [{name}.test]}}]\n"
            "    inject: {bearer: {}}\n" for name, source in sources.items()))
        person.credentials.chmod(0o600)

    def test_no_process_shows_a_secret(self):
        process, outcome = self.person.start(PYTHON, "-c", PROGRAM, *SECRETS, environment={"CANARY": SECRETS["env"]})
        try:
            while not (self.person.work / "done").exists():
                self.assertIsNone(process.poll(), "the command did not do its work")
                time.sleep(0.05)
            self.assertEqual({found for _, _, headers, _ in self.mirror.seen
                              for found in found_in(headers["Authorization"].encode())}, set(SECRETS))
            running = processes()
            inside = [pid for pid, (_, line, _) in running.items() if PROGRAM.encode() in line and pid != process.pid
                      and not running[pid][0].startswith(("aduana", "bwrap"))]
            self.assertTrue(inside)
            for pid, (name, line, environment) in running.items():
                self.assertEqual(found_in(line), set(), f"arguments of {name}")
                # Whoever calls aduana has given it the variable.
                if pid not in (process.pid, os.getpid()):
                    self.assertEqual(found_in(environment), set(), f"environment of {name}")
            for pid in inside:
                content = b"".join(memory_of(pid))
                self.assertIn(b"[scrubbed]", content, "the answers are there")
                self.assertEqual(found_in(content), set(), f"memory of {running[pid][0]}")
        finally:
            process.terminate()
            self.person.told += process.communicate(timeout=60)
        self.assertEqual([r["reason"] for r in outcome.requests()], ["allowed"] * len(SECRETS))

    def test_a_crash_of_what_holds_a_secret_leaves_no_core(self):
        """A core_pattern that pipes starts its program in spite of RLIMIT_CORE, but not for what is not dumpable."""
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.person.work.chmod(0o777)
        control = subprocess.Popen(["/bin/sleep", "600"], cwd=self.person.work, user=BROKER)
        self.assertTrue(is_dumpable(control.pid))
        control.send_signal(signal.SIGSEGV)
        control.wait()
        cores = cores_in([self.person.work])
        if not CORES.startswith(("|", "/")):
            self.assertTrue(cores, "the control leaves one")
        for file in cores:
            file.unlink()
        seen = set()
        for number in (signal.SIGSEGV, signal.SIGABRT):
            for wanted in ("aduana-proxy", "aduana-broker"):
                seen |= self.crash(wanted, number)
        print(f"\ncore_pattern {CORES}; crashed: {sorted(seen)}", flush=True)
        self.assertEqual({"aduana-proxy", "aduana-broker"}, seen)

    def crash(self, wanted, number):
        """The name of what was made to crash, if the task has such a process."""
        done = self.person.work / "done"
        done.unlink(missing_ok=True)
        process, _ = self.person.start(PYTHON, "-c", PROGRAM, *SECRETS, environment={"CANARY": SECRETS["env"]})
        try:
            while not done.exists():
                self.assertIsNone(process.poll(), "the command did not do its work")
                time.sleep(0.05)
            victims = [pid for pid, (name, *_) in processes().items() if name == wanted[:15]]
            for victim in victims:
                folders = places_of_cores(victim, self.person)
                status = Path(f"/proc/{victim}/limits").read_text()
                self.assertRegex(status, r"Max core file size +[01] +[01] ")
                self.assertFalse(is_dumpable(victim))
                os.kill(victim, number)
                process.wait(30)
                for file in cores_in(folders):
                    self.assertEqual(found_in(file.read_bytes()), set(), f"{file} of {wanted}")
                break
            return {wanted} if victims else set()
        finally:
            process.terminate()
            self.person.told += process.communicate(timeout=60)

    def test_the_search_finds_what_is_there(self):
        coded = base64.b64encode(b"x" + SECRETS["file"].encode()).decode()
        program = [PYTHON, "-c", "import sys, time; kept = sys.argv[1] * 2; print(flush=True); time.sleep(600)", coded]
        with subprocess.Popen(program, stdout=subprocess.PIPE, env={"A": SECRETS["env"].encode().hex()}) as process:
            process.stdout.readline()
            _, line, environment = processes()[process.pid]
            self.assertEqual(found_in(line), {"file"})
            self.assertEqual(found_in(environment), {"env"})
            self.assertEqual(found_in(b"".join(memory_of(process.pid))), {"file", "env"})
            process.kill()
        self.person.told.append(SECRETS["file"][::-1])
        found = canary.find(self.person)
        self.assertEqual(found, ["output 0: fil... as reversed"])
        self.person.told.clear()


PRINTED = """  printed:
    source: {{exec: {{command: [{program}]}}}}
    destinations: [{{hosts: [printed.test]}}]
    inject: {{bearer: {{}}}}
"""


class WhatFetches(EndToEnd):
    """The courier and the runner keep no secret: they crash at the one moment when they have it."""
    wanted = ()
    held = {"client": SECRET, "printed": "printed-canary-5d70ac19e"}

    def setUp(self):
        super().setUp()
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        tokens = handlers()
        self.issuer = tokens.state
        server = TlsServer(tokens, self.upstreams.authority, ISSUER, "idp.test", "tokens.test", "printed.test")
        self.addCleanup(server.stop)
        folder = Path(tempfile.mkdtemp(prefix="aduana-canary-", dir="/run"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        value, program = folder / "value", folder / "print"
        value.write_text(json.dumps({"value": self.held["printed"], "expires_in": 600}))
        value.chmod(0o400)
        os.chown(value, BROKER, BROKER)
        program.write_text(f"#!/bin/sh\ncat {value}\nexec sleep 600\n")
        program.chmod(0o755)
        person = self.person
        person.operate(idp_test=ISSUER, tokens_test=ISSUER, printed_test=ISSUER)
        person.allow(*[allow(name, f"{name}.test", name, methods=["GET"]) for name in ("tokens", "printed")])
        secret = person.write("client-secret", SECRET)
        person.credentials = person.write("credentials.yaml", credentials(secret, "{client_credentials: {}}") +
                                          PRINTED.format(program=program))
        for file in (secret, person.credentials):
            file.chmod(0o600)

    def test_a_crash_of_the_courier_leaves_no_core(self):
        for number in (signal.SIGSEGV, signal.SIGABRT):
            with self.subTest(signal=number.name):
                self.crash("aduana-courier", "tokens.test", "client", lambda courier: os.kill(courier, number))

    def test_a_crash_of_the_runner_leaves_no_core(self):
        self.crash("aduana-runner", "printed.test", "printed", fault)

    def crash(self, name, host, held, end_it):
        self.issuer.open.clear()
        self.addCleanup(self.issuer.open.set)
        process, outcome = self.person.start("/usr/bin/curl", "-s", "-o", "/dev/null", "-w", "%{http_code}",
                                             f"https://{host}/data")
        try:
            deadline = time.monotonic() + 30
            while not (holders := [pid for pid in named(name) if held in self.found(b"".join(memory_of(pid)))]):
                self.assertLess(time.monotonic(), deadline, f"{name} does not have the secret")
                self.assertIsNone(process.poll(), "the command is over")
            holder, = holders
            for pid, (other, line, environment) in processes().items():
                self.assertEqual(self.found(line) | self.found(environment), set(), other)
            self.assertRegex(Path(f"/proc/{holder}/limits").read_text(), r"Max core file size +[01] +[01] ")
            self.assertFalse(is_dumpable(holder))
            folders = places_of_cores(holder, self.person)
            before = set(cores_in(folders))
            end_it(holder)
            while holder in named(name):
                self.assertLess(time.monotonic(), deadline, f"{name} goes on")
                time.sleep(0.02)
            out, told = process.communicate(timeout=60)
        finally:
            process.kill()
            self.issuer.open.set()
        self.person.told += [out, told]
        self.assertEqual(out, "503", told)
        self.assertEqual([r["reason"] for r in outcome.requests()], ["credential-unavailable"])
        self.assertEqual(set(cores_in(folders)) - before, set())
        for file in cores_in(folders):
            self.assertEqual(self.found(file.read_bytes()), set(), file)
        self.assertEqual(canary.find(self.person, self.held.values()), [])

    def found(self, content):
        return found_in(content, self.held)


if __name__ == "__main__":
    main()
