#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`aduana serve`: the tasks of a machine share one proxy and one broker, and nothing else. The end of one, however it
comes, is its own; the end of what they share is the end of all."""

import concurrent.futures
import json
import os
import signal
import socket
import subprocess
import time
import unittest

from support import host_state
from support.aduana import PYTHON, Person, allow
from support.case import EndToEnd, main
from support.listening import Listening
from support.serving import Serving

TASKS = int(os.environ.get("ADUANA_SERVE_TASKS", "200"))
AT_A_TIME = 20
# Asks both hosts, again and again; prints what came back.
BOTH = """
for n in 1 2 3 4 5; do
    for host in api.test stranger.test; do curl -s -o /dev/null -w "$host %{http_code}\\n" https://$host/token/x; done
done
"""
ASK_AND_SLEEP = "curl -s https://api.test/token/x && touch done && exec sleep 600"


class Shared(EndToEnd):
    def setUp(self):
        super().setUp()
        self.serving = Serving(self.person)
        self.addCleanup(lambda: self.serving.stop())
        self.give(self.person, "api.test", self.upstreams.api_token)

    def give(self, person, host, token):
        """A policy that allows `host` alone, with `token`."""
        person.allow(allow("only", host, "secret", methods=["GET"], paths=["/**"]))
        person.bind(("secret", host, token, "{bearer: {}}", '{env: [TOKEN], prefix: "ph_"}'))

    def neighbour(self, host, token):
        """Another person whose tasks are served by the same `aduana serve`."""
        person = Person(self.upstreams)
        person.runtime.rmdir()
        person.runtime = self.person.runtime
        self.give(person, host, token)
        return person

    def sleeper(self, name, person=None):
        person = person or self.person
        process, outcome = person.start("/bin/sh", "-c", ASK_AND_SLEEP, options=("--task", name))
        self.addCleanup(end, process)
        self.assertTrue(wait_for(lambda: (person.work / "done").exists()), f"{name} did not begin")
        (person.work / "done").unlink()
        return process, outcome

    def assert_verifies(self, outcome, person):
        verified = person.aduana("audit", "verify", "--journal", outcome.journal, "--public-key", person.public_key)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def tasks(self):
        listed = self.person.aduana("ps", "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return {row["task"]: row for row in json.loads(listed.stdout)}


class TwoTasks(Shared):
    def test_never_see_each_others_names_addresses_credentials_or_records(self):
        other = self.neighbour("stranger.test", "the-other-token")
        with concurrent.futures.ThreadPoolExecutor() as both:
            mine, theirs = both.map(lambda p: p.run("/bin/sh", "-c", BOTH + "cat /etc/hosts; printenv TOKEN"),
                                    (self.person, other))
        for outcome, own, foreign in ((mine, "api.test", "stranger.test"), (theirs, "stranger.test", "api.test")):
            self.assert_exit(outcome, 0)
            self.assertEqual(outcome.stdout.count(f"{own} 200"), 5, str(outcome))
            self.assertEqual(outcome.stdout.count(f"{foreign} 403"), 5, str(outcome))
            self.assertEqual({r["host"] for r in outcome.requests("intercept") + outcome.requests("allow")}, {own})
            self.assertEqual({r["host"] for r in outcome.refused()}, {foreign})
            self.assertEqual(len(outcome.requests()), 10)
            self.assertEqual({e["task"] for e in outcome.events()}, {outcome.events()[0]["task"]})
            self.assertEqual({d["host"] for d in outcome.record()["destinations"]["reached"]}, {own})
            self.assert_verifies(outcome, other if outcome is theirs else self.person)
        self.assertNotEqual(mine.stdout.splitlines()[-1], theirs.stdout.splitlines()[-1], "placeholders")
        seen = {host: {r["authorization"] for r in self.upstreams.nginx.seen(host)} for host in self.upstreams.names}
        self.assertEqual(seen["api.test"], {f"Bearer {self.upstreams.api_token}"})
        self.assertEqual(seen["stranger.test"], {"Bearer the-other-token"})

    def test_one_is_killed_and_the_other_goes_on(self):
        stays, _ = self.sleeper("stays", self.neighbour("api.test", self.upstreams.api_token))
        before = host_state.snapshot()
        victim, outcome = self.sleeper("victim")
        self.assertEqual(set(self.tasks()), {"stays", "victim"})
        self.assertEqual(self.tasks()["victim"]["pid"], victim.pid)
        victim.kill()
        victim.communicate(timeout=5)
        self.assertEqual(host_state.leftovers(before, seconds=2), [])
        self.assertEqual(set(self.tasks()), {"stays"})
        self.assertIsNone(stays.poll())
        self.assertEqual(outcome.events("task.end")[0]["cause"], "killed")
        self.assert_sound(outcome)

    def test_one_that_cannot_begin_does_not_disturb_the_other(self):
        self.sleeper("stays")
        broken = self.neighbour("api.test", "two\nlines")
        self.assert_exit(broken.run("/bin/true"), 125)
        self.give(broken, "api.test", "long-enough")
        self.assert_exit(broken.run("/no/such/program"), 127)
        self.assert_exit(self.neighbour("api.test", "long-enough").run("/bin/true", options=("--task", "stays")), 125)
        self.assertEqual(set(self.tasks()), {"stays"})
        again = self.person.run("/usr/bin/curl", "-s", "https://api.test/token/x")
        self.assertEqual(again.stdout, "issue 1: open\n", str(again))

    def test_one_that_opens_many_connections_leaves_the_other_its_own(self):
        hog = self.neighbour("api.test", self.upstreams.api_token)
        source = ("import socket, time\nheld = []\nfor _ in range(600):\n"
                  "    held.append(socket.create_connection(('198.18.0.1', 3128)))\n"
                  "open('done', 'w').close()\ntime.sleep(600)")
        process, _ = hog.start(PYTHON, "-c", source)
        self.addCleanup(end, process)
        self.assertTrue(wait_for(lambda: (hog.work / "done").exists()))
        served = self.person.run("/usr/bin/curl", "-s", "https://api.test/token/x")
        self.assertEqual(served.stdout, "issue 1: open\n", str(served))


class Leases(Shared):
    def leases(self, status=0):
        listed = self.person.aduana("ps", "--leases", "--json")
        self.assertEqual(listed.returncode, status, listed.stdout + listed.stderr)
        return {row["task"]: row for row in json.loads(listed.stdout)}, listed.stderr

    def test_of_all_tasks_are_listed_by_name_for_as_long_as_they_are_live(self):
        self.assertEqual(self.leases()[0], {})
        process, outcome = self.sleeper("build")
        self.sleeper("other", self.neighbour("api.test", "the-other-token"))
        issued = outcome.events("lease.issue")[0]
        rows, _ = self.leases()
        self.assertEqual(set(rows), {"build", "other"})
        self.assertEqual(set(rows["build"]), {"task", "credential", "lease", "issued", "ends", "uses_left"})
        self.assertEqual(rows["build"]["credential"], "secret")
        self.assertEqual(rows["build"]["lease"], issued["lease"])
        self.assertEqual(rows["build"]["issued"], issued["time"])
        self.assertEqual(rows["build"]["uses_left"], issued["uses"] - 1)
        self.assertNotEqual(rows["build"]["lease"], rows["other"]["lease"])
        table = self.person.aduana("ps", "--leases").stdout
        self.assertEqual([line.split()[:3] for line in table.splitlines()],
                         [["TASK", "CREDENTIAL", "LEASE"], *([n, "secret", rows[n]["lease"]] for n in rows)])
        self.assertNotIn(self.upstreams.api_token, table)
        process.terminate()
        process.communicate(timeout=20)
        self.assertEqual(set(self.leases()[0]), {"other"})

    def test_whose_journal_cannot_be_read_are_named_and_the_others_listed(self):
        _, outcome = self.sleeper("build")
        self.sleeper("other", self.neighbour("api.test", "the-other-token"))
        journal = next(outcome.journal.glob("*.jsonl"))
        journal.rename(journal.with_suffix(".away"))
        rows, told = self.leases(status=1)
        self.assertEqual(set(rows), {"other"})
        self.assertIn("the leases of the task build are not known: cannot read " + str(journal), told)


class Detach(Shared):
    def test_ends_the_task_of_that_name(self):
        process, outcome = self.sleeper("build")
        detached = self.person.aduana("detach", "build")
        self.assertEqual(detached.returncode, 0, detached.stderr)
        self.assertEqual(self.tasks(), {})
        self.assertIn("aduana detach", process.communicate(timeout=5)[1])
        self.assertEqual(process.returncode, 137)
        self.assertEqual(outcome.record()["exit"], {"status": 137, "cause": "detached"})
        self.assert_sound(outcome)

    def test_says_that_there_is_none(self):
        detached = self.person.aduana("detach", "build")
        self.assertEqual(detached.returncode, 1)
        self.assertIn("no task of the name build", detached.stderr)

    def test_ends_listeners_of_this_machine_too(self):
        listening = Listening(self.person, "--task", "sidecar")
        self.addCleanup(listening.stop)
        self.assertEqual(listening.curl("https://api.test/token/x").stdout, "issue 1: open\n")
        place = listening.places("http")[0]
        self.assertEqual(set(self.tasks()), {"sidecar"})
        self.assertEqual(self.person.aduana("detach", "sidecar").returncode, 0)
        self.assertEqual(listening.process.wait(5), 0)
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(place)

    def test_ends_one_whose_aduana_does_not_listen(self):
        process, outcome = self.sleeper("stuck")
        process.send_signal(signal.SIGSTOP)
        try:
            self.assertEqual(self.person.aduana("detach", "stuck").returncode, 0)
            self.assertEqual(self.tasks(), {})
            self.assertTrue(wait_for(lambda: outcome.events("task.end")), "the proxy ends the journal itself")
        finally:
            process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(5), 137)
        self.assert_sound(outcome)


class TheEndOfServe(Shared):
    def one_end(self, end_it, status):
        process, outcome = self.sleeper("build")
        end_it()
        told = process.communicate(timeout=5)[1]
        self.assertEqual(process.returncode, 137, told)
        self.assertIn("the command was stopped", told)
        self.assertEqual(self.serving.stop(), status)
        self.assertEqual(host_state.processes(), [])
        self.assert_sound(outcome)
        self.assertEqual(len(outcome.events("task.end")), 1)
        return outcome

    def test_when_it_is_killed(self):
        self.one_end(self.serving.process.kill, -9)
        alone = self.person.run("/usr/bin/curl", "-s", "https://api.test/token/x")
        self.assertEqual(alone.stdout, "issue 1: open\n", "without it a run has a proxy of its own")
        self.assertEqual(self.person.aduana("ps").returncode, 1)
        self.serving = Serving(self.person)  # what the killed one has left is no obstacle
        self.assertEqual(self.tasks(), {})

    def test_when_its_proxy_is_killed(self):
        self.one_end(lambda: os.kill(self.serving.child("aduana-proxy"), signal.SIGKILL), 1)
        self.assertIn("the proxy ended", "".join(self.serving.lines))

    def test_when_its_broker_is_killed(self):
        self.one_end(lambda: os.kill(self.serving.child("aduana-broker"), signal.SIGKILL), 1)

    def test_when_it_is_told_to_stop(self):
        outcome = self.one_end(self.serving.process.terminate, 0)
        self.assertEqual(outcome.record()["exit"]["cause"], "detached")
        self.assertEqual(list(self.person.runtime.iterdir()), [])


class TheSocket(Shared):
    def test_is_root_s_alone_and_there_is_one(self):
        place = self.person.runtime / "serve.sock"
        self.assertEqual(place.stat().st_mode & 0o777, 0o600)
        second = self.person.aduana("serve")
        self.assertEqual(second.returncode, 1)
        self.assertIn("runs already", second.stderr)
        os.chmod(self.person.folder, 0o755)
        nobody = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", PYTHON, "-c",
                                 f"import socket; socket.socket(1, 5).connect('{place}')"], capture_output=True,
                                text=True, check=False)
        self.assertIn("PermissionError", nobody.stderr)

    def test_is_not_in_the_sandbox(self):
        outcome = self.person.run("/bin/true", options=("--ro", self.person.runtime))
        self.assert_exit(outcome, 125)


class ManyTasks(Shared):
    def test_at_once(self):
        people = [self.neighbour("api.test", self.upstreams.api_token) for _ in range(AT_A_TIME)]

        def begin(number):
            person = people[number % AT_A_TIME]
            folder = person.work / str(number)
            folder.mkdir()
            process, outcome = person.start("/bin/sh", "-c", ASK_AND_SLEEP,
                                            options=("--task", f"t{number}", "--workdir", folder, "--limit",
                                                     "disk=16MiB"))
            self.addCleanup(end, process)
            return process, outcome, wait_for(lambda: (folder / "done").exists(), 120)

        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as starters:
            started = list(starters.map(begin, range(TASKS)))
        print(f"\n{TASKS} tasks began in {time.monotonic() - began:.1f} s", flush=True)
        self.assertEqual([(n, *fate(process)) for n, (process, _, done) in enumerate(started) if not done], [])
        self.assertEqual(len(self.tasks()), TASKS)
        self.assertEqual({r["authorization"] for r in self.upstreams.nginx.seen("api.test")},
                         {f"Bearer {self.upstreams.api_token}"})
        began = time.monotonic()
        self.assertEqual(self.serving.stop(), 0)
        for process, outcome, _ in started:
            self.assertEqual(process.wait(60), 137)
            self.assertEqual([r["reason"] for r in outcome.requests()], ["allowed"])
        print(f"and ended in {time.monotonic() - began:.1f} s", flush=True)
        journals = [file for _, outcome, _ in started for file in outcome.journal.glob("*.jsonl")]
        for person in people:
            own = [file for file in journals if person.folder in file.parents]
            verified = person.aduana("audit", "verify", "--public-key", person.public_key, *own)
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def fate(process):
    """What became of a run that did not do its work: its exit status (None: it hung) and what it said."""
    status = process.poll()
    process.kill()
    return status, *process.communicate()


def end(process):
    if process.poll() is None:
        process.kill()
    for stream in (process.stdout, process.stderr):
        stream.close()
    process.wait()


if __name__ == "__main__":
    main()
