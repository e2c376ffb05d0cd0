# SPDX-License-Identifier: Apache-2.0
"""Two tasks at the same time, each with a host and a credential of its own: an attacker and a victim. What holds in
every test of them is checked at its end: no record, no request and no byte of one is the other's."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support import canary
from support.agent import Agent
from support.aduana import PYTHON, Person, allow
from support.arrivals import TUNNELLED, Arrivals
from support.case import EndToEnd
from support.deriving_server import CLIENT, SECRET, deriving
from support.deriving_server import NAMES as ISSUERS
from support.serving import Serving
from support.tls_server import TlsServer

PROGRAM = (Path(__file__).parents[1] / "e2e/neighbour.py").read_text()
ADDRESS, ISSUER = "127.0.0.5", "127.0.0.7"
NAMES = ("one.test", "two.test", "vault.test", "minted.test", "printed.test", "plain.test", "tunnel.test")
PROXY, BROKER, SANDBOX = 61901, 61902, 61903
OWN, THEIRS, PRINTED = "attackers-own-4d1f0c77", "victims-two-8be25a90", "victims-printed-1f6d33c2"
BOTH_MAY = allow("plain", "plain.test", scheme="http")
CREDENTIALS = """version: 1
credentials:
  two:
    source: {{file: {two}}}
    destinations: [{{hosts: [two.test, vault.test]}}]
    inject: {{bearer: {{}}}}
    placeholder: {{env: [TWO]}}
  idp:
    source: {{file: {client}}}
    destinations: [{{hosts: [idp.test]}}]
    inject: {{basic: {{user: {user}}}}}
    capture: [{{preset: oauth2, paths: [/victim/token], hosts: [calls.test]}}]
  minted:
    source:
      oauth2:
        token_url: "https://idp.test/token"
        client_id: {user}
        auth: {{client_secret_basic: {{secret: {{file: {client}}}}}}}
        grant: {{client_credentials: {{}}}}
    destinations: [{{hosts: [minted.test]}}]
    inject: {{bearer: {{}}}}
    issuer: {{addresses: [127.0.0.0/8]}}
  printed:
    source: {{exec: {{command: [/usr/bin/cat, {printed}]}}}}
    destinations: [{{hosts: [printed.test]}}]
    inject: {{bearer: {{}}}}
"""


class Neighbours(EndToEnd):
    wanted = ()
    shared = False    # whether one `aduana serve` serves both

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.arrivals = Arrivals(cls.upstreams.authority, ADDRESS, *NAMES)
        cls.addClassCleanup(cls.arrivals.stop)

    def setUp(self):
        super().setUp()
        self.arrivals.seen.clear()
        self.numbers, self.tasks = itertools.count(1), []
        handler = deriving()
        self.issuer = handler.state
        server = TlsServer(handler, self.upstreams.authority, ISSUER, *ISSUERS)
        self.addCleanup(server.stop)
        self.other = Person(self.upstreams)
        self.addCleanup(self.assert_no_trace, self.other)
        places = {name: ADDRESS for name in NAMES} | {name: ISSUER for name in ISSUERS}
        for person in (self.person, self.other):
            person.operate(**{name.replace(".", "_"): place for name, place in places.items()})
        self.give_the_attacker()
        self.give_the_victim()
        if self.shared:
            self.other.runtime.rmdir()
            self.other.runtime = self.person.runtime
            self.serving = Serving(self.person, "--config", str(self.person.operator))
            self.addCleanup(lambda: self.serving.stop())
        self.addCleanup(self.assert_apart)
        self.attacker, self.victim = self.begin(self.person, "attacker"), self.begin(self.other, "victim")

    def give_the_attacker(self):
        """It may reach some of the victim's hosts, too: without a credential, and not the one of the name vault."""
        self.person.allow(allow("one", "one.test", "one", methods=["GET", "POST"]),
                          allow("two", "two.test", methods=["GET", "POST"]),
                          allow("calls", "calls.test", methods=["GET"]), BOTH_MAY)
        self.person.bind(("one", "one.test", OWN, "{bearer: {}}", "{env: [ONE]}"))

    def give_the_victim(self):
        self.other.allow(allow("two", "two.test", "two", methods=["GET", "POST"]),
                         allow("vault", "vault.test", "two", methods=["GET"]),
                         allow("idp", "idp.test", "idp", methods=["POST"]),
                         allow("calls", "calls.test", methods=["GET"]),
                         allow("minted", "minted.test", "minted", methods=["GET"]),
                         allow("printed", "printed.test", "printed", methods=["GET"]),
                         allow("tunnel", "tunnel.test", scheme="tcp", ports=[TUNNELLED]), BOTH_MAY)
        # Nobody but root and the broker may come to what is printed.
        folder = Path(tempfile.mkdtemp(prefix="aduana-printed-", dir="/run"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        printed = folder / "value"
        printed.write_text(json.dumps({"value": PRINTED, "expires_in": 600}))
        for place in (folder, printed):
            os.chown(place, BROKER, BROKER)
        files = {"two": self.other.write("two", THEIRS), "client": self.other.write("client", SECRET)}
        self.other.credentials = self.other.write("credentials.yaml", CREDENTIALS.format(
            **files, user=CLIENT, printed=printed))
        for file in (*files.values(), self.other.credentials):
            file.chmod(0o600)

    def begin(self, person, name):
        task = Agent(person, PROGRAM, "--task", name)
        self.tasks.append((name, task))
        return task

    def secrets(self):
        """Whose secrets there are."""
        return {"attacker": [OWN], "victim": [THEIRS, PRINTED, SECRET, *self.issuer.handed_out()]}

    def assert_without(self, content, secrets, where):
        found = [secret for secret in secrets for spelling in canary.spellings(secret).values() if spelling in content]
        self.assertEqual(found, [], where)

    def assert_apart(self):
        """The targets of each task begin with its name; a refusal may have none."""
        for name, outcome in [(name, task.end()) for name, task in self.tasks]:
            self.assertEqual({event["task"] for event in outcome.events()}, {name}, str(outcome))
            strange = [r["path"] for r in outcome.requests() if r["path"] and not r["path"].startswith(f"/{name}")]
            self.assertEqual(strange, [], f"in the journal of the {name}")
        secrets = self.secrets()
        for arrival in self.arrivals.seen:
            other = "attacker" if arrival.target.startswith("/victim") else "victim"
            self.assert_without(arrival.everything(), secrets[other], arrival)
        for person in (self.person, self.other):
            self.assertEqual(canary.find(person, [*secrets["attacker"], *secrets["victim"]]), [])

    def on_host(self, *calls, user=None):
        """The same tries from outside of any sandbox: as root, or as somebody without rights. What came of each."""
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user is not None else []
        lines = "".join(json.dumps([function, arguments, {}]) + "\n" for function, *arguments in calls)
        done = subprocess.run([*become, PYTHON, "-c", PROGRAM], input=lines, capture_output=True, text=True, timeout=60,
                              cwd="/", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def assert_is(self, name, own, credential, **how):
        """Who asks `own` is `name`: the credential goes there, and nothing of it anywhere else."""
        task = self.attacker if name == "attacker" else self.victim
        target = f"/{name}/{next(self.numbers)}"
        answer = task.call("request", f"https://{own}{target}", **how)
        self.assertEqual(answer.get("status"), 200, answer)
        arrived, = self.arrivals.at(target)
        self.assertEqual(arrived.values("Authorization"), [f"Bearer {credential}"] if credential else [])
        return arrived

    def assert_still_the_attacker(self, **disguise):
        """Whatever it says that it is: its own credential at its own host, none at the victim's, and no way to what
        only the victim may reach."""
        arrived = [self.assert_is("attacker", "one.test", OWN, **disguise),
                   self.assert_is("attacker", "two.test", None, **disguise)]
        answer = self.attacker.call("request", "https://vault.test/attacker/vault", **disguise)
        self.assert_refused(answer, "no-rule")
        self.assertEqual(self.arrivals.at("/attacker/vault"), [])
        return arrived

    def assert_the_victim_is_served(self, **how):
        """The control: what the attacker does not get can be got."""
        for host in ("two.test", "vault.test"):
            self.assert_is("victim", host, THEIRS, **how)

    def assert_refused(self, answer, reason):
        self.assertEqual(answer.get("status"), 403, answer)
        self.assertEqual(json.loads(answer["body"])["reason"], reason)


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
