# SPDX-License-Identifier: Apache-2.0
"""A server that takes only what is signed, and says what is wrong with the rest: AWS Signature Version 4 as botocore
computes it, chunks and trailers as S3 documents them, and a keyed hash over time, nonce, method, path and body."""

import hashlib
import hmac
import re

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from support.tls_server import Handler, TlsServer

KEY_ID, SECRET, TOKEN = "AKIAREALKEY234567890", "a-secret-access-key-61b7c04f-of-the-store", "a-session-token-90ae17"
SHARED = "a-shared-key-of-the-hook-7f21"
EMPTY = hashlib.sha256(b"").hexdigest()
AUTHORIZATION = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/([^/]+)/aws4_request, "
                           r"SignedHeaders=([^,]+), Signature=([0-9a-f]{64})")


class Refused(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Refused(what)


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256)


class Chain:
    """The signatures inside a streamed body."""

    def __init__(self, scope, time, seed):
        key = f"AWS4{SECRET}".encode()
        for part in scope.split("/"):
            key = digest(key, part).digest()
        self.key, self.scope, self.time, self.last = key, scope, time, seed

    def sign(self, kind, *hashes):
        text = "\n".join([f"AWS4-HMAC-SHA256-{kind}", self.time, self.scope, self.last, *hashes])
        self.last = digest(self.key, text).hexdigest()
        return self.last


def unchunk(body, chain, with_trailer):
    """The payload of a body in AWS's chunked coding; without a chain its signatures are not looked for."""
    data, size = b"", -1
    while size != 0:
        line, body = body.split(b"\r\n", 1)
        size_text, _, given = line.decode().partition(";chunk-signature=")
        size = int(size_text, 16)
        piece, body = (body[:size], body[size:]) if size else (b"", body)
        if chain:
            require(given == chain.sign("PAYLOAD", EMPTY, hashlib.sha256(piece).hexdigest()), "a chunk's signature")
        require(size == 0 or body.startswith(b"\r\n"), "the end of a chunk")
        body = body[2:] if size else body
        data += piece
    lines = body.decode().split("\r\n")
    require(lines[-2:] == ["", ""], "the end of the body")
    lines = lines[:-2]
    if chain and with_trailer:
        given = lines.pop()
        text = "".join(f"{line}\n" for line in lines)
        expected = chain.sign("TRAILER", hashlib.sha256(text.encode()).hexdigest())
        require(given == f"x-amz-trailer-signature:{expected}", "the trailer's signature")
    require(bool(lines) == with_trailer, "a trailer")
    return data


def check_aws(method, target, headers, body):
    """Returns the payload."""
    parts = AUTHORIZATION.fullmatch(headers.get("Authorization", ""))
    require(parts, "no signature")
    key_id, date, region, service, names, signature = parts.groups()
    require(key_id == KEY_ID, "another key")
    require(headers.get("X-Amz-Security-Token") == TOKEN, "another session token")
    time = headers["X-Amz-Date"]
    require(time.startswith(date), "another date")
    names = names.split(";")
    for name in headers:
        require(not name.lower().startswith("x-amz-") or name.lower() in names, f"{name} is not signed")
    request = AWSRequest(method, f"https://{headers['Host']}{target}", data=body,
                         headers={name: headers[name] for name in names if name != "host"})
    request.context["timestamp"] = time
    signer = (S3SigV4Auth if service == "s3" else SigV4Auth)(Credentials(KEY_ID, SECRET, TOKEN), service, region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    require(signature == signer.signature(text, request), "the signature")
    kind = headers.get("X-Amz-Content-Sha256", hashlib.sha256(body).hexdigest())
    if kind.startswith("STREAMING-"):
        signed = kind.startswith("STREAMING-AWS4")
        chain = Chain(f"{date}/{region}/{service}/aws4_request", time, signature) if signed else None
        return unchunk(body, chain, kind.endswith("-TRAILER"))
    require(kind in ("UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()), "the digest of the body")
    return body


def check_hook(method, target, headers, body):
    message = ".".join([headers["X-Timestamp"], headers["X-Nonce"], method, target, hashlib.sha256(body).hexdigest()])
    require(headers["X-Signature"] == f"v1={digest(SHARED.encode(), message).hexdigest()}", "the hook's signature")
    return body


class Checked(Handler):
    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self):
        body = self.read_body()
        check = check_hook if self.headers["Host"] == "hook.test" else check_aws
        try:
            data = check(self.command, self.path, self.headers, body)
            status, text = 200, f"{len(data)} {hashlib.sha256(data).hexdigest()}\n"
        except Refused as why:
            status, text = 403, f"refused: {why}\n"
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_PUT = do_POST = answer


class SignatureServer(TlsServer):
    """Serves store.test, api.test and hook.test at `address`."""

    names = ("store.test", "api.test", "hook.test")

    def __init__(self, authority, address):
        super().__init__(Checked, authority, address, *self.names)
