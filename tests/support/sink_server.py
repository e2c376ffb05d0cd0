# SPDX-License-Identifier: Apache-2.0
"""A server that swallows what is sent to it, and answers GET with as many bytes as the path says; nothing is kept."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = bytes(range(256)) * 4096


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        left = int(self.path.strip("/"))
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left:
            self.wfile.write(PIECE[:left])
            left -= min(left, len(PIECE))

    def do_PUT(self):
        left = size = int(self.headers["Content-Length"] or 0)
        while left:
            left -= len(self.rfile.read(min(left, len(PIECE))))
        answer = str(size).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


class SinkServer:
    def __init__(self, authority, address, *names):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue(*names))
        self.server = ThreadingHTTPServer((address, 443), Handler)
        self.server.daemon_threads = True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
