#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command shares with the one who watches it (the terminal, stderr, the group of processes) is no way to stop,
delay or silence it, nor to reach another task."""

import os
import pty
import signal
import subprocess

from support.aduana import PYTHON, Outcome, Person, allow
from support.case import EndToEnd, main

DEAF = """
import signal, socket, time
for number in (1, 2, 15):
    signal.signal(number, signal.SIG_IGN)
while True:
    try:
        socket.create_connection(("refused.test", 443), timeout=5).close()
    except OSError:
        pass
    time.sleep(0.2)
"""
WITHOUT_A_READER = "sleep 1; echo 'GET / HTTP/1.0' | timeout 10 openssl s_client -connect refused.test:443; exit 7"


class Shared(EndToEnd):
    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test", methods=["GET"]))

    def start_with(self, stderr, *command, options=()):
        line, journal, record = self.person.command_line(command, options)
        process = subprocess.Popen(line, cwd=self.person.work, env=self.person.environment(), stderr=stderr,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        return process, Outcome(-1, "", "", journal, record, line)

    def test_a_pipe_that_nobody_reads_holds_up_no_limit(self):
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        self.addCleanup(os.close, write)
        os.set_blocking(write, False)
        try:
            while True:
                os.write(write, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(write, True)
        process, outcome = self.start_with(write, PYTHON, "-c", DEAF, options=["--limit", "time=2s"])
        self.assertEqual(process.wait(60), 124)
        self.assertTrue(outcome.record())

    def test_a_terminal_that_was_stopped_holds_up_no_limit(self):
        primary, terminal = pty.openpty()
        self.addCleanup(os.close, primary)
        self.addCleanup(os.close, terminal)
        stop = "import termios; termios.tcflow(2, termios.TCOOFF)\n"
        process, outcome = self.start_with(terminal, PYTHON, "-c", stop + DEAF, options=["--limit", "time=2s"])
        self.assertEqual(process.wait(60), 124)
        self.assertTrue(outcome.record())

    def test_a_reader_that_goes_away_ends_nothing(self):
        read, write = os.pipe()
        process, outcome = self.start_with(write, "/bin/sh", "-c", WITHOUT_A_READER)
        os.close(write)
        os.close(read)
        self.assertEqual(process.wait(60), 7)
        self.assertEqual({r["host"] for r in outcome.refused()}, {"refused.test"})
        self.assertTrue(outcome.record())

    def test_a_signal_to_its_group_reaches_no_other_task(self):
        other = Person(self.upstreams)
        victim, _ = other.start("/bin/sh", "-c", "echo ready; while test ! -e go; do sleep 0.05; done; exit 5")
        self.addCleanup(victim.kill)
        self.assertEqual(victim.stdout.readline(), "ready\n")
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL):
            outcome = self.person.python(f"import os; os.kill(0, {int(number)})")
            self.assertEqual(outcome.exit, 128 + number, str(outcome))
        (other.work / "go").touch()
        self.assertEqual(victim.wait(60), 5)

    def on_a_terminal(self, *command):
        line, _, _ = self.person.command_line(command)
        process, primary = pty.fork()
        if process == 0:
            os.chdir(self.person.work)
            os.execve(line[0], line, self.person.environment())
        self.addCleanup(os.close, primary)
        return process, primary

    def read_until(self, primary, wanted):
        got = b""
        while wanted not in got:
            got += os.read(primary, 4096)

    def test_the_interrupt_of_a_terminal_is_for_the_command_and_what_it_started(self):
        child = "trap 'echo child caught; exit 0' INT; echo ready; while :; do sleep 0.05; done"
        process, primary = self.on_a_terminal("/bin/sh", "-c", f"trap : INT; /bin/sh -c \"{child}\"; exit 7")
        self.read_until(primary, b"ready")
        os.write(primary, b"\x03")
        self.read_until(primary, b"child caught")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 7)

    def test_the_stop_key_of_a_terminal_stops_nothing(self):
        process, primary = self.on_a_terminal("/bin/sh", "-c", "echo ready; read line; echo \"goes on with $line\"")
        self.read_until(primary, b"ready")
        os.write(primary, b"\x1a")
        os.write(primary, b"this\n")
        self.read_until(primary, b"goes on with this")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0)

    def test_the_command_has_no_say_in_who_has_the_terminal(self):
        seize = ("import os, signal, sys, time\nsignal.signal(signal.SIGTTOU, signal.SIG_IGN)\n"
                 "try: os.tcsetpgrp(0, os.getpgrp())\nexcept OSError: print('refused', flush=True)\n"
                 "print(os.isatty(0), flush=True)\nos.kill(0, signal.SIGTSTP)\n")
        process, primary = self.on_a_terminal(PYTHON, "-c", seize)
        self.read_until(primary, b"refused\r\nTrue")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0)


if __name__ == "__main__":
    main()
