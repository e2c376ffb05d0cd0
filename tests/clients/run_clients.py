#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inside the sandbox: runs the named clients of clients.toml one after another, with a line of JSON for each."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

PATIENCE = 60  # seconds; a JVM on a busy machine takes some


def run(name, client, programs):
    folder = Path(name.replace("/", "-").replace(" ", "-"))
    folder.mkdir()
    urls = [f"https://api.test/token/{folder}", f"http://plain.test/{folder}"]
    begun = time.monotonic()
    process = subprocess.Popen(["/bin/sh", "-c", f"programs={programs}\n{client['run']}", "sh", *urls], cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return {"name": name, "exit": process.returncode, "output": output.decode(errors="replace"),
            "seconds": time.monotonic() - begun}


def main():
    here = Path(__file__).parent
    clients = tomllib.loads((here / "clients.toml").read_text())
    for name in sys.argv[1:]:
        print(json.dumps(run(name, clients[name], here / "programs")), flush=True)


if __name__ == "__main__":
    main()
