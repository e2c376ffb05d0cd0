#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The DNS of a sandbox, asked by real clients: dig, getent, Python, and bytes in pieces."""

import re

from support.aduana import Person, allow
from support.case import EndToEnd, main

DIG = "/usr/bin/dig"

PIECES = """
import socket, struct
def query(name, number):
    labels = b"".join(bytes([len(l)]) + l for l in name.split(b"."))
    body = struct.pack("!HHHHHH", number, 0x100, 1, 0, 0, 0) + labels + b"\\0" + struct.pack("!HH", 1, 1)
    return struct.pack("!H", len(body)) + body
def read(stream, size):
    got = b""
    while len(got) < size:
        piece = stream.recv(size - len(got))
        if not piece:
            return got
        got += piece
    return got
three = query(b"a.one.test", 1) + query(b"b.one.test", 2) + query(b"api.test", 3)
for cut in range(1, len(three), 5):
    s = socket.create_connection(("198.18.0.1", 53), timeout=10)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.sendall(three[:cut]); s.sendall(three[cut:])
    for number in (1, 2, 3):
        reply = read(s, struct.unpack("!H", read(s, 2))[0])
        assert struct.unpack("!H", reply[:2])[0] == number and reply[-4:-2] == b"\\xc6\\x13", (cut, number, reply)
    s.close()
s = socket.create_connection(("198.18.0.1", 53), timeout=10)
for byte in three:
    s.sendall(bytes([byte]))
print("bytewise", len(read(s, 2)))
s = socket.create_connection(("198.18.0.1", 53), timeout=10)
s.sendall(b"\\xff\\xff")
print("too long", read(s, 1))
"""

RESOLVERS = """
import socket
def told(*arguments):
    try:
        print(sorted({i[4][0] for i in socket.getaddrinfo(*arguments)}))
    except socket.gaierror as error:
        print(error.args[0] == socket.EAI_NONAME or error.args[0] == socket.EAI_NODATA)
told("api.test", 443)
told("api.test", 443, socket.AF_INET6)
told("api.test.corp.example.com", 443)
told("printer", 443)
told("localhost", 443, socket.AF_INET)
"""


class Dns(EndToEnd):
    def setUp(self):
        self.person = Person(self.upstreams)
        self.person.allow(allow("api", "api.test", methods=["GET"]))

    def dig(self, *arguments):
        outcome = self.person.run(DIG, "+tries=1", "+time=10", *arguments)
        return outcome, outcome.stdout

    def test_what_dig_is_told(self):
        cases = [
            ("an allowed name", ["api.test"], ["status: NOERROR", "198.19.0.1"]),
            ("by TCP", ["+tcp", "api.test"], ["status: NOERROR", "198.19.0.1"]),
            ("without EDNS", ["+noedns", "api.test"], ["status: NOERROR", "ADDITIONAL: 0"]),
            ("with options", ["+nsid", "+subnet=192.0.2.0/24", "+cookie", "+dnssec", "api.test"],
             ["status: NOERROR", "udp: 1232", "198.19.0.1"]),
            ("a version to come", ["+edns=1", "+noednsneg", "api.test"], ["status: BADVERS"]),
            ("a small buffer", ["+bufsize=512", "api.test"], ["status: NOERROR", "198.19.0.1"]),
            ("AAAA", ["api.test", "AAAA"], ["status: NOERROR", "ANSWER: 0", "AUTHORITY: 1", "SOA"]),
            ("HTTPS", ["api.test", "HTTPS"], ["status: NOERROR", "ANSWER: 0", "SOA"]),
            ("SVCB", ["api.test", "SVCB"], ["status: NOERROR", "ANSWER: 0", "SOA"]),
            ("MX", ["api.test", "MX"], ["status: NOERROR", "ANSWER: 0"]),
            ("ANY", ["+notcp", "api.test", "ANY"], ["status: NOERROR", "ANSWER: 1", "198.19.0.1"]),
            ("SRV of an underscore name", ["_https._tcp.api.test", "SRV"], ["status: NOERROR", "ANSWER: 0"]),
            ("a reverse name", ["-x", "198.19.0.1"], ["status: NXDOMAIN", "SOA"]),
            ("a search list's leftover", ["api.test.corp.test"], ["status: NXDOMAIN"]),
            ("a single label", ["printer"], ["status: NXDOMAIN"]),
            ("the root's servers", [".", "NS"], ["status: NOERROR", "ANSWER: 0"]),
            ("another class", ["-c", "CH", "version.bind", "TXT"], ["status: REFUSED"]),
            ("a zone", ["+tcp", "-t", "IXFR=1", "api.test"], ["REFUSED"]),
            ("another opcode", ["+opcode=NOTIFY", "api.test", "SOA"], ["status: NOTIMP"]),
            ("an update", ["+opcode=UPDATE", "api.test", "SOA"], ["status: NOTIMP"]),
            ("any server", ["@192.0.2.53", "api.test"], ["status: NOERROR", "SERVER: 192.0.2.53#53"]),
            ("any server, IPv6", ["@2001:db8::53", "api.test"], ["status: NOERROR", "SERVER: 2001:db8::53#53"]),
        ]
        for why, arguments, expected in cases:
            with self.subTest(why):
                outcome, said = self.dig(*arguments)
                for text in expected:
                    if text == "REFUSED":
                        self.assertTrue("REFUSED" in said or "Transfer failed" in said, str(outcome))
                    else:
                        self.assertIn(text, said, str(outcome))
                self.assertNotIn("WARNING: Message", said)
                self.assertNotIn("malformed", said)

    def test_the_case_of_a_question_comes_back(self):
        _, said = self.dig("aPi.TeSt")
        self.assertIn(";aPi.TeSt.", said)
        self.assertEqual(len(re.findall(r"^aPi\.TeSt\.\s+300\s+IN\s+A\s+198\.19\.0\.1$", said, re.M)), 1, said)

    def test_several_queries_on_one_connection(self):
        _, said = self.dig("+tcp", "+keepopen", "one.example.com", "two.example.com", "three.example.com")
        self.assertEqual(said.count("status: NOERROR"), 3, said)

    def test_queries_in_pieces(self):
        outcome = self.person.python(PIECES)
        self.assertEqual(outcome.stdout, "bytewise 2\ntoo long b''\n", str(outcome))
        self.assertEqual(sorted(d["name"] for d in outcome.events("dns")), ["a.one.test", "b.one.test"])

    def test_the_resolvers_of_programs(self):
        outcome = self.person.python(RESOLVERS)
        self.assertEqual(outcome.stdout, "['198.19.0.1']\nTrue\nTrue\nTrue\n['127.0.0.1']\n", str(outcome))
        outcome = self.person.run("/usr/bin/getent", "ahosts", "api.test")
        self.assertEqual({line.split()[0] for line in outcome.stdout.splitlines()}, {"198.19.0.1"}, str(outcome))

    def test_a_flood_is_bounded_and_recorded_once(self):
        flood = ("import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                 "for i in range(30000):\n"
                 "    n = b'n%d' % i\n"
                 "    s.sendto(bytes.fromhex('abcd01000001000000000000') + bytes([len(n)]) + n +"
                 " b'\\4evil\\4test\\0\\0\\1\\0\\1', ('198.18.0.1', 53))\n"
                 "import time; time.sleep(6); import socket as k; print(k.gethostbyname('api.test'))")
        outcome = self.person.python(flood)
        self.assert_exit(outcome, 0)
        self.assertIn("198.19.", outcome.stdout)
        self.assertLess(len(outcome.events("dns")), 30000)
        self.assertLessEqual(len([e for e in outcome.events("limit.hit") if e["limit"] == "dns"]), 1)


if __name__ == "__main__":
    main()
