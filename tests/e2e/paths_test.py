#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corpus of paths (tests/vectors/paths), sent raw by every way into the proxy: the upstream's log holds exactly the
spellings that are judged "allowed", byte by byte, and nothing of the others, which are all refused."""

import json
import unittest
from urllib.parse import parse_qs

from support.aduana import PYTHON
from support.case import EndToEnd, main
from support.nginx import Nginx
from support.vectors import FOLDER, read_vectors

POLICY = FOLDER / "paths/policy.yaml"
SITE = "        listen 127.0.0.2:80;\n        location / { return 200; }"

# Runs in the sandbox: stdin holds [[number, path in latin-1], ...]; prints "way number status" for each try.
CLIENT = """
import json, os, socket, ssl, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
context = ssl.create_default_context()

def to_proxy():
    return socket.create_connection((proxy.hostname, proxy.port), timeout=20)

def connected(port):
    stream = to_proxy()
    stream.sendall(f"CONNECT paths.test:{port} HTTP/1.1\\r\\nHost: paths.test:{port}\\r\\n\\r\\n".encode())
    assert b" 200 " in stream.recv(4096)
    return stream

def direct(port):
    return socket.create_connection(("paths.test", port), timeout=20)

def tls(stream):
    return context.wrap_socket(stream, server_hostname="paths.test")

WAYS = {
    "absolute": (to_proxy, b"http://paths.test"),
    "connect-plain": (lambda: connected(80), b""),
    "connect-tls": (lambda: tls(connected(443)), b""),
    "transparent": (lambda: direct(80), b""),
    "transparent-tls": (lambda: tls(direct(443)), b""),
}
for number, path in json.load(sys.stdin):
    for way, (connect, prefix) in WAYS.items():
        with connect() as stream:
            target = prefix + path.encode("latin-1") + f"?way={way}&n={number}".encode()
            stream.sendall(b"GET " + target + b" HTTP/1.1\\r\\nHost: paths.test\\r\\nConnection: close\\r\\n\\r\\n")
            status = (stream.recv(4096).split() + [b"", b"none"])[1]
        print(way, number, status.decode(), flush=True)
"""
WAYS = ["absolute", "connect-plain", "connect-tls", "transparent", "transparent-tls"]


def corpus():
    """Judgement, reason and bytes of each spelling."""
    rows = read_vectors("paths/spellings.txt", 3)
    return [(judgement.decode(), why.decode(), path) for judgement, why, path in rows]


class Paths(EndToEnd):
    wanted = ()

    def setUp(self):
        super().setUp()
        self.nginx = Nginx(self.person.folder / "paths", self.upstreams.authority, {"paths.test": SITE},
                           {"paths.test": "127.0.0.2:443"})
        self.addCleanup(self.nginx.stop)

    def logged(self):
        """What arrived, by way and number: the bytes of the path."""
        found = {}
        for line in (self.nginx.folder / "access.log").read_text().splitlines():
            path, _, query = json.loads(line)["uri"].partition("?")
            tags = parse_qs(query)
            self.assertEqual(set(tags), {"way", "n"}, line)
            found[(tags["way"][0], int(tags["n"][0]))] = path.encode()
        return found

    def test_what_the_upstream_sees_is_what_was_judged(self):
        rows = corpus()
        self.assertGreaterEqual(len(rows), 100)
        self.person.operate(paths_test="127.0.0.2")
        self.person.policy = POLICY
        tries = json.dumps([[number, path.decode("latin-1")] for number, (_, _, path) in enumerate(rows)])
        outcome = self.person.run(PYTHON, "-c", CLIENT, stdin=tries, timeout=300)
        self.assert_exit(outcome, 0)
        statuses = {(way, int(number)): status for way, number, status in map(str.split, outcome.stdout.splitlines())}
        self.assertEqual(set(statuses), {(way, number) for way in WAYS for number in range(len(rows))})
        expected = {(way, number): path for number, (judgement, _, path) in enumerate(rows) if judgement == "allowed"
                    for way in WAYS}
        self.assertEqual(self.logged(), expected)
        for (way, number), status in statuses.items():
            judgement, why, path = rows[number]
            with self.subTest(way=way, path=path, why=why):
                self.assertIn(status, ["200"] if judgement == "allowed" else ["400", "403"])
        self.assert_recorded_alike(outcome, rows)

    def assert_recorded_alike(self, outcome, rows):
        """One record for each try; the reason that the corpus says, unless the bytes are no request at all."""
        records = outcome.requests()
        self.assertEqual(len(records), len(rows) * len(WAYS))
        by_path = {}
        for record in records:
            by_path.setdefault(record["path"], set()).add(record["reason"])
        for judgement, why, path in rows:
            text = path.decode("latin-1")
            if text.isascii() and text.isprintable() and " " not in text and "#" not in text:
                self.assertEqual(by_path.get(text), {judgement}, f"{text}: {why}")


if __name__ == "__main__":
    main()
