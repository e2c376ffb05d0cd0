# SPDX-License-Identifier: Apache-2.0
"""A real parent proxy that wants a password: tinyproxy, on an address of its own."""

import re
from pathlib import Path

from support.processes import Service

CONFIGURATION = """
User root
Group root
Listen {address}
Port {port}
Timeout 60
LogFile "{folder}/parent.log"
LogLevel Info
MaxClients 50
BasicAuth {user} {password}
ConnectPort 443
ConnectPort 80
Filter "{folder}/filter"
FilterType fnmatch
FilterDefaultDeny No
"""


class ParentProxy:
    user, password = "build", "parent-password-5d1e"

    def __init__(self, folder, address="127.0.0.77", port=3128, refuses=()):
        self.folder, self.host, self.port = Path(folder), address, port
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "filter").write_text("".join(f"{name}\n" for name in refuses))
        (self.folder / "parent.conf").write_text(CONFIGURATION.format(
            address=address, port=port, folder=self.folder, user=self.user, password=self.password))
        self.service = Service(["tinyproxy", "-d", "-c", self.folder / "parent.conf"], self.folder / "out.log",
                               (address, port))

    def log(self):
        return (self.folder / "parent.log").read_text(errors="replace")

    def asked(self):
        """What it was asked to open, in order: "host:port"."""
        return re.findall(r"Request \(.*?\): CONNECT (\S+) HTTP", self.log())

    def stop(self):
        self.service.stop()
