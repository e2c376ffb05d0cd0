#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job: one sandboxed command reaches what is allowed with a credential that it never has, is refused all
else in words, and leaves a record of both."""

import json
import unittest

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main

# Runs inside the sandbox: looks for a secret everywhere a program can look, and prints where it was found.
SEARCH = r"""
import os, sys
needles = [bytes.fromhex(n) for n in sys.argv[1:]]
def look(where, data):
    if any(n in data for n in needles):
        print("FOUND", where)
look("environment", b"\0".join(k + b"=" + v for k, v in os.environb.items()))
seen = 0
for top in ("/proc", "/etc", "/tmp", "/dev/shm", "/home", "/run", "/var", "/opt", "/srv", "/mnt", os.getcwd()):
    for folder, names, files in os.walk(top, onerror=lambda e: None):
        for name in files:
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    look(path, file.read(1 << 20))
                    seen += 1
            except OSError:
                pass
print("searched", seen, "files")
"""

SESSION = """
set -eu
curl -s -w ' -> %{http_code}\\n' https://api.test/token/issues
curl -s https://api.test/reflect
curl -s https://api.test/reflect-pieces
curl -s -i https://stranger.test/
curl -s -i http://stranger.test/ || true
getent hosts made-up-8c1f.exfiltrated.example.com || true
"""


class TheMainJob(EndToEnd):
    def setUp(self):
        super().setUp()
        self.person.allow(allow("issues", "api.test", "issues-api", methods=["GET"], paths=["/**"]))
        self.person.bind(("issues-api", "api.test", self.upstreams.api_token, "{bearer: {}}",
                          '{env: [ISSUES_TOKEN], prefix: "iss_"}'))

    def test_an_allowed_call_carries_a_credential_that_the_command_never_had(self):
        outcome = self.person.run("/usr/bin/curl", "-s", "-w", "%{http_code}", "https://api.test/token/issues")
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.stdout, "issue 1: open\n200")
        self.assertEqual(outcome.requests()[0]["credential"], "issues-api")

    def test_the_placeholder_is_there_and_worth_nothing(self):
        outcome = self.person.run("/usr/bin/printenv", "ISSUES_TOKEN")
        self.assertTrue(outcome.stdout.startswith("iss_"), str(outcome))
        self.assert_no_secret(outcome.stdout, "the placeholder")

    def test_the_token_is_nowhere_in_the_sandbox(self):
        needles = [secret.encode().hex() for secret in self.upstreams.secrets()]
        outcome = self.person.run(PYTHON, "-c", SEARCH, *needles)
        self.assert_exit(outcome, 0)
        # The search itself carries the needles only as hexadecimal digits, so that it does not find itself.
        self.assertNotIn("FOUND", outcome.stdout, outcome.stdout)
        self.assertRegex(outcome.stdout, r"searched [0-9]{3,} files")

    def test_the_search_would_find_it(self):
        (self.person.work / "notes.txt").write_text(f"key: {self.upstreams.api_token}\n")
        outcome = self.person.run(PYTHON, "-c", SEARCH, self.upstreams.api_token.encode().hex())
        self.assertIn(f"FOUND {self.person.work}/notes.txt", outcome.stdout, str(outcome))
        (self.person.work / "notes.txt").unlink()

    def test_what_the_upstream_reflects_is_scrubbed(self):
        for path in ("/echo", "/reflect", "/reflect-pieces"):
            with self.subTest(path=path):
                outcome = self.person.run("/usr/bin/curl", "-sif", f"https://api.test{path}")
                self.assert_exit(outcome, 0)
                self.assert_no_secret(outcome.stdout, f"the answer of {path}")
                self.assertGreater(outcome.requests()[0]["scrubbed"], 0)

    def test_a_refusal_can_be_read_by_a_person_and_by_a_program(self):
        outcome = self.person.run("/usr/bin/curl", "-si", "--http1.1", "-H", "Accept: application/json",
                                  "https://stranger.test/")
        self.assert_exit(outcome, 0)
        head, _, body = outcome.stdout.replace("\r\n", "\n").rpartition("\n\n")
        self.assertIn("403 Forbidden by Aduana: no-rule", head)
        self.assertIn("Aduana-Decision: deny; reason=no-rule", head)
        problem = json.loads(body)
        self.assertEqual(problem["reason"], "no-rule", body)
        self.assertIn("https://stranger.test", problem["destination"])
        self.assertTrue(problem["remedy"])
        self.assertEqual(self.upstreams.nginx.seen("stranger.test"), [])
        self.assertEqual(len([line for line in outcome.own_lines() if "stranger.test" in line]), 1, outcome.stderr)

    def test_a_made_up_name_gets_an_answer_that_never_left(self):
        outcome = self.person.run("/usr/bin/getent", "ahostsv4", "made-up.exfiltrated.example.com")
        self.assertRegex(outcome.stdout, r"^198\.19\.", str(outcome))
        self.assertEqual({e["name"] for e in outcome.events("dns")}, {"made-up.exfiltrated.example.com"})

    def test_the_record_tells_both(self):
        outcome = self.person.run("/bin/sh", "-c", SESSION)
        self.assert_exit(outcome, 0)
        record = outcome.record()
        self.assertEqual(record["exit"], {"status": 0, "cause": "exited"})
        self.assertEqual(record["credentials"], ["issues-api"])
        self.assertEqual({d["host"] for d in record["destinations"]["reached"]}, {"api.test"})
        self.assertEqual({d["host"] for d in record["destinations"]["refused"]}, {"stranger.test"})
        self.assert_no_secret(json.dumps(record), "the task record")
        for file in outcome.journal.iterdir():
            self.assert_no_secret(file.read_text(), "the journal")
        self.assert_sound(outcome)
        shown = self.person.aduana("audit", "show", "--journal", outcome.journal)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("api.test", shown.stdout)
        self.assertIn("stranger.test", shown.stdout)

    def test_without_a_policy_everything_is_refused_with_a_hint(self):
        line = [part for part in self.person.command_line(["/usr/bin/curl", "-s", "https://api.test/echo"])[0]]
        at = line.index("--policy")
        del line[at:at + 2]
        done = self.person.aduana(*line[1:])
        self.assertEqual(json.loads(done.stdout)["reason"], "no-rule", done.stdout)
        self.assertIn("--policy", done.stderr)


if __name__ == "__main__":
    main()
