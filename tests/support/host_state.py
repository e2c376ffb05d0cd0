# SPDX-License-Identifier: Apache-2.0
"""What a task could leave behind, as text that can be compared before and after."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from support.processes import CLEAN

PROGRAMS = ("aduana", "bwrap")


def snapshot():
    """Name of a part of the host -> its lines."""
    state = {
        "links": output("ip", "-o", "link"),
        "addresses": output("ip", "-o", "addr"),
        "routes": output("ip", "route", "show", "table", "all") + output("ip", "-6", "route", "show", "table", "all"),
        "rules": output("ip", "rule") + output("ip", "-6", "rule"),
        "mounts": [line.split(" ", 2)[2] for line in Path("/proc/self/mountinfo").read_text().splitlines()],
        "loop devices": loop_devices(),
        "cgroups": cgroups(),
        "processes": processes(),
    }
    if shutil.which("nft", path="/usr/sbin:/usr/bin"):
        state["nft"] = output("nft", "list", "ruleset")
    return state


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=CLEAN)
    return [line for line in done.stdout.splitlines() if line]


def loop_devices():
    return sorted(f"{p.parts[3]} {p.read_text().strip()}" for p in Path("/sys/block").glob("loop*/loop/backing_file"))


def cgroups():
    return sorted(folder for folder, _, _ in os.walk("/sys/fs/cgroup") if "aduana" in folder)


def processes():
    """Running programs of ours. In a private process namespace these can only be of this test."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name = (entry / "comm").read_text().strip()
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if name.startswith(PROGRAMS):
            found.append(f"{name} {line}".strip())
    return sorted(found)


def difference(before, after):
    """Readable lines of what came and what went; empty if nothing did."""
    lines = []
    for part in before:
        gone, come = list(before[part]), list(after[part])
        for line in before[part]:
            if line in come:
                come.remove(line)
                gone.remove(line)
        lines += [f"{part}: left behind: {line}" for line in come]
        if part != "cgroups":    # a task takes away what killed ones have left
            lines += [f"{part}: lost: {line}" for line in gone]
    return lines


def leftovers(before, seconds=2.0):
    """Waits until the host is as before, at most `seconds`; returns what still differs."""
    deadline = time.monotonic() + seconds
    while True:
        lines = difference(before, snapshot())
        if not lines or time.monotonic() > deadline:
            return lines
        time.sleep(0.05)
