# SPDX-License-Identifier: Apache-2.0
"""An OAuth token endpoint (client credentials, refresh tokens that are rotated, RFC 7009 revocation) and an API that
takes its tokens, behind one TLS server. What a test wants to know stands in the state that `handlers` makes."""

import base64
import json
import threading
import time
from urllib.parse import parse_qs

from support.tls_server import Handler

CLIENT, SECRET = "agent", "client-secret-5a90e2f1"
REFRESH = "refresh-token-0-6e1b77"


CREDENTIALS = """version: 1
credentials:
  tokens:
    source:
      oauth2:
        token_url: "https://idp.test/token"
        client_id: {client}
        auth: {{client_secret_basic: {{secret: {{file: {secret}}}}}}}
        grant: {grant}
    destinations: [{{hosts: [tokens.test]}}]
    inject: {{bearer: {{}}}}
    issuer: {{addresses: [127.0.0.0/8]}}
"""


def credentials(secret, grant):
    """A credentials file for the server: the client's secret lies in the file `secret`."""
    return CREDENTIALS.format(client=CLIENT, secret=secret, grant=grant)


class State:
    def __init__(self, lifetime=3600):
        self.lifetime, self.lock = lifetime, threading.Lock()
        self.minted, self.revoked, self.ends = [], [], {}
        self.minting, self.most_at_once = 0, 0
        self.calls = 0             # of the API
        self.reject_every = 0      # every so many calls of the API get a 401 although their token is good; 0: none
        self.refuse = None         # (status, body) for every mint
        self.answered_401 = 0
        self.refuse_revocations = False
        self.seen = []             # what the API was shown: (Authorization, whether it was good then)
        self.open = threading.Event()    # while it is not set, mints hang
        self.open.set()
        self.refresh_token = REFRESH    # the newest
        self.reused = []                # older ones that came again: from then on the family is dead

    def good(self, authorization):
        token = (authorization or "").removeprefix("Bearer ")
        with self.lock:
            return token in self.ends and token not in self.revoked and time.monotonic() < self.ends[token]


class TokenHandler(Handler):
    state = None

    def reply(self, status, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers["Authorization"] != expected:
            return self.reply(401, {"error": "invalid_client"})
        if self.path == "/revoke":
            if self.state.refuse_revocations:
                return self.reply(503, b"")
            with self.state.lock:
                self.state.revoked += form["token"]
            return self.reply(200, b"")
        if form["grant_type"] == ["refresh_token"]:
            return self.refresh(form["refresh_token"][0])
        return self.mint()

    def refresh(self, token):
        state = self.state
        with state.lock:
            if token != state.refresh_token:
                state.reused.append(token)
            dead = bool(state.reused)
            if not dead:
                state.refresh_token = f"refresh-token-{len(state.minted) + 1}-6e1b77"
            newest = state.refresh_token
        if dead:
            return self.reply(400, {"error": "invalid_grant"})
        return self.mint(refresh_token=newest)

    def mint(self, **more):
        state = self.state
        with state.lock:
            state.minting += 1
            state.most_at_once = max(state.most_at_once, state.minting)
            token = f"minted-token-{len(state.minted)}-9c41d7"
            state.minted.append(token)
            state.ends[token] = time.monotonic() + state.lifetime
        try:
            state.open.wait(60)
            if state.refuse:
                return self.reply(*state.refuse)
            return self.reply(200, {"access_token": token, "token_type": "Bearer", "expires_in": state.lifetime,
                                    **more})
        finally:
            with state.lock:
                state.minting -= 1

    def do_GET(self):
        state = self.state
        with state.lock:
            state.calls += 1
            unlucky = state.reject_every and state.calls % state.reject_every == 0
        good = state.good(self.headers["Authorization"])
        state.seen.append((self.headers["Authorization"], good))
        if unlucky or not good:
            with state.lock:
                state.answered_401 += 1
            return self.reply(401, {"error": "invalid_token"})
        return self.reply(200, {"echo": self.headers["Authorization"]})


def handlers(**state):
    """A handler class of its own, with its own state."""
    return type("Tokens", (TokenHandler,), {"state": State(**state)})
