#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README and the examples do what they say: every file in them loads, every command in them exists."""

import re
import unittest
from pathlib import Path

from support.aduana import allow
from support.case import EndToEnd, main

ROOT = Path(__file__).resolve().parents[2]


class Readme(EndToEnd):
    wanted = ()  # nginx with stranger.test alone
    text = (ROOT / "README.md").read_text()

    def test_its_policy_and_credentials_have_no_mistakes(self):
        policy, credentials = (self.person.write(f"{n}.yaml", block)
                               for n, block in enumerate(re.findall(r"```yaml\n(.*?)```", self.text, re.DOTALL)))
        # The check looks for the secret's file, too.
        secret = self.person.write("issues", "a-token-of-the-readme\n")
        named = credentials.read_text()
        self.assertIn("file: /etc/aduana/secrets/issues}", named)
        credentials.write_text(named.replace("/etc/aduana/secrets/issues", str(secret)))
        checked = self.person.aduana("policy", "check", policy, "--credentials", credentials)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_its_first_policy_is_about_ten_lines(self):
        first = re.search(r"```yaml\n(.*?)```", self.text, re.DOTALL)[1]
        self.assertLessEqual(len(first.splitlines()), 12)

    def test_its_commands_exist(self):
        commands = re.findall(r"^build/release/bin/aduana ([a-z]+(?: [a-z]+)?)", self.text, re.MULTILINE)
        self.assertIn("run", commands)
        for command in commands:
            with self.subTest(command=command):
                self.assertEqual(self.person.aduana(*command.split(), "--help").returncode, 0)

    def test_what_it_calls_the_files_is_right(self):
        for path in re.findall(r"`([a-z-]+/[a-z_/]*(?:\.[a-z]+)?)`", self.text):
            with self.subTest(path=path):
                self.assertTrue((ROOT / path).exists())

    def test_its_dev_commands_exist(self):
        script = (ROOT / "dev").read_text()
        for command in set(re.findall(r"\./dev ([a-z]+)", self.text)):
            self.assertRegex(script, rf"(?m)^    {command}\) ")

    def test_the_examples_have_no_mistakes(self):
        examples = sorted((ROOT / "policy/examples").glob("*.yaml"))
        self.assertTrue(examples)
        for example in (e for e in examples if "credentials" not in e.name and "aduana" not in e.name):
            with self.subTest(example=example.name):
                checked = self.person.aduana("policy", "check", example)
                self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_a_refusal_is_one_line_for_the_person(self):
        self.person.allow(allow("api", "api.example.com"))
        outcome = self.person.run("/usr/bin/curl", "-s", *["https://other.example.com/"] * 3)
        self.assertEqual(len([line for line in outcome.own_lines() if "other.example.com" in line]), 1, outcome.stderr)


if __name__ == "__main__":
    main()
