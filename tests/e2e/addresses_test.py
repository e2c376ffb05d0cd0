#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rebinding and spellings: whatever a client writes and whatever a name server says, nobody dials loopback, private or
metadata addresses. Listeners stand at all of them, answer everybody else, and must stay silent."""

import json
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.aduana import PYTHON, Person
from support.case import EndToEnd, main
from support.name_server import NameServer
from support.witness import Witness

VECTORS = Path(__file__).resolve().parents[1] / "vectors/addresses.txt"
NAME_SERVER, PUBLIC = "127.0.0.53", "93.184.216.34"  # the second one is ours here: an address that may be dialled
PLACES = ["127.0.0.1", "127.0.0.2", "10.77.0.1", "192.168.7.7", "172.16.3.3", "169.254.169.254", "169.254.170.2",
          "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "198.19.0.1", "::1", "fd77::1",
          "fd00:ec2::254", "2002:a9fe:a9fe::", "64:ff9b::7f00:1"]
PORTS = [80, 443]

# Runs inside: every host by absolute-form, by CONNECT with and without TLS, and straight to where its name leads.
CLIENT = """
import json, os, socket, ssl, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
context = ssl._create_unverified_context()

def said(stream, text):
    stream.settimeout(20)
    stream.sendall(text)
    return stream.recv(4096).split(b"\\r\\n")[0].decode(errors="replace")

def to_proxy():
    return socket.create_connection((proxy.hostname, proxy.port), timeout=20)

def absolute(host):
    return said(to_proxy(), f"GET http://{host}/ HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode())

def connect(host, port):
    stream = to_proxy()
    opened = said(stream, f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode())
    if port == 443 and " 200 " in opened:
        stream = context.wrap_socket(stream, server_hostname=host.strip("[]"))
    return said(stream, f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode()) if " 200 " in opened else opened

def straight(host, port):
    stream = socket.create_connection((host.strip("[]"), port), timeout=20)
    if port == 443:
        stream = context.wrap_socket(stream, server_hostname=host.strip("[]"))
    return said(stream, f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode())

def by_server_name(host):
    stream = socket.create_connection(("192.0.2.1", 443), timeout=20)
    stream = context.wrap_socket(stream, server_hostname=host.strip("[]"))
    return said(stream, f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode())

def by_host(host):
    return said(socket.create_connection(("192.0.2.1", 80), timeout=20),
                f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode())

for host in json.load(sys.stdin):
    ways = [("absolute", absolute, host), ("CONNECT 443", connect, host, 443), ("CONNECT 80", connect, host, 80),
            ("SNI", by_server_name, host), ("Host", by_host, host)]
    ways += [(f"straight {port}", straight, host, port) for port in (80, 443)]
    for name, function, *arguments in ways:
        try:
            got = function(*arguments)
        except (OSError, ValueError) as error:
            got = f"{type(error).__name__}"
        print(json.dumps([host, name, got]), flush=True)
"""


def vectors(kind):
    rows = [line.split(" | ") for line in VECTORS.read_text().splitlines() if line and not line.startswith("#")]
    return [spelling for what, _, spelling in rows if what == kind]


class Redirecting(BaseHTTPRequestHandler):
    """Sends whoever comes to the next place of a list."""

    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", self.path[1:])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class NobodyGoesThere(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for place in [*PLACES, PUBLIC]:
            if not place.startswith("127.") and place != "::1":
                subprocess.run(["ip", "addr", "add", place, "dev", "lo", *(["nodad"] if ":" in place else [])],
                               check=True)
        cls.witness = Witness()
        for place in PLACES:
            for port in PORTS:
                if (place, port) != ("127.0.0.1", 443):  # where the upstreams listen; they have a log of their own
                    cls.witness.tcp(place, port)
        threading.Thread(target=ThreadingHTTPServer((PUBLIC, 80), Redirecting).serve_forever, daemon=True).start()
        cls.answers = {f"n{number}.case.test": answer.split() for number, answer in enumerate(vectors("answer"))}
        cls.turns = 0
        cls.server = NameServer(NAME_SERVER, {**cls.answers, "turn.case.test": cls.turning,
                                              "redirect.case.test": [PUBLIC], "mixed.case.test": [
                                                  "10.77.0.1", "127.0.0.1", PUBLIC, "169.254.169.254", "::1"]})

    def setUp(self):
        self.person = Person(self.upstreams)
        self.person.operator = self.person.write(
            "aduana.yaml", "version: 1\nupstream:\n"
            f"  extra_ca: [{self.upstreams.authority.certificate}]\n  nameservers: [{NAME_SERVER}]\n")
        self.witness.hits.clear()

    @classmethod
    def turning(cls):
        """A public address first, then where nobody may go: each look-up may fall on either side."""
        cls.turns += 1
        return [PUBLIC] if cls.turns % 3 == 1 else ["127.0.0.1", "10.77.0.1"]

    def allow_everything(self, more=""):
        rule = "  - {name: SCHEME, hosts: [\"*\", \".case.test\"], scheme: SCHEME, methods: [GET]" + more + "}\n"
        self.person.allow(rule.replace("SCHEME", "https"), rule.replace("SCHEME", "http"))

    def tries(self, hosts):
        outcome = self.person.run(PYTHON, "-c", CLIENT, stdin=json.dumps(hosts), timeout=500)
        self.assert_exit(outcome, 0)
        rows = [json.loads(line) for line in outcome.stdout.splitlines()]
        self.assertEqual(len(rows), 7 * len(hosts), str(outcome))
        return outcome, rows

    def assert_silent(self, outcome, rows):
        self.assertEqual(self.witness.hits, [])
        self.assertEqual([row for row in rows if " 200 " in row[2] or " 302 " in row[2]], [])
        for record in outcome.requests():
            self.assertFalse(record.get("upstream_ip"), record)
            self.assertNotEqual(record["reason"], "allowed", record)

    def test_the_listeners_would_notice(self):
        for place in ("10.77.0.1", "169.254.169.254", "::1"):
            socket.create_connection((place, 80), timeout=5).close()
        while len(self.witness.hits) < 3:
            pass
        self.assertEqual(len(self.witness.hits), 3)

    def test_no_spelling_as_a_host(self):
        self.allow_everything()
        self.assert_silent(*self.tries(vectors("literal")))

    def test_no_answer_of_a_name_server(self):
        self.allow_everything()
        outcome, rows = self.tries(sorted(self.answers))
        self.assert_silent(outcome, rows)
        self.assertTrue({record["reason"] for record in outcome.requests()} >= {"address-private", "address-metadata"})

    def test_metadata_not_even_where_a_rule_allows_every_address(self):
        self.allow_everything(", addresses: [0.0.0.0/0, \"::/0\"]")
        hosts = [f"n{number}.case.test" for number, answer in enumerate(vectors("answer"))
                 if answer in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192",
                               "198.18.0.1", "198.19.0.1", "fd00:ec2::254", "2002:a9fe:a9fe::",
                               "::ffff:169.254.169.254", "=metadata.google.internal 169.254.169.254")]
        self.assert_silent(*self.tries(hosts))

    def test_no_redirect(self):
        self.allow_everything()
        script = "".join(f"curl -s -g -L -m 20 -o /dev/null 'http://redirect.case.test/http://{place}/'; "
                         for place in vectors("literal"))
        outcome = self.person.run("/bin/sh", "-c", script, timeout=300)
        self.assertEqual(self.witness.hits, [])
        reached = {r["host"] for r in outcome.requests() if r["reason"] == "allowed"}
        self.assertEqual(reached, {"redirect.case.test"}, str(outcome))

    def test_a_name_that_changes_between_look_ups(self):
        self.allow_everything()
        script = "for i in $(seq 20); do curl -s -m 20 -o /dev/null -w '%{http_code} ' http://turn.case.test/; done"
        outcome = self.person.run("/bin/sh", "-c", script)
        self.assertEqual(self.witness.hits, [])
        self.assertEqual({r["upstream_ip"] for r in outcome.requests() if r.get("upstream_ip")}, {PUBLIC}, str(outcome))
        self.assertGreater(self.turns, 3)

    def test_of_a_mixed_answer_only_the_public_address_is_dialled(self):
        self.allow_everything()
        outcome = self.person.run("/usr/bin/curl", "-s", "-m", "20", "-o", "/dev/null", "http://mixed.case.test/")
        self.assertEqual([r["upstream_ip"] for r in outcome.requests()], [PUBLIC], str(outcome))
        self.assertEqual(self.witness.hits, [])


if __name__ == "__main__":
    main()
