#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where credentials and placeholders may appear: every surface through `aduana listen`, against servers that send back
what they get."""

import base64
import json

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.listening import Listening
from support.mirror_server import Chat, Mirror

ADDRESS, CHAT = "127.0.0.5", "127.0.0.6"
SECRETS = {"query": "query+secret/5f1", "path": "77:path-secret_9c2", "form": "form=secret&8d3",
           "json": "json\\secret\"a14", "shaped": "shaped-secret-e58",
           "cookie": "cookie-secret-b25", "chat": "chat-secret-c36", "basic": "basic-secret-d47"}
INJECT = {"query": "{query: {name: key}}", "path": '{path: {segment: "bot{}"}}', "form": "{field: {form: token}}",
          "json": "{field: {json: /auth/token}}", "cookie": "{cookie: {name: session}}", "chat": "{websocket_text: {}}",
          "basic": "{basic: {}}", "shaped": "{bearer: {}}"}
SHAPES = {"shaped": "shape: jwt"}
FORM = ["-H", "Content-Type: application/x-www-form-urlencoded"]
JSON = ["-H", "Content-Type: application/json"]

CHAT_CLIENT = """
import asyncio, os, ssl, sys
import websockets
from websockets.legacy.client import connect

async def talk():
    import socket
    proxy = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":")
    raw = socket.create_connection((proxy[0], int(proxy[1])))
    raw.sendall(b"CONNECT chat.test:443 HTTP/1.1\\r\\nHost: chat.test:443\\r\\n\\r\\n")
    assert b" 200 " in raw.recv(4096)
    context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    async with connect("wss://chat.test/", sock=raw, ssl=context, server_hostname="chat.test") as peer:
        for text in sys.argv[1:]:
            await peer.send(text)
            print(await peer.recv())

asyncio.run(talk())
"""


class Surfaces(EndToEnd):
    wanted = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        names = [f"{name}.test" for name in SECRETS] + ["open.test"]
        cls.mirror = Mirror(ADDRESS, cls.upstreams.authority.issue(*names))
        cls.addClassCleanup(cls.mirror.stop)
        cls.chat = Chat(CHAT, cls.upstreams.authority.issue("chat.test"))
        cls.addClassCleanup(cls.chat.stop)

    def setUp(self):
        super().setUp()
        self.mirror.seen.clear()
        self.person.operate(open_test=ADDRESS,
                            **{f"{name}_test": CHAT if name == "chat" else ADDRESS for name in SECRETS})
        self.person.allow(*[allow(name, f"{name}.test", f"{name}-key") for name in SECRETS],
                          allow("open", "open.test", methods=["GET", "POST"]))
        self.person.bind(*[(f"{name}-key", f"{name}.test", SECRETS[name], INJECT[name],
                            f"{{env: [{name.upper()}_TOKEN], {SHAPES.get(name, 'prefix: p')}}}")
                           for name in SECRETS])
        self.listening = Listening(self.person)
        self.addCleanup(self.listening.stop)
        variables = self.listening.variables()
        self.held = {name: variables[f"{name.upper()}_TOKEN"] for name in SECRETS}

    def curl(self, *arguments):
        """What a client sees: no secret, in no spelling that was sent."""
        done = self.listening.curl("-m", "20", *arguments)
        for name, secret in SECRETS.items():
            for spelling in (secret, json.dumps(secret)[1:-1]):
                self.assertNotIn(spelling, done.stdout, f"the secret of {name} came back")
        return done.stdout

    def refused(self, *arguments):
        before = len(self.mirror.seen)
        answer = json.loads(self.curl(*arguments))
        self.assertEqual(len(self.mirror.seen), before, "a refused request has arrived")
        return answer["reason"]

    def last(self):
        return self.mirror.seen[-1]

    def test_every_surface_gets_its_value_and_nothing_else_is_changed(self):
        held = self.held
        self.curl(f"https://query.test/a?x=%7e+1&key={held['query']}&y")
        self.assertEqual(self.last()[1], "/a?x=%7e+1&key=query%2Bsecret%2F5f1&y")
        self.curl("https://query.test/a")
        self.assertEqual(self.last()[1], "/a?key=query%2Bsecret%2F5f1")
        self.curl(f"https://path.test/bot{held['path']}/getMe?a=1")
        self.assertEqual(self.last()[1], "/bot77:path-secret_9c2/getMe?a=1")
        self.curl("https://form.test/", *FORM, "-d", f"a=%7e&token={held['form']}&text={held['form']}")
        self.assertEqual(self.last()[3].decode(), f"a=%7e&token=form%3Dsecret%268d3&text={held['form']}")
        document = '{"n": 1.0, "auth":\t{"token": "%s"}}'
        for version in ("--http1.1", "--http2"):
            framing = "Transfer-Encoding: chunked" if version == "--http1.1" else "A: b"
            self.curl(version, "https://json.test/", *JSON, "-H", framing, "-d", document % held["json"])
            self.assertEqual(self.last()[3].decode(), document % 'json\\\\secret\\"a14')
        self.curl("https://cookie.test/", "-b", f"a=1; session={held['cookie']}")
        self.assertEqual(self.last()[2]["Cookie"], "a=1; session=cookie-secret-b25")
        self.assertEqual(self.listening.stop(), 0)
        reasons = [r["reason"] for r in self.listening.outcome.requests()]
        self.assertEqual(set(reasons), {"allowed"}, self.listening.outcome.stderr)
        journal = "".join(file.read_text() for file in self.listening.outcome.journal.glob("*.jsonl"))
        for secret in SECRETS.values():
            self.assertNotIn(secret, journal)
        self.assert_sound(self.listening.outcome)

    def test_without_one_place_for_it_nothing_is_sent(self):
        held = self.held
        long = self.person.write("long.json", "[" + "1," * 600000 + "1]")
        for arguments in (["https://query.test/?key=&key="], ["https://query.test/?key[]="],
                          ["https://path.test/getMe"], [f"https://path.test/bot{held['path']}/bot{held['path']}"],
                          ["https://form.test/"], ["https://form.test/", "-F", f"token={held['form']}"],
                          ["https://form.test/", *FORM, "-d", f"text={held['form']}"],
                          ["https://form.test/", *FORM, "-H", "Content-Encoding: gzip", "-d", f"token={held['form']}"],
                          ["https://json.test/", *JSON, "-d", '{"auth": {"token": "mine"}}'],
                          ["https://json.test/", *JSON, "-d", '{"auth": {"token": "%s", "token": "x"}}' % held["json"]],
                          ["https://json.test/", *JSON, "-d", f"@{long}"], ["https://chat.test/"]):
            with self.subTest(arguments=arguments[:4]):
                self.assertEqual(self.refused(*arguments), "credential-misplaced")

    def test_a_placeholder_that_is_shaped_as_a_token_is_as_good_as_any_other(self):
        held = self.held["shaped"]
        head, claims, _ = (base64.urlsafe_b64decode(part + "==") for part in held.split("."))
        self.assertEqual(json.loads(head), {"alg": "ES256", "typ": "JWT"})
        self.assertGreater(json.loads(claims)["exp"], 4e9)
        self.curl("https://shaped.test/", "-H", f"Authorization: Bearer {held}")
        self.assertEqual(self.last()[2]["Authorization"], "Bearer shaped-secret-e58")
        self.assertEqual(self.refused("https://open.test/", "-H", f"Authorization: Bearer {held}"),
                         "placeholder-unbound")
        self.assertEqual(self.refused(f"https://open.test/?token={held}"), "placeholder-unbound")

    def records(self, kind):
        self.listening.stop()
        self.assert_sound(self.listening.outcome)
        return self.listening.outcome.events(kind)

    def test_a_placeholder_leaves_for_its_own_host_only(self):
        held = self.held["query"]
        encoded = "".join(f"%{ord(c):02x}" for c in held)
        basic = base64.b64encode(f"user:{held}".encode()).decode()
        for arguments in ([f"https://open.test/{held}"], [f"https://open.test/?a={held}"],
                          [f"https://open.test/?a={encoded}"], ["https://open.test/", "-H", f"X-Any: {held}"],
                          ["https://open.test/", "-H", f"Authorization: Basic {basic}"],
                          [f"https://cookie.test/?a={held}"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.refused(*arguments), "placeholder-unbound")
        self.curl("https://open.test/", "-H", f"Referer: https://query.test/?key={held}")
        self.assertNotIn("Referer", self.last()[2])
        self.curl("https://open.test/", "-d", f"environment={held}")
        self.assertEqual(self.last()[3].decode(), f"environment={held}")
        seen = self.records("placeholder")
        self.assertEqual({(e["credential"], e["verdict"]) for e in seen[:-1]}, {("query-key", "refused")})
        self.assertEqual((seen[-1]["place"], seen[-1]["verdict"]), ("body", "passed"))

    def test_a_placeholder_of_another_task_is_an_alarm(self):
        strange = "EGP_" + "Z" * 26
        for host in ("open.test", "query.test"):
            self.assertEqual(self.refused(f"https://{host}/?key={strange}"), "placeholder-foreign")
        self.curl("https://open.test/", "-d", f"found={strange}")
        seen = self.records("placeholder")
        self.assertEqual([e["alarm"] for e in seen], ["of another task"] * 3)

    def listen_again(self, change):
        self.listening.stop()
        self.person.credentials.write_text(change(self.person.credentials.read_text()))
        self.listening = Listening(self.person)
        self.addCleanup(self.listening.stop)

    def test_a_credential_of_the_clients_own_stays_here(self):
        brought = {"the parameter key of its query": ["https://query.test/?key=mine"],
                   "x-api-key": ["https://query.test/", "-H", "X-Api-Key: mine"],
                   "the cookie session": ["https://cookie.test/", "-b", "session=mine"]}
        signed = ["https://query.test/?access_token=mine"]
        for arguments in brought.values():
            with self.subTest(arguments=arguments):
                self.curl(*arguments)
                seen = repr(self.last())
                self.assertNotIn("mine", seen)
                self.assertIn("secret", seen)
        self.assertEqual(self.refused(*signed), "credential-foreign")
        records = self.records("request")
        self.assertEqual([r.get("foreign_credential") for r in records if r["reason"] == "allowed"], list(brought))
        self.listen_again(lambda text: text.replace("    inject:", "    foreign: deny\n    inject:"))
        for arguments in (*brought.values(), ["https://basic.test/", "-u", "reader:mine"], signed):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.refused(*arguments), "credential-foreign")
        self.held = {name: self.listening.variables()[f"{name.upper()}_TOKEN"] for name in SECRETS}
        self.curl("https://basic.test/", "-u", f"somebody:{self.held['basic']}")
        sent = base64.b64decode(self.last()[2]["Authorization"].removeprefix("Basic ")).decode()
        self.assertEqual(sent, f"somebody:{SECRETS['basic']}")

    def test_a_preset_closes_what_its_service_must_not_do(self):
        preset = "{github-api-repo: {repository: acme/app}}"
        self.person.allow(allow("repo", "query.test", "query-key").rstrip("\n") + f"\n    preset: {preset}\n")
        self.person.bind(("query-key", "query.test", SECRETS["query"], INJECT["query"]))
        self.listen_again(lambda text: text.replace("[query.test]", f"[query.test], preset: {preset}"))
        self.curl("https://query.test/repos/acme/app/issues")
        self.assertEqual(self.last()[1], "/repos/acme/app/issues?key=query%2Bsecret%2F5f1")
        for path in ("/repos/acme/app/keys", "/repos/acme/app/HOOKS/1", "/graphql", "/gists"):
            self.assertEqual(self.refused(f"https://query.test{path}", "-d", "{}"), "closed-by-preset", path)
        self.assertEqual(self.refused("https://query.test/repos/acme/other"), "path-not-allowed")

    def test_texts_of_a_websocket(self):
        placeholder = self.held["chat"]
        done = self.listening.run(PYTHON, "-c", CHAT_CLIENT, "hello", '{"token":"%s"}' % placeholder)
        self.assertEqual(self.chat.texts[-2:], ["hello", '{"token":"chat-secret-c36"}'], done.stderr)
        self.assertNotIn("chat-secret", done.stdout)


if __name__ == "__main__":
    main()
