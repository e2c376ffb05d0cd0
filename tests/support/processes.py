# SPDX-License-Identifier: Apache-2.0
"""Programs that serve for the length of a test."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


class Service:
    """A program that is ready once `place` accepts, and is stopped by stop(). A place is (address, port) or the path of
    a socket."""

    def __init__(self, command, log, place, environment=None, patience=30):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            env={**CLEAN, **(environment or {})})
        deadline = time.monotonic() + patience
        while not answers(place):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{command[0]} did not start:\n{open(log, errors='replace').read()[-4000:]}")
            time.sleep(0.02)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def child_of(parent, name):
    """The number of the process with that name that `parent` has started."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        if f"({name})" in stat and int(stat.rsplit(")", 1)[1].split()[1]) == parent:
            return int(entry.name)
    raise LookupError(f"{parent} has started no {name}")


def named(name):
    """The numbers of all processes with that name that are alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            called, state = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if called == name[:15] and state.split()[0] not in "ZX":
            found.append(int(entry.name))
    return found


def fault(process):
    """Makes it crash where it waits, by putting zeros there, which are no instruction: the first process of a process
    namespace gets no signal that it does not ask for, and dies of its own mistakes alone."""
    counter = int(Path(f"/proc/{process}/syscall").read_text().split()[-1], 16)
    with open(f"/proc/{process}/mem", "r+b", buffering=0) as memory:
        memory.seek(counter - 4)
        memory.write(bytes(8))
    # It waits anew, and comes to them.
    os.kill(process, signal.SIGSTOP)
    os.kill(process, signal.SIGCONT)


def answers(place):
    family = socket.AF_INET if isinstance(place, tuple) else socket.AF_UNIX
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex(place if isinstance(place, tuple) else str(place)) == 0
