# SPDX-License-Identifier: Apache-2.0
"""A private certificate authority for names under .test, made with the openssl program."""

import subprocess
from pathlib import Path


class Authority:
    def __init__(self, folder, name="Test authority"):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.certificate = self.folder / "ca.pem"
        self.key = self.folder / "ca.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                      "-days", "2", "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE",
                      "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", self.key, "-out", self.certificate)

    def issue_client(self, name):
        """A certificate that its holder shows as a client; returns the paths of (chain, key)."""
        return self.issue(name, usage="clientAuth")

    def issue(self, *names, days=1, usage="serverAuth", alternative=True):
        """A certificate for all of `names` (host names or addresses); returns the paths of (chain, key). Without
        `alternative` it has the first name as its common name and no other, as was usual long ago."""
        stem = self.folder / names[0]
        request, chain, key, extensions = (stem.with_name(f"{names[0]}.{end}") for end in ("csr", "pem", "key", "ext"))
        kinds = ",".join(("IP:" if name.replace(".", "").isdigit() else "DNS:") + name for name in names)
        extensions.write_text((f"subjectAltName={kinds}\n" if alternative else "") +
                              f"basicConstraints=CA:FALSE\nextendedKeyUsage={usage}\n")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                      "-subj", f"/CN={names[0]}", "-keyout", key, "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                      "-days", str(days), "-extfile", extensions, "-out", chain)
        return chain, key

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
