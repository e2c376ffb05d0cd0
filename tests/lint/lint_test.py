#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule must be able to fail: the tree under fixture/ breaks every one of them, once or more."""

import unittest
from pathlib import Path

import rules

FIXTURE = Path(__file__).resolve().parent / "fixture"

# One line for each finding that the fixture must cause: its place and a piece of its message.
EXPECTED = [
    ("broker/core/vault.cpp:3", "must not include proxy/core/head.hpp"),
    ("proxy/core/head.cpp:3", "must not include broker/core/vault.hpp"),
    ("policy/decide.cpp:3", "must not include policy/load/load.hpp"),
    ("cli/run.cpp:3", "must not include proxy/shell/relay.hpp"),
    ("sandbox-shim/plan.cpp:3", "must not include sandbox-shim/apply/netlink.hpp"),
    ("audit/unknown/new_room.cpp", None),
    ("proxy/extra/new_room.cpp:1", "no row in tests/lint/arrows.py"),
    ("policy/decide.cpp:4", "<yaml-cpp/yaml.h> may be included from policy/load/ only"),
    ("broker/core/vault.cpp:4", "<boost/asio.hpp> may be included from"),
    ("proxy/core/head.cpp:4", "<openssl/ssl.h> may be included from"),
    ("cli/run.cpp:4", '"cli/missing.hpp" does not exist'),
    ("policy/long.hpp:151", "at most 150"),
    ("policy/long.hpp:3", "at most 120"),
    ("certs/leaf.cpp:1", "SPDX"),
    ("certs/leaf.hpp:2", "what the file is for"),
    ("proxy/shell/relay.hpp:3", "shared_from_this"),
    ("proxy/shell/relay.hpp:4", "asio::detached"),
    ("proxy/shell/relay.hpp:5", "catch (...)"),
    ("proxy/shell/relay.hpp:6", "co_await stands alone"),
    ("proxy/shell/relay.hpp:7", "volatile"),
    ("proxy/shell/relay.hpp:8", "function-like macros"),
    ("proxy/shell/relay.hpp:9", "unfinished work"),
    ("policy/machine.hpp:3", "a path of one machine"),
    ("tests/clients/package-lock.json:2", "registry's host"),
    ("certs/README.md:1", "write this file"),
    ("tests/policy/nothing_test.cpp:1", "mirrors no source"),
]


class EveryRuleCanFail(unittest.TestCase):
    def setUp(self):
        self.findings = rules.run(FIXTURE)

    def test_the_fixture_breaks_each_rule_where_expected(self):
        for place, message in EXPECTED:
            with self.subTest(place=place):
                hits = [f for f in self.findings if f.startswith(place)]
                if message is None:
                    self.assertEqual(hits, [], "a folder below a known room needs no row of its own")
                else:
                    self.assertTrue(any(message in f for f in hits), f"no such finding among {self.findings}")

    def test_a_clean_file_causes_no_finding(self):
        self.assertEqual([f for f in self.findings if "policy/base/fine" in f], [])

    def test_each_rule_finds_something(self):
        tree = rules.Tree(FIXTURE)
        for rule in rules.ALL:
            self.assertTrue(list(rule(tree)), f"{rule.__name__} cannot fail")


if __name__ == "__main__":
    unittest.main()
