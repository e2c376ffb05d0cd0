# SPDX-License-Identifier: Apache-2.0
"""A real OAuth server (the npm package oidc-provider) at https://idp.test, and what its clients need."""

import json
import subprocess
from pathlib import Path

from support.npm_registry import installed_packages
from support.processes import Service

SERVER = Path(__file__).resolve().parents[1] / "clients/issuers/oidc_server.mjs"
# A P-256 key in PEM -> its public half as a JWK.
TO_JWK = ("const {createPublicKey} = require('node:crypto'), fs = require('node:fs');"
          "const key = createPublicKey(fs.readFileSync(process.argv[1]));"
          "console.log(JSON.stringify({...key.export({format: 'jwk'}), kid: 'client-key', alg: 'ES256', use: 'sig'}))")


class OidcProvider:
    """`secret` is that of every client that has one; `refresh_token` is of the client `refresher`; `client_key` (PEM)
    signs for `signed`; `identity` (certificate, key) is the client `mutual`."""

    def __init__(self, folder, authority, address):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        certificate, key = authority.issue("idp.test")
        self.identity = authority.issue_client("agent.test")
        self.client_key = self.folder / "client.key"
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-out", self.client_key], check=True, capture_output=True)
        jwk = self.folder / "client.jwk"
        jwk.write_text(subprocess.run(["node", "-e", TO_JWK, self.client_key], check=True, capture_output=True,
                                      text=True).stdout)
        log = self.folder / "log"
        command = ["node", SERVER, installed_packages(), address, certificate, key, authority.certificate, jwk]
        self.service = Service(command, log, (address, 443), patience=60)
        line = next(line for line in log.read_text().splitlines() if line.startswith("{"))
        self.secret, self.refresh_token = json.loads(line)["secret"], json.loads(line)["refresh_token"]

    def stop(self):
        self.service.stop()
