#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever is broken: one clear line with a remedy, and nothing runs unprotected."""

import shutil
import socket
import subprocess
import threading
import unittest

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main

FIVE_MISTAKES = """version: 1
allow:
  - name: one
    hosts: [https://api.example.com]
    ports: [0]
    methods: [get now]
    colour: red
deny:
  - {name: two, hosts: [api.example.com], paths: ["relative"]}
"""
GARBAGE = """
import os, socket
for port in (443, 80, 3128, 25):
    for first in (b"\\x00" * 64, b"SSH-2.0-x\\r\\n\\r\\n", b"\\x16\\x03\\x01\\xff\\xff" + bytes(200), os.urandom(4096)):
        s = socket.create_connection(("198.19.0.9", port), timeout=10)
        s.sendall(first)
        try:
            while s.recv(4096):
                pass
        except ConnectionResetError:
            pass
        s.close()
print("all closed")
"""


MANY = "for n in $(seq 200); do curl -s -o /dev/null -w '%{http_code}\\n' https://api.test/token/$n; done"


class BadInput(EndToEnd):
    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test", "api", methods=["GET"], paths=["/**"]))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))

    def assert_nothing_runs(self, *expected, environment=None, options=()):
        marker = self.person.work / "ran"
        outcome = self.person.run("/usr/bin/touch", str(marker), environment=environment, options=options)
        self.assert_exit(outcome, 125)
        self.assertFalse(marker.exists(), "the command ran")
        for text in expected:
            self.assertIn(text, outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        self.assert_no_secret(outcome.stderr, "the error")

    def status_of(self, url):
        outcome = self.person.run("/usr/bin/curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", url)
        self.assert_exit(outcome, 0)
        return outcome.stdout, [r["reason"] for r in outcome.requests()]

    def test_a_broken_policy(self):
        self.person.policy = self.person.write("policy.yaml", FIVE_MISTAKES)
        self.assert_nothing_runs("policy.yaml:4:", "policy.yaml:9:", "^")
        checked = self.person.aduana("policy", "check", self.person.policy)
        self.assertEqual(checked.returncode, 1)
        told = checked.stdout + checked.stderr
        places = {line.split(": ")[0] for line in told.splitlines() if "policy.yaml:" in line}
        self.assertEqual(len(places), 5, told)

    def test_a_sound_policy_passes_the_check(self):
        checked = self.person.aduana("policy", "check", self.person.policy)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_check_looks_at_secret_files_and_shows_none_of_them(self):
        secret = self.person.files / "secret-api"
        for why, harm, status in (
                ("no mistakes", lambda: secret.chmod(0o600), 0),
                ("every user of this machine may open", lambda: secret.chmod(0o644), 0),
                ("can be changed by everybody", lambda: secret.chmod(0o602), 1),
                ("empty or longer than 64 KiB", lambda: (secret.chmod(0o600), secret.write_text("x" * 65537)), 1),
                ("No such file", secret.unlink, 1)):
            with self.subTest(why=why):
                harm()
                checked = self.person.aduana("policy", "check", self.person.policy, "--credentials",
                                             self.person.credentials)
                told = checked.stdout + checked.stderr
                self.assertEqual(checked.returncode, status, told)
                self.assertIn(why, told)
                self.assert_no_secret(told, "the check")

    def test_a_secret_pasted_into_the_credentials_file_is_not_told(self):
        file = self.person.credentials
        file.write_text(file.read_text().replace(str(self.person.files / "secret-api"), self.upstreams.api_token))
        self.assert_nothing_runs("credentials.yaml:", "`file` is not a plain absolute path")
        checked = self.person.aduana("policy", "check", self.person.policy, "--credentials", file)
        self.assertEqual(checked.returncode, 1)
        self.assert_no_secret(checked.stdout + checked.stderr, "the check")

    def test_a_command_line_that_is_mistyped(self):
        for arguments, told, status in (
                (["foo"], "`aduana` has no subcommand foo; it has: run, listen,", 2),
                (["policy", "chek", "x"], "`aduana policy` has no subcommand chek; it has: check", 2),
                (["run", "--polcy", "x", "--", "true"],
                 "--polcy is no option of `aduana run`; see `aduana run --help`", 125),
                (["listen", "--token=tok-1f"],
                 "--token is no option of `aduana listen`; see `aduana listen --help`", 2),
                (["policy", "check"], "see `aduana policy check --help`", 2),
                (["secret", "put", "issues", "tok-1f"], "its value is read from standard input", 2),
                (["detach", "one", "two"], "`aduana detach` does not expect two", 2)):
            with self.subTest(arguments=arguments):
                done = self.person.aduana(*arguments)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(told, done.stderr)
                self.assertNotIn("tok-1f", done.stdout + done.stderr)

    def test_a_secret_pasted_into_a_wrong_place_is_not_told(self):
        secret = self.upstreams.api_token
        file = self.person.write("pasted", secret + "\n")
        variables = self.person.write("pasted.env", f"API_TOKEN={secret}\n")
        for arguments in (["--env", secret], ["--label", secret],
                          *([option, wrong] for option in ("--policy", "--credentials", "--config")
                            for wrong in (file, variables))):
            with self.subTest(arguments=arguments):
                done = self.person.aduana("run", *arguments, "--", "true")
                self.assertEqual(done.returncode, 125, done.stderr)
                self.assert_no_secret(done.stdout + done.stderr, "the error")
        for arguments in (["secret", "put", secret + "="], ["detach", "one", secret], [secret]):
            with self.subTest(arguments=arguments):
                done = self.person.aduana(*arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assert_no_secret(done.stdout + done.stderr, "the error")

    def test_every_limit_that_is_none(self):
        options = [word for limit in ("memory=lots", "cups=1", "time") for word in ("--limit", limit)]
        self.assert_nothing_runs("--limit memory=lots: ", "--limit cups=1: ", "--limit time has no value",
                                 options=options)

    def test_a_variable_that_a_placeholder_takes_the_place_of(self):
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}", "{env: [API_TOKEN]}"))
        outcome = self.person.run("/usr/bin/printenv", "API_TOKEN", options=["--env", "API_TOKEN=mine", "--env", "A=b"])
        self.assert_exit(outcome, 0)
        self.assertNotIn("mine", outcome.stdout)
        (line,) = [line for line in outcome.stderr.splitlines() if "--env" in line]
        self.assertIn("API_TOKEN is left out: the variable is the placeholder of credential `api`", line)

    def test_files_that_are_not_yaml(self):
        for name in ("policy", "credentials", "operator"):
            with self.subTest(file=name):
                self.setUp()
                setattr(self.person, name, self.person.write(f"broken-{name}.yaml", "version: [1\n"))
                self.assert_nothing_runs(f"broken-{name}.yaml:")

    def test_a_credential_that_nobody_declared(self):
        self.person.credentials = None
        self.assert_nothing_runs("api", "--credentials")

    def test_a_secret_that_is_not_there(self):
        (self.person.files / "secret-api").unlink()
        self.assert_nothing_runs("secret-api")

    def test_an_authority_that_is_not_there(self):
        self.person.operator.write_text("version: 1\nupstream: {extra_ca: [/no/such/root.pem]}\n")
        self.assert_nothing_runs("/no/such/root.pem")

    def test_a_program_that_is_missing(self):
        program = shutil.which("bwrap", path="/usr/bin:/bin")
        subprocess.run(["mount", "--bind", "/dev/null", program], check=True)
        self.addCleanup(subprocess.run, ["umount", program], check=True)
        self.assert_nothing_runs("bubblewrap")
        doctor = self.person.aduana("doctor")
        self.assertEqual(doctor.returncode, 1)
        self.assertIn("bubblewrap", doctor.stdout + doctor.stderr)

    def test_a_full_disk_before_the_start(self):
        small = self.tiny_folder(16 << 10)
        (small / "filler").write_bytes(bytes(16 << 10))
        self.assert_nothing_runs("journal", options=["--journal", str(small)])

    def test_a_disk_that_fills_up_under_the_journal(self):
        small = self.tiny_folder(64 << 10)
        line, _, _ = self.person.command_line(["/bin/sh", "-c", MANY], options=["--journal", str(small)])
        done = subprocess.run(line, cwd=self.person.work, env=self.person.environment(), capture_output=True, text=True,
                              timeout=120)
        codes = done.stdout.split()
        self.assertTrue(codes, done.stderr)
        self.assertEqual(codes[0], "200", done.stderr)
        self.assertNotEqual(codes[-1], "200", "requests were served without a record")
        written = "".join(f.read_text() for f in small.glob("*.jsonl"))
        for request in self.upstreams.nginx.seen("api.test"):
            self.assertIn(f'"{request["uri"]}"', written)

    def tiny_folder(self, size):
        folder = self.person.folder / "small"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        return folder

    def test_an_upstream_that_is_dead(self):
        self.person.operate(dead_test="127.0.0.9")
        self.person.allow(allow("dead", "dead.test", methods=["GET"]))
        self.assertEqual(self.status_of("https://dead.test/"), ("502", ["upstream-unreachable"]))

    def test_an_upstream_that_is_somebody_else(self):
        self.person.operate(impostor_test="127.0.0.1")
        self.person.allow(allow("impostor", "impostor.test", "api", methods=["GET"]))
        self.person.bind(("api", "impostor.test", self.upstreams.api_token, "{bearer: {}}"))
        self.assertEqual(self.status_of("https://impostor.test/"), ("502", ["tls-unverified"]))

    def test_an_upstream_that_speaks_garbage(self):
        listener = socket.create_server(("127.0.0.8", 443))
        threading.Thread(target=speak_garbage, args=(listener,), daemon=True).start()
        self.person.operate(garbage_test="127.0.0.8")
        self.person.allow(allow("garbage", "garbage.test", methods=["GET"]))
        status, reasons = self.status_of("https://garbage.test/")
        self.assertEqual(status, "502")
        self.assertIn(reasons[0], ("upstream-invalid", "tls-unverified", "upstream-unreachable"))

    def test_a_name_that_does_not_exist(self):
        self.person.allow(allow("nowhere", "nowhere.test", methods=["GET"]))
        self.assertEqual(self.status_of("https://nowhere.test/"), ("502", ["name-unresolved"]))

    def test_a_client_that_speaks_garbage(self):
        outcome = self.person.run("/bin/sh", "-c", f"{PYTHON} -c '{GARBAGE}' && curl -sf https://api.test/token/1")
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.stdout, "all closed\nissue 1: open\n")
        self.assertEqual(len([r for r in outcome.refused()]), 16, [r["reason"] for r in outcome.requests()])
        self.assert_sound(outcome)


def speak_garbage(listener):
    while True:
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"\x15garbage" * 500)


if __name__ == "__main__":
    main()
