#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""git, npm and pip, unmodified: with a credential injected that the sandbox never has, with the proxy variables and
without, and with one clear failure where the host is not listed."""

import unittest

from support.aduana import GIT, NPM, PIP, WITHOUT_PROXY, allow
from support.case import EndToEnd, main

NPM_INSTALL = [NPM, "install", "--no-audit", "--no-fund", "--no-update-notifier", "--registry"]
PIP_DOWNLOAD = [PIP, "download", "--no-deps", "--disable-pip-version-check", "-d", "wheels", "--index-url"]


class RealClients(EndToEnd):
    wanted = ("git", "npm", "pip")

    def setUp(self):
        super().setUp()
        up = self.upstreams
        self.person.allow(allow("source", "git.test", "git"), allow("packages", "npm.test", "npm"),
                          allow("wheels", "pip.test", "pip"))
        self.person.bind(("git", "git.test", up.git.password, f"{{basic: {{user: {up.git.user}}}}}"),
                         ("npm", "npm.test", up.npm.token, "{bearer: {}}"),
                         ("pip", "pip.test", up.pip.password, f"{{basic: {{user: {up.pip.user}}}}}"))

    def both_ways(self, command):
        """Runs `command` with the proxy variables and without, each time in an empty work folder; yields what came."""
        for prefix in ([], WITHOUT_PROXY):
            self.setUp()
            yield self.person.run(*prefix, *command, timeout=60)

    def assert_served(self, outcome, host):
        self.assert_exit(outcome, 0)
        requests = outcome.requests()
        self.assertTrue(requests)
        self.assertEqual({r["host"] for r in requests}, {host})
        self.assertTrue(all(r["credential"] for r in requests), "a request went without its credential")
        self.assert_no_secret(outcome.stdout + outcome.stderr, "what the client printed")

    def assert_refused_once(self, outcome, host):
        self.assertNotEqual(outcome.exit, 0, str(outcome))
        self.assertNotIn(outcome.exit, (124, 125, 126, 127), str(outcome))
        self.assertEqual([(r["host"], r["reason"]) for r in outcome.requests()], [(host, "no-rule")], str(outcome))
        self.assertEqual(self.upstreams.nginx.seen(host), [], "the upstream saw a request")
        told = [line for line in outcome.own_lines() if host in line]
        self.assertEqual(len(told), 1, outcome.stderr)
        self.assertIn("no-rule", told[0])

    def test_git_clones_a_private_repository(self):
        for outcome in self.both_ways([GIT, "clone", "https://git.test/project.git", "copy"]):
            self.assert_served(outcome, "git.test")
            self.assertEqual((self.person.work / "copy/README.txt").read_text(), "a private project\n")

    def test_git_stops_at_a_host_that_is_not_listed(self):
        for outcome in self.both_ways([GIT, "clone", "https://stranger.test/project.git", "copy"]):
            self.assert_refused_once(outcome, "stranger.test")

    def test_npm_installs_a_private_package(self):
        for outcome in self.both_ways([*NPM_INSTALL, "https://npm.test/", self.upstreams.npm.package]):
            self.assert_served(outcome, "npm.test")
            self.assertTrue((self.person.work / "node_modules" / self.upstreams.npm.package / "index.js").exists())

    def test_npm_stops_at_a_host_that_is_not_listed(self):
        for outcome in self.both_ways([*NPM_INSTALL, "https://stranger.test/", "anything"]):
            self.assert_refused_once(outcome, "stranger.test")

    def test_pip_downloads_a_private_wheel(self):
        for outcome in self.both_ways([*PIP_DOWNLOAD, "https://pip.test/simple/", self.upstreams.pip.package]):
            self.assert_served(outcome, "pip.test")
            self.assertTrue((self.person.work / "wheels" / self.upstreams.pip.wheel).exists())

    def test_pip_stops_at_a_host_that_is_not_listed(self):
        for outcome in self.both_ways([*PIP_DOWNLOAD, "https://stranger.test/simple/", "anything"]):
            self.assert_refused_once(outcome, "stranger.test")

    def test_what_was_made_inside_belongs_to_the_owner_of_the_folder(self):
        outcome = self.person.run("/bin/sh", "-c", "mkdir made && echo x > made/file")
        self.assert_exit(outcome, 0)
        owner = self.person.work.stat()
        for path in ("made", "made/file"):
            made = (self.person.work / path).stat()
            self.assertEqual((made.st_uid, made.st_gid), (owner.st_uid, owner.st_gid))
        self.assertEqual(self.person.home.stat().st_mode & 0o777, 0o700)


if __name__ == "__main__":
    main()
