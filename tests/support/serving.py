# SPDX-License-Identifier: Apache-2.0
"""`aduana serve` for the length of a test."""

import signal
import subprocess
import threading
import time

from support.aduana import programs


class Serving:
    """For the tasks of `person` (its runtime folder). Ready once the constructor returns."""

    def __init__(self, person, *options):
        self.person, self.lines, self.ready = person, [], threading.Event()
        self.process = subprocess.Popen([str(programs() / "aduana"), "serve", *options], env=person.environment(),
                                        cwd="/", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.ready.wait(20) or self.process.poll() is not None:
            self.stop()
            raise RuntimeError("aduana serve did not start:\n" + "".join(self.lines))
        for name in ("aduana-proxy", "aduana-broker"):
            while not self.children(name):  # forked, but not yet executed
                time.sleep(0.01)

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if "serves the tasks" in line:
                self.ready.set()
        self.ready.set()

    def child(self, name):
        """The pid of its aduana-proxy or aduana-broker."""
        return int(self.children(name)[0])

    def children(self, name):
        return subprocess.run(["pgrep", "-P", str(self.process.pid), name], capture_output=True, text=True,
                              check=False).stdout.split()

    def stop(self, number=signal.SIGTERM):
        """The exit status; `lines` then hold all that was said."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(20)
        self.reader.join(5)
        self.process.stderr.close()
        return status
