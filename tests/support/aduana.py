# SPDX-License-Identifier: Apache-2.0
"""A person who runs aduana: a home folder that is nobody else's business, a work folder in it, the three files, and
what came of each run."""

import atexit
import base64
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from support.processes import CLEAN

UPPER = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
PROXY_VARIABLES = UPPER + [name.lower() for name in UPPER]
WITHOUT_PROXY = ["/usr/bin/env", *(part for name in PROXY_VARIABLES for part in ("-u", name))]
PYTHON, NODE, NPM, GIT, PIP = "/usr/bin/python3", "/usr/bin/node", "/usr/bin/npm", "/usr/bin/git", "/usr/bin/pip3"


def programs():
    """The folder of the built programs."""
    return Path(os.environ.get("ADUANA_BIN", Path(__file__).resolve().parents[2] / "build/release/bin"))


def allow(name, host, credential=None, **more):
    """One allow rule, as text. The test upstreams are on loopback, which only a rule that says so may dial."""
    lines = [f"  - name: {name}", f"    hosts: [{host}]", "    addresses: [127.0.0.0/8]"]
    lines += [f"    credential: {credential}"] if credential else []
    lines += [f"    {key}: {json.dumps(value)}" for key, value in more.items()]
    return "\n".join(lines) + "\n"


@dataclass
class Outcome:
    exit: int
    stdout: str
    stderr: str
    journal: Path
    record_file: Path
    started: list = field(default_factory=list)

    def events(self, kind=None):
        """The journal's lines, in order."""
        lines = [line for file in sorted(self.journal.glob("*.jsonl")) for line in file.read_text().splitlines()]
        return [event for event in map(json.loads, lines) if kind in (None, event["event"])]

    def requests(self, decision=None):
        return [r for r in self.events("request") if decision in (None, r["decision"])]

    def refused(self):
        return self.requests("deny")

    def record(self):
        """The predicate of the task record."""
        envelope = json.loads(self.record_file.read_text())
        return json.loads(base64.b64decode(envelope["payload"]))["predicate"]

    def own_lines(self):
        return [line for line in self.stderr.splitlines() if line.startswith("aduana:")]

    def __str__(self):
        command = " ".join(self.started)[-300:]
        return f"{command}\nexit {self.exit}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


class Person:
    """Everything of one person: `home` (0700), `work` below it, `state`, secrets and files."""

    def __init__(self, upstreams=None):
        self.folder = Path(tempfile.mkdtemp(prefix="aduana-person-", dir="/var/tmp"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.home, self.state, self.runtime = self.folder / "home", self.folder / "state", self.folder / "runtime"
        self.work = self.home / "work"
        self.files = self.folder / "files"
        for folder in (self.home, self.state, self.runtime, self.files):
            folder.mkdir(mode=0o700)
        self.work.mkdir()
        self.count = 0
        self.said, self.told = [], []    # all words of its commands, and all output of its runs
        self.policy = self.write("policy.yaml", "version: 1\n")
        self.credentials = None
        self.upstreams = upstreams
        self.operator = None
        self.operate()

    def operate(self, **hosts):
        """The operator's file: the test authority, and where names lead. More of them: dead_test="127.0.0.9"."""
        if self.upstreams:
            places = {name: "127.0.0.1" for name in self.upstreams.names}
            places.update((name.replace("_", "."), place) for name, place in hosts.items())
            lines = "".join(f"    {name}: [{place}]\n" for name, place in places.items())
            self.operator = self.write("aduana.yaml", "version: 1\nupstream:\n"
                                       f"  extra_ca: [{self.upstreams.authority.certificate}]\n  hosts:\n{lines}")

    def write(self, name, text):
        path = self.files / name
        path.write_text(text)
        return path

    def allow(self, *rules, rest=""):
        self.policy = self.write("policy.yaml", "version: 1\nallow:\n" + "".join(rules) + rest)

    def bind(self, *bindings):
        """Each binding: (name, host, secret, inject as YAML flow text[, placeholder as YAML flow text])."""
        text = "version: 1\ncredentials:\n"
        for name, host, secret, inject, *placeholder in bindings:
            source = self.write(f"secret-{name}", secret)
            source.chmod(0o600)
            text += f"  {name}:\n    source: {{file: {source}}}\n"
            text += f"    destinations: [{{hosts: [{host}]}}]\n    inject: {inject}\n"
            text += f"    placeholder: {placeholder[0]}\n" if placeholder else ""
        self.credentials = self.write("credentials.yaml", text)
        self.credentials.chmod(0o600)

    def environment(self):
        return {**CLEAN, "HOME": str(self.home), "ADUANA_STATE_DIR": str(self.state),
                "ADUANA_RUNTIME_DIR": str(self.runtime)}

    def command_line(self, command, options=()):
        """The whole command of a run, and where its journal and record go. What `options` give is not given twice."""
        self.count += 1
        self.said += map(str, command)
        usual = {"--policy": self.policy, "--credentials": self.credentials, "--config": self.operator,
                 "--journal": self.folder / f"journal-{self.count}",
                 "--record": self.folder / f"record-{self.count}.json"}
        given = [part for name, value in usual.items() if value and name not in options for part in (name, value)]
        line = [programs() / "aduana", "run", *given, *options, "--", *command]
        return [str(part) for part in line], usual["--journal"], usual["--record"]

    def run(self, *command, options=(), stdin="", timeout=120, environment=None):
        line, journal, record = self.command_line(command, options)
        done = subprocess.run(line, cwd=self.work, env={**self.environment(), **(environment or {})}, input=stdin,
                              capture_output=True, text=True, errors="replace", timeout=timeout)
        self.told += [done.stdout, done.stderr]
        return Outcome(done.returncode, done.stdout, done.stderr, journal, record, line)

    def start(self, *command, options=(), environment=None):
        """A run that goes on; returns (Popen, Outcome to be read later)."""
        line, journal, record = self.command_line(command, options)
        process = subprocess.Popen(line, cwd=self.work, env={**self.environment(), **(environment or {})},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return process, Outcome(-1, "", "", journal, record, line)

    def python(self, source, **more):
        """Runs Python source inside the sandbox."""
        return self.run(PYTHON, "-c", source, **more)

    def aduana(self, *arguments, timeout=60, **environment):
        """Any other subcommand."""
        return subprocess.run([str(programs() / "aduana"), *map(str, arguments)], cwd=self.work, text=True,
                              env={**self.environment(), **environment}, capture_output=True, timeout=timeout)

    @property
    def public_key(self):
        return self.state / "keys/installation.pub.pem"
