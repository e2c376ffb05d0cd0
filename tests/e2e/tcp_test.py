#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Raw TCP by rules with `scheme: tcp`: psql and ssh from the sandbox to the hosts that are allowed, by name and without
any proxy setting, and by CONNECT; anywhere else they end at once, with a record."""

import hashlib
import random
import unittest

from support.aduana import PYTHON
from support.case import EndToEnd, main
from support.postgres import PSQL, Postgres
from support.ssh_server import SshServer

SSH = "/usr/bin/ssh"
# What the other side says first, or the whole refusal: the client sends nothing but CONNECT.
CONNECT = """
import os, socket, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
stream = socket.create_connection((proxy.hostname, proxy.port), timeout=20)
stream.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n".encode())
answer = b""
while b"SSH-2.0" not in answer:
    piece = stream.recv(65536)
    if not piece:
        break
    answer += piece
sys.stdout.write(answer.decode())
"""
# What a client reads that sends what is no HTTP, and then waits for the server.
SILENT = """
import socket, sys
host, port = sys.argv[1].split(":")
stream = socket.create_connection((host, int(port)), timeout=20)
try:
    stream.sendall(b"PING\\r\\n")
    print(stream.recv(1000))
except ConnectionError:
    print(b"")
"""


def rule(name, host, port, addresses="127.0.0.0/8"):
    where = f", addresses: [{addresses}]" if addresses else ""
    return f"  - {{name: {name}, hosts: [{host}], scheme: tcp, ports: [{port}]{where}}}\n"


class RawTcp(EndToEnd):
    wanted = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.postgres = Postgres(cls.upstreams.folder / "postgres")
        cls.addClassCleanup(cls.postgres.stop)
        cls.sshd = SshServer(cls.upstreams.folder / "sshd")
        cls.addClassCleanup(cls.sshd.stop)

    def setUp(self):
        super().setUp()
        self.person.operate(**{name: "127.0.0.1" for name in ("db_test", "code_test", "other_test", "inside_test")})
        self.person.allow(rule("database", "db.test", 5432), rule("code", "code.test", 22),
                          rule("inside", "inside.test", 22, addresses=None))
        self.ssh = [SSH, *self.sshd.equip(self.person.work, "code.test", "other.test", "inside.test")]

    def psql(self, host, query, port=5432):
        place = f"host={host} port={port} user=app dbname=postgres connect_timeout=10"
        return self.person.run(PSQL, "-X", "-At", place, "-c", query)

    def only_refusal(self, outcome):
        self.assertNotEqual(outcome.exit, 0, str(outcome))
        self.assertEqual(outcome.events("tcp.start"), [])
        refused = [r for r in outcome.requests() if r["reason"] != "allowed"]
        self.assertTrue(refused, str(outcome))
        self.assertEqual(len({(r["host"], r["port"], r["reason"]) for r in refused}), 1, refused)
        return refused[0]

    def test_psql_works_by_name(self):
        outcome = self.psql("db.test", "select 6 * 7, repeat('x', 1000)")
        self.assert_exit(outcome, 0)
        self.assertEqual(outcome.stdout, "42|" + "x" * 1000 + "\n")
        (start,), (end,) = outcome.events("tcp.start"), outcome.events("tcp")
        self.assertEqual((end["id"], end["rule"], end["host"], end["port"], end["upstream_ip"]),
                         (start["id"], "database", "db.test", 5432, "127.0.0.1"))
        self.assertGreater(end["bytes_up"], 50)
        self.assertGreater(end["bytes_down"], 1000)
        self.assertGreater(end["duration_us"], 0)
        self.assertEqual(end.get("ended_by", "task"), "task")  # perhaps before the server had closed
        self.assertEqual(outcome.requests(), [])
        reached = outcome.record()["destinations"]["reached"]
        self.assertEqual([(d["scheme"], d["host"], d["port"]) for d in reached], [("tcp", "db.test", 5432)])
        self.assert_sound(outcome)
        shown = self.person.aduana("audit", "show", "--journal", outcome.journal)
        self.assertIn("db.test:5432", shown.stdout)

    def test_a_long_answer_arrives_whole(self):
        outcome = self.psql("db.test", "select repeat('0123456789abcdef', 1 << 20)")
        self.assert_exit(outcome, 0)
        self.assertEqual(hashlib.sha256(outcome.stdout.encode()).hexdigest(),
                         hashlib.sha256(b"0123456789abcdef" * (1 << 20) + b"\n").hexdigest())

    def test_ssh_works_by_name_both_ways(self):
        sent = random.Random(3).randbytes(1 << 20)
        (self.person.work / "sent").write_bytes(sent)
        command = [*self.ssh, "code.test", "sha256sum; echo hello; exit 7"]
        outcome = self.person.run("/bin/sh", "-c", '"$@" <sent', "sh", *command)
        self.assert_exit(outcome, 7)
        self.assertEqual(outcome.stdout, f"{hashlib.sha256(sent).hexdigest()}  -\nhello\n")
        (end,) = outcome.events("tcp")
        self.assertEqual((end["rule"], end["host"], end["port"]), ("code", "code.test", 22))
        self.assertGreater(end["bytes_up"], 1 << 20)

    def test_by_connect_the_server_may_speak_first(self):
        outcome = self.person.run(PYTHON, "-c", CONNECT, "code.test:22")
        self.assertTrue(outcome.stdout.startswith("HTTP/1.1 200 Connection Established\n\nSSH-2.0"), str(outcome))
        self.assertEqual(len(outcome.events("tcp")), 1)

    def test_psql_is_refused_elsewhere(self):
        refusal = self.only_refusal(self.psql("other.test", "select 1"))
        self.assertEqual((refusal["reason"], refusal["host"], refusal["port"]), ("no-rule", "other.test", 5432))
        refusal = self.only_refusal(self.psql("db.test", "select 1", port=5433))
        self.assertEqual((refusal["reason"], refusal["host"], refusal["port"]), ("port-not-allowed", "db.test", 5433))

    def test_ssh_is_refused_elsewhere(self):
        outcome = self.person.run(*self.ssh, "other.test", "true")
        refusal = self.only_refusal(outcome)
        self.assertEqual((refusal["reason"], refusal["host"], refusal["port"]), ("no-rule", "other.test", 22))
        self.assertIn("`scheme: tcp` and `ports: [22]`", outcome.stderr)

    def test_a_deny_rule_wins(self):
        self.person.allow(rule("code", "code.test", 22), rest="deny:\n  - {name: no-raw, hosts: ['*'], scheme: tcp}\n")
        self.assertEqual(self.only_refusal(self.person.run(*self.ssh, "code.test", "true"))["reason"], "denied-by-rule")

    def test_what_a_deny_rule_would_have_to_look_into_ends_at_once(self):
        self.person.operate(db_inner_test="127.0.0.1")
        self.person.allow(rule("inner", ".inner.test", 5432),
                          "  - {name: web, hosts: [db.inner.test], methods: [GET, POST]}\n",
                          rest="deny:\n  - {name: no-post, hosts: [db.inner.test], methods: [POST], paths: [/a/**]}\n")
        outcome = self.person.run(PYTHON, "-c", SILENT, "db.inner.test:5432")
        self.assertEqual(outcome.stdout, "b''\n", str(outcome))
        refusal = self.only_refusal(self.person.run(PSQL, "host=db.inner.test user=app connect_timeout=60"))
        self.assertEqual((refusal["reason"], refusal["rule"], refusal["scheme"]), ("denied-by-rule", "no-post", "tcp"))
        outcome = self.person.run(PYTHON, "-c", CONNECT, "db.inner.test:5432")
        self.assertTrue(outcome.stdout.startswith("HTTP/1.1 403 Forbidden by Aduana: denied-by-rule\n"), str(outcome))
        self.assertIn("a raw connection cannot be looked into", outcome.stderr)

    def test_a_private_address_needs_its_range(self):
        refusal = self.only_refusal(self.person.run(*self.ssh, "inside.test", "true"))
        self.assertEqual((refusal["reason"], refusal["rule"]), ("address-private", "inside"))
        outcome = self.person.run(PYTHON, "-c", CONNECT, "inside.test:22")
        self.assertTrue(outcome.stdout.startswith("HTTP/1.1 403 Forbidden by Aduana: address-private\n"), str(outcome))
        self.assertEqual([(r["status"], r["reason"]) for r in outcome.requests()], [(403, "address-private")])


if __name__ == "__main__":
    main()
