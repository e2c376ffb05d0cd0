# SPDX-License-Identifier: Apache-2.0
"""An sshd of the tests with keys of its own, and a user `deploy` who may log in with the key that it gives out. Needs a
private machine (isolate.enter): the user is added to a copy of the system's files that is mounted over them."""

import os
import shutil
import subprocess
from pathlib import Path

from support.processes import Service

CONFIG = """
ListenAddress {address}:{port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin no
"""


class SshServer:
    user = "deploy"

    def __init__(self, folder, address="127.0.0.1", port=22):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.port = port
        for name in ("host_key", "user_key"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.folder / name]
            subprocess.run(command, check=True)
        shutil.copy(self.folder / "user_key.pub", self.folder / "authorized_keys")
        (self.folder / "config").write_text(CONFIG.format(address=address, port=port, folder=self.folder))
        self.add_user()
        Path("/run/sshd").mkdir(exist_ok=True)
        self.service = Service(["/usr/sbin/sshd", "-D", "-e", "-f", self.folder / "config"], self.folder / "log",
                               (address, port))

    def add_user(self):
        for path, line in (("/etc/passwd", f"{self.user}:x:61990:61990::{self.folder}:/bin/sh\n"),
                           ("/etc/shadow", f"{self.user}:*:20000:0:99999:7:::\n")):
            copy = self.folder / Path(path).name
            copy.write_text(Path(path).read_text() + line)
            os.chmod(copy, os.stat(path).st_mode)
            subprocess.run(["mount", "--bind", copy, path], check=True)

    def equip(self, work, *names):
        """Puts the user's key, and the host key under `names`, into a work folder; returns the options for ssh."""
        key, known = Path(work) / "id_deploy", Path(work) / "known_hosts"
        shutil.copy(self.folder / "user_key", key)
        key.chmod(0o600)
        public = (self.folder / "host_key.pub").read_text()
        known.write_text("".join(f"{name} {public}" for name in names))
        return ["-F", "none", "-i", str(key), "-o", f"UserKnownHostsFile={known}", "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=yes", "-l", self.user]

    def stop(self):
        self.service.stop()
