# SPDX-License-Identifier: Apache-2.0
"""An event stream that goes on only when the last event has arrived: GET /events sends one, and the next one after GET
/seen?N. What is held back, or merged with what follows, never comes."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class EventServer:
    def __init__(self, authority, address, name, count, token):
        self.authorized = []
        arrived = {n: threading.Event() for n in range(count)}
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.authorized.append(self.headers["Authorization"] == f"Bearer {token}")
                url = urlsplit(self.path)
                if url.path == "/seen":
                    arrived[int(url.query)].set()
                    self.send_response(204)
                    self.end_headers()
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for n in range(count):
                    event = f"data: {n}\n\n"
                    self.wfile.write(f"{len(event):x}\r\n{event}\r\n".encode())
                    if not arrived[n].wait(60):
                        return
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *arguments):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue(name))
        self.server = ThreadingHTTPServer((address, 443), Handler)
        self.server.daemon_threads = True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
