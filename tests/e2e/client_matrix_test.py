#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every client of tests/clients/clients.toml works in a sandbox as it is, with the environment that the sandbox gives:
once with the proxy variables and once with all of them unset. What it must print needs the injected token.

ONLY=curl,git in the environment runs those alone."""

import json
import os
import subprocess
import sys
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.aduana import PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.http2_servers import GrpcServer
from support.npm_registry import installed_packages
from support.websocket_servers import PLACES, WebsocketServers

FOLDER = Path(__file__).resolve().parents[1] / "clients"
CLIENTS = tomllib.loads((FOLDER / "clients.toml").read_text())
CLIENTS = {name: client for name, client in CLIENTS.items() if name in os.environ.get("ONLY", name).split(",")}
WAYS = {"proxy": [], "direct": WITHOUT_PROXY}
GRPC_PLACE = "127.0.0.4"
BOTH_ANSWERS = ["issue 1: open", "plain: /"]
WITH_CREDENTIAL = ("api", "git", "npm", "pip")
MOUNTS = ["--ro", f"{FOLDER}:/srv/clients", "--ro", f"{installed_packages() / 'node_modules'}:/srv/node_modules"]


def is_installed(package):
    if package.startswith("npm:"):
        return (installed_packages() / "node_modules" / package.removeprefix("npm:")).exists()
    status = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", package], capture_output=True, text=True)
    return status.stdout.startswith("ii")


def clients_of(way):
    return [name for name, client in CLIENTS.items() if way in client.get("ways", WAYS)]


def print_table(results):
    """Seconds of each client: `results` maps (client, way) to what it left."""
    print(f"\n  {'client':27}" + "".join(f"{way:>9}" for way in WAYS), file=sys.stderr)
    for name in CLIENTS:
        times = (f"{results[name, way]['seconds']:7.1f} s" if (name, way) in results else f"{'-':>9}" for way in WAYS)
        print(f"  {name:27}{''.join(times)}", file=sys.stderr)


class ClientMatrix(EndToEnd):
    wanted = ("api", "git", "npm", "pip", "plain", "repositories")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        up = cls.upstreams
        cls.addClassCleanup(WebsocketServers(up.folder / "websockets", up.authority, up.api_token).stop)
        cls.addClassCleanup(GrpcServer(up.folder / "grpc", up.authority, GRPC_PLACE, up.api_token, "grpc.test").stop)

    def make_person(self):
        """One who may ask for everything that the clients ask for."""
        up = self.upstreams
        self.setUp()
        person = self.person
        person.operate(grpc_test=GRPC_PLACE, **{name.replace(".", "_"): place for name, place in PLACES.items()})
        person.bind(*((name, f"{name}.test", up.api_token, "{bearer: {}}") for name in ("node", "python", "grpc")),
                    ("api", "api.test", up.api_token, "{bearer: {}}"),
                    ("git", "git.test", up.git.password, f"{{basic: {{user: {up.git.user}}}}}"),
                    ("npm", "npm.test", up.npm.token, "{bearer: {}}"),
                    ("pip", "pip.test", up.pip.password, f"{{basic: {{user: {up.pip.user}}}}}"))
        person.allow(*(allow(name, f"{name}.test", name) for name in WITH_CREDENTIAL),
                     *(allow(name, f"{name}.test", methods=["GET", "HEAD"]) for name in up.repositories.sites),
                     *(allow(name, f"{name}.test", name, websocket=True) for name in ("node", "python")),
                     allow("grpc", "grpc.test", "grpc"), allow("plain", "plain.test", scheme="http"))
        return person

    def test_every_package_is_there(self):
        missing = {package for client in CLIENTS.values() for package in client["packages"]
                   if not is_installed(package)}
        self.assertEqual(missing, set(), "./dev test installs them")

    def test_every_client_works_both_ways(self):
        def run_all(person, way):
            return person.run(*WAYS[way], PYTHON, "-B", "/srv/clients/run_clients.py", *clients_of(way),
                              options=MOUNTS, timeout=900)

        people = [self.make_person() for _ in WAYS]
        with ThreadPoolExecutor(len(WAYS)) as pool:
            outcomes = dict(zip(WAYS, pool.map(run_all, people, WAYS)))
        results = {}
        for way, outcome in outcomes.items():
            self.assert_exit(outcome, 0)
            results |= {(result["name"], way): result for result in map(json.loads, outcome.stdout.splitlines())}
            self.assertEqual([name for name, of in results if of == way], clients_of(way))
            self.assert_no_secret(outcome.stdout, "what the clients printed")
            refused = [(r["host"], r["reason"], r["path"]) for r in outcome.refused()
                       if r["host"] in self.upstreams.names]
            self.assertEqual(refused, [], "a client asked for something that the policy does not allow")
        print_table(results)
        self.assertEqual({r["way_in"] for r in outcomes["direct"].requests()}, {"transparent"})
        for (name, way), result in results.items():
            with self.subTest(client=name, way=way):
                self.check(result, CLIENTS[name].get("prints", BOTH_ANSWERS))

    def check(self, result, expected):
        told = f"exit {result['exit']}, {result['seconds']:.1f} s\n{result['output']}"
        self.assertEqual(result["exit"], 0, told)
        for text in expected:
            self.assertIn(text, result["output"], told)


if __name__ == "__main__":
    main()
