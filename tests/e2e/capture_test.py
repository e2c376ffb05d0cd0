#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Services that answer with credentials: the sandbox gets placeholders, which work at the hosts that they are for and
nowhere else; an answer that cannot be looked through does not arrive."""

import json

from support.aduana import PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.deriving_server import CLIENT, NAMES, SECRET, deriving
from support.tls_server import TlsServer

ADDRESS = "127.0.0.7"
CREDENTIALS = """version: 1
credentials:
  idp:
    source: {{file: {file}}}
    destinations: [{{hosts: [idp.test], paths: [/oauth2/token]}}]
    inject: {{basic: {{user: {client}}}}}
    capture: [{{preset: oauth2, paths: [/oauth2/token], hosts: [calls.test]}}]
"""
# Runs in the sandbox: each line of standard input is a call; prints what came of each, as a line of JSON. `{name}`
# stands for a member of the answer before.
CLIENT_PROGRAM = """
import json, sys, urllib.error, urllib.request
last = {}
for line in sys.stdin:
    url, body, authorization, *method = json.loads(line)
    for name, value in last.items():
        body, authorization = (text.replace("{" + name + "}", str(value)) for text in (body, authorization))
    fields = {"Authorization": authorization} if authorization else {}
    request = urllib.request.Request(url, body.encode() or None, fields, method=method[0] if method else None)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read().decode()
    told = json.loads(text)
    last = {**last, **told} if status == 200 else last
    print(json.dumps([status, told]))
"""
METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE"]
TOKEN = ("https://idp.test/oauth2/token", "grant_type=client_credentials", "")
REFRESH = ("https://idp.test/oauth2/token", "grant_type=refresh_token&refresh_token={refresh_token}", "")
CALL = ("https://calls.test/data", "", "Bearer {access_token}")


class Capture(EndToEnd):
    wanted = ()

    def setUp(self):
        super().setUp()
        handler = deriving()
        self.state = handler.state
        server = TlsServer(handler, self.upstreams.authority, ADDRESS, *NAMES)
        self.addCleanup(server.stop)
        self.person.operate(**{name.replace(".", "_"): ADDRESS for name in NAMES})
        self.person.allow(allow("idp", "idp.test", "idp", methods=METHODS, paths=["/oauth2/token"]),
                          allow("calls", "calls.test", methods=["GET"]),
                          allow("elsewhere", "objects.test", methods=["GET"]))
        source = self.person.write("client-secret", SECRET)
        source.chmod(0o600)
        self.person.credentials = self.person.write("credentials.yaml", CREDENTIALS.format(file=source, client=CLIENT))
        self.person.credentials.chmod(0o600)

    def call(self, *calls, way=()):
        """What came of each call, and of the run."""
        asked = "".join(json.dumps(call) + "\n" for call in calls)
        outcome = self.person.run(*way, PYTHON, "-c", CLIENT_PROGRAM, stdin=asked)
        self.assert_exit(outcome, 0)
        self.assert_sound(outcome)
        journal = "".join(file.read_text() for file in outcome.journal.glob("*.jsonl"))
        for secret in [SECRET, *self.state.handed_out()]:
            self.assertNotIn(secret, outcome.stdout + outcome.stderr)
            self.assertNotIn(secret, journal)
        return [json.loads(line) for line in outcome.stdout.splitlines()], outcome

    def test_a_token_that_was_asked_for_works_and_is_never_seen(self):
        for way in ([], WITHOUT_PROXY):
            with self.subTest(way=way[:1]):
                (token, call), outcome = self.call(TOKEN, CALL, way=way)
                self.assertEqual(token[0], 200)
                self.assertRegex(token[1]["access_token"], "^EGP_[A-Z2-7]{26}$")
                self.assertRegex(token[1]["refresh_token"], "^EGP_[A-Z2-7]{26}$")
                self.assertEqual((token[1]["token_type"], token[1]["expires_in"]), ("Bearer", 600))
                self.assertEqual(call, [200, {"echo": "Bearer " + token[1]["access_token"]}])
                self.assertEqual([(e["credential"], e["count"]) for e in outcome.events("capture")], [("idp", 2)])
                self.assertEqual([r["credential"] for r in outcome.requests()], ["idp", "idp"])

    def test_a_token_that_is_asked_for_by_another_method_is_captured_too(self):
        for method in METHODS[1:]:
            with self.subTest(method=method):
                in_query = method in ("GET", "DELETE")
                url = TOKEN[0] + ("?" + TOKEN[1] if in_query else "")
                (token, call), outcome = self.call((url, "" if in_query else TOKEN[1], "", method), CALL)
                self.assertEqual((token[0], call[0]), (200, 200))
                self.assertRegex(token[1]["access_token"], "^EGP_[A-Z2-7]{26}$")
                self.assertEqual([(e["credential"], e["count"]) for e in outcome.events("capture")], [("idp", 2)])

    def test_a_refresh_token_is_put_back_into_the_form(self):
        (first, again, call), _ = self.call(TOKEN, REFRESH, CALL)
        self.assertEqual([first[0], again[0], call[0]], [200, 200, 200])
        self.assertNotEqual(first[1]["access_token"], again[1]["access_token"])
        self.assertEqual(self.state.spent, {self.state.refresh[0]})

    def test_a_placeholder_is_refused_elsewhere(self):
        (_, refused), outcome = self.call(TOKEN, ("https://objects.test/x", "", "Bearer {access_token}"))
        self.assertEqual((refused[0], refused[1]["reason"]), (403, "placeholder-unbound"))
        self.assertEqual([e["credential"] for e in outcome.events("placeholder")], ["idp"])

    def test_a_placeholder_is_over_when_its_token_is(self):
        self.state.lifetime = 0
        (_, refused), _ = self.call(TOKEN, CALL)
        self.assertEqual((refused[0], refused[1]["reason"]), (503, "credential-unavailable"))

    def test_an_answer_that_cannot_be_looked_through_does_not_arrive(self):
        for kind, body in (("application/x-www-form-urlencoded", b"access_token=TOKEN&token_type=bearer"),
                           ("application/json", b'{"access_token": "TOKEN"'),
                           ("application/json", b'{"access_token": ["TOKEN"]}'),
                           ("application/json", b'{"access_token": "TOKEN", "x": "' + b"x" * (1 << 20) + b'"}')):
            with self.subTest(body=body[:40]):
                self.state.answer = (kind, body)
                ((status, told),), outcome = self.call(TOKEN)
                self.assertEqual((status, told["reason"]), (502, "response-uncapturable"))
                self.assertEqual([r["reason"] for r in outcome.requests()], ["response-uncapturable"])


if __name__ == "__main__":
    main()
