#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 on both legs, whatever the other one speaks: curl, nghttp, h2load and gRPC, with the proxy variables and
without. Each stream is a request of its own."""

import hashlib
import random
import shutil
from pathlib import Path

from support.aduana import NODE, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.http2_servers import GrpcServer, HalfAnswers, Nghttpd
from support.npm_registry import installed_packages

CURL = "/usr/bin/curl"
BIG = 32 << 20
GRPC = Path(__file__).resolve().parents[1] / "clients/grpc"
MOUNTS = ["--ro", f"{GRPC}:/srv/grpc", "--ro", f"{installed_packages() / 'node_modules'}:/srv/node_modules"]


class Http2(EndToEnd):
    grpc_token = "grpc-token-0d2f6b91"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        up = cls.upstreams
        cls.nghttpd = Nghttpd(up.folder / "nghttpd", up.authority, "127.0.0.2", "h2.test")
        cls.addClassCleanup(cls.nghttpd.stop)
        cls.grpc = GrpcServer(up.folder / "grpc", up.authority, "127.0.0.3", cls.grpc_token, "grpc.test")
        cls.addClassCleanup(cls.grpc.stop)
        cls.half = HalfAnswers(up.authority, "127.0.0.4", "half.test")
        cls.addClassCleanup(cls.half.stop)
        cls.big = random.Random(7).randbytes(BIG)
        cls.digest = hashlib.sha256(cls.big).hexdigest()
        (cls.nghttpd.files / "big.bin").write_bytes(cls.big)

    def setUp(self):
        super().setUp()
        self.person.operate(h2_test="127.0.0.2", grpc_test="127.0.0.3", half_test="127.0.0.4")
        self.person.allow(allow("api", "api.test", "api", methods=["GET"], paths=["/**"]),
                          allow("h2", "h2.test", methods=["GET", "HEAD", "POST", "PUT"], paths=["/**"]),
                          allow("grpc", "grpc.test", "grpc", methods=["POST"], paths=["/test.Echo/*"]),
                          allow("half", "half.test", methods=["GET"], paths=["/*"]))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"),
                         ("grpc", "grpc.test", self.grpc_token, "{bearer: {}}"))

    def both_ways(self, *command, options=()):
        for prefix in ([], WITHOUT_PROXY):
            outcome = self.person.run(*prefix, *command, options=options)
            self.assert_exit(outcome, 0)
            yield outcome

    def test_a_client_of_http2_reaches_a_server_of_http1_with_the_token(self):
        for outcome in self.both_ways(CURL, "-sf", "--http2", "-w", "%{http_version}", "https://api.test/token/issues"):
            self.assertEqual(outcome.stdout, "issue 1: open\n2")
            self.assertEqual([r["protocol"] for r in outcome.requests("intercept")], ["h2"])
            self.assert_sound(outcome)

    def test_a_server_of_http2_is_reached_by_clients_of_both_versions(self):
        for version in ("--http1.1", "--http2"):
            for outcome in self.both_ways(CURL, "-sf", version, "https://h2.test/hello.txt"):
                self.assertEqual(outcome.stdout, "hello over h2\n")

    def test_the_secret_does_not_come_back(self):
        for outcome in self.both_ways(CURL, "-s", "--http2", "-D", "-", "https://api.test/reflect-pieces"):
            self.assertIn("[scrubbed]", outcome.stdout)
            self.assert_no_secret(outcome.stdout, "an answer over HTTP/2")

    def test_each_stream_of_a_connection_is_judged_alone(self):
        told = "-s -o /dev/null -w '%{http_code} %{num_connects}\\n'"
        there, missing = "https://h2.test/hello.txt", "https://h2.test/missing.txt"
        command = f"{CURL} --http2 {told} {there} --next {told} -X DELETE {there} --next {told} {missing}"
        for outcome in self.both_ways("/bin/sh", "-c", command):
            self.assertEqual(outcome.stdout.split("\n")[:3], ["200 1", "403 0", "404 0"])
            self.assertEqual([r["reason"] for r in outcome.requests()], ["allowed", "method-not-allowed", "allowed"])

    def test_another_authority_on_the_connection_is_misdirected(self):
        for name in ("stranger.test", "api.test"):
            for outcome in self.both_ways(CURL, "-s", "--http2", "-H", f"Host: {name}", "-o", "/dev/null",
                                          "-w", "%{http_code}", "https://h2.test/hello.txt"):
                self.assertEqual(outcome.stdout, "421")
                self.assertEqual([r["reason"] for r in outcome.refused()], ["name-mismatch"])

    def test_an_unlisted_host_is_refused_readably(self):
        for outcome in self.both_ways(CURL, "-s", "--http2", "-w", " %{http_version} %{http_code}",
                                      "https://stranger.test/"):
            self.assertIn('"reason":"no-rule"', outcome.stdout)
            self.assertTrue(outcome.stdout.endswith(" 2 403"), outcome.stdout)

    def test_many_streams_at_once_are_as_many_records(self):
        # h2load knows no proxy: its way is the transparent one.
        outcome = self.person.run("h2load", "-n", "400", "-c", "4", "-m", "50", "https://h2.test/hello.txt")
        self.assert_exit(outcome, 0)
        self.assertIn("400 succeeded, 0 failed", outcome.stdout)
        allowed = outcome.requests("intercept")
        self.assertEqual(len(allowed), 400)
        self.assertEqual({r["protocol"] for r in allowed}, {"h2"})
        self.assert_sound(outcome)

    def test_nghttp_gets_a_whole_page(self):
        outcome = self.person.run("nghttp", "-n", "-s", "https://h2.test/hello.txt")
        self.assert_exit(outcome, 0)
        self.assertIn("200", outcome.stdout)

    def test_large_bodies_arrive_whole(self):
        shutil.copy(self.nghttpd.files / "big.bin", self.person.work / "big.bin")
        for version in ("--http1.1", "--http2"):
            for outcome in self.both_ways("/bin/sh", "-c", f"{CURL} -sf {version} https://h2.test/big.bin | sha256sum; "
                                          f"{CURL} -sf {version} -T big.bin https://h2.test/echo | sha256sum"):
                self.assertEqual(outcome.stdout.split()[0::2], [self.digest] * 2)

    def test_an_answer_that_is_reset_in_the_middle_is_not_asked_for_again(self):
        # 7 says that nothing was done (REFUSED_STREAM), and the half of the answer that it was.
        for code in (7, 2, 11):
            for version, error in (("--http1.1", 18), ("--http2", 92)):
                self.half.begin(code)
                outcome = self.person.run(CURL, "-sS", version, "https://half.test/half")
                self.assertEqual((outcome.exit, outcome.stdout), (error, "the first half"), outcome.stderr)
                if version == "--http2":
                    self.assertIn("INTERNAL_ERROR", outcome.stderr)
                self.assertEqual(self.half.requests, 1)
                (record,) = outcome.requests()
                self.assertEqual((record["status"], record["decision"]), (200, "intercept"))
                self.assertNotEqual(record["error"], "")

    def test_grpc_calls_conversations_and_errors_pass_with_an_injected_token(self):
        for outcome in self.both_ways("/usr/bin/env", "NODE_PATH=/srv/node_modules", NODE, "/srv/grpc/client.mjs",
                                      "grpc.test", "10000", options=MOUNTS):
            *lines, refused, told = outcome.stdout.splitlines()
            self.assertEqual(lines,
                             ["once: echo: hi", "trailer: the end", "talk: 10000", "fail: 9 as asked: please"])
            self.assertRegex(refused, r"\Arefused: 7 Aduana \(path-not-allowed\): no rule allows this path")
            # A message says its length before it begins: whatever stands in place of the token has the same.
            self.assertRegex(told, r"\Atell: your token: (Bearer )?\S+\Z")
            self.assertEqual(len(told), len("tell: your token: Bearer " + self.grpc_token))
            self.assertEqual([r["path"] for r in outcome.requests("intercept")],
                             ["/test.Echo/Once", "/test.Echo/Talk", "/test.Echo/Fail", "/test.Echo/Tell"])
            self.assertEqual([r["reason"] for r in outcome.refused()], ["path-not-allowed"])
            self.assert_no_secret(outcome.stdout, "the client's output")


if __name__ == "__main__":
    main()
