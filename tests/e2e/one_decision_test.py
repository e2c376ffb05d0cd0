#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kind of rule by every way into the proxy: the same decision, reason and rule in each, and the credential only
where CONNECT, SNI and Host all name the host that it is bound to."""

import json

from support.aduana import PYTHON, allow
from support.case import EndToEnd, main

HANDSHAKE = ["-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H", "Sec-WebSocket-Version: 13",
             "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
PROXY, TUNNEL, DIRECT = [], ["--proxytunnel"], ["--noproxy", "*"]
# By scheme: the way's name, and what makes curl take it. A WebSocket is asked for by GET only.
WAYS = {
    "https": {"connect-h1": [*PROXY, "--http1.1"], "connect-h2": [*PROXY, "--http2"],
              "transparent-h1": [*DIRECT, "--http1.1"], "transparent-h2": [*DIRECT, "--http2"]},
    "http": {"absolute-form": PROXY, "connect-plain": TUNNEL, "transparent": DIRECT,
             "connect-h2c": [*TUNNEL, "--http2-prior-knowledge"],
             "transparent-h2c": [*DIRECT, "--http2-prior-knowledge"]},
}
WEBSOCKET_WAYS = {
    "https": {"connect-websocket": [*PROXY, "--http1.1", *HANDSHAKE],
              "transparent-websocket": [*DIRECT, "--http1.1", *HANDSHAKE]},
    "http": {"connect-plain-websocket": [*TUNNEL, "--http1.1", *HANDSHAKE],
             "transparent-websocket": [*DIRECT, "--http1.1", *HANDSHAKE]},
}
# What is asked for (method, host with port, path), and what has to come of it (reason, rule).
CASES = {
    "host": ("GET", "site.test", "/pub/a", "allowed", "site"),
    "host-in-upper-case": ("GET", "SITE.test", "/pub/a", "allowed", "site"),
    "host-with-dot": ("GET", "site.test.", "/pub/a", "allowed", "site"),
    "unlisted-host": ("GET", "other.test", "/pub/a", "no-rule", None),
    "port": ("GET", "site.test:8444", "/pub/a", "port-not-allowed", "site"),
    "method": ("DELETE", "site.test", "/pub/a", "method-not-allowed", "site"),
    "path": ("GET", "site.test", "/private", "path-not-allowed", "site"),
    "ambiguous-path": ("GET", "site.test", "/pub/%2e%2e/private", "path-ambiguous", "site"),
    "deny": ("GET", "site.test", "/pub/admin/x", "denied-by-rule", "no-admin"),
    "deny-host": ("GET", "bad.test", "/", "denied-by-rule", "no-bad"),
}
RULES = """
  - {{name: site, hosts: [site.test], scheme: {scheme}, methods: [GET, PUT], paths: ["/pub/**"], websocket: true,
     addresses: [127.0.0.0/8]}}
  - {{name: bad, hosts: [bad.test], scheme: {scheme}, methods: [GET], addresses: [127.0.0.0/8]}}
deny:
  - {{name: no-admin, hosts: [site.test], paths: ["/pub/admin/**"]}}
  - {{name: no-bad, hosts: [bad.test]}}
"""
# A rule with a credential decides like any other; what it injects is the matter of the last test.
CREDENTIAL_CASES = {
    "credential": ("GET", "key.test", "/pub/a", "allowed", "key"),
    "credential-in-upper-case": ("GET", "KEY.test", "/pub/a", "allowed", "key"),
    "credential-method": ("DELETE", "key.test", "/pub/a", "method-not-allowed", "key"),
    "credential-path": ("GET", "key.test", "/private", "path-not-allowed", "key"),
}
CREDENTIAL_RULE = """
  - {{name: key, hosts: [key.test], scheme: {scheme}, methods: [GET], paths: ["/pub/**"], websocket: true,
     credential: key, addresses: [127.0.0.0/8]}}"""
# Bytes that are no HTTP: where they are sent (host, port), and what has to come of it.
RAW_CASES = {
    ("raw.test", 9000): ("allowed", "raw"),
    ("RAW.test.", 9000): ("allowed", "raw"),
    ("raw.test", 9001): ("port-not-allowed", "raw"),
    ("other.test", 9000): ("no-rule", None),
    ("bad.test", 9000): ("denied-by-rule", "no-bad"),
}
RAW_RULES = """
  - {name: raw, hosts: [raw.test], scheme: tcp, ports: [9000], addresses: [127.0.0.0/8]}
  - {name: bad, hosts: [bad.test], scheme: tcp, ports: [9000], addresses: [127.0.0.0/8]}
deny:
  - {name: no-bad, hosts: [bad.test]}
"""
# Runs in the sandbox: connects by CONNECT or straight to the name, says something, reads to the end.
RAW_CLIENT = """
import os, socket, sys, urllib.parse
way, host, port = sys.argv[1:]
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
there = (proxy.hostname, proxy.port) if way == "connect" else (host, int(port))
try:
    with socket.create_connection(there, timeout=20) as stream:
        if way == "connect":
            stream.sendall(f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n".encode())
            answer = stream.recv(65536)
            if not answer.startswith(b"HTTP/1.1 200"):
                sys.exit(0)
        stream.sendall(b"\\0hello\\n")
        while stream.recv(65536):
            pass
except ConnectionError:
    pass
"""
# Runs in the sandbox: stdin holds [[tag, curl's arguments], ...], four at a time.
CLIENT = """
import json, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def ask(probe):
    tag, arguments = probe
    done = subprocess.run(["curl", "-s", "--path-as-is", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}",
                           *arguments], capture_output=True, text=True)
    return [tag, done.returncode, done.stdout]
with ThreadPoolExecutor(4) as pool:
    for told in pool.map(ask, json.load(sys.stdin)):
        print(json.dumps(told))
"""
SPELLINGS = {"bound": "api.test", "open": "open.test", "stranger": "stranger.test", "upper": "API.TEST",
             "dot": "api.test.", "port": "api.test:443", "ip": "127.0.0.1"}
MEANS_BOUND = {"bound", "upper", "dot", "port"}
NO_OTHER = MEANS_BOUND | {"ip"}  # a URL with an address has no SNI: then CONNECT and Host are all that speaks


class OneDecision(EndToEnd):
    wanted = ("api",)

    def ask(self, probes):
        outcome = self.person.run(PYTHON, "-c", CLIENT, stdin=json.dumps(probes), timeout=600)
        self.assert_exit(outcome, 0)
        self.assert_sound(outcome)
        return outcome

    def records(self, outcome):
        """By the tag, which is the name of a query's parameter."""
        found = {}
        for record in outcome.requests():
            self.assertEqual(len(record["query_keys"]), 1, record)
            self.assertNotIn(record["query_keys"][0], found, "a request has one record")
            found[record["query_keys"][0]] = record
        return found

    def test_every_rule_decides_alike_by_every_way(self):
        self.person.operate(site_test="127.0.0.9", bad_test="127.0.0.9", key_test="127.0.0.9")
        self.person.bind(("key", "key.test", self.upstreams.api_token, "{bearer: {}}"))
        for scheme, ways in WAYS.items():
            # Without TLS there are no credentials: the loader refuses such a rule.
            secure = scheme == "https"
            self.person.allow(((CREDENTIAL_RULE if secure else "") + RULES).format(scheme=scheme))
            probes, expected = [], {}
            for case, (method, host, path, reason, rule) in {**CASES, **(CREDENTIAL_CASES if secure else {})}.items():
                both = {**ways, **(WEBSOCKET_WAYS[scheme] if method == "GET" else {})}
                for way, options in both.items():
                    tag = f"{case}_{way}"
                    probes.append([tag, [*options, "-X", method, f"{scheme}://{host}{path}?{tag}"]])
                    expected[tag] = (reason, rule)
            with self.subTest(scheme=scheme):
                records = self.records(self.ask(probes))
                # Nobody listens at that address: what is allowed is allowed, and then not reached.
                decided = {tag: ("allowed" if r["reason"] == "upstream-unreachable" else r["reason"], r["rule"] or None)
                           for tag, r in records.items()}
                self.assertEqual(decided, expected)

    def test_raw_tcp_decides_alike_by_both_ways(self):
        self.person.operate(raw_test="127.0.0.9", bad_test="127.0.0.9")
        self.person.allow(RAW_RULES)
        for (host, port), expected in RAW_CASES.items():
            for way in ("connect", "transparent"):
                with self.subTest(way=way, host=host, port=port):
                    outcome = self.person.run(PYTHON, "-c", RAW_CLIENT, way, host, str(port))
                    self.assert_exit(outcome, 0)
                    (record,) = outcome.requests() + outcome.events("tcp")
                    reached = record["reason"] in ("allowed", "upstream-unreachable")
                    decided = ("allowed" if reached else record["reason"], record["rule"] or None)
                    self.assertEqual((record["host"], record["port"]), (host.lower().rstrip("."), port), record)
                    self.assertEqual(decided, expected, record)
                    self.assert_sound(outcome)

    def test_the_credential_goes_only_where_every_name_agrees(self):
        self.person.operate(open_test="127.0.0.1")
        self.person.allow(allow("api", "api.test", "api", methods=["GET"]),
                          allow("open", "open.test", methods=["GET"]))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))
        probes = []
        for way in ("--http1.1", "--http2"):
            for connect, dialled in SPELLINGS.items():
                for sni, named in SPELLINGS.items():
                    for host, said in SPELLINGS.items():
                        tag = f"{way[2:].replace('.', '')}_{connect}_{sni}_{host}"
                        there = dialled.removesuffix(":443")
                        # The SNI and the certificate are of the URL's name; what is dialled is another matter.
                        probes.append([tag, [way, "-k", "--connect-to", f"::{there}:443", "-H", f"Host: {said}",
                                             f"https://{named}/echo?{tag}"]])
        self.ask(probes)
        seen = {r["uri"].partition("?")[2]: r for r in self.upstreams.nginx.seen()}
        with_token = {tag for tag, r in seen.items() if self.upstreams.api_token in r["authorization"]}
        agree = {f"{way}_{connect}_{sni}_{host}" for way in ("http11", "http2") for connect in MEANS_BOUND
                 for sni in NO_OTHER for host in MEANS_BOUND}
        self.assertEqual(with_token, agree)
        self.assertEqual({tag for tag, r in seen.items() if r["host"] != "open.test"}, agree)


if __name__ == "__main__":
    main()
