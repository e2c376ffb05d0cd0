# SPDX-License-Identifier: Apache-2.0
"""Programs that serve for the length of a test."""

import socket
import subprocess
import time

CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


class Service:
    """A program that is ready once its `port` (or `socket` file) accepts, and is stopped by stop()."""

    def __init__(self, command, log, port=None, socket_file=None, environment=None, patience=30):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            env={**CLEAN, **(environment or {})})
        deadline = time.monotonic() + patience
        while not answers(port, socket_file):
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


def answers(port, socket_file):
    family, address = (socket.AF_UNIX, str(socket_file)) if socket_file else (socket.AF_INET, ("127.0.0.1", port))
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex(address) == 0
