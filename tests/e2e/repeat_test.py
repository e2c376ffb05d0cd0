#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two hundred runs in a row and twenty side by side leave the host as they found it."""

import subprocess
import unittest
from pathlib import Path

from support import host_state
from support.aduana import Person
from support.case import EndToEnd, main

IN_A_ROW, SIDE_BY_SIDE = 200, 20


class Repeated(EndToEnd):
    def setUp(self):
        super().setUp()
        self.before = host_state.snapshot()

    def assert_as_before(self):
        self.assertEqual(host_state.leftovers(self.before, seconds=5.0), [])

    def test_in_a_row(self):
        self.assert_exit(self.person.run("/bin/true"), 0)
        namespaces = network_namespaces()
        for _ in range(IN_A_ROW - 1):
            self.assert_exit(self.person.run("/bin/true"), 0)
        self.assert_as_before()
        # Anonymous namespaces have no name to look for; the kernel frees them a little later than their last user.
        self.assertLess(network_namespaces() - namespaces, IN_A_ROW // 4)

    def test_side_by_side(self):
        people = [Person(self.upstreams) for _ in range(SIDE_BY_SIDE)]
        runs = [person.start("/bin/sh", "-c", "echo started; sleep 1; exit 9") for person in people]
        for process, _ in runs:
            try:
                out, told = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            self.assertEqual((process.returncode, out), (9, "started\n"), told)
        self.assert_as_before()

    def test_side_by_side_for_one_person(self):
        runs = [self.person.start("/bin/true") for _ in range(SIDE_BY_SIDE)]
        for process, _ in runs:
            _, told = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, told)
        self.assert_as_before()
        for _, outcome in runs:
            self.assert_sound(outcome)


def network_namespaces():
    """How many the kernel holds."""
    for line in Path("/proc/slabinfo").read_text().splitlines():
        if line.startswith("net_namespace "):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    main()
