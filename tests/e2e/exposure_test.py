#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command could turn against its next run, or use as a way around the border, is refused before it starts; what
it does to its own sandbox does not keep the run alive."""

import os
import signal
import socket
import subprocess
import unittest

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main

SEIZE_PID_1 = "import ctypes; print(ctypes.CDLL(None, use_errno=True).syscall(101, 16, 1, 0, 0))"
DEAF = """
import signal, time
for number in (2, 15):
    signal.signal(number, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""


class Exposure(EndToEnd):
    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test", "api", methods=["GET"], paths=["/**"]))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))

    def assert_refused(self, outcome, *expected):
        self.assert_exit(outcome, 125)
        for text in expected:
            self.assertIn(text, outcome.stderr)
        self.assert_no_secret(outcome.stderr, "the error")

    def test_a_policy_that_the_command_could_change(self):
        policy = self.person.work / "policy.yaml"
        policy.write_text(self.person.policy.read_text())
        self.assert_refused(self.person.run("/bin/true", options=["--policy", policy]), "the policy, ", "/etc/aduana")

    def test_credentials_and_secrets_that_the_command_could_read(self):
        credentials = self.person.work / "credentials.yaml"
        credentials.write_text(self.person.credentials.read_text())
        outcome = self.person.run("/bin/true", options=["--credentials", credentials])
        self.assert_refused(outcome, "the credentials file")
        secret = self.person.files / "secret-api"
        outcome = self.person.run("/bin/true", options=["--ro", f"{secret}:/mnt/secret"])
        self.assert_refused(outcome, "the secret of `api`")

    def test_a_link_that_the_command_could_point_elsewhere(self):
        work, files = self.person.work, self.person.files
        (work / "folder").symlink_to("../../files")
        for option, target in (("--policy", self.person.policy), ("--credentials", self.person.credentials),
                               ("--config", self.person.operator)):
            (work / target.name).symlink_to(f"../../files/{target.name}")
            for path in (work / target.name, target.name, work / "folder" / target.name):
                with self.subTest(option=option, path=path):
                    self.assert_refused(self.person.run("/bin/true", options=[option, path]), "is reached through",
                                        "which the command could replace for its next run")
            outcome = self.person.run("/bin/true", options=[option, f"../../files/{target.name}"])
            self.assert_exit(outcome, 0)
        mount = self.person.folder / "mount"
        mount.mkdir()
        (mount / "policy.yaml").symlink_to(files / "policy.yaml")
        outcome = self.person.run("/bin/true", options=["--rw", f"{mount}:/mnt", "--policy", mount / "policy.yaml"])
        self.assert_refused(outcome, "the policy, ", "is reached through")

    def test_a_link_that_an_earlier_run_left_is_not_mounted(self):
        other = self.person.folder / "other"
        other.mkdir()
        (other / "private").write_text("mine")
        self.assert_exit(self.person.run("/bin/sh", "-c", f"ln -s {other} out; mkdir plain; ln -s / plain/all"), 0)
        out, through = self.person.work / "out", self.person.work / "plain/all"
        self.person.policy.write_text(self.person.policy.read_text() +
                                      f"sandbox: {{mounts: [{{path: {out}, at: /in, mode: rw}}]}}\n")
        refused = self.person.run("/bin/true")
        self.assert_refused(refused, f"the mount {out} ({self.person.policy}:", f"through the symbolic link {out}, ")
        self.person.allow(allow("api", "api.test", "api", methods=["GET"], paths=["/**"]))
        for options in (["--ro", f"{out}:/in"], ["--rw", f"{out}:/in"], ["--workdir", "out"], ["--workdir", out],
                        ["--ro", f"{through}{other}:/in"]):
            with self.subTest(options=options):
                self.assert_refused(self.person.run("/bin/sh", "-c", "echo x > /in/new; echo x > new", options=options),
                                    f"{' '.join(map(str, options))} leads through the symbolic link ",
                                    "which the command of an earlier run could have made", f"name {other} itself")
        self.assertEqual([file.name for file in other.iterdir()], ["private"])
        outcome = self.person.run("/bin/cat", "/in/private", options=["--ro", f"{other}:/in"])
        self.assertEqual((outcome.exit, outcome.stdout), (0, "mine"), str(outcome))
        self.assert_exit(self.person.run("/bin/touch", "new", options=["--workdir", "plain"]), 0)
        self.assertTrue((self.person.work / "plain/new").exists())

    def test_the_work_folder_is_not_reached_through_a_link_either(self):
        other = self.person.folder / "other"
        other.mkdir()
        self.assert_exit(self.person.run("/bin/sh", "-c", f"ln -s {other} out"), 0)
        for options in ([], ["--workdir", "."]):
            line, _, _ = self.person.command_line(["/bin/touch", "new"], options)
            done = subprocess.run(line, cwd=self.person.work / "out", capture_output=True, text=True, timeout=60,
                                  env={**self.person.environment(), "PWD": str(self.person.work / "out")})
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn("leads through the symbolic link ", done.stderr)
        self.assertEqual(list(other.iterdir()), [])

    def test_what_is_mounted_in_the_work_folder_is_shown_or_refused(self):
        inner = self.person.work / "data"
        inner.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", inner], check=True)
        self.addCleanup(subprocess.run, ["umount", inner], check=True)
        (inner / "kept").touch()
        self.assert_refused(self.person.run("/bin/true"), f"{inner} is mounted inside {self.person.work}",
                            f"--ro {inner} or --rw {inner}")
        spoil = "rmdir data; mv data data2; ls data; touch data/new"
        outcome = self.person.run("/bin/sh", "-c", spoil, options=["--ro", inner])
        self.assertEqual((outcome.exit != 0, outcome.stdout), (True, "kept\n"), str(outcome))
        self.assertTrue((inner / "kept").exists())

    def test_a_mount_to_read_is_safe_from_its_command_but_not_from_a_second_name_or_a_neighbour(self):
        hooks = self.person.work / "git" / "hooks"
        hooks.mkdir(parents=True)
        kept, linked = hooks / "pre-push", hooks / "commit-msg"
        for file in (kept, linked):
            file.write_text("as it was\n")
        (self.person.work / "second").hardlink_to(linked)
        spoil = "echo new >git/hooks/pre-push; mv git moved; rm -rf git; echo new >second"
        self.person.run("/bin/sh", "-c", spoil, options=["--ro", hooks])
        self.assertEqual([kept.read_text(), linked.read_text()], ["as it was\n", "new\n"])
        self.assert_exit(self.person.run("/bin/mv", "git", "moved"), 0)

    def test_what_everybody_on_the_machine_can_change(self):
        files = {self.person.policy: "the policy", self.person.credentials: "the credentials file",
                 self.person.operator: "the operator's file", self.person.files / "secret-api": "the secret of `api`"}
        for path, name in files.items():
            with self.subTest(file=name):
                mode = path.stat().st_mode
                path.chmod(0o666)
                self.assert_refused(self.person.run("/bin/true"), f"{name}, {path}, can be changed by everybody",
                                    f"chmod o-w {path}")
                path.chmod(mode)
        self.assert_exit(self.person.run("/bin/true"), 0)

    def test_a_link_to_a_secret_or_a_root_certificate(self):
        link = self.person.work / "secret-api"
        link.symlink_to(self.person.files / "secret-api")
        text = self.person.credentials.read_text()
        self.person.credentials.write_text(text.replace(str(self.person.files / "secret-api"), str(link)))
        self.assert_refused(self.person.run("/bin/true"), "the secret of `api`", "is reached through")
        self.person.credentials.write_text(text)
        link = self.person.work / "ca.pem"
        link.symlink_to(self.upstreams.authority.certificate)
        text = self.person.operator.read_text()
        self.person.operator.write_text(text.replace(str(self.upstreams.authority.certificate), str(link)))
        self.assert_refused(self.person.run("/bin/true"), "a root certificate of the operator", "is reached through")

    def test_a_second_name_of_the_policy_is_told_of(self):
        os.link(self.person.policy, self.person.work / "innocent")
        outcome = self.person.run("/bin/true")
        self.assert_exit(outcome, 0)
        (line,) = outcome.own_lines()
        self.assertIn(f"the policy, {self.person.policy}, has 2 names (hard links)", line)

    def test_the_variable_that_a_secret_comes_from(self):
        self.person.credentials = self.person.write(
            "credentials.yaml", "version: 1\ncredentials:\n  api:\n    source: {env: API_SECRET}\n"
            "    destinations: [{hosts: [api.test]}]\n    inject: {bearer: {}}\n")
        outcome = self.person.run("/bin/true", options=["--env-pass", "API_SECRET"],
                                  environment={"API_SECRET": self.upstreams.api_token})
        self.assert_refused(outcome, "--env-pass API_SECRET")

    def test_where_aduana_writes_no_link_of_an_earlier_run_is_followed(self):
        other = self.person.folder / "other"
        (other / "records").mkdir(parents=True)
        files = {other / name: "mine" for name in ("environment", "ca.pem", "target", "records/target")}
        for file, text in files.items():
            file.write_text(text)
        self.assert_exit(self.person.run("/bin/sh", "-c", f"ln -s {other} out; mkdir state; "
                                         f"ln -s {other}/records state/records; ln -s {other} state/secrets"), 0)
        out, state = self.person.work / "out", self.person.work / "state"
        cases = [("run", ["--record", "out/target"], {}, "--record out/target", other / "target"),
                 ("run", ["--journal", out], {}, f"--journal {out}", other),
                 ("run", ["--config", self.operator(f"{out}/j")], {}, f"journal.directory {out}/j", other / "j"),
                 ("run", [], {"ADUANA_STATE_DIR": "out/s"}, "the state folder out/s", other / "s"),
                 ("run", [], {"ADUANA_STATE_DIR": str(state)}, f"the state folder {state}", other / "records"),
                 ("listen", ["--out", out], {}, f"--out {out}", other),
                 ("listen", ["--out", "out/new/er"], {}, "--out out/new/er", other / "new/er"),
                 ("listen", ["--record", "out/target"], {}, "--record out/target", other / "target"),
                 ("listen", ["--journal", "out"], {}, "--journal out", other),
                 ("serve", [], {"ADUANA_RUNTIME_DIR": str(out)}, str(out), other),
                 ("secret", [], {"ADUANA_STATE_DIR": str(out)}, f"the state folder {out}", other),
                 ("secret", [], {"ADUANA_STATE_DIR": str(state)}, f"the state folder {state}", other / "records")]
        for command, options, variables, what, target in cases:
            with self.subTest(command=command, options=options, variables=variables):
                status, told = self.refused_by(command, options, variables)
                self.assertEqual(status, 125 if command == "run" else 1, told)
                for text in (what, "leads through the symbolic link ", f", to {target};",
                             "which the command of an earlier run could have made"):
                    self.assertIn(text, told)
        found = {path: path.read_text() for path in other.rglob("*") if path.is_file()}
        self.assertEqual(found, files)
        self.assert_exit(self.person.run("/bin/true", options=["--record", other / "target"]), 0)

    def operator(self, journal):
        return self.person.write("journal.yaml", f"version: 1\njournal: {{directory: {journal}}}\n")

    def refused_by(self, command, options, variables):
        # As little of its own as possible: what is refused must not be another path.
        line = {"run": ["run", *options, "--workdir", self.work_elsewhere(), "--", "/bin/true"],
                "listen": ["listen", "--http", "127.0.0.1:0", *options], "serve": ["serve"],
                "secret": ["secret", "remove", "none"]}[command]
        done = self.person.aduana(*line, timeout=20, **variables)
        return done.returncode, done.stderr

    def work_elsewhere(self):
        folder = self.person.folder / "elsewhere"
        folder.mkdir(exist_ok=True)
        return folder

    def test_a_record_in_the_place_of_what_is_no_file(self):
        folder, device = self.person.folder, "/dev/full"
        (folder / "to-a-file").symlink_to(self.person.write("real", "mine"))
        (folder / "to-nothing").symlink_to("missing")
        (folder / "mounted").touch()
        subprocess.run(["mount", "--bind", folder / "mounted", folder / "mounted"], check=True)
        self.addCleanup(subprocess.run, ["umount", folder / "mounted"], check=True)
        for place, told in ((device, "is not a regular file"), (folder, "is not a regular file"),
                            (folder / "to-a-file", "is a symbolic link"), (folder / "to-nothing", "is a symbolic link"),
                            (folder / "mounted", "cannot be replaced"), (folder / "missing/r.json", "cannot write in"),
                            (folder / ("r" * 245), "name too long"), ("/proc/r.json", "cannot make /proc/r.json")):
            with self.subTest(record=place):
                refused = self.person.run("/usr/bin/touch", "ran", options=["--record", place])
                self.assert_exit(refused, 125)
                self.assertIn(f"--record {place}: ", refused.stderr)
                self.assertIn(told.lower(), refused.stderr.lower())
                self.assertFalse((self.person.work / "ran").exists())
        self.assertTrue(os.stat(device).st_rdev)
        self.assertEqual((self.person.files / "real").read_text(), "mine")
        self.assertEqual([path.name for path in folder.glob("*.new")], [])

    def test_a_journal_in_the_work_folder(self):
        self.assert_refused(self.person.run("/bin/true", options=["--journal", "journal"]))

    def run_with_stdin(self, stdin):
        line, *_ = self.person.command_line(["/bin/true"])
        return subprocess.run(line, cwd=self.person.work, env=self.person.environment(), stdin=stdin,
                              capture_output=True, text=True, timeout=60)

    def test_a_folder_or_a_network_socket_as_stdin(self):
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        with socket.socket() as connection:
            for stdin, word in ((folder, "folder"), (connection, "network socket")):
                with self.subTest(word):
                    done = self.run_with_stdin(stdin)
                    self.assertEqual(done.returncode, 125, done.stderr)
                    self.assertIn(word, done.stderr)

    def test_the_first_process_of_the_sandbox_cannot_be_stopped(self):
        outcome = self.person.run(PYTHON, "-c", SEIZE_PID_1, timeout=30)
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.stdout.strip(), "-1")

    def test_a_command_that_does_not_listen_is_ended_at_the_third_signal(self):
        process, _ = self.person.start(PYTHON, "-c", DEAF)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "deaf\n")
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                continue
        _, told = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, told)
        self.assertIn("asked to end three times", told)


if __name__ == "__main__":
    main()
