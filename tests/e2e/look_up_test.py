#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the proxy finds its upstreams when the operator fixes no address: a real name server, asked for allowed names
only, and answers that must not lead where no rule leads."""

import unittest

from support.aduana import Person, allow
from support.case import EndToEnd, main
from support.name_server import NameServer

SERVER = "127.0.0.53"


def public(name):
    """A rule that may dial public addresses only."""
    return f"  - {{name: {name.split('.')[0]}, hosts: [{name}], methods: [GET]}}\n"


class LookUps(EndToEnd):
    good_turns = 2  # one look-up asks for A and for AAAA

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.turn = 0
        cls.server = NameServer(SERVER, {
            "api.test": ["127.0.0.1"],
            "long.test": ["127.0.0.1"],
            "silent.test": None,
            "mixed.test": ["10.0.0.1", "127.0.0.1", "169.254.169.254"],
            "private.test": ["10.1.2.3"],
            "metadata.test": ["169.254.169.254"],
            "turning.test": cls.turning,
        }, truncate={"long.test"})

    def setUp(self):
        self.server.asked.clear()
        self.person = Person(self.upstreams)
        self.person.operator = self.person.write(
            "aduana.yaml", "version: 1\nupstream:\n"
            f"  extra_ca: [{self.upstreams.authority.certificate}]\n  nameservers: [{SERVER}]\n")

    @classmethod
    def turning(cls):
        """Another address each time: the second one is where nobody may go."""
        cls.turn += 1
        return ["127.0.0.1"] if cls.turn <= cls.good_turns else ["10.9.9.9"]

    def get(self, *rules, host, path="/"):
        self.person.allow(*rules)
        return self.person.run("/usr/bin/curl", "-s", "-m", "30", "-o", "/dev/null", "-w", "%{http_code}",
                               f"https://{host}{path}")

    def only(self, outcome):
        requests = outcome.requests()
        self.assertEqual(len(requests), 1, str(outcome))
        return requests[0]

    def test_an_allowed_name_is_looked_up_and_reached(self):
        outcome = self.get(allow("api", "api.test", methods=["GET"]), host="api.test", path="/open")
        self.assertEqual(self.only(outcome)["upstream_ip"], "127.0.0.1")
        self.assertIn("api.test", self.server.names())

    def test_a_long_answer_comes_over_tcp(self):
        self.get(allow("long", "long.test", methods=["GET"]), host="long.test")
        self.assertIn("tcp", {transport for name, _, transport in self.server.asked if name == "long.test"})

    def test_a_refused_name_is_never_looked_up(self):
        outcome = self.get(allow("api", "api.test", methods=["GET"]), host="secret-data.stranger.test")
        self.assertEqual(outcome.stdout, "403", str(outcome))
        self.assertEqual(self.server.names(), set())

    def test_a_name_that_does_not_exist_is_said_to_be_unresolved(self):
        outcome = self.get(public("none.test"), host="none.test")
        self.assertEqual((outcome.stdout, self.only(outcome)["reason"]), ("502", "name-unresolved"), str(outcome))

    def test_a_silent_name_server_is_given_up(self):
        outcome = self.get(public("silent.test"), host="silent.test")
        self.assertEqual((outcome.stdout, self.only(outcome)["reason"]), ("502", "name-unresolved"), str(outcome))

    def test_a_name_that_leads_inside_is_refused(self):
        for name, reason in (("private.test", "address-private"), ("metadata.test", "address-metadata")):
            with self.subTest(name):
                outcome = self.get(public(name), host=name)
                self.assertEqual((outcome.stdout, self.only(outcome)["reason"]), ("403", reason), str(outcome))

    def test_metadata_stays_refused_where_a_rule_allows_everything(self):
        rule = "  - {name: all, hosts: [metadata.test], methods: [GET], addresses: [0.0.0.0/0]}\n"
        outcome = self.get(rule, host="metadata.test")
        self.assertEqual(self.only(outcome)["reason"], "address-metadata", str(outcome))

    # Our server on 127.0.0.1 has no certificate for the next two names: tls-unverified tells that it was dialled.
    def test_of_mixed_answers_only_the_vetted_one_is_dialled(self):
        outcome = self.get(allow("mixed", "mixed.test", methods=["GET"]), host="mixed.test")
        self.assertEqual(self.only(outcome)["reason"], "tls-unverified", str(outcome))

    def test_the_address_that_was_vetted_is_the_one_that_is_dialled(self):
        outcome = self.get(allow("turning", "turning.test", methods=["GET"]), host="turning.test")
        self.assertEqual(self.only(outcome)["reason"], "tls-unverified", str(outcome))
        again = self.get(allow("turning", "turning.test", methods=["GET"]), host="turning.test")
        self.assertEqual(self.only(again)["reason"], "address-private", str(again))


if __name__ == "__main__":
    main()
