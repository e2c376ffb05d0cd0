# SPDX-License-Identifier: Apache-2.0
"""The upstreams of one test program, all behind one nginx on 127.0.0.1:443: api.test, git.test, npm.test, pip.test,
s3.test (which verifies signatures), and stranger.test, which serves whoever reaches it and which no policy lists. git,
npm and pip also answer to the names of policy/examples. plain.test speaks http:// on port 80; "repositories" are those
of support/repositories.py."""

import atexit
import shutil
import subprocess
import tempfile
from pathlib import Path

from support.authority import Authority
from support.git_server import GitServer
from support.nginx import Nginx, api_site
from support.npm_registry import NpmRegistry
from support.pip_index import PipIndex
from support.repositories import Repositories
from support.swift import Swift

PLAIN = '        location / { return 200 "plain: $uri\\n"; }'


class Upstreams:
    api_token, api_user, api_password = "api-token-4f1d9a7c", "reader", "reader-password-77"

    def __init__(self, *wanted):
        self.folder = Path(tempfile.mkdtemp(prefix="aduana-upstreams-", dir="/var/tmp"))
        self.folder.chmod(0o755)  # the authority's certificate is public, as a real one is
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.authority = Authority(self.folder / "authority")
        self.git = GitServer(self.folder / "git") if "git" in wanted else None
        self.npm = NpmRegistry(self.folder / "npm") if "npm" in wanted else None
        self.pip = PipIndex(self.folder / "pip") if "pip" in wanted else None
        self.s3 = Swift(self.folder / "swift") if "s3" in wanted else None
        sites = {"stranger.test": "        location / { return 200 \"reached\\n\"; }"}
        if "api" in wanted:
            sites["api.test"] = api_site(self.folder / "api", self.api_token, self.api_user, self.api_password)
        for name in ("git", "npm", "pip", "s3"):
            if name in wanted:
                sites[f"{name}.test {name}.example.com"] = getattr(self, name).site
        self.repositories = Repositories(self.folder / "repositories") if "repositories" in wanted else None
        if self.repositories:
            sites.update((f"{name}.test", site) for name, site in self.repositories.sites.items())
        plain = {"plain.test": PLAIN} if "plain" in wanted else {}
        self.names = sorted(name for names in [*sites, *plain] for name in names.split())
        self.nginx = Nginx(self.folder / "nginx", self.authority, sites, plain=plain)

    def secrets(self):
        """Every value that must never be seen inside a sandbox."""
        parts = [self.git and self.git.password, self.npm and self.npm.token, self.pip and self.pip.password]
        parts.append(self.s3 and self.s3.secret)
        return [self.api_token, self.api_password, *filter(None, parts)]

    def answer_to_their_names(self):
        """Lets programs outside any sandbox find the names; needs a private mount namespace (isolate.enter)."""
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n" + "".join(f"127.0.0.1 {name}\n" for name in self.names))
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)

    def stop(self):
        for service in (self.nginx, self.git, self.npm, self.pip, self.s3):
            if service:
                service.stop()
