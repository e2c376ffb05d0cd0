# SPDX-License-Identifier: Apache-2.0
"""Real servers that write down what arrives and send it all back, so that an answer shows what a scrubber has left of
it: one for HTTPS, one for WebSockets (python3-websockets)."""

import asyncio
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import websockets


class Mirror:
    """`seen` holds (method, target, headers, body) of every request, in order; `answers` may hold, by path, the status,
    the fields and the body of another answer than the mirror's."""

    def __init__(self, address, certificate):
        self.seen, self.answers = [], {}
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*certificate)
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                mirror.seen.append((self.command, self.path, dict(self.headers), body))
                told = {"target": self.path, "headers": dict(self.headers), "body": body.decode("latin-1")}
                given = mirror.answers.get(self.path.split("?")[0])
                status, fields, text = given or (200, {}, json.dumps(told))
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **fields}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode("latin-1"))

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((address, 443), Handler)
        self.server.daemon_threads = True
        self.server.socket = self.context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Chat:
    """A WebSocket on every path of `address`: texts are written down in `texts` and sent back."""

    def __init__(self, address, certificate):
        self.texts, self.loop = [], asyncio.new_event_loop()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)

        async def serve(peer, *_):
            async for text in peer:
                self.texts.append(text)
                await peer.send(text)

        async def listen():
            return await websockets.serve(serve, address, 443, ssl=context)

        self.server = self.loop.run_until_complete(listen())
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
