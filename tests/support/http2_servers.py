# SPDX-License-Identifier: Apache-2.0
"""Servers that speak HTTP/2 only: nghttpd with files, a gRPC server that wants a token, and one that ends no
answer."""

import time
from pathlib import Path

from support.processes import Service
from support.npm_registry import installed_packages
from support.raw_upstream import RawUpstream

GRPC = Path(__file__).resolve().parents[1] / "clients/grpc/server.mjs"


class Nghttpd:
    """Answers with the files of `folder`/files; what is sent by POST or PUT comes back."""

    def __init__(self, folder, authority, address, *names):
        self.folder = Path(folder)
        self.files = self.folder / "files"
        self.files.mkdir(parents=True)
        (self.files / "hello.txt").write_text("hello over h2\n")
        certificate, key = authority.issue(*names)
        self.service = Service(["nghttpd", "--echo-upload", "-d", self.files, f"--address={address}", "443", key,
                                certificate], self.folder / "log", (address, 443))

    def stop(self):
        self.service.stop()


class HalfAnswers(RawUpstream):
    """Begins each answer, and then resets its stream. Frames are RFC 9113's, and the one field of the head is ":status:
    200" of the static table (RFC 7541)."""

    DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
    END_HEADERS, ACK = 4, 1

    def __init__(self, authority, address, *names):
        self.code, self.requests = 0, 0
        super().__init__((address, 443), authority.issue(*names))
        self.context.set_alpn_protocols(["h2"])

    def begin(self, code):
        """From here on requests are counted anew, and streams are reset with `code`."""
        self.code, self.requests = code, 0

    def _serve(self, connection):
        try:
            connection = self.context.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as stream:
                stream.read(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
                connection.sendall(self._frame(self.SETTINGS, 0, 0))
                while head := stream.read(9):
                    size, kind, flags, number = int.from_bytes(head[:3], "big"), head[3], head[4], head[5:]
                    stream.read(size)
                    if kind == self.SETTINGS and not flags & self.ACK:
                        connection.sendall(self._frame(self.SETTINGS, self.ACK, 0))
                    elif kind == self.HEADERS:
                        self.requests += 1
                        self._answer(connection, int.from_bytes(number, "big"))
        except OSError:
            pass  # the proxy gave the connection up

    def _answer(self, connection, number):
        connection.sendall(self._frame(self.HEADERS, self.END_HEADERS, number, b"\x88") +
                           self._frame(self.DATA, 0, number, b"the first half"))
        time.sleep(0.1)  # so that the half is on its way to the client
        connection.sendall(self._frame(self.RST_STREAM, 0, number, self.code.to_bytes(4, "big")))

    @staticmethod
    def _frame(kind, flags, stream, payload=b""):
        return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


class GrpcServer:
    def __init__(self, folder, authority, address, token, *names):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        certificate, key = authority.issue(*names)
        self.service = Service(["node", GRPC, f"{address}:443", certificate, key, token], self.folder / "log",
                               (address, 443), {"NODE_PATH": installed_packages() / "node_modules"})

    def stop(self):
        self.service.stop()
