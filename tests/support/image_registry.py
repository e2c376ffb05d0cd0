# SPDX-License-Identifier: Apache-2.0
"""A real container registry (docker-registry) that takes nothing but the tokens of its token server; nginx ends TLS in
front of both."""

import base64
import hashlib
import json
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from http.server import ThreadingHTTPServer
from pathlib import Path

from support.processes import Service
from support.repositories import registry as make_image
from support.tls_server import Handler

CONFIG = """
version: 0.1
log: {{level: warn}}
storage: {{filesystem: {{rootdirectory: {folder}/storage}}}}
http: {{addr: "127.0.0.1:{port}"}}
auth:
  token:
    realm: "https://tokens.test/token"
    service: images.test
    issuer: tokens.test
    rootcertbundle: {folder}/signer.pem
"""
SITE = """
        location / {{
            proxy_pass http://127.0.0.1:{port};
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-Proto https;
        }}
"""


def segment(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class ImageRegistry:
    """images.test serves team/app:latest, tokens.test gives tokens to `user` for what is asked."""

    port, token_port = 5000, 5001
    user, password = "puller", "registry-password-8d21"

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.tokens = []
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tokens.test",
                      "-keyout", self.folder / "signer.key", "-out", self.folder / "signer.pem")
        (self.folder / "config.yml").write_text(CONFIG.format(folder=self.folder, port=self.port))
        self.sites = {"images": SITE.format(port=self.port), "tokens": SITE.format(port=self.token_port)}
        self.server = ThreadingHTTPServer(("127.0.0.1", self.token_port), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.service = Service(["docker-registry", "serve", self.folder / "config.yml"], self.folder / "registry.log",
                               ("127.0.0.1", self.port))
        self._push()

    def _openssl(self, *arguments, given=None):
        done = subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, input=given)
        return done.stdout

    def token(self, scopes):
        access = []
        for scope in scopes:
            kind, name, actions = scope.split(":")
            access.append({"type": kind, "name": name, "actions": actions.split(",")})
        certificate = self._openssl("x509", "-in", self.folder / "signer.pem", "-outform", "DER")
        head = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(certificate).decode()]}
        now = int(time.time())
        claims = {"iss": "tokens.test", "sub": self.user, "aud": "images.test", "exp": now + 300, "nbf": now - 30,
                  "iat": now, "jti": hashlib.sha256(str(time.time()).encode()).hexdigest(), "access": access}
        signed = ".".join(segment(json.dumps(part).encode()) for part in (head, claims))
        signature = self._openssl("dgst", "-sha256", "-sign", self.folder / "signer.key", given=signed.encode())
        self.tokens.append(f"{signed}.{segment(signature)}")
        return self.tokens[-1]

    def _handler(self):
        registry = self
        expected = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()

        class Tokens(Handler):
            def do_GET(self):
                known = self.headers["Authorization"] == expected
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                told = {"token": registry.token(query.get("scope", [])), "expires_in": 300} if known else {}
                data = json.dumps(told).encode()
                self.send_response(200 if known else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Tokens

    def _push(self):
        make_image(self.folder / "image")
        blobs = self.folder / "image/v2/sample/blobs"
        token = self.token(["repository:team/app:pull,push"])
        for blob in blobs.iterdir():
            place = self._ask("POST", "/v2/team/app/blobs/uploads/", token).headers["Location"]
            self._ask("PUT", f"{place}&digest={blob.name}", token, blob.read_bytes())
        manifest = (self.folder / "image/v2/sample/manifests/latest").read_bytes()
        self._ask("PUT", "/v2/team/app/manifests/latest", token, manifest,
                  json.loads(manifest)["mediaType"])

    def _ask(self, method, place, token, body=b"", kind="application/octet-stream"):
        url = place if place.startswith("http") else f"http://127.0.0.1:{self.port}{place}"
        request = urllib.request.Request(url, body, {"Authorization": f"Bearer {token}", "Content-Type": kind},
                                         method=method)
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20)

    def stop(self):
        self.service.stop()
        self.server.shutdown()
        self.server.server_close()
