#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""curl, Python's urllib and http.client, and Node's fetch: each shape of HTTP/1.1 message, with the proxy variables and
without. The upstream's own log is the witness."""

import hashlib
import json
import random
import shutil
import unittest

from support.aduana import NODE, PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main

CURL = "/usr/bin/curl"
BIG = 64 << 20
URLLIB = "import sys, urllib.request as u; sys.stdout.write(u.urlopen(sys.argv[1], timeout=20).read().decode())"
HTTP_CLIENT = """
import http.client, ssl
c = http.client.HTTPSConnection("api.test", timeout=20, context=ssl.create_default_context())
for n in range(5):
    c.request("GET", "/chunked"); print(c.getresponse().read().decode().split())
"""
FETCH = """
const answer = await fetch(process.argv[1]);
process.stdout.write(answer.status + " " + await answer.text());
"""
FETCH_UPLOAD = """
async function* pieces() { for (let i = 0; i < 64; i++) yield new Uint8Array(65536).fill(i); }
const answer = await fetch("https://api.test/uploads/stream.bin", { method: "PUT", body: pieces(), duplex: "half" });
console.log(answer.status);
"""


class HttpClients(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.big = random.Random(7).randbytes(BIG)
        (cls.upstreams.folder / "api/files/big.bin").write_bytes(cls.big)
        cls.digest = hashlib.sha256(cls.big).hexdigest()

    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test", "api", methods=["GET", "HEAD", "PUT"], paths=["/**"]))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))

    def both_ways(self, *command):
        for prefix in ([], WITHOUT_PROXY):
            outcome = self.person.run(*prefix, *command)
            self.assert_exit(outcome, 0)
            yield outcome

    def test_every_client_gets_the_answer_that_needs_the_token(self):
        url = "https://api.test/token/issues"
        for command in ([CURL, "-sf", url], [PYTHON, "-c", URLLIB, url],
                        [NODE, "--input-type=module", "-e", FETCH, url]):
            for outcome in self.both_ways(*command):
                self.assertIn("issue 1: open", outcome.stdout)

    def test_the_clients_own_credential_header_is_replaced_and_on_record(self):
        for outcome in self.both_ways(CURL, "-sf", "-H", "Authorization: Bearer mine", "https://api.test/token/issues"):
            self.assertIn("issue 1: open", outcome.stdout)
            left_out = [r["foreign_credential"].lower() for r in outcome.requests("intercept")]
            self.assertEqual(left_out, ["authorization"])
        self.assertNotIn("Bearer mine", {r["authorization"] for r in self.upstreams.nginx.seen("api.test")})

    def test_one_connection_carries_many_requests(self):
        for outcome in self.both_ways(CURL, "-sf", "-w", "%{num_connects}\n", *["https://api.test/chunked"] * 8):
            self.assertEqual(outcome.stdout.count("three"), 8)
            self.assertEqual(outcome.stdout.split()[3::4], ["1"] + ["0"] * 7)
            self.assertEqual(len({r["id"] for r in outcome.requests("intercept") if r["method"] == "GET"}), 8)

    def test_a_library_that_knows_no_proxy_is_served(self):
        for outcome in self.both_ways(PYTHON, "-c", HTTP_CLIENT):
            self.assertEqual(outcome.stdout, "['one', 'two', 'three']\n" * 5)

    def test_a_large_download_arrives_whole(self):
        for outcome in self.both_ways("/bin/sh", "-c", f"{CURL} -sf https://api.test/files/big.bin | sha256sum"):
            self.assertEqual(outcome.stdout.split()[0], self.digest)

    def test_a_large_upload_arrives_whole(self):
        shutil.copy(self.upstreams.folder / "api/files/big.bin", self.person.work / "big.bin")
        for outcome in self.both_ways(CURL, "-sf", "-T", "big.bin", "-H", "Expect: 100-continue",
                                      "https://api.test/uploads/big.bin"):
            uploaded = self.upstreams.folder / "api/uploads/big.bin"
            self.assertEqual(hashlib.sha256(uploaded.read_bytes()).hexdigest(), self.digest)
            self.assertGreaterEqual(outcome.requests()[-1]["bytes_up"], BIG)
            uploaded.unlink()

    def test_a_chunked_upload_arrives_whole(self):
        for outcome in self.both_ways(NODE, "--input-type=module", "-e", FETCH_UPLOAD):
            self.assertEqual(outcome.stdout, "201\n", str(outcome))
            uploaded = self.upstreams.folder / "api/uploads/stream.bin"
            self.assertEqual(uploaded.read_bytes(), b"".join(bytes([n]) * 65536 for n in range(64)))
            uploaded.unlink()

    def test_answers_without_a_body_do_not_stall_the_connection(self):
        paths = ["/empty", "/unchanged", "/chunked"]
        urls = [f"https://api.test{path}" for path in paths]
        for outcome in self.both_ways(CURL, "-s", "-w", "%{http_code}\n", *urls):
            self.assertEqual(outcome.stdout.split(), ["204", "304", "one", "two", "three", "200"])
        for outcome in self.both_ways(CURL, "-s", "-I", *urls[:1], "https://api.test/files/big.bin"):
            self.assertIn(f"content-length: {BIG}", outcome.stdout.replace("\r", "").lower())

    def test_a_slow_answer_is_passed_on_as_it_comes(self):
        first = "import urllib.request as u; print(u.urlopen('https://api.test/stuck', timeout=20).read(5).decode())"
        for outcome in self.both_ways(PYTHON, "-c", first):
            self.assertEqual(outcome.stdout, "first\n")

    def test_a_redirect_is_judged_again(self):
        before = len(self.upstreams.nginx.seen("stranger.test"))
        for outcome in self.both_ways(CURL, "-sL", "-w", "%{http_code}", "https://api.test/elsewhere"):
            self.assertTrue(outcome.stdout.endswith("403"), outcome.stdout)
            self.assertEqual([r["host"] for r in outcome.refused()], ["stranger.test"])
        self.assertEqual(len(self.upstreams.nginx.seen("stranger.test")), before)

    def test_what_the_rule_does_not_name_is_refused_inside_the_same_connection(self):
        for outcome in self.both_ways(CURL, "-s", "-X", "DELETE", "-w", "%{http_code}", "-o", "/dev/null",
                                      "https://api.test/uploads/x"):
            self.assertEqual(outcome.stdout, "403")
            self.assertEqual(outcome.refused()[0]["reason"], "method-not-allowed")

    def test_a_host_by_port_alone_is_tunnelled(self):
        self.person.allow(allow("through", "stranger.test"))
        self.person.credentials = None
        before = len(self.upstreams.nginx.seen("stranger.test"))
        trust = self.person.write("authority.pem", self.upstreams.authority.certificate.read_text())
        shutil.copy(trust, self.person.work)
        for outcome in self.both_ways(CURL, "-sf", "--cacert", "authority.pem", "https://stranger.test/"):
            self.assertEqual(outcome.stdout, "reached\n")
            self.assertEqual([e["host"] for e in outcome.events("tunnel")], ["stranger.test"])
            self.assertNotIn("request", json.dumps([e["event"] for e in outcome.events()]))
        self.assertEqual(len(self.upstreams.nginx.seen("stranger.test")), before + 2)


if __name__ == "__main__":
    main()
