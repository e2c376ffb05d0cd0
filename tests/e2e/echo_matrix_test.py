#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that gives the injected token back in every spelling, content coding, framing and size: nothing that the
client receives holds it. In the same test the client without the proxy finds every one of them."""

import json
import re
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

from support import secret_echo
from support.aduana import NODE, allow
from support.case import EndToEnd, main
from support.echo_cells import ALL, DECODED, FRAMINGS, NEW, OLD, REFUSED, SIZES, summary
from support.listening import Listening
from support.npm_registry import installed_packages
from support.secret_echo import FILLER, TOKEN, SecretEcho, condensed, leaks, read_items, records, unframed

MIDDLING = 32 << 10    # goes on with a Content-Length, unlike what is longer
CODED = (*DECODED, "stacked")
IN_HEAD = ("link", "content-location", "refresh", "etag")
SCRUBBED = b"[scrubbed]"
done = []


class Received:
    """All of one answer: heads (of the proxy's own CONNECT and interim ones, too), body, chunk sizes and trailers."""

    def __init__(self, head, raw):
        self.head = head
        last_head = head[head.rindex(b"HTTP/"):].lower()
        self.status = int(last_head.split(b" ")[1])
        chunked = b"\ntransfer-encoding: chunked" in last_head
        self.body, self.framing = unframed(raw) if chunked else (raw, b"")

    def fields(self, name):
        """The values of all heads and trailers, in lower case."""
        everything = (self.head + self.framing).lower()
        return re.findall(rb"(?m)^" + name.encode() + rb": ([^\r]*)\r$", everything)


class EchoMatrix(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, address, protocol in (OLD, NEW):
            server = SecretEcho(cls.upstreams.folder / name, cls.upstreams.authority, address, protocol, name)
            cls.addClassCleanup(server.stop)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        print(summary(done), file=sys.stderr, flush=True)

    def setUp(self):
        super().setUp()
        self.person.operate(**{name.replace(".", "_"): address for name, address, _ in (OLD, NEW)})
        self.person.allow(*(allow(name, name, name[:3], websocket=True) for name, _, _ in (OLD, NEW)))
        self.person.bind(*((name[:3], name, TOKEN, "{bearer: {}}") for name, _, _ in (OLD, NEW)))
        self.listening = Listening(self.person)
        self.addCleanup(self.listening.stop)
        names = json.loads(self.listening.curl("https://old.test/names").stdout)
        self.spellings, self.in_fields = names["all"], names["fields"]
        self.assertGreater(len(self.spellings), 90)

    def fetch(self, host, version, questions, options, environment):
        """(question, Received) of each; `environment` says where the proxy is, if there is one."""
        folder = self.person.folder / "received"
        folder.mkdir(exist_ok=True)
        config = folder / "config"
        more = "".join(f"{option}\n" for option in (version, *options))
        config.write_text("next\n".join(f'url = "https://{host[0]}/?{urlencode(question)}"\n{more}'
                                        f'output = "{folder}/{i}.body"\ndump-header = "{folder}/{i}.head"\n'
                                        for i, question in enumerate(questions)))
        run = subprocess.run(["curl", "-s", "-K", config], capture_output=True, text=True, timeout=900,
                             env={"PATH": "/usr/bin:/bin", **environment})
        self.assertEqual(run.returncode, 0, run.stderr)
        for i, question in enumerate(questions):
            body = folder / f"{i}.body"
            yield question, Received((folder / f"{i}.head").read_bytes(), body.read_bytes() if body.exists() else b"")
            body.unlink(missing_ok=True)

    def assert_scrubbed(self, got, framing, spelling, size):
        """Nothing of the token arrived, and all that the server had sent did."""
        self.assertEqual(leaks(got.head), set(), got.head[:5000])
        self.assertEqual(leaks(got.framing), set(), got.framing[-5000:])
        self.assertEqual(got.status, 302 if framing == "location" else 200, got.head)
        self.assertEqual(got.fields("content-encoding"), [])
        self.assert_body(got.body, spelling, size)
        asked = [name for name in self.in_fields if spelling in ("all", name)]
        of_each = {"fields": ["x-echo-"], "trailers": ["x-echo-"]}.get(framing, [])
        of_all = {"fields": IN_HEAD, "trailers": ["grpc-message"], "location": ["location"]}.get(framing, [])
        for field in (start + name for start in of_each for name in asked):
            self.assert_field(got, field, 1)
        for field in of_all:
            self.assert_field(got, field, len(asked))
        self.assertEqual(got.fields("set-cookie"), [])

    def assert_field(self, got, name, least):
        values = got.fields(name)
        self.assertNotEqual(values, [], name)
        for value in values:
            self.assertGreaterEqual(value.count(SCRUBBED), least, (name, value))

    def assert_body(self, body, spelling, size):
        """Each spelling at the beginning, in the middle and at the end, and each of them replaced."""
        text, lines = condensed(body)
        self.assertEqual(leaks(text), set(), text[:2000])
        self.assertIn(SCRUBBED, text[:300])
        self.assertIn(SCRUBBED, text[-300:])
        self.assertGreaterEqual(text.count(SCRUBBED), 3)
        if spelling != "all":
            return
        found = records(text)
        counts = Counter(name for name, _ in found)
        self.assertEqual([name for name, what in found if SCRUBBED not in what], [])
        least = 3 if size >= SIZES["1 MiB + 1"] else 2
        self.assertEqual([name for name in self.spellings if counts[name] < least], [])
        self.assertGreater(lines * len(FILLER), 0.8 * (size - MIDDLING))

    def assert_refused(self, got):
        self.assertEqual(leaks(got.head + got.framing + got.body), set())
        self.assertEqual(got.status, 502, got.head)
        self.assertEqual(json.loads(got.body)["reason"], "response-unscrubbable")

    def assert_answers(self, leg, coding, framing, questions):
        for question, got in self.fetch(*leg, questions, ["raw"], self.listening.variables()):
            with self.subTest(leg=leg[0][:1] + leg[1:], **question):
                if coding in REFUSED:
                    self.assert_refused(got)
                else:
                    # What is short without its coding goes on with a length, and then has no trailers in HTTP/1.1.
                    counted = framing == "trailers" and coding != "identity" and got.fields("content-length")
                    self.assert_scrubbed(got, "counted" if counted else framing, question["spelling"], question["size"])

    def run_cells(self, size):
        for cell in (cell for cell in ALL if cell.size == size and cell.runs):
            questions = [{"spelling": name, **cell.asked} for name in (self.spellings if size == "1 KiB" else ["all"])]
            if cell.framing == "websocket":
                self.assert_messages(cell, questions)
            else:
                self.assert_answers(FRAMINGS[cell.framing], cell.coding, cell.framing, questions)
            done.append(cell)

    def assert_messages(self, cell, questions):
        script = Path(secret_echo.__file__).with_name("websocket_capture.mjs")
        texts = self.person.write("texts.json", json.dumps([json.dumps(question) for question in questions]))
        path = self.person.folder / "messages"
        offer = "compressed" if cell.coding == "deflate" else "plain"
        run = subprocess.run([NODE, script, installed_packages(), OLD[0], offer, texts, path], timeout=900,
                             capture_output=True, text=True, env=self.listening.variables())
        self.assertEqual(run.returncode, 0, run.stderr)
        messages = []
        for kind, data in read_items(path):
            self.assertEqual(leaks(data), set(), data[:2000])
            if kind == "extensions":
                self.assertEqual(data, b"")
            if kind == "ping":
                self.assertIn(SCRUBBED, data)
            if kind == "message" and data == b"that is all":
                with self.subTest(cell=str(cell), spelling=questions[0]["spelling"]):
                    self.assert_conversation(messages, **questions.pop(0))
                messages = []
            elif kind == "message":
                messages.append(data)
        self.assertEqual((questions, messages), ([], []))

    def assert_conversation(self, messages, spelling, size, **_):
        if spelling == "all":
            self.assertEqual(len(messages), 4)
        else:
            self.assertEqual(len(messages), 3)
            self.assertIn(SCRUBBED, messages.pop(0))
        for message in messages:
            self.assert_body(message, spelling, len(message))

    def test_small_bodies(self):
        self.run_cells("1 KiB")

    def test_bodies_beyond_a_mebibyte(self):
        self.run_cells("1 MiB + 1")

    def test_long_bodies(self):
        self.run_cells("64 MiB")

    def test_other_versions_on_the_two_legs(self):
        cells = list(product((*DECODED, "unknown"), ("counted", "bytes", "events")))
        cells += [("identity", framing) for framing in ("fields", "location", "trailers")]
        for leg in ((OLD, "http2"), (NEW, "http1.1"), (NEW, "http2")):
            for turn, (coding, framing) in enumerate(cells):
                # All in one, and a third of them alone, each time another one.
                more = {"coding": coding, "framing": framing, "turn": turn}
                questions = [{"spelling": "all", "size": MIDDLING, **more}]
                questions += [{"spelling": name, "size": 1024, **more} for name in self.spellings[turn % 3::3]]
                self.assert_answers(leg, coding, framing, questions)

    def test_without_the_proxy_every_spelling_is_found(self):
        options = [f'header = "Authorization: Bearer {TOKEN}"', f"cacert = {self.upstreams.authority.certificate}",
                   *(f"resolve = {name}:443:{address}" for name, address, _ in (OLD, NEW))]
        for leg in ((OLD, "http1.1"), (NEW, "http2")):
            questions = [{"spelling": name} for name in self.spellings]
            for question, got in self.fetch(*leg, questions, options, {}):
                self.assertNotEqual(leaks(got.body), set(), question)
            questions = [{"spelling": "all", "coding": coding, "size": SIZES["1 MiB + 1"]} for coding in CODED]
            for question, got in self.fetch(*leg, questions, ["compressed", *options], {}):
                self.assertEqual(len(got.body), question["size"])
                found = records(got.body)
                self.assertGreaterEqual(len(found), 3 * len(self.spellings))
                self.assertEqual([name for name, what in found if not leaks(what)], [], question)

    def test_every_framing_and_coding_has_a_cell_of_each_size_that_always_runs(self):
        usual = [cell for cell in ALL if cell.usual]
        for size in SIZES:
            self.assertEqual({cell.framing for cell in usual if cell.size == size}, set(FRAMINGS))
            self.assertEqual({cell.coding for cell in usual if cell.size == size}, {*DECODED, *REFUSED})


if __name__ == "__main__":
    main()
