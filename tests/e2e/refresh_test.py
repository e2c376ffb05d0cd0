#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refresh tokens that are rotated with each use, where an old one ends them all: through short lives, false 401s, many
clients, tasks side by side and brokers that are killed, each is used once, and the newest is found again.

RUN=600 in the environment makes the long run of it (seconds; 12 are usual)."""

import collections
import datetime
import json
import os
import signal
import threading
import time

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main
from support.processes import child_of
from support.tls_server import TlsServer
from support.token_server import REFRESH, SECRET, credentials, handlers

ADDRESS = "127.0.0.6"
SECONDS = int(os.environ.get("RUN", "12"))
# Runs in the sandbox: CLIENTS threads ask again and again for SECONDS; prints how often which status came.
PROGRAM = """
import collections, json, sys, threading, time, urllib.error, urllib.request
clients, seconds = int(sys.argv[1]), float(sys.argv[2])
end, seen, lock = time.monotonic() + seconds, collections.Counter(), threading.Lock()
def ask():
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen("https://tokens.test/data", timeout=60) as answer:
                status = answer.status
                answer.read()
        except urllib.error.HTTPError as error:
            status = error.code
            error.read()
        with lock:
            seen[status] += 1
        time.sleep(0.2)
threads = [threading.Thread(target=ask) for _ in range(clients)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(seen))
"""


class Refresh(EndToEnd):
    wanted = ()

    def setUp(self):
        super().setUp()
        tokens = handlers(lifetime=5)
        self.state = tokens.state
        server = TlsServer(tokens, self.upstreams.authority, ADDRESS, "idp.test", "tokens.test")
        self.addCleanup(server.stop)
        self.person.operate(idp_test=ADDRESS, tokens_test=ADDRESS)
        self.person.allow(allow("tokens", "tokens.test", "tokens", methods=["GET"]))
        files = {name: self.person.write(name, value) for name, value in (("secret", SECRET), ("refresh", REFRESH))}
        for file in files.values():
            file.chmod(0o600)
        grant = f"{{refresh_token: {{token: {{file: {files['refresh']}}}}}}}"
        self.person.credentials = self.person.write("credentials.yaml", credentials(files["secret"], grant))

    def start(self, clients, seconds):
        return self.person.start(PYTHON, "-c", PROGRAM, str(clients), str(seconds))

    def counts(self, process):
        out, err = process.communicate(timeout=SECONDS + 120)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn("refresh-token", out + err)
        return {int(status): count for status, count in json.loads(out).items()}

    def assert_one_mint_for_each_refresh(self):
        self.assertEqual(self.state.reused, [])
        self.assertEqual(self.state.most_at_once, 1)
        self.assertEqual(self.state.refresh_token, f"refresh-token-{len(self.state.minted)}-6e1b77")

    def test_a_hundred_clients_see_no_401_and_a_killed_broker_loses_no_token(self):
        self.state.reject_every = 97
        process, killed = self.start(100, SECONDS)
        time.sleep(SECONDS / 2)
        killed_at = self.kill_during_a_refresh(process)
        err = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 137, err)
        self.assertIn("the broker ended; without it there are no credentials, so the command was stopped", err)
        # Who waits for another token behind a 401 when the broker dies gets the 401, if it lives long enough to get it.
        first = collections.Counter(record["status"] for record in killed.requests() if record["time"] < killed_at)
        self.assertGreater(first[200], 10)
        self.assertEqual(first[401], 0)
        minted = len(self.state.minted)
        process, outcome = self.start(100, SECONDS / 2)
        second = self.counts(process)
        self.assertGreater(second[200], 10)
        # A test server that a hundred clients at once are too much for is a 504, and no matter of credentials.
        self.assertLessEqual(set(second), {200, 504}, second)
        self.assertGreater(len(self.state.minted), minted)
        self.assertGreater(self.state.answered_401, 0)
        self.assert_one_mint_for_each_refresh()
        self.assert_sound(outcome)
        kept = list((self.person.state / "refresh-tokens").iterdir())
        self.assertEqual([file.stat().st_mode & 0o777 for file in kept], [0o600])
        self.assertNotIn(b"refresh-token", kept[0].read_bytes())
        print(f"\n{dict(first)} {second}, {len(self.state.minted)} mints, {self.state.answered_401} 401s", flush=True)

    def kill_during_a_refresh(self, process):
        """The issuer has rotated the token, and answers when the broker that asked is gone. Returns when it went."""
        self.state.open.clear()
        while not self.state.minting:
            time.sleep(0.01)
        broker = child_of(process.pid, "aduana-broker")
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        os.kill(broker, signal.SIGKILL)
        self.state.open.set()
        return now

    def test_a_broker_that_is_killed_again_and_again_loses_no_token(self):
        for round in range(10):
            process, _ = self.start(1, SECONDS)
            self.kill_during_a_refresh(process)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 137)
            self.assertEqual(len(self.state.minted), round + 1)
        self.assertEqual(set(self.counts(self.start(1, 1)[0])), {200})
        self.assert_one_mint_for_each_refresh()

    def test_a_token_is_kept_though_the_answer_that_brings_it_is_refused(self):
        self.state.lifetime = -1
        self.assertEqual(set(self.counts(self.start(1, 1)[0])), {503})
        self.assertGreater(len(self.state.minted), 0)
        self.state.lifetime = 5
        self.assertEqual(set(self.counts(self.start(1, 1)[0])), {200})
        self.assert_one_mint_for_each_refresh()

    def test_tasks_side_by_side_take_turns(self):
        started = [self.start(5, 4)[0] for _ in range(4)]
        counted = [None] * len(started)

        def count(number):
            counted[number] = self.counts(started[number])

        threads = [threading.Thread(target=count, args=(n,)) for n in range(len(started))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([set(seen or {}) for seen in counted], [{200}] * len(started), counted)
        self.assertGreaterEqual(len(self.state.minted), len(started))
        self.assert_one_mint_for_each_refresh()

    def test_a_token_that_the_operator_replaces_begins_anew(self):
        for number in range(2):
            self.assertEqual(set(self.counts(self.start(1, 1)[0])), {200}, number)
        self.state.refresh_token = "refresh-token-of-a-new-consent"
        (self.person.folder / "files/refresh").write_text(self.state.refresh_token)
        self.assertEqual(set(self.counts(self.start(1, 1)[0])), {200})
        self.assert_one_mint_for_each_refresh()


if __name__ == "__main__":
    main()
