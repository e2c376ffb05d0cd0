#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The exit status of `run` is the command's own, or says in one number why there is none; so are its streams."""

import json
import signal
import subprocess
import time
import unittest

from support.aduana import PYTHON
from support.case import EndToEnd, main


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)


class ExitStatus(EndToEnd):
    def test_it_is_the_commands_own(self):
        for status in (0, 1, 3, 42, 124, 125, 255):
            with self.subTest(status=status):
                self.assert_exit(self.person.run("/bin/sh", "-c", f"exit {status}"), status)

    def test_a_command_that_is_not_there_is_127(self):
        outcome = self.person.run("no-such-program")
        self.assert_exit(outcome, 127)
        self.assertIn("no-such-program", outcome.stderr)
        self.assert_exit(self.person.run("/usr/bin/no-such-program"), 127)

    def test_a_command_that_cannot_be_executed_is_126(self):
        (self.person.work / "data.txt").write_text("not a program\n")
        self.assert_exit(self.person.run("./data.txt"), 126)
        self.assert_exit(self.person.run("/usr/bin"), 126)

    def test_a_signal_is_128_more(self):
        for name in ("SIGTERM", "SIGKILL", "SIGSEGV"):
            with self.subTest(signal=name):
                number = getattr(signal, name)
                self.assert_exit(self.person.run("/bin/sh", "-c", f"kill -{name[3:]} $$"), 128 + number)

    def test_the_time_limit_is_124(self):
        outcome = self.person.run("/bin/sleep", "60", options=["--limit", "time=500ms"])
        self.assert_exit(outcome, 124)
        self.assertIn("time", " ".join(outcome.own_lines()))

    def test_wrong_usage_is_125_and_nothing_runs(self):
        marker = self.person.work / "ran"
        for options in (["--limit", "memory=lots"], ["--limit", "colour=red"], ["--no-such-option"],
                        ["--ro", "/no/such/folder"], ["--workdir", "/no/such/folder"], ["--ro", "/"], ["--ro", "/proc"],
                        ["--ro", "/run"], ["--ro", str(self.person.home)], ["--rw", str(self.person.home / "work")],
                        ["--config", "/no/such/file"],
                        ["--policy", "/no/such/file"]):
            with self.subTest(options=options):
                outcome = self.person.run("/usr/bin/touch", str(marker), options=options)
                self.assert_exit(outcome, 125)
                self.assertIn(options[-1], outcome.stderr)
                self.assertEqual(outcome.stdout, "")
                self.assertFalse(marker.exists())

    def test_a_record_that_is_lost_is_123(self):
        waiting = "touch started; while [ ! -e go ]; do sleep 0.05; done; exit "
        other = self.person.folder / "other"
        other.mkdir()
        for number, (status, spoil) in enumerate(((0, lambda folder: None),
                                                  (7, lambda folder: folder.symlink_to(other)))):
            folder, work = self.person.folder / f"records-{number}", self.person.folder / f"work-{number}"
            folder.mkdir()
            work.mkdir()
            with self.subTest(status=status):
                process, _ = self.person.start("/bin/sh", "-c", waiting + str(status),
                                               options=["--record", folder / "r.json", "--workdir", work])
                self.addCleanup(process.stdout.close)
                wait_for(lambda: (work / "started").exists() or process.poll() is not None)
                folder.rmdir()
                spoil(folder)
                (work / "go").touch()
                _, told = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 123, told)
                self.assertIn(f"the task ended (exited, status {status}), but its record is lost: ", told)
        self.assertEqual(list(other.iterdir()), [])

    def test_no_command_is_125(self):
        line, _, _ = self.person.command_line([])
        self.assertEqual(self.person.aduana(*line[1:]).returncode, 125)

    def test_other_subcommands_say_2_for_wrong_usage(self):
        for arguments in (["policy", "check"], ["audit", "verify", "--no-such-option"], ["no-such-command"], []):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.person.aduana(*arguments).returncode, 2)

    def test_every_subcommand_has_help_with_an_example(self):
        for command in ("run", "doctor", "policy check", "audit show", "audit verify"):
            with self.subTest(command=command):
                helped = self.person.aduana(*command.split(), "--help")
                self.assertEqual(helped.returncode, 0)
                self.assertIn(f"aduana {command}", helped.stdout)

    def test_the_streams_are_the_commands(self):
        backwards = "import sys; print(sys.stdin.read()[::-1]); print('err', file=sys.stderr)"
        outcome = self.person.python(backwards, stdin="abc")
        self.assertEqual((outcome.stdout, outcome.stderr), ("cba\n", "err\n"))

    def test_signals_are_forwarded(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                catch = f"trap 'echo caught; exit 7' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
                process, _ = self.person.start("/bin/sh", "-c", catch)
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                out, _ = process.communicate(timeout=20)
                self.assertEqual((process.returncode, out), (7, "caught\n"))

    def test_arguments_arrive_as_they_were_given(self):
        arguments = ["[a,b]", '["x", "y"]', "", "--", "--policy", "-x", "a,b", "{}", "'\"$HOME *", "a\tb", "ü", "%s"]
        outcome = self.person.run(PYTHON, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))", *arguments)
        self.assertEqual(json.loads(outcome.stdout), arguments, outcome.stderr)

    def test_a_dry_run_prints_the_plan_and_does_nothing(self):
        marker = self.person.work / "ran"
        outcome = self.person.run("/usr/bin/touch", str(marker), options=["--dry-run"])
        self.assert_exit(outcome, 0)
        self.assertIn("gateway", outcome.stdout + outcome.stderr)
        self.assertFalse(marker.exists())

    def test_inherited_descriptors_are_closed(self):
        with open("/etc/hostname") as secret:
            listing = "import os; print(sorted(os.listdir('/proc/self/fd')))"
            line, _, _ = self.person.command_line([PYTHON, "-c", listing])
            done = subprocess.run(line, cwd=self.person.work, env=self.person.environment(), pass_fds=[secret.fileno()],
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "['0', '1', '2', '3']\n", done.stderr)

    def test_doctor_finds_this_machine_fit(self):
        checked = self.person.aduana("doctor")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    main()
