# SPDX-License-Identifier: Apache-2.0
"""A private machine for one test program: its own network, mounts and processes, so that servers can use the real
ports, a fake engine socket can stand in /run, and everything that a test forgot dies with it.

The cgroup tree and the loop devices are the only things of the host that are still shared (see host_state.py).
"""

import ctypes
import os
import signal
import subprocess
import sys

NEW_NET, NEW_MOUNTS, NEW_PIDS = 0x40000000, 0x00020000, 0x20000000
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def enter():
    """Returns inside the private machine, in a child process; the caller's original process waits and mirrors its end.

    Call it first in a program, before any thread is started.
    """
    if os.geteuid() != 0:
        print("SKIPPED: this test makes namespaces and needs root", file=sys.stderr)
        sys.exit(SKIPPED)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NET | NEW_MOUNTS | NEW_PIDS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    init = os.fork()
    if init:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(init, 0)[1]) & 0xFF)
    libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    test = os.fork()
    if test:
        reap_until(test)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def reap_until(child):
    """The init of the private machine: without it every orphan would stay as a zombie and look like a leftover."""
    while True:
        pid, status = os.wait()
        if pid == child:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
