# SPDX-License-Identifier: Apache-2.0
"""A real npm registry (verdaccio) that gives its packages only to a known token; nginx ends TLS in front of it."""

import json
import os
import subprocess
import urllib.request
from pathlib import Path

from support.processes import CLEAN, Service

CONFIG = """
storage: {folder}/storage
auth: {{htpasswd: {{file: {folder}/htpasswd, max_users: 10}}}}
uplinks: {{}}
packages:
  '**': {{access: $authenticated, publish: $authenticated}}
log: {{type: stdout, format: pretty, level: warn}}
"""
SITE = """
        location / {{
            proxy_pass http://127.0.0.1:{port};
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-Proto https;
        }}
"""


class NpmRegistry:
    """Serves the package `left-and-right` 1.0.0 at whatever https name it is asked by, to whoever brings `token`."""

    port = 4873
    package = "left-and-right"

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        (self.folder / "config.yaml").write_text(CONFIG.format(folder=self.folder))
        self.site = SITE.format(port=self.port)
        program = installed_packages() / "node_modules/verdaccio/bin/verdaccio"
        command = ["node", program, "--config", self.folder / "config.yaml", "--listen", f"127.0.0.1:{self.port}"]
        self.service = Service(command, self.folder / "verdaccio.log", ("127.0.0.1", self.port),
                               environment={"HOME": str(self.folder)})
        self.token = self._add_user("builder", "npm-password-1234")
        self._publish()

    def _add_user(self, name, password):
        body = json.dumps({"name": name, "password": password}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/-/user/org.couchdb.user:{name}", body,
                                         {"Content-Type": "application/json"}, method="PUT")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=20) as answer:
            return json.load(answer)["token"]

    def _publish(self):
        source = self.folder / "source"
        source.mkdir()
        (source / "package.json").write_text(json.dumps({"name": self.package, "version": "1.0.0", "license": "MIT"}))
        (source / "index.js").write_text("module.exports = (a) => a;\n")
        (source / ".npmrc").write_text(f"//127.0.0.1:{self.port}/:_authToken={self.token}\n")
        subprocess.run(["npm", "publish", "--registry", f"http://127.0.0.1:{self.port}/"], cwd=source, check=True,
                       capture_output=True, timeout=60,
                       env={**CLEAN, "HOME": str(self.folder), "npm_config_globalconfig": "/dev/null"})

    def stop(self):
        self.service.stop()


def installed_packages():
    """Where `./dev test` has put the npm packages of tests/clients/node."""
    default = Path(__file__).resolve().parents[2] / "build/node"
    return Path(os.environ.get("ADUANA_NODE", default)).resolve()
