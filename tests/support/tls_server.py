# SPDX-License-Identifier: Apache-2.0
"""A server of HTTP/1.1 over TLS, for handlers of http.server."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass


class TlsServer:
    """Serves at port 443 of `address`, with a certificate for `names`; `how` is for Authority.issue."""

    def __init__(self, handler, authority, address, *names, **how):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue(*names, **how))
        self.server = ThreadingHTTPServer((address, 443), handler)
        self.server.daemon_threads = True
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
