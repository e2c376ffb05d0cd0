# SPDX-License-Identifier: Apache-2.0
"""Servers that speak HTTP/2 only: nghttpd with files, and a gRPC server that wants a token."""

from pathlib import Path

from support.processes import Service
from support.npm_registry import installed_packages

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


class GrpcServer:
    def __init__(self, folder, authority, address, token, *names):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        certificate, key = authority.issue(*names)
        self.service = Service(["node", GRPC, f"{address}:443", certificate, key, token], self.folder / "log",
                               (address, 443), {"NODE_PATH": installed_packages() / "node_modules"})

    def stop(self):
        self.service.stop()
