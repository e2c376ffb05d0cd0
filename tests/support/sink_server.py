# SPDX-License-Identifier: Apache-2.0
"""A server that swallows what is sent to it, and answers GET with as many bytes as the path says; nothing is kept."""

from support.tls_server import Handler

PIECE = bytes(range(256)) * 4096


class SinkHandler(Handler):
    def do_GET(self):
        left = int(self.path.strip("/"))
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left:
            self.wfile.write(PIECE[:left])
            left -= min(left, len(PIECE))

    def do_PUT(self):
        left = size = int(self.headers["Content-Length"])
        while left:
            left -= len(self.rfile.read(min(left, len(PIECE))))
        answer = str(size).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
