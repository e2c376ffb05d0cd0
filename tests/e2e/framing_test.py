#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The framing corpora of tests/vectors with real sockets. Requests: behind each stands another one; if the first is
refused, the second must not be answered, nor reach the upstream. Responses: after each, the next request gets its own
answer, whatever the upstream sent. Every refusal leaves a record; nothing hangs."""

import base64
import json
import re
import unittest

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.raw_upstream import RawUpstream
from support.vectors import FOLDER, read_vectors

CLIENT = FOLDER.parent / "support/raw_client.py"
WAYS = ("connect", "absolute", "plain")
PLAIN_LINE = re.compile(rb"[!-~]+ / HTTP/1\.[01]\r\n")
POISON = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
MALFORMED = {"framing-invalid", "head-too-large", "name-mismatch", "method-not-allowed", "scheme-not-allowed",
             "upgrade-refused"}


def is_whole(raw, payload):
    """An acceptable row that is exactly one request of HTTP/1.1 for "/" that opens no WebSocket."""
    line, _, rest = raw.partition(b"\r\n")
    return line.endswith(b" / HTTP/1.1") and b"Upgrade: websocket" not in raw and rest.endswith(payload or b"\r\n\r\n")


def aimed(raw, way, name):
    """`raw` with a target of its own, as the way in wants it; what has no plain request line stays as it is."""
    if not PLAIN_LINE.match(raw):
        return raw
    target = f"http://a.test/{name}" if way == "absolute" else f"/{name}"
    return raw.replace(b" / ", f" {target} ".encode(), 1)


def answers_in(received):
    """The bodies of counted answers in a row."""
    bodies = []
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
        bodies.append(rest[:size])
        received = rest[size:]
    return bodies


class Framing(EndToEnd):
    wanted = ()

    def setUp(self):
        super().setUp()
        certificate = self.upstreams.authority.issue("a.test")
        self.secure = RawUpstream(("127.0.0.7", 443), certificate, self.answer_to)
        self.insecure = RawUpstream(("127.0.0.7", 80), None, self.answer_to)
        self.addCleanup(self.secure.stop)
        self.addCleanup(self.insecure.stop)
        self.answers = {}
        self.person.operate(a_test="127.0.0.7")
        self.person.allow(allow("tls", "a.test", paths=["/**"]), allow("http", "a.test", scheme="http"))

    def answer_to(self, target):
        return self.answers.get(target)

    def seen(self):
        return self.secure.seen + self.insecure.seen

    def play(self, mode, cases):
        """Sends all cases from one sandbox; what came back, and the run's outcome."""
        (self.person.work / "raw_client.py").write_text(CLIENT.read_text())
        (self.person.work / "cases").write_text("".join(json.dumps(case) + "\n" for case in cases))
        outcome = self.person.run(PYTHON, "raw_client.py", mode, "cases", timeout=300)
        self.assert_exit(outcome, 0)
        return [json.loads(line) for line in outcome.stdout.splitlines()], outcome

    def test_no_second_request_reaches_the_upstream(self):
        rows = [row for row in read_vectors("request_framing.txt", 3) + read_vectors("request_streams.txt", 3)
                if row[0] == b"refuse" or is_whole(row[2], row[0][len("accept "):])]
        self.assertGreater(len(rows), 200)
        cases = [{way: self.request(raw, way, number) for way in WAYS} for number, (_, _, raw) in enumerate(rows)]
        told, outcome = self.play("requests", cases)
        reached = dict(line_and_body for line_and_body in self.seen())
        self.assertNotIn(None, reached, "bytes reached the upstream that are no request")
        self.assertNotIn("GET /smuggled", reached)
        records = iter(outcome.requests())
        for number, (verdict, why, _) in enumerate(rows):
            for way in WAYS:
                with self.subTest(why=why.decode(), way=way):
                    self.assertEqual(told[number][way]["end"], "closed", "it hangs")
                    received = base64.b64decode(told[number][way]["received"])
                    name = f"{number}-{way}"
                    if verdict == b"refuse":
                        self.check_refused(received, name, reached, next(records))
                    else:
                        payload = verdict[len("accept "):]
                        self.check_served(received, name, reached, payload, [next(records), next(records)])
        self.assertEqual(list(records), [])

    @staticmethod
    def request(raw, way, number):
        name = f"{number}-{way}"
        target = f"http://a.test/next-{name}" if way == "absolute" else f"/next-{name}"
        behind = f"GET {target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n".encode()
        return base64.b64encode(aimed(raw, way, name) + behind).decode()

    def check_refused(self, received, name, reached, record):
        self.assertNotIn(f"GET /next-{name}", reached)
        if record["reason"] == "protocol-unknown":  # a first byte that no HTTP begins with
            self.assertEqual(received, b"")
            return
        self.assertIn(record["reason"], MALFORMED)
        if record["protocol"] == "h2":  # what is no frame of HTTP/2 gets a GOAWAY (RFC 9113 section 6.8)
            self.assertRegex(received, rb"(?s)\0\0.\x07\0\0\0\0\0.{7}\x01")
            return
        self.assertRegex(received, rb"\AHTTP/1\.1 4\d\d ")
        self.assertEqual(received.count(b"HTTP/1.1 "), 1, received)

    def check_served(self, received, name, reached, payload, records):
        bodies = answers_in(received)
        self.assertEqual(bodies, [f"/{name} ".encode() + payload, f"/next-{name} ".encode()])
        self.assertIn(f"GET /next-{name}", reached)
        self.assertEqual([record["reason"] for record in records], ["allowed"] * 2)

    def response_rows(self):
        """(verdict, method, why, bytes) that one request can be answered with."""
        framing = [row for row in read_vectors("response_framing.txt", 4)
                   if row[1] != b"CONNECT" and not (row[0] == b"accept" and row[3].startswith(b"HTTP/1.1 1"))]
        return framing + read_vectors("response_streams.txt", 4)

    def test_a_response_is_judged_as_a_whole_and_the_next_is_its_own(self):
        self.check_responses()

    def test_the_same_where_responses_are_searched_for_a_credential(self):
        self.person.allow(allow("tls", "a.test", "secret"), allow("http", "a.test", scheme="http"))
        self.person.bind(("secret", "a.test", "secret-7c1d2e", "{bearer: {}}"))
        self.check_responses()

    def check_responses(self):
        rows = self.response_rows()
        self.assertGreater(len(rows), 120)
        ways = ("connect", "plain")
        self.answers = {f"/{number}-{way}": (row[3], True) for number, row in enumerate(rows) for way in ways}
        cases = [(way, row[1].decode(), f"/{number}-{way}", f"/next-{number}-{way}")
                 for number, row in enumerate(rows) for way in ways]
        told, outcome = self.play("responses", cases)
        records = {record["path"]: record for record in outcome.requests()}
        for (way, _, target, following), got in zip(cases, told):
            verdict, _, why, _ = rows[int(target[1:].split("-")[0])]
            with self.subTest(why=why.decode(), way=way):
                record = records[target]
                self.assertEqual(base64.b64decode(got["next"]["body"]), f"{following} ".encode())
                if verdict == b"refuse":
                    self.assertIn(got["first"]["status"], (502, "broken"))
                    self.assertTrue(record["reason"] != "allowed" or record["error"], record)
                else:
                    self.assertEqual(base64.b64decode(got["first"]["body"]), verdict[len("accept "):])
                    self.assertFalse(record["error"], record)
                self.assertEqual(records[following]["reason"], "allowed")

    def test_what_follows_a_response_on_its_connection_answers_nobody(self):
        """The connection stays open, and holds a whole answer that nobody asked for. Bodies that would take it for
        their own, because they end early or only with the connection, are left out."""
        framed = re.compile(rb"(?i)\r\n(content-length|transfer-encoding)")
        rows = [row for row in self.response_rows() if framed.search(row[3]) and b" ends " not in row[2]]
        self.answers = {f"/{number}": (row[3] + POISON, False) for number, row in enumerate(rows)}
        cases = [("connect", row[1].decode(), f"/{number}", f"/next-{number}") for number, row in enumerate(rows)]
        told, _ = self.play("responses", cases)
        for (_, _, _, following), got, row in zip(cases, told, rows):
            with self.subTest(why=row[2].decode()):
                self.assertNotEqual(got["first"]["status"], "nothing came")
                self.assertEqual(base64.b64decode(got["next"]["body"]), f"{following} ".encode())

    def test_an_answer_before_its_request_answers_nobody(self):
        """The upstream speaks while its connection is idle: it learns so from a request at its other port."""
        def speak_first(target):
            if target == "/poke":
                self.secure.open["/first"].sendall(POISON)

        self.answer_to = speak_first
        self.insecure.answer_to = speak_first
        told, _ = self.play("responses", [("connect", "GET", "/first", "/second"), ("plain", "GET", "/poke", "/third"),
                                          ("connect", "GET", "/fourth", "/fifth")])
        bodies = [base64.b64decode(got[which]["body"]) for got in told for which in ("first", "next")]
        self.assertEqual(bodies, [b"/first ", b"/second ", b"/poke ", b"/third ", b"/fourth ", b"/fifth "])


if __name__ == "__main__":
    main()
