#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A command that chooses what a server answers, and sees where each piece of it ends, learns no more of a secret from
what the proxy holds back than its beginning, however many tasks it has: behind it every guess waits alike."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main

ADDRESS = "127.0.0.5"
SECRET = "tok_9f8e7d6c5B4a3210QwErTyUi"  # a short one: eight characters may be learned
PROBE = """
import http.client, os, socket, ssl, sys

def stream():
    proxy = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
    raw = socket.create_connection((proxy[0], int(proxy[1])))
    raw.sendall(b"CONNECT echo.test:443 HTTP/1.1\\r\\nHost: echo.test:443\\r\\n\\r\\n")
    assert b" 200 " in raw.recv(4096)
    peer = ssl.create_default_context().wrap_socket(raw, server_hostname="echo.test")
    peer.sendall(b"POST / HTTP/1.1\\r\\nHost: echo.test\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
    return peer

def arrives(peer, wanted, patience):
    got = b""
    peer.settimeout(patience)
    try:
        while wanted not in got:
            got += peer.recv(65536)
    except TimeoutError:
        return False
    return True

def send(peer, piece):
    peer.sendall(b"%x\\r\\n%s\\r\\n" % (len(piece), piece))

client = http.client.HTTPSConnection("echo.test", timeout=60, context=ssl.create_default_context())
client.request("GET", "/"); client.getresponse().read()
for patience, guess in zip(sys.argv[1::2], sys.argv[2::2]):
    peer = stream()
    send(peer, b"<" + guess.encode() + b">")
    at_once = arrives(peer, b">", float(patience))
    send(peer, b"." * 4096)
    print(at_once, at_once or arrives(peer, b">", 60), flush=True)
"""


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(204)
        self.end_headers()

    def do_POST(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while size := int(self.rfile.readline() or b"0", 16):
            self.wfile.write(b"%x\r\n%s" % (size, self.rfile.read(size + 2)))

    def log_message(self, *_):
        pass


class Pauses(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*cls.upstreams.authority.issue("echo.test"))
        server = ThreadingHTTPServer((ADDRESS, 443), Echo)
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)

    def setUp(self):
        super().setUp()
        self.person.operate(echo_test=ADDRESS)
        self.person.allow(allow("echo", "echo.test", "echo", methods=["GET", "POST"]))
        self.person.bind(("echo", "echo.test", SECRET, "{bearer: {}}"))

    def ask(self, *guesses):
        """For each guess: has it come before anything followed it, has it come behind what followed?"""
        outcome = self.person.run(PYTHON, "-c", PROBE, *(word for guess in guesses for word in guess), timeout=300)
        self.assert_exit(outcome, 0)
        return outcome.stdout.splitlines()

    def test_behind_the_beginning_every_guess_waits_alike_in_each_task(self):
        guesses = [("2", guess) for guess in (SECRET[:20], SECRET[:19] + "-", SECRET[:9], SECRET[:8] + "-")]
        for _ in range(2):
            self.assertEqual(self.ask(*guesses), ["False True"] * 4)

    def test_what_does_not_begin_so_waits_for_nothing(self):
        guesses = [("60", guess) for guess in ("tok_9-", "tok_", SECRET[:6], SECRET[1:], "Bearer ")]
        self.assertEqual(self.ask(*guesses), ["True True"] * len(guesses))


if __name__ == "__main__":
    main()
