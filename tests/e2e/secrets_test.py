#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sealed store: a stored secret is injected where its own restrictions let it, and nothing on disk shows it."""

import os
import pty
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from support.aduana import allow, programs
from support.case import EndToEnd, main

CREDENTIALS = """version: 1
credentials:
  issues-api:
    source: {{secret: {name}}}
    destinations: [{{hosts: [{hosts}]}}]
    inject: {{bearer: {{}}}}
"""
CALL = ("/usr/bin/curl", "-s", "-w", "%{http_code}", "https://api.test/token/issues")


class Secrets(EndToEnd):
    def setUp(self):
        super().setUp()
        self.person.allow(allow("issues", "api.test", "issues-api", methods=["GET"], paths=["/**"]))
        self.declare("issues")

    def declare(self, name, hosts="api.test"):
        self.person.credentials = self.person.write("credentials.yaml", CREDENTIALS.format(name=name, hosts=hosts))

    def secret(self, *arguments, stdin=None):
        return subprocess.run([str(programs() / "aduana"), "secret", *arguments], input=stdin, text=True,
                              env=self.person.environment(), capture_output=True, timeout=60)

    def put(self, *arguments, value=None):
        done = self.secret("put", *arguments, stdin=value or self.upstreams.api_token + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, why):
        outcome = self.person.run(*CALL)
        self.assert_exit(outcome, 125)
        self.assertIn(why, outcome.stderr)

    def test_a_stored_secret_is_injected_and_is_nowhere_in_the_clear(self):
        said = self.put("issues", "--host", "api.test", "--max-ttl", "60s")
        self.assertIn("keep a copy of it elsewhere", said.stderr)
        outcome = self.person.run(*CALL)
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.stdout, "issue 1: open\n200")
        for folder in (self.person.state, outcome.journal):
            for file in (path for path in Path(folder).rglob("*") if path.is_file()):
                self.assertNotIn(self.upstreams.api_token.encode(), file.read_bytes(), file)

    def test_a_lease_that_is_used_up_is_followed_by_another(self):
        self.put("issues", "--host", "api.test")
        with self.person.credentials.open("a") as declared:
            declared.write("    lease: {ttl: 60s, uses: 2}\n")
        outcome = self.person.run(*CALL, *CALL[-1:] * 4)
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.stdout, "issue 1: open\n200" * 5)
        leases = Counter(request["lease"] for request in outcome.requests())
        self.assertEqual(sorted(leases.values()), [1, 2, 2])
        self.assertEqual([event["uses"] for event in outcome.events("lease.issue")], [2, 2, 2])

    def test_its_restrictions_hold_whatever_is_declared(self):
        self.put("issues", "--host", "other.test")
        self.refused("it is sealed for other hosts than its `destinations`: other.test")
        self.put("issues", "--task", "release-*")
        self.refused("it is not sealed for the task")
        outcome = self.person.run(*CALL, options=("--task", "release-1"))
        self.assert_exit(outcome, 0)

    def test_a_declaration_that_is_wider_than_the_secret_is_narrowed(self):
        self.declare("issues", "api.test, stranger.test")
        self.person.allow(allow("issues", "api.test", "issues-api", methods=["GET"], paths=["/**"]),
                          allow("stranger", "stranger.test", "issues-api", methods=["GET"], paths=["/**"]))
        self.put("issues", "--host", "api.test")
        call = "curl -s -o /dev/null -w '%{http_code} ' "
        outcome = self.person.run("/bin/sh", "-c", call + "https://api.test/token/issues; " +
                                  call + "https://stranger.test/")
        self.assertEqual(outcome.stdout[:4], "200 ", str(outcome))
        self.assertNotEqual(outcome.stdout[4:].strip(), "200", "the secret left for a host that it is not sealed for")

    def test_a_box_serves_under_its_own_name_only(self):
        self.put("issues")
        os.rename(self.person.state / "secrets/issues.box", self.person.state / "secrets/admin.box")
        self.declare("admin")
        self.refused("it was stored under another name")

    def test_list_and_remove(self):
        self.put("issues")
        self.put("b")
        listed = self.secret("list").stdout.splitlines()
        self.assertEqual([line.split()[1] for line in listed], ["b", "issues"])
        self.assertEqual(self.secret("remove", "issues").returncode, 0)
        self.assertEqual(self.secret("remove", "issues").returncode, 1)
        self.refused("store it: aduana secret put issues")

    def test_bad_input_is_refused_in_words(self):
        for arguments, stdin, says in ((("put", "../x"), "v", "cannot be the name of a secret"),
                                       (("put", "a"), "", "is empty or longer"),
                                       (("put", "a"), "x" * 70000, "is empty or longer"),
                                       (("put", "a"), "short\n", "at least 8 bytes"),
                                       (("put", "a"), "first-line\nsecond-line\n", "a line break inside"),
                                       (("put", "a", "--not-after", "2020-01-01"), "v", "is over"),
                                       (("put", "a", "--host", "*.example.com"), "v", ".example.com"),
                                       (("put", "a", "--not-after", "soon"), "v", "is not a time"),
                                       (("put", "a", "--max-ttl", "soon"), "v", "--max-ttl"),
                                       (("put", "a", "--from-file", "/nonexistent"), "", "cannot read")):
            with self.subTest(arguments=arguments, size=len(stdin)):
                done = self.secret(*arguments, stdin=stdin)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(says, done.stderr)
        self.assertEqual(self.secret("list").stdout, "")

    def test_on_a_terminal_the_value_is_not_shown(self):
        process, terminal = pty.fork()
        if process == 0:
            os.execve(programs() / "aduana", ["aduana", "secret", "put", "typed"], self.person.environment())
        shown = b""
        while b"(not shown): " not in shown:
            shown += os.read(terminal, 1000)
        os.write(terminal, self.upstreams.api_token.encode() + b"\n")
        try:
            while more := os.read(terminal, 1000):
                shown += more
        except OSError:
            pass  # the other end of a pty that is closed
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0, shown)
        os.close(terminal)
        self.assertNotIn(self.upstreams.api_token.encode(), shown)
        self.declare("typed")
        self.assertEqual(self.person.run(*CALL).stdout, "issue 1: open\n200")


if __name__ == "__main__":
    main()
