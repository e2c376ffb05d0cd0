#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From inside, as an attacker: nothing but the gateway can be reached. The same tries, run outside of any sandbox,
succeed: the control that shows that these tests would notice."""

import json
import socket
import subprocess
import unittest
from pathlib import Path

from support.aduana import PYTHON, allow
from support.case import EndToEnd, add_link, main
from support.witness import Witness

ATTACKS = Path(__file__).with_name("attacks.py").read_text()
UPLINK4, UPLINK6, BEYOND4, BEYOND6 = "10.77.0.1", "fd77::1", "10.77.0.9", "fd77::9"
METADATA = "169.254.169.254"
ENGINES = ["/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
           "/run/crio/crio.sock"]
LOOPBACK_SPELLINGS = ["127.0.0.1:8080", "127.1:8080", "0177.0.0.1:8080", "0x7f000001:8080", "2130706433:8080", "0:8080",
                      "[::1]:8080", "[::ffff:127.0.0.1]:8080", "[64:ff9b::7f00:1]:8080", "localhost:8080",
                      "localhost.localdomain:8080", f"{METADATA}:80", "0xa9fea9fe:80", f"[::ffff:{METADATA}]:80",
                      f"{UPLINK4}:8080", f"[{UPLINK6}]:8080"]

# Tries that work for root outside of a sandbox: (name, function, arguments...).
REACHABLE = [
    ("a service on the host's loopback", "tcp", "127.0.0.1", 8080),
    ("a service on the host's loopback, v6", "tcp", "::1", 8080),
    ("a service on an address of the host", "tcp", UPLINK4, 8080),
    ("a service on an address of the host, v6", "tcp", UPLINK6, 8080),
    ("the metadata service", "tcp", METADATA, 80),
    ("UDP to the host's loopback", "udp", "127.0.0.1", 9999),
    ("UDP to an address of the host", "udp", UPLINK4, 9999),
    ("UDP to an address of the host, v6", "udp", UPLINK6, 9999),
    ("UDP to the metadata service", "udp", METADATA, 9999),
    *[(f"the engine's socket {path}", "unix", path) for path in ENGINES],
    ("an abstract socket of the host", "unix", "@witness"),
    ("a raw packet", "raw_packet", BEYOND4),
    ("a whole frame", "frame_on", "uplink0"),
    ("a raw ICMP socket", "made", socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    ("a raw ICMPv6 socket", "made", socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
    ("a packet socket", "made", socket.AF_PACKET, socket.SOCK_DGRAM),
    ("somebody else's socket file", "socket_files"),
    ("processes of the host", "foreign_processes"),
    ("root or a capability", "power"),
    ("a user namespace of its own", "system_call", 272, 0x10000000),
]
# Tries that need the sandbox's proxy, or that not every kernel has.
INSIDE_ONLY = [
    *[(f"GET http://{t}/ of the proxy", "through_proxy", t, "GET") for t in LOOPBACK_SPELLINGS],
    *[(f"CONNECT {t} of the proxy", "through_proxy", t, "CONNECT") for t in LOOPBACK_SPELLINGS],
    ("a ping socket", "made", socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    ("a vsock", "made", 40, socket.SOCK_STREAM),
    ("io_uring", "system_call", 425, 1, 0),
    ("a multipath TCP socket", "made", socket.AF_INET, socket.SOCK_STREAM, 262),
    ("the link of the gateway, by frame", "frame_on", "eth0"),
    ("TCP beyond the host", "tcp", BEYOND4, 22),
    ("TCP beyond the host, v6", "tcp", BEYOND6, 22),
    ("another task", "tcp", "198.18.0.2", 7000),
    ("the gateway's own ports", "tcp", "198.18.0.1", 8080),
]


class NothingButTheGateway(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.witness = Witness()
        add_link("uplink0", f"{UPLINK4}/24")
        subprocess.run(["ip", "addr", "add", f"{UPLINK6}/64", "dev", "uplink0", "nodad"], check=True)
        subprocess.run(["ip", "addr", "add", f"{METADATA}/32", "dev", "lo"], check=True)
        subprocess.run(["ip", "route", "add", "default", "via", BEYOND4], check=True)
        for address in ("127.0.0.1", "::1", UPLINK4, UPLINK6):
            cls.witness.tcp(address, 8080)
        cls.witness.tcp(METADATA, 80)
        for address in ("127.0.0.1", UPLINK4, UPLINK6, METADATA):
            cls.witness.udp(address, 9999)
        for path in [p for p in ENGINES if p.startswith("/run")] + ["@witness"]:
            cls.witness.unix(path)
        cls.witness.link("uplink0")

    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test"))
        self.witness.hits.clear()

    def results(self, text):
        return {r["try"]: r for r in map(json.loads, text.splitlines())}

    def test_outside_of_a_sandbox_every_try_succeeds(self):
        done = subprocess.run([PYTHON, "-c", ATTACKS, self.witness.mark], input=json.dumps(REACHABLE),
                              capture_output=True, text=True, timeout=60)
        results = self.results(done.stdout)
        missed = [name for name, *_ in REACHABLE if not results[name]["reached"]]
        self.assertEqual(missed, [], done.stdout + done.stderr)
        self.assertTrue(self.witness.hits)

    def test_inside_none_does(self):
        plan = REACHABLE + INSIDE_ONLY
        outcome = self.person.run(PYTHON, "-c", ATTACKS, self.witness.mark, stdin=json.dumps(plan), timeout=300)
        self.assert_exit(outcome, 0)
        results = self.results(outcome.stdout)
        self.assertEqual(set(results), {name for name, *_ in plan})
        reached = {name: r["detail"] for name, r in results.items() if r["reached"]}
        # To everybody else MPTCP is TCP: the gateway is all that it reaches, so the socket itself is no way out.
        reached.pop("a multipath TCP socket", None)
        self.assertEqual(reached, {})
        self.assertEqual(self.witness.hits, [])
        for event in outcome.requests():
            self.assertEqual(event["decision"], "deny", event)

    def test_another_task_is_not_reached(self):
        listen = ("import socket; s = socket.create_server(('', 7000)); print('ready', flush=True); s.settimeout(8)\n"
                  "try:\n    s.accept(); print('REACHED')\nexcept TimeoutError:\n    print('quiet')")
        other, _ = self.person.start(PYTHON, "-c", listen)
        self.assertEqual(other.stdout.readline(), "ready\n")
        plan = [(f"{a}:7000", "tcp", a, 7000) for a in ("198.18.0.2", "198.18.0.1", "127.0.0.1", UPLINK4, "198.19.0.2")]
        outcome = self.person.run(PYTHON, "-c", ATTACKS, self.witness.mark, stdin=json.dumps(plan))
        self.assert_exit(outcome, 0)
        self.assertEqual(other.communicate(timeout=30)[0], "quiet\n")


if __name__ == "__main__":
    main()
