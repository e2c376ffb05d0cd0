#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that go away before they were answered: whatever was done for them ends, their place is free for the next
one, and the record says who went. In plain text and in TLS, by FIN, RST and close_notify, and by RST_STREAM."""

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.slow_server import SlowServer

PLACES = 512
NO_ANSWER = "the client closed before the answer"
# All of these run in the sandbox.
LIBRARY = """
import socket, ssl, struct, sys, time
def connect(tls):
    stream = socket.create_connection(("slow.test", 443 if tls else 80), timeout=90)
    return ssl.create_default_context().wrap_socket(stream, server_hostname="slow.test") if tls else stream
def ask(stream, path):
    stream.sendall(f"GET {path} HTTP/1.1\\r\\nHost: slow.test\\r\\n\\r\\n".encode())
def wait_for(path):
    stream = connect(False)
    ask(stream, path)
    assert stream.recv(1000).startswith(b"HTTP/1.1 200"), path
    stream.close()
def reset(stream):
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.close()
"""
EACH_WAY = LIBRARY + """
ways = {"fin": lambda stream: stream.close(), "rst": reset, "half": lambda stream: stream.shutdown(socket.SHUT_WR)}
for tls in (False, True):
    for name, leave in ways.items():
        name += str(tls)
        stream = connect(tls)
        ask(stream, "/slow/" + name)
        wait_for("/asked/" + name)
        leave(stream)
        wait_for("/gone/" + name)
stream = connect(True)
ask(stream, "/part/silent")
received = b""
while not received.endswith(b"part"):
    received += stream.recv(1000)
stream.close()
wait_for("/gone/silent")
"""
# Says that it ends, and keeps its socket open.
NOTIFY = LIBRARY + """
raw = socket.create_connection(("slow.test", 443), timeout=90)
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
layer = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="slow.test")
while True:
    try:
        layer.do_handshake()
        break
    except ssl.SSLWantReadError:
        raw.sendall(outgoing.read())
        incoming.write(raw.recv(65536))
layer.write(b"GET /slow/notify HTTP/1.1\\r\\nHost: slow.test\\r\\n\\r\\n")
raw.sendall(outgoing.read())
wait_for("/asked/notify")
try:
    layer.unwrap()
except ssl.SSLError:
    pass
raw.sendall(outgoing.read())
wait_for("/gone/notify")
"""
# Gives one stream up, and keeps its connection.
RST_STREAM = LIBRARY + """
context = ssl.create_default_context()
context.set_alpn_protocols(["h2"])
stream = context.wrap_socket(socket.create_connection(("slow.test", 443), timeout=90), server_hostname="slow.test")
assert stream.selected_alpn_protocol() == "h2"
def frame(kind, flags, number, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", number) + payload
def text(value):
    return bytes([len(value)]) + value
head = b"\\x82\\x87\\x04" + text(b"/slow/stream") + b"\\x01" + text(b"slow.test")
stream.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + frame(4, 0, 0, b"") + frame(1, 5, 1, head))
wait_for("/asked/stream")
stream.sendall(frame(3, 0, 1, struct.pack(">I", 8)))
wait_for("/gone/stream")
"""
# As many as there is room for at the same time, or more; then one more.
MANY = LIBRARY + """
count, leave = int(sys.argv[1]), {"fin": lambda stream: stream.close(), "rst": reset}[sys.argv[2]]
for index in range(count):
    stream = connect(False)
    ask(stream, f"/slow/{index}")
    leave(stream)
end = time.monotonic() + 90
answer = b""
while not answer and time.monotonic() < end:
    try:
        stream = connect(False)
        ask(stream, "/now/")
        answer = stream.recv(1000)
    except ConnectionError:
        pass
print(answer.split(b"\\r\\n")[0].decode())
for index in range(count if sys.argv[2] == "fin" else 0):  # a reset may come before the server was asked
    wait_for(f"/gone/{index}")
"""
HELD = LIBRARY + """
held = []
for _ in range(int(sys.argv[1])):
    held.append(connect(False))
    held[-1].sendall(b"GET / HTTP/1.1\\r\\n")
try:
    print(connect(False).recv(100))
except ConnectionError:
    print(b"")
"""


class Departure(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = SlowServer(cls.upstreams.authority, "127.0.0.6", "slow.test")
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.server.happened.clear()
        self.person.operate(slow_test="127.0.0.6")
        self.person.allow(allow("plain", "slow.test", scheme="http", methods=["GET"]),
                          allow("slow", "slow.test", methods=["GET"]))

    def run_inside(self, script, *arguments):
        outcome = self.person.run(PYTHON, "-c", script, *map(str, arguments))
        self.assert_exit(outcome, 0)
        return outcome

    def errors(self, outcome, kind):
        requests = [r for r in outcome.requests() if r["path"].startswith(f"/{kind}/")]
        self.assertEqual({r["reason"] for r in requests}, {"allowed"}, requests)
        return [r.get("error") for r in requests]

    def test_each_way_to_go_ends_what_was_done_for_the_client(self):
        outcome = self.run_inside(EACH_WAY)
        self.assertEqual(self.errors(outcome, "slow"), [NO_ANSWER] * 6)
        self.assertEqual(self.errors(outcome, "part"), ["the client closed before the end of the response"])
        self.assertEqual(outcome.own_lines(), [])

    def test_a_close_notify_is_enough(self):
        self.assertEqual(self.errors(self.run_inside(NOTIFY), "slow"), [NO_ANSWER])

    def test_a_stream_that_is_given_up_is_no_fault_of_the_upstream(self):
        outcome = self.run_inside(RST_STREAM)
        self.assertEqual(self.errors(outcome, "slow"), [NO_ANSWER])
        self.assertEqual(outcome.own_lines(), [])

    def test_requests_that_were_given_up_take_no_room(self):
        # A reset is seen at once; who ended one side only has a few seconds to read.
        for way, count in (("rst", PLACES + 8), ("fin", PLACES)):
            outcome = self.run_inside(MANY, count, way)
            self.assertEqual(outcome.stdout, "HTTP/1.1 200 OK\n")
            self.assertEqual(set(self.errors(outcome, "slow")), {NO_ANSWER})
            self.server.happened.clear()

    def test_a_connection_too_many_is_refused_by_its_whole_destination(self):
        outcome = self.run_inside(HELD, PLACES)
        self.assertEqual(outcome.stdout, "b''\n")
        self.assertIn("refused tcp://slow.test:80 (limit-connections): 512 connections are open", outcome.stderr)
        (refused,) = [r for r in outcome.requests() if r["reason"] == "limit-connections"]
        self.assertEqual((refused["scheme"], refused["host"], refused["port"]), ("tcp", "slow.test", 80))
        shown = self.person.aduana("audit", "show", "--journal", outcome.journal, "--decision", "deny")
        self.assertIn("limit-connections", shown.stdout)


if __name__ == "__main__":
    main()
