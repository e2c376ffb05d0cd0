#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Credentials that have to be fetched: one call to the issuer for everybody, never a value past its end, nothing of it
inside the sandbox, and all of it taken back at the end. What the issuer refuses, nobody gets."""

import json
import os
import signal
import time

from support.aduana import PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.processes import child_of
from support.tls_server import TlsServer
from support.token_server import CLIENT, SECRET, handlers

ADDRESS = "127.0.0.6"
# Runs in the sandbox: WORKERS threads, each asks TIMES times; prints how often which status came, and one body.
CLIENT_PROGRAM = """
import collections, json, ssl, sys, urllib.error, urllib.request
from concurrent.futures import ThreadPoolExecutor
workers, times = map(int, sys.argv[1:])
def ask(_):
    seen, body = [], ""
    for _ in range(times):
        try:
            with urllib.request.urlopen("https://tokens.test/data", timeout=60) as answer:
                seen.append(answer.status)
                body = answer.read().decode()
        except urllib.error.HTTPError as error:
            seen.append(error.code)
            body = error.read().decode()
    return seen, body
with ThreadPoolExecutor(workers) as pool:
    told = list(pool.map(ask, range(workers)))
print(json.dumps([collections.Counter(s for seen, _ in told for s in seen), told[0][1]]))
"""
ASK_AND_SLEEP = "curl -sf https://tokens.test/data && touch asked && sleep 100"
CREDENTIALS = """version: 1
credentials:
  tokens:
    source:
      oauth2:
        token_url: "https://idp.test/token"
        client_id: {client}
        auth: {{client_secret_basic: {{secret: {{file: {file}}}}}}}
        grant: {{client_credentials: {{}}}}
        revoke_url: "https://idp.test/revoke"
    destinations: [{{hosts: [tokens.test]}}]
    inject: {{bearer: {{}}}}
    issuer: {{addresses: [{addresses}]}}
"""


class Minting(EndToEnd):
    wanted = ()

    def serve(self, **state):
        tokens = self.prepare(**state)
        server = TlsServer(tokens, self.upstreams.authority, ADDRESS, "idp.test", "tokens.test")
        self.addCleanup(server.stop)
        return tokens.state

    def prepare(self, places=(ADDRESS, ADDRESS), **state):
        """The person's files; what there is to serve at the issuer's and the API's place."""
        tokens = handlers(**state)
        self.person.operate(idp_test=places[0], tokens_test=places[1])
        self.person.allow(allow("tokens", "tokens.test", "tokens", methods=["GET"]))
        self.bind()
        return tokens

    def bind(self, addresses="127.0.0.0/8", secret=SECRET):
        source = self.person.write("client-secret", secret)
        source.chmod(0o600)
        self.person.credentials = self.person.write("credentials.yaml", CREDENTIALS.format(
            client=CLIENT, file=source, addresses=addresses))
        self.person.credentials.chmod(0o600)

    def ask(self, workers=1, times=1, way=()):
        outcome = self.person.run(*way, PYTHON, "-c", CLIENT_PROGRAM, str(workers), str(times), timeout=300)
        self.assert_exit(outcome, 0)
        self.assert_sound(outcome)
        counts, body = json.loads(outcome.stdout)
        return outcome, {int(status): count for status, count in counts.items()}, body

    def test_one_mint_serves_everybody_and_is_taken_back(self):
        for way in ([], WITHOUT_PROXY):
            with self.subTest(way=way[:1]):
                self.setUp()
                state = self.serve()
                outcome, counts, body = self.ask(workers=20, times=5, way=way)
                self.assertEqual(counts, {200: 100})
                self.assertEqual(len(state.minted), 1)
                self.assertEqual(state.revoked, state.minted)
                self.assertNotIn(state.minted[0], outcome.stdout + outcome.stderr)
                self.assertNotIn(SECRET, outcome.stdout + outcome.stderr)
                self.assertIn("[scrubbed]", body)
                issued = outcome.events("lease.issue")
                self.assertEqual([(e["credential"], e["lease"]) for e in issued],
                                 [("tokens", outcome.requests()[0]["lease"])])
                ended = [(e["credential"], e["lease"], e["why"]) for e in outcome.events("lease.revoke")]
                self.assertEqual(ended, [("tokens", issued[0]["lease"], "task-ended")])
                self.assertEqual(outcome.events()[-1]["event"], "task.end")
                self.doCleanups()

    def test_what_a_killed_broker_left_the_next_task_has_taken_back(self):
        state = self.serve()
        process, _ = self.person.start("/bin/sh", "-c", ASK_AND_SLEEP)
        self.addCleanup(process.kill)
        self.wait_until(lambda: (self.person.work / "asked").exists())
        os.kill(child_of(process.pid, "aduana-broker"), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 137, err)
        self.assertEqual((len(state.minted), state.revoked), (1, []))
        left = list((self.person.state / "revocations").iterdir())
        self.assertEqual([file.stat().st_mode & 0o777 for file in left], [0o600])
        self.assertNotIn(state.minted[0].encode(), left[0].read_bytes())
        outcome, counts, _ = self.ask()
        self.assertEqual(counts, {200: 1})
        self.assertEqual(sorted(state.revoked), sorted(state.minted))
        self.assertIn('had its issuer take back what an earlier task had left: credential "tokens"', outcome.stderr)
        outcome, _, _ = self.ask()
        self.assertEqual(sorted(state.revoked), sorted(state.minted), "each once")
        self.assertNotIn("an earlier task", outcome.stderr)
        self.assertEqual(list((self.person.state / "revocations").iterdir()), [])

    def test_what_the_issuer_did_not_take_back_is_tried_again(self):
        state = self.serve()
        state.refuse_revocations = True
        outcome, _, _ = self.ask()
        self.assertEqual(state.revoked, [])
        self.assertEqual([e["why"] for e in outcome.events("lease.revoke")], ["task-ended-not-taken-back"])
        state.refuse_revocations = False
        outcome, _, _ = self.ask()
        self.assertEqual(sorted(state.revoked), sorted(state.minted))
        self.assertIn("an earlier task", outcome.stderr)

    def wait_until(self, true):
        deadline = time.monotonic() + 60
        while not true():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_short_lives_and_false_401s_are_not_seen_inside(self):
        state = self.serve(lifetime=2)
        state.reject_every = 37
        _, counts, _ = self.ask(workers=10, times=30)
        self.assertEqual(counts, {200: 300})
        self.assertGreater(state.answered_401, 0)
        self.assertEqual(state.most_at_once, 1, "one mint at a time")

    def test_a_refusal_of_the_issuer_reaches_the_client_and_no_request_the_upstream(self):
        cases = {
            "the wrong secret": ({"secret": "not-the-secret"}, None, "invalid_client"),
            "not JSON": ({}, (200, b"<html>", "text/html"), "idp.test"),
            "a redirect": ({}, (302, b""), "idp.test"),
            "a token that would split a head": ({}, (200, {"access_token": "a\r\nX: b", "token_type": "Bearer",
                                                           "expires_in": 60}), "idp.test"),
            "an address that is not listed": ({"addresses": "127.0.1.0/24"}, None, "addresses"),
        }
        for case, (binding, refuse, told) in cases.items():
            with self.subTest(case=case):
                self.setUp()
                state = self.serve()
                state.refuse = refuse
                self.bind(**binding)
                outcome, counts, body = self.ask()
                self.assertEqual(set(counts) & {200, 401}, set(), str(outcome))
                self.assertEqual(state.calls, 0)
                self.assertIn("credential-unavailable", body)
                (record,) = outcome.requests()
                self.assertEqual(record["reason"], "credential-unavailable")
                self.assertIn(told, record["error"] + outcome.stderr, str(outcome))
                self.doCleanups()

    def test_a_certificate_that_has_only_a_common_name_proves_nothing(self):
        places = ("127.0.0.6", "127.0.0.7")
        for nameless, status, reason, told in (
                ("idp.test", 503, "credential-unavailable", "SSL peer certificate"),
                ("tokens.test", 502, "tls-unverified", "ostname mismatch")):
            with self.subTest(nameless):
                self.setUp()
                tokens = self.prepare(places)
                for name, place in zip(("idp.test", "tokens.test"), places):
                    self.addCleanup(TlsServer(tokens, self.upstreams.authority, place, name,
                                              alternative=name != nameless).stop)
                outcome, counts, _ = self.ask()
                self.assertEqual((counts, tokens.state.calls), ({status: 1}, 0), str(outcome))
                self.assertEqual([(r["reason"], told in r["error"]) for r in outcome.requests()], [(reason, True)])
                self.doCleanups()


if __name__ == "__main__":
    main()
