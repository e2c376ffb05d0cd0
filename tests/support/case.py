# SPDX-License-Identifier: Apache-2.0
"""The base of the end-to-end tests: upstreams once for each class, a fresh person for each test."""

import subprocess
import unittest

from support import canary, isolate
from support.aduana import Person
from support.upstreams import Upstreams


class EndToEnd(unittest.TestCase):
    wanted = ("api",)

    @classmethod
    def setUpClass(cls):
        cls.upstreams = Upstreams(*cls.wanted)
        cls.addClassCleanup(cls.upstreams.stop)

    def setUp(self):
        self.person = Person(self.upstreams)
        # The first that is registered is the last that is done.
        self.addCleanup(self.assert_no_trace, self.person)

    def assert_exit(self, outcome, expected):
        self.assertEqual(outcome.exit, expected, str(outcome))

    def assert_no_secret(self, text, where):
        for secret in self.upstreams.secrets():
            self.assertNotIn(secret, text, f"a secret is visible in {where}")

    def assert_no_trace(self, person):
        self.assertEqual(canary.find(person), [], "a secret was left where it must not be")

    def assert_sound(self, outcome):
        """`audit verify` with nothing but the public key says that the journal is whole."""
        verified = self.person.aduana("audit", "verify", "--journal", outcome.journal,
                                      "--public-key", self.person.public_key)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


def add_link(name, address):
    """A link of the host with an address of its own, so that there is something beyond the sandbox to reach."""
    subprocess.run(["ip", "link", "add", name, "type", "veth", "peer", "name", f"{name}-far"], check=True)
    subprocess.run(["ip", "addr", "add", address, "dev", name], check=True)
    for end in (name, f"{name}-far"):
        subprocess.run(["ip", "link", "set", end, "up"], check=True)


def main():
    isolate.enter()
    unittest.main()
