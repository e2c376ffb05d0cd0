# SPDX-License-Identifier: Apache-2.0
"""An event stream that goes on only when the last event has arrived: GET /events sends one, and the next one after GET
/seen?N. What is held back, or merged with what follows, never comes."""

import threading
from urllib.parse import urlsplit

from support.tls_server import Handler


class EventHandler(Handler):
    """A class of its own for each stream: see `handler_for`."""

    count, token, arrived, authorized = 0, "", {}, []

    def do_GET(self):
        self.authorized.append(self.headers["Authorization"] == f"Bearer {self.token}")
        url = urlsplit(self.path)
        if url.path == "/seen":
            self.arrived[int(url.query)].set()
            self.send_response(204)
            self.end_headers()
        else:
            self.send_events()

    def send_events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for n in range(self.count):
            event = f"data: {n}\n\n"
            self.wfile.write(f"{len(event):x}\r\n{event}\r\n".encode())
            if not self.arrived[n].wait(60):
                return
        self.wfile.write(b"0\r\n\r\n")


def handler_for(count, token):
    """`authorized` of it tells of each request whether it had the token."""
    return type("Events", (EventHandler,), {"count": count, "token": token, "authorized": [],
                                            "arrived": {n: threading.Event() for n in range(count)}})
