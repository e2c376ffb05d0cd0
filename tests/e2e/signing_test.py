#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests that are signed anew, as a server sees them that checks each signature with botocore: every kind of payload
that a client of AWS can send, and a keyed hash whose message the operator wrote."""

import hashlib
import unittest
from pathlib import Path

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.signature_server import KEY_ID, SECRET, SHARED, TOKEN, SignatureServer

MOUNTS = ["--ro", f"{Path(__file__).resolve().parents[1] / 'clients/s3'}:/srv/s3"]
PLACE = "127.0.0.31"
STREAMED = ("STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")


class SigningAnew(EndToEnd):
    wanted = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        server = SignatureServer(cls.upstreams.authority, PLACE)
        cls.addClassCleanup(server.stop)

    def setUp(self):
        super().setUp()
        self.person.operate(**{name.replace(".", "_"): PLACE for name in SignatureServer.names})
        self.person.allow(allow("store", "store.test", "store"), allow("api", "api.test", "api"),
                          allow("hook", "hook.test", "hook"))
        key = f"{KEY_ID},{SECRET},{TOKEN}"
        self.person.bind(
            ("store", "store.test", key, "{sigv4: {services: [s3], regions: [eu-west-1]}}", "{aws_env: AWS}"),
            ("api", "api.test", key, "{sigv4: {services: [execute-api], regions: [eu-west-1]}}", "{aws_env: API_AWS}"),
            ("hook", "hook.test", SHARED, '{hmac: {header: X-Signature, format: "v1={}", '
             'message: "{timestamp}.{nonce}.{method}.{path}.{body_sha256}", timestamp_header: X-Timestamp, '
             'nonce_header: X-Nonce}}'))

    def assert_no_secret(self, text, where):
        for secret in (SECRET, TOKEN, SHARED, KEY_ID):
            self.assertNotIn(secret, text, f"a secret is visible in {where}")

    def put(self, kind, size=200000, sent="counted", host="store.test", service="s3"):
        outcome = self.person.run(PYTHON, "/srv/s3/streams.py", host, service, kind, str(size), sent, options=MOUNTS)
        self.assert_no_secret(outcome.stdout + outcome.stderr, "what the client saw")
        return outcome

    def assert_taken(self, outcome, size=200000):
        data = (bytes(i * 7 % 251 for i in range(1021)) * (size // 1021 + 1))[:size]
        self.assertEqual(outcome.stdout, f"200 {size} {hashlib.sha256(data).hexdigest()}\n", str(outcome))

    def test_a_digest_of_the_whole_body_stays(self):
        self.assert_taken(self.put("digest"))

    def test_an_unsigned_body_stays_unsigned(self):
        self.assert_taken(self.put("UNSIGNED-PAYLOAD"))

    def test_every_streamed_body_is_taken(self):
        for kind in STREAMED:
            for sent in ("counted", "chunked"):
                with self.subTest(kind=kind, sent=sent):
                    self.assert_taken(self.put(kind, sent=sent))

    def test_a_long_streamed_body_is_taken(self):
        self.assert_taken(self.put(STREAMED[1], size=20_000_000), size=20_000_000)

    def test_other_services_have_their_body_hashed(self):
        outcome = self.person.run(
            "/bin/sh", "-c", "AWS_ACCESS_KEY_ID=$API_AWS_ACCESS_KEY_ID "
            "AWS_SECRET_ACCESS_KEY=$API_AWS_SECRET_ACCESS_KEY "
            f"AWS_SESSION_TOKEN=$API_AWS_SESSION_TOKEN exec {PYTHON} /srv/s3/streams.py api.test "
            "execute-api none 5000 counted", options=MOUNTS)
        self.assert_taken(outcome, 5000)

    def test_the_key_of_one_credential_does_not_sign_for_another(self):
        outcome = self.put("none", size=10, host="api.test", service="execute-api")
        self.assertTrue(outcome.stdout.startswith("403 "), str(outcome))
        self.assertEqual([r["reason"] for r in outcome.requests()], ["placeholder-unbound"])

    def test_a_keyed_hash_is_over_the_operators_message(self):
        source = ("import urllib.request\n"
                  "request = urllib.request.Request('https://hook.test/events/1', b'a body', {'X-Nonce': 'mine'})\n"
                  "print(urllib.request.urlopen(request).read().decode())\n")
        outcome = self.person.python(source)
        self.assert_exit(outcome, 0)
        self.assertIn(hashlib.sha256(b"a body").hexdigest(), outcome.stdout)
        self.assert_no_secret(outcome.stdout + outcome.stderr, "what the client saw")

    def test_no_record_holds_a_value(self):
        outcome = self.put("digest", size=100)
        self.assert_sound(outcome)
        text = "".join(file.read_text() for file in outcome.journal.iterdir())
        self.assert_no_secret(text + outcome.record_file.read_text(), "the journal or the record")


if __name__ == "__main__":
    main()
