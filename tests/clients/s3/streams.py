# SPDX-License-Identifier: Apache-2.0
"""Signs one request with the keys of its environment, and its body in chunks where that is asked for; prints status and
body of the answer. Arguments: host, service, kind of payload, size, and how the body is sent (counted or chunked)."""

import hashlib
import hmac
import http.client
import os
import ssl
import sys

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

host, service, kind, size, sent = sys.argv[1:]
KEYS = [os.environ[f"AWS_{name}"] for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN")]
EMPTY = hashlib.sha256(b"").hexdigest()
CHUNK = 64 * 1024
data = bytes(i * 7 % 251 for i in range(1021)) * (int(size) // 1021 + 1)
data = data[:int(size)]


def key_of(scope):
    key = f"AWS4{KEYS[1]}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


class Framing:
    def __init__(self, request):
        authorization = request.headers["Authorization"]
        self.scope = authorization.split("Credential=")[1].split(",")[0].split("/", 1)[1]
        self.key, self.last = key_of(self.scope), authorization.rsplit("=", 1)[1]
        self.time = request.headers["X-Amz-Date"]

    def sign(self, word, *hashes):
        text = "\n".join([f"AWS4-HMAC-SHA256-{word}", self.time, self.scope, self.last, *hashes])
        self.last = hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()
        return self.last

    def pieces(self):
        signed = kind.startswith("STREAMING-AWS4")
        for start in [*range(0, len(data), CHUNK), len(data)]:
            piece = data[start:start + CHUNK]
            signature = f";chunk-signature={self.sign('PAYLOAD', EMPTY, hashlib.sha256(piece).hexdigest())}"
            yield f"{len(piece):x}{signature if signed else ''}\r\n".encode()
            yield piece + b"\r\n" if piece else b""
        if kind.endswith("-TRAILER"):
            line = "x-amz-checksum-sha256:c2hhMjU2"
            yield f"{line}\r\n".encode()
            if signed:
                signature = self.sign("TRAILER", hashlib.sha256(f"{line}\n".encode()).hexdigest())
                yield f"x-amz-trailer-signature:{signature}\r\n".encode()
        yield b"\r\n"


headers = {"Content-Type": "application/x-test"}
if kind != "none":
    headers["X-Amz-Content-SHA256"] = hashlib.sha256(data).hexdigest() if kind == "digest" else kind
if kind.startswith("STREAMING"):
    headers.update({"Content-Encoding": "aws-chunked", "X-Amz-Decoded-Content-Length": size})
if kind.endswith("-TRAILER"):
    headers["X-Amz-Trailer"] = "x-amz-checksum-sha256"
path = "/data/a%20b//c%2Bd?x-id=Put&empty&z=%2F"
request = AWSRequest("PUT", f"https://{host}{path}", data=data, headers=headers)
signer = S3SigV4Auth if service == "s3" else SigV4Auth
signer(Credentials(*KEYS), service, "eu-west-1").add_auth(request)
if kind != "none":
    request.headers.replace_header("X-Amz-Content-SHA256", headers["X-Amz-Content-SHA256"])

body = b"".join(Framing(request).pieces()) if kind.startswith("STREAMING") else data
connection = http.client.HTTPSConnection(host, context=ssl.create_default_context())
given = dict(request.headers.items())
if sent == "chunked":
    connection.request("PUT", path, iter([body[:100000], body[100000:]]), {**given, "Transfer-Encoding": "chunked"},
                       encode_chunked=True)
else:
    connection.request("PUT", path, body, given)
answer = connection.getresponse()
print(answer.status, answer.read().decode(), end="")
