#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fork bomb, a memory hog, a disk filler, a spinner and a sleeper stop at their limit, and the record says so."""

import time
import unittest

from support.aduana import PYTHON
from support.case import EndToEnd, main

MIB = 1 << 20
# Prints how many processes there were before the limit said no.
BOMB = """
import os, time
count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    print(count, type(error).__name__, flush=True)
"""
HOG = "x = []\nwhile True: x.append(bytearray(b'x' * (8 << 20)))"
# Prints what stopped the writing, and how many MiB went in.
FILL = """
import sys
count = 0
try:
    with open(sys.argv[1], "wb", 0) as file:
        while count < 2000:
            count += file.write(bytes(1 << 20)) >> 20
except OSError as error:
    print(count, error.strerror, flush=True)
"""
# Each takes more than 16 MiB of the disk, with files of hardly any size.
OUTGROW = {
    "blocks beyond the end": "import ctypes, os\nfile = os.open('f', os.O_CREAT | os.O_RDWR)\n"
                             "ctypes.CDLL(None).fallocate(file, 1, ctypes.c_long(0), ctypes.c_long(48 << 20))",
    "many small files": "for i in range(6000): open(f's{i}', 'w').close()",
    "a writable mount": "for i in range(5): open(f'/data/{i}', 'wb').write(bytes(8 << 20))",
}


class Limits(EndToEnd):
    def limit(self, outcome, name):
        """The row of the task record for one limit."""
        rows = outcome.record()["limits"]
        return next(row for row in rows if row["name"] == name)

    def test_a_fork_bomb_stops_at_processes(self):
        outcome = self.person.run(PYTHON, "-c", BOMB, options=["--limit", "processes=64"], timeout=60)
        self.assert_exit(outcome, 0)
        count, error = outcome.stdout.split()
        self.assertEqual(error, "BlockingIOError")
        self.assertLess(int(count), 64)
        self.assertGreater(int(count), 30)
        row = self.limit(outcome, "processes")
        self.assertTrue(row["hit"], row)
        self.assertEqual(row["set"], "64")
        self.assertTrue(row["peak"])

    def test_a_memory_hog_is_killed_at_memory(self):
        outcome = self.person.run(PYTHON, "-c", HOG, options=["--limit", "memory=128MiB"], timeout=60)
        self.assert_exit(outcome, 137)
        row = self.limit(outcome, "memory")
        self.assertTrue(row["hit"], row)
        self.assertTrue(row["peak"])
        self.assertIn("memory", [event["limit"] for event in outcome.events("limit.hit")])

    def test_a_disk_filler_gets_an_error_and_not_a_kill(self):
        for place in ("/tmp/fill", "/dev/shm/fill", "fill in the home"):
            with self.subTest(place=place):
                path = place if place.startswith("/") else "/home/sandbox/fill"
                outcome = self.person.run(PYTHON, "-c", FILL, path, options=["--limit", "disk=64MiB"])
                self.assert_exit(outcome, 0)
                count, error = outcome.stdout.split(" ", 1)
                self.assertEqual(error, "No space left on device\n")
                self.assertLessEqual(int(count), 64)
                self.assertGreater(int(count), 32)
                self.assertTrue(self.limit(outcome, "disk")["hit"])

    def test_the_three_places_share_one_budget(self):
        script = ("import os\nfor f in ('/tmp/a', '/dev/shm/b', os.path.expanduser('~/c')):\n"
                  "    try:\n        n = open(f, 'wb', 0).write(bytes(30 << 20)); print(f, n >> 20)\n"
                  "    except OSError as e:\n        print(f, e.strerror)")
        outcome = self.person.run(PYTHON, "-c", script, options=["--limit", "disk=64MiB"])
        self.assert_exit(outcome, 0)
        written = sum(int(word) for word in outcome.stdout.split() if word.isdigit())
        self.assertLess(written, 64)

    def test_what_takes_disk_beside_the_image_ends_the_command(self):
        data = self.person.folder / "data"
        data.mkdir()
        (data / "old").write_bytes(bytes(32 * MIB))
        for name, script in OUTGROW.items():
            with self.subTest(name):
                outcome = self.person.run(PYTHON, "-c", script + "\nimport time; time.sleep(90)",
                                          options=["--rw", f"{data}:/data", "--limit", "disk=16MiB"])
                self.assert_exit(outcome, 137)
                self.assertEqual(outcome.record()["exit"]["cause"], "disk-limit")
                row = self.limit(outcome, "disk")
                self.assertTrue(row["hit"], row)
                self.assertRegex(row["peak"], r"^(1[6-9]|[2-9][0-9])(\.[0-9])? MiB$")

    def test_deep_folders_of_an_earlier_command_do_not_switch_it_off(self):
        deep = "import os\nfor i in range(300):\n    os.mkdir('d')\n    os.chdir('d')\n"
        self.assert_exit(self.person.run(PYTHON, "-c", deep, options=["--limit", "disk=16MiB"]), 0)
        fill = "for i in range(8): open(str(i), 'wb').write(bytes(8 << 20))\nimport time; time.sleep(90)"
        outcome = self.person.run(PYTHON, "-c", fill, options=["--limit", "disk=16MiB"])
        self.assert_exit(outcome, 137)
        self.assertNotIn("does not hold", outcome.stderr)
        self.assertEqual(outcome.record()["exit"]["cause"], "disk-limit")
        self.assertTrue(self.limit(outcome, "disk")["hit"])

    def test_a_file_beyond_the_limit_is_told(self):
        one = self.person.folder / "one"
        one.write_text("")
        outcome = self.person.run("/bin/sh", "-c", f"exec head -c 40M /dev/zero > {one}",
                                  options=["--rw", one, "--limit", "disk=16MiB"])
        self.assert_exit(outcome, 153)
        self.assertIn("limit reached: disk: the command ended with status 153", outcome.stderr)
        self.assertTrue(self.limit(outcome, "disk")["hit"])
        self.assertEqual([event["limit"] for event in outcome.events("limit.hit")], ["disk"])

    def test_growth_is_on_record_though_the_command_has_ended(self):
        outcome = self.person.run("/bin/sh", "-c", "for i in 1 2 3; do head -c 8M /dev/zero > $i; done",
                                  options=["--limit", "disk=16MiB"])
        self.assert_exit(outcome, 0)
        row = self.limit(outcome, "disk")
        self.assertTrue(row["hit"], row)
        self.assertEqual([event["limit"] for event in outcome.events("limit.hit")], ["disk"])

    def test_a_spinner_is_held_to_its_share_of_a_processor(self):
        spin = "import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\nprint(time.process_time())"
        outcome = self.person.run(PYTHON, "-c", spin, options=["--limit", "cpus=0.25"])
        self.assert_exit(outcome, 0)
        self.assertLess(float(outcome.stdout), 1.2, "seconds of processor in two of the clock")
        self.assertTrue(self.limit(outcome, "cpus")["mechanism"])

    def test_a_sleeper_ends_with_its_time(self):
        began = time.monotonic()
        outcome = self.person.run("/bin/sh", "-c", "trap '' TERM INT; setsid sleep 100 & sleep 100",
                                  options=["--limit", "time=1s"])
        self.assert_exit(outcome, 124)
        self.assertLess(time.monotonic() - began, 30)
        record = outcome.record()
        self.assertTrue(self.limit(outcome, "time")["hit"])
        self.assertEqual(record["exit"], {"status": 124, "cause": "time-limit"})

    def test_open_files_are_limited(self):
        many = "f = []\ntry:\n    while 1: f.append(open('/dev/null'))\nexcept OSError as e: print(len(f), e.strerror)"
        outcome = self.person.run(PYTHON, "-c", many, options=["--limit", "open_files=64"])
        self.assertRegex(outcome.stdout, r"^(5[0-9]|6[0-4]) Too many open files")

    def test_a_policy_may_set_them_and_an_option_wins(self):
        text = "version: 1\nsandbox: {limits: {time: 60s, processes: 32}}\n"
        self.person.policy = self.person.write("policy.yaml", text)
        outcome = self.person.run("/bin/sleep", "100", options=["--limit", "time=1s"])
        self.assert_exit(outcome, 124)
        self.assertEqual(self.limit(outcome, "processes")["set"], "32")


if __name__ == "__main__":
    main()
