#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The policies of policy/examples, as they stand but for what a test must change: where the secrets lie, and that the
upstreams are on loopback. Each serves the client that it was written for, and no more than it says."""

import re
import subprocess
import unittest
from pathlib import Path

from support.aduana import GIT, NPM, PIP
from support.case import EndToEnd, main
from support.nginx import Nginx

EXAMPLES = Path(__file__).resolve().parents[2] / "policy/examples"
INTERNAL = "10.20.0.7"
API = """
        location /v1/issues {
            if ($http_x_api_key != "key internal-key-5150") { return 401; }
            return 200 "no issues\\n";
        }
        location /v1/admin/ { return 200 "administrator\\n"; }
"""


class Examples(EndToEnd):
    wanted = ("git", "npm", "pip")

    def example(self, name, secret, addresses="    addresses: [127.0.0.0/8]\n", **environment):
        """Takes an example's two files, with its secret in place."""
        policy = (EXAMPLES / f"{name}.yaml").read_text()
        policy = re.sub(r"(?m)^(    hosts: .*\n)", lambda hosts: hosts[1] + addresses, policy)
        prompts = self.person.folder / "prompts"
        prompts.mkdir(exist_ok=True)
        policy = policy.replace("/srv/agent/prompts", str(prompts))
        self.person.policy = self.person.write(f"{name}.yaml", policy)
        source = self.person.write("secret", secret)
        source.chmod(0o600)
        text = re.sub(r"/etc/aduana/secrets/\w+", str(source), (EXAMPLES / f"{name}.credentials.yaml").read_text())
        self.person.credentials = self.person.write(f"{name}.credentials.yaml", text)
        self.given = environment

    def run_it(self, *command):
        return self.person.run(*command, environment=self.given)

    def assert_served(self, outcome):
        self.assert_exit(outcome, 0)
        self.assertTrue(outcome.requests())
        self.assertTrue(all(r["credential"] for r in outcome.requests()))
        self.assert_no_secret(outcome.stdout + outcome.stderr, "what the client printed")

    def test_npm(self):
        npm = self.upstreams.npm
        self.example("npm", npm.token)
        registry = ["--no-update-notifier", "--registry", "https://npm.example.com/"]
        self.assert_served(self.run_it(NPM, "install", *registry, npm.package))
        (self.person.work / "package.json").write_text('{"name": "stolen", "version": "1.0.0"}')
        published = self.run_it(NPM, "publish", *registry, "--//npm.example.com/:_authToken=placeholder")
        self.assertNotEqual(published.exit, 0)
        self.assertEqual({r["method"] for r in published.refused()}, {"PUT"}, str(published))

    def test_pip(self):
        pip = self.upstreams.pip
        self.example("pip", pip.password)
        self.assert_served(self.run_it(PIP, "download", "--no-deps", pip.package))
        self.assertTrue((self.person.work / pip.wheel).exists())

    def test_git(self):
        self.example("git", "", GIT_APP_TOKEN=self.upstreams.git.password)
        self.assert_served(self.run_it(GIT, "clone", "https://git.example.com/team/app.git"))
        push = "cd app && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x && git push -q"
        pushed = self.run_it("/bin/sh", "-c", push)
        self.assertNotEqual(pushed.exit, 0)
        self.assertTrue(pushed.refused(), str(pushed))
        other = self.run_it(GIT, "clone", "https://git.example.com/project.git")
        self.assertEqual([r["reason"] for r in other.refused()], ["path-not-allowed"])

    def test_an_internal_api(self):
        subprocess.run(["ip", "addr", "add", f"{INTERNAL}/32", "dev", "lo"], check=True)
        name = "api.internal.example.com"
        nginx = Nginx(self.person.folder / "api", self.upstreams.authority, {name: API}, {name: f"{INTERNAL}:8443"})
        self.addCleanup(nginx.stop)
        self.person.operate(**{name: INTERNAL})
        self.example("internal-api", "internal-key-5150", addresses="")
        curl = ["/usr/bin/curl", "-s", "-w", "%{http_code}"]
        served = self.run_it(*curl, f"https://{name}:8443/v1/issues")
        self.assertEqual(served.stdout, "no issues\n200", served.stderr)
        refused = self.run_it(*curl, "-o", "/dev/null", f"https://{name}:8443/v1/admin/users")
        self.assertEqual((refused.stdout, refused.refused()[0]["reason"]), ("403", "denied-by-rule"))
        self.assertTrue(self.run_it("/usr/bin/printenv", "ISSUES_TOKEN").stdout.startswith("iss_"))


if __name__ == "__main__":
    main()
