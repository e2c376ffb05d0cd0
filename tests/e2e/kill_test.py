#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of aduana, of its proxy, of its broker, or of those that it shares, at random moments, half of them
counted from the first request: two seconds later nothing of the task is left, every request that the upstream saw has
its record, and the journal verifies."""

import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import host_state
from support.aduana import PYTHON, Person, allow
from support.case import EndToEnd, main
from support.serving import Serving

ROUNDS = int(os.environ.get("ADUANA_KILL_ROUNDS", "20"))
# Asks without end, each time for another path, over kept-alive and over new connections.
CLIENT = """
import http.client, ssl, sys
n, round = 0, sys.argv[1]
while True:
    c = http.client.HTTPSConnection("api.test", timeout=5, context=ssl.create_default_context())
    for _ in range(5):
        c.request("GET", f"/token/{round}-{n}"); c.getresponse().read(); n += 1
    c.close()
"""


class NothingIsLeft(EndToEnd):
    def setUp(self):
        self.seed = random.randrange(1 << 30)
        self.random = random.Random(self.seed)

    def one_round(self, name, number, shared=False):
        person = Person(self.upstreams)
        serving = Serving(person) if shared else None
        try:
            return self.kill_in_one_round(person, name, number, serving)
        finally:
            if serving:
                serving.stop()

    def kill_in_one_round(self, person, name, number, serving):
        person.allow(allow("api", "api.test", "api", methods=["GET"], paths=["/**"]))
        person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))
        before = host_state.snapshot()
        mark = f"{'shared' if serving else 'private'}-{name}-{number}"  # no mark begins another
        process, outcome = person.start(PYTHON, "-c", CLIENT, mark)
        if number % 2:
            wait_for_a_request(outcome)
        time.sleep(self.random.uniform(0, 0.8))
        parent = serving.process.pid if serving else process.pid
        victim = process.pid if name == "aduana" else descendant(parent, name)
        if victim:
            os.kill(victim, signal.SIGKILL)
        else:
            process.kill()
        deadline = time.monotonic() + 2.0
        try:
            _, told = process.communicate(timeout=2.0)  # reaps it: a zombie would look like a leftover
        except subprocess.TimeoutExpired:
            # Nothing was shared any more when it began, so that it has a proxy of its own and goes on.
            if not serving or not descendant(process.pid, "aduana-proxy"):
                raise
            process.terminate()
            process.communicate(timeout=20)
            return 0
        if serving and name != "aduana":
            serving.process.wait(2)  # it ends with what it shares
        left = host_state.leftovers(before, seconds=deadline - time.monotonic())
        self.assertEqual([line for line in left if not serving or "lost: aduana" not in line], [])
        if victim and name != "aduana":
            self.assertNotEqual(process.returncode, 0)
            self.assertIn("aduana:", told)
        self.assert_recorded(outcome, mark)
        if outcome.journal.exists() and any(outcome.journal.glob("*.jsonl")):
            self.person = person
            self.assert_sound(outcome)
        return len(outcome.requests()) if outcome.journal.exists() else 0

    def assert_recorded(self, outcome, mark):
        seen = {r["uri"] for r in self.upstreams.nginx.seen("api.test") if f"/{mark}-" in r["uri"]}
        recorded = {e["path"] for e in outcome.events("request.start")} if outcome.journal.exists() else set()
        self.assertEqual(seen - recorded, set())
        starts, ends = outcome.events("request.start"), outcome.requests()
        started, ended = [e["id"] for e in starts], [e["id"] for e in ends]
        self.assertEqual(len(ended), len(set(ended)), "a request has two closing records")
        self.assertEqual(set(started) - set(ended), set(), "a request has no closing record")
        # What never reached the upstream stands alone, and says why: no rule, no broker any more, or a client that was
        # killed before it had asked, or before the upstream was reached.
        alone = [e for e in ends if e["id"] not in set(started)]
        passed = [e for e in alone if e["reason"] == "allowed"]
        self.assertEqual([e for e in passed if e.get("ended_by") not in ("client", "task") or e["bytes_up"]], [])

    def kill(self, name, shared=False):
        served = 0
        for number in range(ROUNDS):
            with self.subTest(round=number, seed=self.seed):
                served += self.one_round(name, number, shared)
        self.assertGreater(served, 0, "no round came far enough to be worth anything")

    def test_when_aduana_is_killed(self):
        self.kill("aduana")

    def test_when_the_proxy_is_killed(self):
        self.kill("aduana-proxy")

    def test_when_the_broker_is_killed(self):
        self.kill("aduana-broker")

    def test_when_aduana_is_killed_and_shares_a_proxy(self):
        self.kill("aduana", shared=True)

    def test_when_a_shared_proxy_is_killed(self):
        self.kill("aduana-proxy", shared=True)

    def test_when_a_shared_broker_is_killed(self):
        self.kill("aduana-broker", shared=True)


def wait_for_a_request(outcome):
    """On a slow machine a moment that is counted from the start may come before there is anything to kill."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any('"event":"request.start"' in file.read_text() for file in outcome.journal.glob("*.jsonl")):
            return
        time.sleep(0.01)


def descendant(pid, name):
    """The process called `name` below `pid`, if it has been started yet."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().strip() == name and pid in ancestors(int(entry.name)):
                return int(entry.name)
        except OSError:
            continue
    return None


def ancestors(pid):
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        yield pid


if __name__ == "__main__":
    main()
