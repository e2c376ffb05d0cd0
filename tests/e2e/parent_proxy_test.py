#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything goes out through the operator's parent proxy, with its credential, or not at all."""

import http.server
import threading

from support.aduana import allow
from support.case import EndToEnd, main
from support.parent_proxy import ParentProxy

PARENT = "parent.corp.test"


def public(name, **more):
    """A rule that says nothing about addresses: behind a parent proxy it needs not."""
    rest = "".join(f", {key}: {value}" for key, value in more.items())
    return f"  - {{name: {name.split('.')[0]}, hosts: [{name}]{rest}}}\n"


class Plain(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"plainly\n")

    def log_message(self, *_):
        pass


class BehindAParent(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upstreams.answer_to_their_names()  # the proxy could dial directly, if it would
        plain = http.server.ThreadingHTTPServer(("127.0.0.1", 80), Plain)
        threading.Thread(target=plain.serve_forever, daemon=True).start()

    def setUp(self):
        super().setUp()
        self.parent = ParentProxy(self.person.folder / "parent", refuses=["stranger.test"])
        self.addCleanup(self.parent.stop)
        self.operate_behind()
        self.bind()

    def operate_behind(self, more=""):
        self.person.operator = self.person.write(
            "aduana.yaml", "version: 1\nupstream:\n"
            f"  extra_ca: [{self.upstreams.authority.certificate}]\n"
            f"  hosts: {{{PARENT}: [{self.parent.host}]}}\n"
            f"  parent_proxy: {{url: \"http://{PARENT}:{self.parent.port}\", credential: corp-proxy{more}}}\n")

    def bind(self, password=ParentProxy.password):
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"),
                         ("corp-proxy", f"{PARENT}], ports: [{self.parent.port}", password,
                          f"{{basic: {{user: {ParentProxy.user}}}}}"))

    def get(self, url):
        """Status of the answer, and the only record."""
        outcome = self.person.run("/usr/bin/curl", "-s", "-m", "60", "-o", "/dev/null", "-w", "%{http_code}", url)
        requests = outcome.requests() or outcome.events("tunnel")
        self.assertEqual(len(requests), 1, str(outcome))
        return outcome.stdout, requests[0]

    def assert_refused(self, url, reason, seen_by_parent=()):
        before = len(self.upstreams.nginx.seen())
        status, record = self.get(url)
        self.assertEqual((status[0], record["reason"]), ("4" if reason.startswith("address") else "5", reason), record)
        self.assertEqual(self.parent.asked(), list(seen_by_parent))
        self.assertEqual(len(self.upstreams.nginx.seen()), before, "an upstream was reached")
        return record

    def test_a_request_with_a_credential(self):
        self.person.allow(public("api.test", methods="[GET]", credential="api"))
        status, record = self.get("https://api.test/token/1")
        self.assertEqual((status, record["upstream_ip"], record["credential"]), ("200", self.parent.host, "api"))
        self.assertEqual(self.parent.asked(), ["api.test:443"])
        self.assert_no_secret(self.parent.log(), "the parent's log")

    def test_a_tunnel(self):
        self.person.allow(public("api.test"))
        outcome = self.person.run("/usr/bin/curl", "-s", "-m", "60", "--cacert",
                                  str(self.upstreams.authority.certificate), "https://api.test/open",
                                  options=("--ro", str(self.upstreams.authority.certificate)))
        self.assertEqual([t["upstream_ip"] for t in outcome.events("tunnel")], [self.parent.host], str(outcome))
        self.assertEqual(self.parent.asked(), ["api.test:443"])

    def test_plain_http_goes_through_connect_as_well(self):
        self.person.allow(public("api.test", scheme="http", methods="[GET]"))
        status, record = self.get("http://api.test/")
        self.assertEqual((status, record["upstream_ip"]), ("200", self.parent.host), record)
        self.assertEqual(self.parent.asked(), ["api.test:80"])

    def test_a_wrong_password_is_told_with_the_parents_status(self):
        self.bind(password="wrong-password-1234")
        self.person.allow(public("api.test", methods="[GET]"))
        record = self.assert_refused("https://api.test/open", "parent-refused", ["api.test:443"])
        self.assertRegex(record["error"], "answered 40[17] .*: it does not take its credential$")

    def test_a_host_that_the_parent_refuses(self):
        self.person.allow(public("stranger.test", methods="[GET]"))
        record = self.assert_refused("https://stranger.test/", "parent-refused", ["stranger.test:443"])
        self.assertIn("answered 403", record["error"])

    def test_a_parent_that_is_not_there_never_means_direct(self):
        self.parent.stop()
        self.person.allow(public("api.test", methods="[GET]", addresses="[127.0.0.0/8]"))
        self.assert_refused("https://api.test/open", "upstream-unreachable")

    def test_addresses_are_vetted_here_all_the_same(self):
        for host, reason in (("169.254.169.254", "address-metadata"), ("10.0.0.1", "address-private"),
                             ("[fd77::1]", "address-private"), ("metadata.google.internal", "address-metadata")):
            with self.subTest(host):
                literal = host.strip("[]")
                self.person.allow(f"  - {{name: one, hosts: [\"{literal}\"], methods: [GET]}}\n")
                self.assert_refused(f"https://{host}/", reason)

    def test_what_is_excepted_goes_direct(self):
        self.operate_behind(", except: [api.test]")
        self.person.allow(allow("api", "api.test", methods=["GET"]))
        status, record = self.get("https://api.test/open")
        self.assertEqual(record["upstream_ip"], "127.0.0.1")
        self.assertEqual(self.parent.asked(), [])

    def test_no_rule_gets_the_parents_credential(self):
        self.person.allow(public(PARENT, ports=f"[{self.parent.port}]", credential="corp-proxy"))
        outcome = self.person.run("/bin/true")
        self.assert_exit(outcome, 125)
        self.assertIn("it is for the parent proxy alone", outcome.stderr)

    def test_a_credential_that_is_not_declared(self):
        self.person.allow(public("api.test", methods="[GET]"))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))
        outcome = self.person.run("/bin/true")
        self.assert_exit(outcome, 125)
        self.assertIn("does not declare it", outcome.stderr)
        self.person.credentials = None
        self.assertIn("no credentials file was given", self.person.run("/bin/true").stderr)


if __name__ == "__main__":
    main()
