#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gateway over IPv6: a program that dials a literal IPv6 address is answered and recorded as over IPv4, and
whatever else IPv6 brings along (datagrams, link-local, multicast) leads nowhere."""

import subprocess

from support.aduana import PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, add_link, main
from support.witness import Witness

FAR = "2001:db8::7"
UPLINK6 = "fd77::1"

DIALS = """
import socket
for port in (22, 25, 80, 443, 5432, 65535):
    s = socket.create_connection(("2001:db8::7", port), timeout=10)
    s.sendall(b"\\0\\0\\0\\0")
    try:
        print(port, s.recv(100))
    except ConnectionResetError:
        print(port, "reset")
"""

DATAGRAMS = """
import errno, socket
def told(what, *where):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.settimeout(1)
        try:
            s.connect(where)
            s.send(b"x")
            print(what, "answered", s.recv(100))
        except TimeoutError:
            print(what, "silence")
        except OSError as error:
            print(what, errno.errorcode.get(error.errno))
eth0 = socket.if_nametoindex("eth0")
told("far", "2001:db8::7", 9999)
told("quic", "2001:db8::7", 443)
told("uplink", "fd77::1", 9999)
told("gateway", "fd00::1", 9999)
told("every-node", "ff02::1", 9999, 0, eth0)
told("every-site", "ff05::2", 9999, 0, eth0)
told("mdns", "ff02::fb", 5353, 0, eth0)
"""

LINK_LOCAL = """
import socket
eth0 = socket.if_nametoindex("eth0")
for address in ("fe80::1", "fe80::a9fe:a9fe"):
    for port in (80, 8080, 53):
        s = socket.socket(socket.AF_INET6)
        s.settimeout(1)
        try:
            s.connect((address, port, 0, eth0))
            s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
            print(address, port, s.recv(20))
        except OSError as error:
            print(address, port, type(error).__name__)
"""


class OverIpv6(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.witness = Witness()
        add_link("uplink0", "10.77.0.1/24")
        subprocess.run(["ip", "addr", "add", f"{UPLINK6}/64", "dev", "uplink0", "nodad"], check=True)
        cls.witness.tcp(UPLINK6, 8080)
        cls.witness.udp(UPLINK6, 9999)
        cls.witness.link("uplink0")

    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test"))
        self.witness.hits.clear()

    def tearDown(self):
        self.assertEqual(self.witness.hits, [])

    def only(self, outcome):
        self.assertEqual(len(outcome.requests()), 1, str(outcome))
        return outcome.requests()[0]

    def test_any_port_of_a_literal_address_is_recorded(self):
        outcome = self.person.python(DIALS)
        self.assert_exit(outcome, 0)
        recorded = sorted((r["host"], r["port"], r["decision"]) for r in outcome.requests())
        self.assertEqual(recorded, [(FAR, port, "deny") for port in (22, 25, 80, 443, 5432, 65535)], str(outcome))

    def test_a_refusal_can_be_read_with_and_without_tls(self):
        for url in (f"http://[{FAR}]/", f"https://[{FAR}]/", f"http://[{FAR}]:8080/", f"https://[{FAR}]:8443/"):
            for how in ([], WITHOUT_PROXY):
                with self.subTest(url=url, proxy=not how):
                    outcome = self.person.run(*how, "/usr/bin/curl", "-s", "-g", "-m", "20", "-i", "--http1.1", url)
                    self.assert_exit(outcome, 0)
                    self.assertIn("403 Forbidden by Aduana: no-rule", outcome.stdout)
                    self.assertIn("Aduana-Decision: deny; reason=no-rule", outcome.stdout)
                    self.assertIn(FAR, outcome.stdout.split("\r\n\r\n")[-1])
                    record = self.only(outcome)
                    self.assertEqual((record["host"], record["reason"]), (FAR, "no-rule"), record)

    def test_an_address_that_a_rule_names_is_dialled(self):
        subprocess.run(["ip", "addr", "replace", "fd77::80/128", "dev", "lo"], check=True)
        server = subprocess.Popen([PYTHON, "-m", "http.server", "--bind", "fd77::80", "80"], cwd=self.person.files,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.person.allow("  - {name: six, hosts: [\"fd77::80\"], scheme: http, addresses: [\"fd77::80\"]}\n")
        outcome = self.person.run(*WITHOUT_PROXY, "/usr/bin/curl", "-s", "-g", "--retry", "5", "--retry-all-errors",
                                  "-f", "-o", "/dev/null", "-w", "%{http_code}", "http://[fd77::80]/")
        self.assertEqual(outcome.stdout[-3:], "200", str(outcome))
        self.assertEqual(outcome.requests()[-1]["upstream_ip"], "fd77::80")

    def test_the_proxy_and_the_name_server_are_there_as_well(self):
        ask = ("import socket; s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.settimeout(10)\n"
               "q = bytes.fromhex('abcd01000001000000000000') + b'\\x03api\\x04test\\0\\0\\1\\0\\1'\n"
               "for server in ('fd00::1', '2001:db8::53'):\n"
               "    s.sendto(q, (server, 53)); a, who = s.recvfrom(512); print(who[0], socket.inet_ntoa(a[-4:]))")
        outcome = self.person.python(ask)
        self.assertEqual(outcome.stdout, "fd00::1 198.19.0.1\n2001:db8::53 198.19.0.1\n", str(outcome))
        outcome = self.person.run("/usr/bin/curl", "-s", "-m", "20", "-g", "-x", "http://[fd00::1]:3128", "-o",
                                  "/dev/null", "-w", "%{http_code}", "http://stranger.test/")
        self.assertEqual((outcome.stdout, self.only(outcome)["host"]), ("403", "stranger.test"), str(outcome))

    def test_datagrams_lead_nowhere(self):
        outcome = self.person.python(DATAGRAMS)
        self.assert_exit(outcome, 0)
        told = dict(line.split(" ", 1) for line in outcome.stdout.splitlines())
        for what in ("far", "quic", "uplink", "gateway"):
            self.assertEqual(told[what], "ECONNREFUSED", str(outcome))
        self.assertFalse([what for what, how in told.items() if how.startswith("answered")], str(outcome))

    def test_link_local_addresses_lead_nowhere(self):
        outcome = self.person.python(LINK_LOCAL)
        self.assert_exit(outcome, 0)
        self.assertNotIn("200 OK", outcome.stdout)
        for record in outcome.requests():
            self.assertEqual(record["decision"], "deny", record)

    def test_a_machine_whose_ipv6_is_off(self):
        switch = "/proc/sys/net/ipv6/conf/all/disable_ipv6"
        subprocess.run(["sh", "-c", f"echo 1 > {switch}"], check=True)
        self.addCleanup(subprocess.run, ["sh", "-c", f"echo 0 > {switch}; ip addr add {UPLINK6}/64 dev uplink0 nodad;"
                                         "ip addr add ::1/128 dev lo; true"])
        outcome = self.person.run("/usr/bin/curl", "-s", "-m", "20", "https://api.test/open", "-o", "/dev/null", "-w",
                                  "%{http_code}")
        self.assert_exit(outcome, 0)
        dead = self.person.python("import socket\ntry: socket.create_connection(('2001:db8::7', 80), 5)\n"
                                  "except OSError: print('no way')")
        self.assertEqual(dead.stdout, "no way\n", str(dead))


if __name__ == "__main__":
    main()
