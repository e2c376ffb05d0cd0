# SPDX-License-Identifier: Apache-2.0
"""A pip "simple" index of one small wheel, as nginx serves it from files, behind basic authentication."""

import base64
import hashlib
import zipfile
from pathlib import Path

SITE = """
        location / {{
            auth_basic "packages";
            auth_basic_user_file {folder}/users;
            root {folder}/www;
            index index.html;
        }}
"""


class PipIndex:
    """Serves aduana-sample 1.0 at https://NAME/simple/."""

    user, password = "installer", "pip-password-beef"
    package, wheel = "aduana-sample", "aduana_sample-1.0-py3-none-any.whl"

    def __init__(self, folder):
        self.folder = Path(folder)
        pages = self.folder / "www/simple" / self.package
        pages.mkdir(parents=True)
        users = (self.user, "__token__")
        (self.folder / "users").write_text("".join(f"{user}:{{PLAIN}}{self.password}\n" for user in users))
        write_wheel(pages / self.wheel)
        digest = hashlib.sha256((pages / self.wheel).read_bytes()).hexdigest()
        (pages / "index.html").write_text(f'<!DOCTYPE html><a href="{self.wheel}#sha256={digest}">{self.wheel}</a>\n')
        (pages.parent / "index.html").write_text(f'<!DOCTYPE html><a href="{self.package}/">{self.package}</a>\n')
        self.site = SITE.format(folder=self.folder)

    def stop(self):
        """Files need no stopping."""


def write_wheel(path):
    files = {
        "aduana_sample.py": b"answer = 42\n",
        "aduana_sample-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: aduana-sample\nVersion: 1.0\n",
        "aduana_sample-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                                             b"Tag: py3-none-any\n",
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files["aduana_sample-1.0.dist-info/RECORD"] = (record + "aduana_sample-1.0.dist-info/RECORD,,\n").encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
