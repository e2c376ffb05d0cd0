# SPDX-License-Identifier: Apache-2.0
"""`aduana listen` as a service of a test: its addresses, its authority, its end."""

import re
import signal
import subprocess
import threading
from pathlib import Path

from support.aduana import Outcome, programs

ADDRESS = re.compile(r"aduana: task \S+ listens: (http|transparent) (\S+):(\d+)")
FILES = re.compile(r"certificate authority in (\S+), variables in (\S+)")


class Listening:
    """A task of `person` (policy, credentials, operator's file). Ready once the constructor returns."""

    def __init__(self, person, *options, http=("127.0.0.1:0",), transparent=()):
        _, journal, record = person.command_line([])
        given = {"--policy": person.policy, "--credentials": person.credentials, "--config": person.operator,
                 "--journal": journal, "--record": record}
        known = [part for pair in given.items() if pair[1] for part in pair]
        line = [programs() / "aduana", "listen", *known, *options]
        line += [part for place in http for part in ("--http", place)]
        line += [part for place in transparent for part in ("--transparent", place)]
        line = [str(part) for part in line]
        self.person, self.lines, self.ready = person, [], threading.Event()
        self.process = subprocess.Popen(line, cwd=person.work, env=person.environment(), stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.outcome = Outcome(-1, "", "", journal, record, line)
        if not self.ready.wait(20) or self.process.poll() is not None:
            self.stop()
            raise RuntimeError("aduana listen did not start:\n" + "".join(self.lines))

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if "is ready" in line:
                self.ready.set()
        self.ready.set()

    def places(self, kind):
        return [(match[2], int(match[3])) for match in map(ADDRESS.search, self.lines) if match and match[1] == kind]

    @property
    def proxy(self):
        address, port = self.places("http")[0]
        return f"http://{address}:{port}"

    def files(self):
        """(certificate authority, variables)"""
        found = next(match for match in map(FILES.search, self.lines) if match)
        return Path(found[1]), Path(found[2])

    def variables(self):
        return dict(line.split("=", 1) for line in self.files()[1].read_text().splitlines())

    def run(self, *command, timeout=30, **environment):
        """A program outside of any sandbox, with the variables that lead it here."""
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout,
                              env={"PATH": "/usr/bin:/bin", **self.variables(), **environment})

    def curl(self, *arguments, timeout=30, **environment):
        return self.run("curl", "-s", *arguments, timeout=timeout, **environment)

    def stop(self, number=signal.SIGTERM):
        """The exit status; `outcome` then holds what was said."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.outcome.exit = self.process.wait(20)
        self.reader.join(5)
        self.process.stderr.close()
        self.outcome.stderr = "".join(self.lines)
        return self.outcome.exit
