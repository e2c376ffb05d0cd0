# SPDX-License-Identifier: Apache-2.0
"""OpenStack Swift on loopback, one copy of everything, which speaks the protocol of S3 and verifies its signatures.

Needs a private mount namespace (isolate.enter): Swift reads /etc/swift.
"""

import subprocess
from pathlib import Path

from support.processes import CLEAN, Service

PORTS = {"object": 6010, "container": 6011, "account": 6012}

HASH = """
[swift-hash]
swift_hash_path_suffix = tests
swift_hash_path_prefix = tests
[storage-policy:0]
name = one
default = yes
"""

STORE = """
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = root
swift_dir = /etc/swift
devices = {folder}/devices
mount_check = false
log_address = {folder}/no-syslog
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""

PROXY = """
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = 8080
workers = 0
user = root
swift_dir = /etc/swift
log_address = {folder}/no-syslog
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth slo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:11211
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = {region}
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:slo]
use = egg:swift#slo
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
"""


class Swift:
    account, user, secret, region = "test", "tester", "a-secret-of-swift-5d20c7", "us-east-1"

    def __init__(self, folder):
        self.folder = Path(folder)
        settings = self.folder / "etc"
        (self.folder / "devices/one").mkdir(parents=True)
        settings.mkdir()
        subprocess.run(["mount", "--bind", settings, "/etc/swift"], check=True)
        (settings / "swift.conf").write_text(HASH)
        for kind, port in PORTS.items():
            self.make_ring(settings / f"{kind}.builder", port)
            (settings / f"{kind}.conf").write_text(STORE.format(kind=kind, port=port, folder=self.folder))
        (settings / "proxy.conf").write_text(PROXY.format(
            folder=self.folder, region=self.region, account=self.account, user=self.user, secret=self.secret))
        self.services = [Service(["memcached", "-u", "root", "-l", "127.0.0.1"], self.folder / "memcached.log",
                                 ("127.0.0.1", 11211))]
        for kind, port in [*PORTS.items(), ("proxy", 8080)]:
            self.services.append(Service([f"swift-{kind}-server", settings / f"{kind}.conf", "verbose"],
                                         self.folder / f"{kind}.log", ("127.0.0.1", port)))

    @staticmethod
    def make_ring(builder, port):
        for step in (["create", "4", "1", "1"], ["add", f"r1z1-127.0.0.1:{port}/one", "1"], ["rebalance"]):
            subprocess.run(["swift-ring-builder", builder, *step], check=True, capture_output=True, env=CLEAN)

    @property
    def key(self):
        """As the broker's file has it: id, secret."""
        return f"{self.account}:{self.user},{self.secret}"

    @property
    def site(self):
        """The body of a server block of nginx; the path and the Host go on as they came."""
        return """
        location / {
            proxy_pass http://127.0.0.1:8080;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_request_buffering off;
            proxy_buffering off;
        }
"""

    def stop(self):
        for service in reversed(self.services):
            service.stop()
