# SPDX-License-Identifier: Apache-2.0
"""A task that goes on for as long as a test wants, and does inside its sandbox what the test says."""

import json
import subprocess

from support.aduana import PYTHON, Outcome


class Agent:
    """A run of `person` whose command is `program`: Python that answers each line of its input with one line of JSON
    (tests/e2e/neighbour.py), and ends when there are no more."""

    def __init__(self, person, program, *options):
        line, journal, record = person.command_line([PYTHON, "-c", program], options)
        self.person, self.outcome = person, Outcome(-1, "", "", journal, record, line)
        # Not a pipe: nobody would read it in time.
        self.complaints = person.folder / f"complaints-{person.count}"
        with open(self.complaints, "w") as complaints:
            self.process = subprocess.Popen(line, cwd=person.work, env=person.environment(), stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=complaints, text=True)

    def call(self, function, *arguments, **named):
        self.begin(function, *arguments, **named)
        return self.answer()

    def begin(self, function, *arguments, **named):
        print(json.dumps([function, arguments, named]), file=self.process.stdin, flush=True)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the task has ended:\n{self.end()}")
        self.person.told.append(line)
        return json.loads(line)

    def end(self, kill=False):
        """What came of the run; `kill`: of its `aduana`, instead of waiting for the end of its command."""
        if self.process.stdin.closed:
            return self.outcome
        if kill:
            self.process.kill()
        self.process.stdin.close()
        self.outcome.exit = self.process.wait(60)
        self.process.stdout.close()
        self.outcome.stderr = self.complaints.read_text()
        self.person.told.append(self.outcome.stderr)
        return self.outcome
