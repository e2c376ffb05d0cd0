# SPDX-License-Identifier: Apache-2.0
"""A server that remembers by which connection each request came, over TLS, in the clear and through tunnels. It sends
back what arrived, so that an answer shows what it was asked with."""

import itertools
import json
import threading
from http.server import ThreadingHTTPServer
from typing import NamedTuple

from support.tls_server import Handler, TlsServer

PLAIN, TUNNELLED = 80, 8080


class Arrival(NamedTuple):
    connection: int
    host: str
    method: str
    target: str
    fields: list     # (name, value), as they came
    body: bytes

    def values(self, name):
        return [value for other, value in self.fields if other.lower() == name.lower()]

    def everything(self):
        head = "".join(f"{name}: {value}\n" for name, value in self.fields)
        return f"{self.method} {self.target}\n{head}\n".encode("latin-1") + self.body


class Arrivals:
    """At `address`, with a certificate for `names`. `seen` grows; `open` holds the numbers of connections that are."""

    def __init__(self, authority, address, *names):
        self.seen, self.open, numbers, arrivals = [], set(), itertools.count(1), self

        class Remembering(Handler):
            def setup(self):
                super().setup()
                self.number = next(numbers)
                arrivals.open.add(self.number)

            def finish(self):
                arrivals.open.discard(self.number)
                super().finish()

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                host = self.headers["Host"].split(":")[0]
                arrivals.seen.append(Arrival(self.number, host, self.command, self.path, self.headers.items(), body))
                told = json.dumps({"target": self.path, "fields": self.headers.items(), "body": body.decode("latin-1")})
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told.encode())

            do_GET = do_HEAD = do_POST = answer

        self.tls = TlsServer(Remembering, authority, address, *names)
        self.plain = [ThreadingHTTPServer((address, port), Remembering) for port in (PLAIN, TUNNELLED)]
        for server in self.plain:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def at(self, target):
        return [arrival for arrival in self.seen if arrival.target.split("?")[0] == target]

    def stop(self):
        self.tls.stop()
        for server in self.plain:
            server.shutdown()
            server.server_close()
