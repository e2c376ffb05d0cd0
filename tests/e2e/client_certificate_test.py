#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A credential that is a certificate: the server knows who asks, the sandbox never has the key, and no connection that
was made with it serves another rule."""

import unittest

from support.aduana import allow
from support.case import EndToEnd, main
from support.nginx import Nginx

PLACE = "127.0.0.41:443"
BODY = """
        ssl_client_certificate {authority};
        ssl_verify_client optional;
        location / {{ return 200 "$ssl_client_s_dn|$connection\\n"; }}
        location /must {{
            if ($ssl_client_verify != SUCCESS) {{ return 403 "who are you\\n"; }}
            return 200 "welcome\\n";
        }}
"""


class ClientCertificate(EndToEnd):
    wanted = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        authority = cls.upstreams.authority
        cls.identity = "".join(path.read_text() for path in authority.issue_client("build-client"))
        cls.key = cls.identity.split("-----")[-3].strip().splitlines()[1]
        nginx = Nginx(cls.upstreams.folder / "mutual", authority, {
            "mutual.test": BODY.format(authority=authority.certificate), "open.test": "location / { return 200 open; }",
        }, listen={"mutual.test": PLACE, "open.test": PLACE})
        cls.addClassCleanup(nginx.stop)

    def setUp(self):
        super().setUp()
        self.person.operate(mutual_test="127.0.0.41", open_test="127.0.0.41")
        self.person.allow(allow("known", "mutual.test", "client", paths=["/", "/must"]),
                          allow("unknown", "mutual.test", paths=["/open"]),
                          allow("open", "open.test", "idle"))
        bound = "{client_certificate: {}}"
        self.person.bind(("client", "mutual.test", self.identity, bound), ("idle", "open.test", self.identity, bound))

    def curl(self, *paths, host="mutual.test", options=()):
        outcome = self.person.run("/usr/bin/curl", "-sS", *options, *(f"https://{host}{path}" for path in paths))
        self.assertNotIn(self.key, outcome.stdout + outcome.stderr)
        return outcome

    def test_the_server_knows_who_asks(self):
        for version in ("--http1.1", "--http2"):
            outcome = self.curl("/must", options=[version])
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout, "welcome\n")
            self.assertEqual([r["credential"] for r in outcome.requests()], ["client"])

    def test_a_rule_without_it_has_a_connection_of_its_own(self):
        outcome = self.curl("/", "/open", "/")
        self.assert_exit(outcome, 0)
        known, unknown, again = outcome.stdout.splitlines()
        self.assertEqual([line.split("|")[0] for line in (known, unknown)], ["CN=build-client", ""])
        self.assertNotEqual(known.split("|")[1], unknown.split("|")[1])
        self.assertEqual(known, again, "an idle connection serves its own rule again")

    def test_a_server_that_does_not_ask_is_sent_nothing(self):
        outcome = self.curl("/", host="open.test", options=["-f"])
        self.assertNotEqual(outcome.exit, 0)
        self.assertEqual([r["reason"] for r in outcome.requests()], ["credential-unavailable"])
        self.assertIn("did not ask", outcome.requests()[0]["error"])

    def test_a_value_that_is_no_certificate_starts_nothing(self):
        self.person.bind(("client", "mutual.test", "neither-key-nor-certificate", "{client_certificate: {}}"),
                         ("idle", "open.test", self.identity, "{client_certificate: {}}"))
        outcome = self.curl("/")
        self.assert_exit(outcome, 125)
        self.assertIn("credential 'client': its value holds no certificate in PEM", outcome.stderr)


if __name__ == "__main__":
    main()
