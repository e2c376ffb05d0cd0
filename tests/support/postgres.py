# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL of the tests: one cluster in a folder, on loopback, without a socket file."""

import subprocess
from pathlib import Path

from support.processes import CLEAN, Service

VERSIONS = Path("/usr/lib/postgresql").glob("*/bin")
PROGRAMS = max(VERSIONS, key=lambda path: int(path.parent.name), default=Path("/missing"))
PSQL = PROGRAMS / "psql"  # the one in /usr/bin is a wrapper that looks for clusters
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]  # it refuses to run as root


class Postgres:
    def __init__(self, folder, address="127.0.0.1", port=5432):
        folder = Path(folder)
        folder.mkdir()
        subprocess.run(["chown", "postgres:", folder], check=True)
        data = folder / "data"
        subprocess.run([*AS_POSTGRES, PROGRAMS / "initdb", "-D", data, "-A", "trust", "-U", "app", "--no-sync",
                        "--encoding=UTF8", "--locale=C"], env=CLEAN, check=True, capture_output=True)
        settings = {"listen_addresses": address, "port": port, "unix_socket_directories": "", "fsync": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.service = Service([*AS_POSTGRES, PROGRAMS / "postgres", "-D", data, *options], folder / "log",
                               (address, port))

    def stop(self):
        self.service.stop()
