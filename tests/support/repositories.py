# SPDX-License-Identifier: Apache-2.0
"""What package managers and registry clients fetch from, as folders of files that nginx serves: one sample each for
apt, Go, Cargo, RubyGems, Maven, a container registry, an S3-like store and a forge's API. Without credentials: the
tests that use them are about trust, proxies and names."""

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path

from support.processes import CLEAN

FILES = "        location / {{ root {folder}; {more}}}"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"


class Repositories:
    """`sites` maps names ("apt" is served as apt.test) to bodies of nginx's server blocks."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.sites = {}
        for make in (apt, go, cargo, gem, maven, registry, s3):
            place = self.folder / make.__name__
            place.mkdir(parents=True)
            more = make(place) or ""
            self.sites[make.__name__] = FILES.format(folder=place, more=more)
        issue = json.dumps({"title": "issue 1: open"})
        self.sites["gh"] = f"        location /api/v3/ {{ default_type application/json; return 200 '{issue}'; }}"


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def apt(folder):
    """A flat repository of one empty package. Unsigned: its list entry says trusted=yes."""
    control = "Package: aduana-sample\nVersion: 1.0\nArchitecture: all\nMaintainer: Test <test@example.com>\n" \
              "Description: a sample\n"
    put(folder / "build/DEBIAN/control", control)
    subprocess.run(["dpkg-deb", "--build", folder / "build", folder / "sample.deb"], check=True, capture_output=True)
    package = (folder / "sample.deb").read_bytes()
    index = f"{control}Filename: ./sample.deb\nSize: {len(package)}\nSHA256: {sha256(package)}\n".encode()
    put(folder / "Packages", index)
    put(folder / "Release", f"Suite: test\nSHA256:\n {sha256(index)} {len(index)} Packages\n")


def go(folder):
    """A module proxy with example.test/sample v1.0.0."""
    versions = folder / "example.test/sample/@v"
    module = "module example.test/sample\n"
    put(versions / "list", "v1.0.0\n")
    put(versions / "v1.0.0.info", json.dumps({"Version": "v1.0.0", "Time": "2024-01-01T00:00:00Z"}))
    put(versions / "v1.0.0.mod", module)
    with zipfile.ZipFile(versions / "v1.0.0.zip", "w") as archive:
        archive.writestr("example.test/sample@v1.0.0/go.mod", module)
        archive.writestr("example.test/sample@v1.0.0/sample.go", "package sample\n\nconst Answer = 42\n")


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.encode()))
    return out.getvalue()


def cargo(folder):
    """A sparse registry with aduana-sample 1.0.0."""
    manifest = '[package]\nname = "aduana-sample"\nversion = "1.0.0"\n'
    crate = tar_of({"aduana-sample-1.0.0/Cargo.toml": manifest, "aduana-sample-1.0.0/src/lib.rs": ""})
    put(folder / "crates/aduana-sample/1.0.0/download", crate)
    put(folder / "index/config.json", json.dumps({"dl": "https://cargo.test/crates"}))
    entry = {"name": "aduana-sample", "vers": "1.0.0", "deps": [], "cksum": sha256(crate), "features": {},
             "yanked": False}
    put(folder / "index/ad/ua/aduana-sample", json.dumps(entry) + "\n")


def gem(folder):
    """An index with aduana-sample 1.0, made by the gem program itself."""
    put(folder / "sample.gemspec", "Gem::Specification.new { |s| s.name = 'aduana-sample'; s.version = '1.0'; "
                                   "s.summary = 'a sample'; s.authors = ['Test']; s.files = [] }\n")
    (folder / "gems").mkdir()
    for command in (["build", "-q", "sample.gemspec", "-o", "gems/aduana-sample-1.0.gem"],
                    ["generate_index", "-q", "-d", "."]):
        subprocess.run(["gem", *command], cwd=folder, check=True, capture_output=True,
                       env={**CLEAN, "HOME": str(folder)})


def maven(folder):
    """A repository with the parent of a project: what Maven must fetch before it knows what to do."""
    put(folder / "test/example/parent/1.0/parent-1.0.pom",
        "<project><modelVersion>4.0.0</modelVersion><groupId>test.example</groupId><artifactId>parent</artifactId>"
        "<version>1.0</version><packaging>pom</packaging></project>\n")


def registry(folder):
    """A container registry with sample:latest, an image of one empty layer."""
    layer = io.BytesIO()
    tarfile.open(fileobj=layer, mode="w").close()
    blobs = {"layer": gzip.compress(layer.getvalue(), mtime=0),
             "config": json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {
                 "type": "layers", "diff_ids": ["sha256:" + sha256(layer.getvalue())]}}).encode()}
    types = {"layer": "application/vnd.oci.image.layer.v1.tar+gzip",
             "config": "application/vnd.oci.image.config.v1+json"}
    described = {name: {"mediaType": types[name], "digest": "sha256:" + sha256(blob), "size": len(blob)}
                 for name, blob in blobs.items()}
    for name, blob in blobs.items():
        put(folder / "v2/sample/blobs" / described[name]["digest"], blob)
    manifest = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "config": described["config"],
                           "layers": [described["layer"]]})
    put(folder / "v2/sample/manifests/latest", manifest)
    put(folder / f"v2/sample/manifests/sha256:{sha256(manifest.encode())}", manifest)
    put(folder / "v2/index.html", "{}")
    return f"types {{ }} default_type {MANIFEST_TYPE}; "


def s3(folder):
    """One bucket; whoever asks for an object gets it."""
    put(folder / "bucket/issue.txt", "issue 1: open\n")
