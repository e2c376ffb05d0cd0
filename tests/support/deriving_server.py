# SPDX-License-Identifier: Apache-2.0
"""Services that answer with credentials: an OAuth server (idp.test) whose access tokens open an API (calls.test), with
refresh tokens that can be used once; and a Git LFS server (lfs.test), whose batch API names a credential for where the
objects lie (objects.test). One TLS server is all of them. What was handed out stands in the state."""

import base64
import hashlib
import json
import secrets
import threading
import urllib.parse

from support.tls_server import Handler

NAMES = ("idp.test", "calls.test", "lfs.test", "objects.test")
CLIENT, SECRET = "agent", "client-secret-77b1e09d"
LFS_USER, LFS_PASSWORD = "builder", "lfs-password-51c3aa90"


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.access, self.refresh = [], []     # tokens that were handed out
        self.spent = set()                     # refresh tokens that were used
        self.objects, self.object_tokens = {}, []
        self.answer = None                     # (kind, body) instead of the token answer
        self.lifetime = 600

    def handed_out(self):
        return [*self.access, *self.refresh, *self.object_tokens]


class DerivingHandler(Handler):
    state = None

    def reply(self, status, body, kind="application/json"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def dispatch(self):
        body, host = self.body(), self.headers["Host"].split(":")[0]
        getattr(self, host.split(".")[0])(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = dispatch

    def idp(self, body):
        if self.headers["Authorization"] != basic(CLIENT, SECRET):
            return self.reply(401, {"error": "invalid_client"})
        form = urllib.parse.parse_qs(body.decode() or urllib.parse.urlsplit(self.path).query)
        if form["grant_type"] == ["refresh_token"] and not self.spend(form["refresh_token"][0]):
            return self.reply(400, {"error": "invalid_grant"})
        state = self.state
        with state.lock:
            state.access.append(f"access-{secrets.token_hex(12)}")
            state.refresh.append(f"refresh/{secrets.token_hex(12)}")
        if state.answer:
            return self.reply(200, state.answer[1].replace(b"TOKEN", state.access[-1].encode()), state.answer[0])
        return self.reply(200, {"access_token": state.access[-1], "token_type": "Bearer", "scope": "read",
                                "expires_in": state.lifetime, "refresh_token": state.refresh[-1]})

    def spend(self, token):
        with self.state.lock:
            good = token in self.state.refresh and token not in self.state.spent
            self.state.spent.add(token)
        return good

    def calls(self, _):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.state.access:
            return self.reply(401, {"error": "invalid_token"})
        return self.reply(200, {"echo": self.headers["Authorization"]})

    def lfs(self, body):
        """https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md, with the transfer "basic"."""
        if self.headers.get("Authorization") != basic(LFS_USER, LFS_PASSWORD):
            return self.reply(401, {"message": "credentials needed"}, "application/vnd.git-lfs+json")
        if not self.path.endswith("/info/lfs/objects/batch"):
            return self.reply(404, {"message": "no locks here"}, "application/vnd.git-lfs+json")
        wanted = json.loads(body)
        objects = [self.described(each, wanted["operation"]) for each in wanted["objects"]]
        return self.reply(200, {"transfer": "basic", "objects": objects}, "application/vnd.git-lfs+json")

    def described(self, wanted, operation):
        with self.state.lock:
            self.state.object_tokens.append(f"objects-{secrets.token_hex(12)}")
        action = {"href": f"https://objects.test/{wanted['oid']}", "expires_in": 600,
                  "header": {"Authorization": f"RemoteAuth {self.state.object_tokens[-1]}", "X-Kind": operation}}
        return {"oid": wanted["oid"], "size": wanted["size"], "authenticated": True, "actions": {operation: action}}

    def objects(self, body):
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme != "RemoteAuth" or token not in self.state.object_tokens:
            return self.reply(401, {"message": "no token"})
        oid = self.path.strip("/")
        if self.command == "PUT":
            if hashlib.sha256(body).hexdigest() != oid:
                return self.reply(422, {"message": "another object"})
            self.state.objects[oid] = body
            return self.reply(200, {})
        return self.reply(200, self.state.objects[oid], "application/octet-stream")


def deriving():
    """A handler class of its own, with its own state."""
    return type("Deriving", (DerivingHandler,), {"state": State()})
