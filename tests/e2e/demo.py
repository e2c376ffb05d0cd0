#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev demo`: one sandboxed command against a real nginx over TLS, told step by step. Each claim is checked; the exit
status is 0 only if all of them held."""

import sys
import textwrap

from support import isolate
from support.aduana import Person, allow
from support.upstreams import Upstreams

# What runs inside. Each step prints a line "## NAME", so that the story outside can be told from one run.
SEARCH = r"""
import os, re, sys
needle, found, seen = re.compile(bytes.fromhex(sys.argv[1])), [], 0
for top in ("/proc", "/etc", "/tmp", "/dev/shm", "/home", "/var", os.getcwd()):
    for folder, names, files in os.walk(top):
        for name in files:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read(1 << 20)
            except OSError:
                continue
            seen += 1
            found += [os.path.join(folder, name)] if needle.search(data) else []
print(seen, "files searched;", "found in " + " ".join(found) if found else "not found")
"""
INSIDE = """echo '## allowed'; curl -s -w ' (HTTP %{http_code})' https://api.test/token/issues
echo '## echo'; curl -s https://api.test/echo
echo '## environment'; env | sort
echo '## search'; python3 -c "$1" "$2"
echo '## refused'; curl -s -i -H 'Accept: application/json' https://stranger.test/
echo '## look-up'; getent ahostsv4 made-up-4e21.example.com
"""


STEPS = ["allowed", "echo", "environment", "search", "refused", "look-up"]


class Demo:
    """One run of one command, and the story of it."""

    def __init__(self, upstreams):
        self.upstreams, self.token = upstreams, upstreams.api_token
        self.person = Person(upstreams)
        self.failed = self.step = 0

    def tell(self, text):
        self.step += 1
        print(f"\n{self.step}. {text}")

    def show(self, text, most=14):
        lines = text.strip().splitlines()
        for line in lines[:most]:
            # A table keeps its rows; prose is folded.
            folded = [line[:190]] if "   " in line else textwrap.wrap(line, 110) or [""]
            print("     | " + "\n     |    ".join(folded))
        if len(lines) > most:
            print(f"     | ... {len(lines) - most} more lines")

    def check(self, claim, holds):
        print(f"   {'✓' if holds else '✗ NOT TRUE:'} {claim}")
        self.failed += not holds

    def play(self):
        self.one_command()
        if self.said.keys() != set(STEPS):
            self.show(str(self.outcome), most=40)
            return self.check("all steps of the command ran", False)
        self.allowed_call()
        self.secret_is_nowhere()
        self.refusal()
        self.look_up()
        self.journal()
        return self.task_record()

    def one_command(self):
        self.tell("A real nginx serves https://api.test and wants a token. Policy and operator's file:")
        self.person.allow(allow("issues", "api.test", "issues-api", methods=["GET"], paths=["/**"]))
        self.person.bind(("issues-api", "api.test", self.token, "{bearer: {}}",
                          '{env: [ISSUES_TOKEN], prefix: "iss_"}'))
        self.show(self.person.policy.read_text() + self.person.credentials.read_text(), most=20)
        self.tell("One command runs behind Aduana:")
        print("     | aduana run --policy policy.yaml --credentials credentials.yaml -- sh -c 'curl ...'")
        needle = self.token.encode().hex()
        self.outcome = self.person.run("/bin/sh", "-c", INSIDE, "inside", SEARCH, needle, options=["--verbose"])
        parts = [part.split("\n", 1) for part in self.outcome.stdout.split("## ")[1:]]
        self.said = {part[0]: part[1] for part in parts}
        self.check("its exit status is the command's own: 0", self.outcome.exit == 0)

    def allowed_call(self):
        answer = self.said["allowed"]
        self.tell("The allowed call was answered, though the command has no token:")
        self.show(answer)
        self.check("nginx saw the token and answered 200", "issue 1: open" in answer and "(HTTP 200)" in answer)

    def secret_is_nowhere(self):
        self.tell("The token is nowhere in the sandbox. Even nginx's echo of the request comes back without it:")
        self.show(self.said["echo"])
        self.show(self.said["search"])
        variables = self.said["environment"].splitlines()
        self.show("\n".join(line for line in variables if "TOKEN" in line or "PROXY" in line))
        echoed = [r for r in self.upstreams.nginx.seen() if r["uri"] == "/echo"]
        self.check("nginx did get it with that request", any(self.token in r["authorization"] for r in echoed))
        self.check("the command saw it in no answer and not in its environment", self.token not in self.outcome.stdout)
        self.check("no file of the sandbox holds it, /proc included", "not found" in self.said["search"])

    def refusal(self):
        self.tell("A host that no rule names is refused, in words:")
        self.show(self.said["refused"])
        self.check("403, with the reason in the head", "reason=no-rule" in self.said["refused"])
        self.check("that host never heard of it", not self.upstreams.nginx.seen("stranger.test"))
        self.show("\n".join(line for line in self.outcome.own_lines() if "refused" in line))
        told = [line for line in self.outcome.own_lines() if "stranger.test" in line]
        self.check("Aduana said so on the terminal, once", len(told) == 1)

    def look_up(self):
        answer = self.said["look-up"]
        self.tell("A look-up of a made-up name got an address that exists nowhere: the query ended in the gateway:")
        self.show(answer or "(nothing)", most=1)
        self.check("the answer is synthetic (198.19.0.0/16)", answer.startswith("198.19."))
        names = {event["name"] for event in self.outcome.events("dns")}
        self.check("the attempt is in the journal", "made-up-4e21.example.com" in names)

    def journal(self):
        self.tell("What came to the border, from `aduana audit show`:")
        place = ("--journal", self.outcome.journal)
        shown = self.person.aduana("audit", "show", *place)
        self.show(shown.stdout + shown.stderr, most=30)
        both = "api.test" in shown.stdout and "stranger.test" in shown.stdout
        self.check("it names the host reached and the host refused", shown.returncode == 0 and both)
        verified = self.person.aduana("audit", "verify", *place, "--public-key", self.person.public_key)
        self.show(verified.stdout + verified.stderr)
        self.check("the journal verifies with nothing but the public key", verified.returncode == 0)

    def task_record(self):
        self.tell("The signed task record, in short:")
        summary = [line for line in self.outcome.stderr.splitlines() if not line.startswith("aduana:")]
        self.show("\n".join(summary), most=30)
        text = str(self.outcome.record())
        self.check("it names the credential, and not its value", "issues-api" in text and self.token not in text)


def main():
    isolate.enter()
    print("Aduana demo: a command behind a customs post. It runs in namespaces of its own and is gone afterwards.")
    upstreams = Upstreams("api")
    demo = Demo(upstreams)
    try:
        demo.play()
    finally:
        upstreams.stop()
    print(f"\n{f'{demo.failed} claims did not hold.' if demo.failed else 'Every claim held.'}")
    return 1 if demo.failed else 0


if __name__ == "__main__":
    sys.exit(main())
