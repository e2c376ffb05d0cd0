#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that gives the injected token back in every spelling, content coding, framing and size: nothing that the
client receives holds it. In the same test the client without the proxy finds every one of them."""

import base64
import json
import subprocess
import unittest

from support.aduana import NODE, allow
from support.case import EndToEnd, main
from support.listening import Listening
from support.npm_registry import installed_packages
from support.secret_echo import TOKEN, SecretEcho, leaks

OLD, NEW = ("old.test", "127.0.0.2", "http/1.1"), ("new.test", "127.0.0.3", "h2")
DECODED = ("identity", "gzip", "deflate", "br", "zstd")
IN_BODIES_ONLY = ("utf16le", "utf16be", "base64_lines_64", "base64_lines_76")
LARGE, HUGE = (1 << 20) + 1, 64 << 20

# Asks for each spelling, and prints all that arrived as one line of base64.
WEBSOCKET = """
import http from "http";
import tls from "tls";
import { createRequire } from "module";
const [, , packages, host, names] = process.argv;
const WebSocket = createRequire(packages + "/")("ws");
const proxy = new URL(process.env.HTTPS_PROXY);
const request = http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: host + ":443",
                               headers: { host: host + ":443" } });
request.end();
const socket = await new Promise((resolve) => request.on("connect", (answer, raw) => resolve(raw)));
const createConnection = () => tls.connect({ socket, servername: host });
const peer = new WebSocket("wss://" + host + "/", { createConnection });
const seen = [];
peer.on("ping", (data) => seen.push(data));
peer.on("message", (data) => seen.push(data));
await new Promise((resolve) => peer.on("open", resolve));
for (const name of names.split(",")) {
    const before = seen.length;
    peer.send(name);
    while (seen.length < before + 3)
        await new Promise((resolve) => setTimeout(resolve, 1));
}
peer.close();
console.log(JSON.stringify(seen.map((data) => data.toString("base64"))));
"""


class EchoMatrix(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, address, protocol in (OLD, NEW):
            server = SecretEcho(cls.upstreams.folder / name, cls.upstreams.authority, address, protocol, name)
            cls.addClassCleanup(server.stop)

    def setUp(self):
        super().setUp()
        self.person.operate(**{name.replace(".", "_"): address for name, address, _ in (OLD, NEW)})
        self.person.allow(*(allow(name, name, name[:3], websocket=True) for name, _, _ in (OLD, NEW)))
        self.person.bind(*((name[:3], name, TOKEN, "{bearer: {}}") for name, _, _ in (OLD, NEW)))
        self.listening = Listening(self.person)
        self.addCleanup(self.listening.stop)
        self.spellings = json.loads(self.listening.curl("https://old.test/names").stdout)
        self.assertGreater(len(self.spellings), 30)

    def cells(self, spellings, hosts=(OLD, NEW), **query):
        """(name, URL) of each."""
        more = "&".join(f"{key}={value}" for key, value in query.items())
        return [(f"{spelling} {host[0]} {more}", f"https://{host[0]}/?spelling={spelling}&{more}")
                for host in hosts for spelling in spellings]

    def fetch(self, cells, *options, environment=None):
        """(name, head and trailers, body) of each; `environment`: without the proxy."""
        folder = self.person.folder / "received"
        folder.mkdir(exist_ok=True)
        config = folder / "config"
        more = "".join(f"{option}\n" for option in ("suppress-connect-headers", *options))
        config.write_text("next\n".join(f'url = "{url}"\noutput = "{folder}/{i}.body"\n'
                                        f'dump-header = "{folder}/{i}.head"\n{more}'
                                        for i, (_, url) in enumerate(cells)))
        done = subprocess.run(["curl", "-s", "-K", config], capture_output=True, text=True, timeout=600,
                              env={"PATH": "/usr/bin:/bin", **(environment or self.listening.variables())})
        self.assertEqual(done.returncode, 0, done.stderr)
        for i, (name, _) in enumerate(cells):
            body = folder / f"{i}.body"
            yield name, (folder / f"{i}.head").read_bytes(), body.read_bytes() if body.exists() else b""
            body.unlink(missing_ok=True)

    def assert_scrubbed(self, cells, *options):
        for name, head, body in self.fetch(cells, *options):
            with self.subTest(cell=name):
                self.assertEqual(leaks(head), set(), head)
                self.assertEqual(leaks(body), set(), body[:2000])
                self.assertIn(b" 200", head.split(b"\r\n")[0], head)
                self.assertNotIn(b"content-encoding", head.lower())
                self.assertIn(b"[scrubbed]", body[:3000])
                self.assertIn(b"[scrubbed]", body[-3000:])

    def test_without_the_proxy_every_spelling_is_found(self):
        options = [f'header = "Authorization: Bearer {TOKEN}"', f"cacert = {self.upstreams.authority.certificate}",
                   *(f"resolve = {name}:443:{address}" for name, address, _ in (OLD, NEW))]
        for name, _, body in self.fetch(self.cells(self.spellings), *options, environment={"LANG": "C"}):
            self.assertNotEqual(leaks(body), set(), name)

    def test_small_bodies(self):
        for version in ("http1.1", "http2"):
            for coding in DECODED:
                for framing in ("counted", "bytes", "events"):
                    self.assert_scrubbed(self.cells(self.spellings, coding=coding, framing=framing, size=1024), version)

    def test_bodies_beyond_a_mebibyte(self):
        for coding in DECODED:
            self.assert_scrubbed(self.cells(self.spellings, [OLD], coding=coding, framing="counted", size=LARGE))
            self.assert_scrubbed(self.cells(self.spellings[::4], [NEW], coding=coding, framing="bytes", size=LARGE))

    def test_long_bodies(self):
        for coding in ("identity", "gzip", "zstd"):
            self.assert_scrubbed(self.cells(["raw", "mixed"], coding=coding, framing="counted", size=HUGE))

    def test_codings_that_are_not_known(self):
        for framing in ("counted", "bytes"):
            cells = self.cells(self.spellings, coding="unknown", framing=framing, size=1024)
            for name, head, body in self.fetch(cells):
                with self.subTest(cell=name):
                    self.assertEqual(leaks(head + body), set())
                    self.assertIn(b" 502", head.split(b"\r\n")[0])
                    self.assertEqual(json.loads(body)["reason"], "response-unscrubbable")

    def test_heads_interim_heads_and_trailers(self):
        spellings = [name for name in self.spellings if name not in IN_BODIES_ONLY]
        for version in ("http1.1", "http2"):
            for name, head, body in self.fetch(self.cells(spellings, framing="fields"), version):
                with self.subTest(cell=name):
                    self.assertEqual(leaks(head), set(), head)
                    for field in (b"x-echo", b"location", b"link", b"content-location", b"refresh", b"etag"):
                        self.assertIn(field + b": ", head.lower())
                    self.assertIn(b"[scrubbed]", head)
                    self.assertNotIn(b"set-cookie", head.lower())
                    self.assertEqual(body, b"see other")

    def test_websockets(self):
        client = self.person.write("client.mjs", WEBSOCKET)
        done = subprocess.run([NODE, client, installed_packages(), "old.test", ",".join(self.spellings)], timeout=60,
                              capture_output=True, text=True, env=self.listening.variables())
        self.assertEqual(done.returncode, 0, done.stderr)
        received = [base64.b64decode(one) for one in json.loads(done.stdout)]
        self.assertEqual(len(received), 3 * len(self.spellings))
        for i, name in enumerate(self.spellings):
            with self.subTest(spelling=name):
                for data in received[3 * i:3 * i + 3]:
                    self.assertEqual(leaks(data), set(), data)
                    self.assertIn(b"[scrubbed]", data)


if __name__ == "__main__":
    main()
