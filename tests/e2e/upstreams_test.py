#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The upstreams of the other tests are what they claim: without the credential they refuse, with it they serve. Every
"it worked under aduana" rests on this."""

import os
import subprocess
import unittest

from support import isolate
from support.upstreams import Upstreams


class UpstreamsAskForTheirCredentials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.upstreams = Upstreams("api", "git", "npm", "pip")
        cls.addClassCleanup(cls.upstreams.stop)
        cls.upstreams.answer_to_their_names()

    def run_with(self, *command, **environment):
        home = self.upstreams.folder / "client-home"
        home.mkdir(exist_ok=True)
        authority = str(self.upstreams.authority.certificate)
        clean = {"PATH": "/usr/bin:/bin", "HOME": str(home), "npm_config_globalconfig": "/dev/null",
                 "PIP_CONFIG_FILE": "/dev/null", "SSL_CERT_FILE": authority, "GIT_SSL_CAINFO": authority,
                 "PIP_CERT": authority, "npm_config_cafile": authority, "GIT_TERMINAL_PROMPT": "0", "PIP_NO_INPUT": "1"}
        return subprocess.run(command, env={**clean, **environment}, cwd=home, capture_output=True, text=True,
                              timeout=60)

    def test_the_api_wants_its_token(self):
        url = "https://api.test/token/issues"
        self.assertIn("401", self.run_with("curl", "-si", url).stdout)
        with_token = self.run_with("curl", "-s", "-H", f"Authorization: Bearer {self.upstreams.api_token}", url)
        self.assertEqual(with_token.stdout, "issue 1: open\n")

    def test_the_api_wants_its_password(self):
        url = "https://api.test/basic/hello.txt"
        self.assertIn("401", self.run_with("curl", "-si", url).stdout)
        user = f"{self.upstreams.api_user}:{self.upstreams.api_password}"
        self.assertEqual(self.run_with("curl", "-s", "-u", user, url).stdout, "hello\n")

    def test_the_echo_shows_the_head_as_it_arrived(self):
        shown = self.run_with("curl", "-s", "-H", "X-Odd:  spaced", "https://api.test/echo").stdout
        self.assertIn("X-Odd:  spaced", shown)

    def test_git_wants_its_password(self):
        clone, git = ["git", "clone", "-q"], self.upstreams.git
        self.assertNotEqual(self.run_with(*clone, "https://git.test/project.git", "refused").returncode, 0)
        served = self.run_with(*clone, f"https://{git.user}:{git.password}@git.test/project.git", "served")
        self.assertEqual(served.returncode, 0, served.stderr)

    def test_npm_wants_its_token(self):
        npm = self.upstreams.npm
        install = ["npm", "install", "--no-audit", "--no-fund", "--registry", "https://npm.test/", npm.package]
        self.assertIn("E401", self.run_with(*install).stderr)
        served = self.run_with(*install, f"--//npm.test/:_authToken={npm.token}")
        self.assertEqual(served.returncode, 0, served.stderr)

    def test_pip_wants_its_password(self):
        pip = self.upstreams.pip
        download = ["/usr/bin/pip3", "download", "-q", "--no-deps", "-d", "wheels", pip.package, "--index-url"]
        self.assertNotEqual(self.run_with(*download, "https://pip.test/simple/").returncode, 0)
        served = self.run_with(*download, f"https://{pip.user}:{pip.password}@pip.test/simple/")
        self.assertEqual(served.returncode, 0, served.stderr)
        self.assertTrue((self.upstreams.folder / "client-home/wheels" / pip.wheel).exists())

    def test_another_authority_is_not_believed(self):
        bare = self.run_with("curl", "-s", "https://api.test/echo", SSL_CERT_FILE=os.devnull)
        self.assertIn(bare.returncode, (60, 77), "curl: certificate not trusted, or no trusted certificates at all")


if __name__ == "__main__":
    isolate.enter()
    unittest.main()
