#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A command that chooses what a server answers, and sees where each piece of it ends, does not learn a secret from what
the proxy holds back: after a few right guesses every piece ends alike."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main

ADDRESS = "127.0.0.5"
SECRET = "tok_9f8e7d6c5B4a3210QwErTyUi"  # 28 characters: 7 are nobody's secret, three hints beyond them
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

client = http.client.HTTPSConnection("echo.test", timeout=60, context=ssl.create_default_context())
client.request("GET", "/"); client.getresponse().read()
for patience, guess in zip(sys.argv[1::2], sys.argv[2::2]):
    peer = stream()
    piece = b"<" + guess.encode()
    peer.sendall(b"%x\\r\\n%s\\r\\n" % (len(piece), piece))
    print(arrives(peer, b"<", float(patience)), flush=True)
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


class Hints(EndToEnd):
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
        """Has the byte in front of each guess come?"""
        outcome = self.person.run(PYTHON, "-c", PROBE, *(word for guess in guesses for word in guess), timeout=300)
        self.assert_exit(outcome, 0)
        hits = [e["detail"] for e in outcome.events("limit.hit") if e["limit"] == "hints"]
        return outcome.stdout.split(), hits

    def test_after_a_few_right_guesses_every_piece_ends_alike(self):
        right, wrong = SECRET[:20], SECRET[:19] + "-"
        answers, hits = self.ask(("60", right), ("60", right), ("60", right), ("2", right), ("2", wrong))
        self.assertEqual(answers, ["True"] * 3 + ["False"] * 2)
        self.assertEqual(len(hits), 1, hits)
        self.assertNotIn(SECRET[:8], hits[0])

    def test_wrong_guesses_and_what_many_tokens_begin_with_cost_nothing(self):
        guesses = [("60", guess) for guess in ("tok_9-", "tok_", SECRET[:6], SECRET[1:], "Bearer ")]
        answers, hits = self.ask(*guesses * 2)
        self.assertEqual((answers, hits), (["True"] * len(answers), []))


if __name__ == "__main__":
    main()
