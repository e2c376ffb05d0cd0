#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`aduana listen`: a proxy for programs outside of a sandbox, started and stopped like any other."""

import os
import re
import signal
import socket
import subprocess
import unittest

from support import host_state
from support.aduana import allow
from support.case import EndToEnd, add_link, main
from support.listening import Listening


class Listen(EndToEnd):
    def setUp(self):
        super().setUp()
        self.person.allow(allow("api", "api.test", "api-token", methods=["GET"], paths=["/**"]))
        self.person.bind(("api-token", "api.test", self.upstreams.api_token, "{bearer: {}}",
                          '{env: [API_TOKEN], prefix: "ph_"}'))

    def listen(self, *options, **places):
        listening = Listening(self.person, *options, **places)
        self.addCleanup(listening.stop)
        return listening

    def test_a_program_with_the_variables_is_served_like_one_in_a_sandbox(self):
        listening = self.listen()
        self.assertEqual(listening.curl("https://api.test/token/x").stdout, "issue 1: open\n")
        self.assertIn('"reason":"no-rule"', listening.curl("https://stranger.test/").stdout)
        self.assertTrue(listening.variables()["API_TOKEN"].startswith("ph_"))
        for file in listening.files():
            self.assert_no_secret(file.read_text(), str(file))
        self.assertEqual(listening.stop(), 0, listening.outcome.stderr)
        self.assertIn("stranger.test", listening.outcome.stderr)
        self.assertEqual([r["reason"] for r in listening.outcome.requests()], ["allowed", "no-rule"])
        self.assertEqual(listening.outcome.record()["exit"], {"status": 0, "cause": "exited"})
        self.assert_sound(listening.outcome)

    def test_redirected_connections_are_served_for_the_name_that_they_ask_for(self):
        listening = self.listen(http=(), transparent=("127.0.0.1:8443",))
        self.assertEqual(listening.places("transparent"), [("127.0.0.1", 8443)])
        rules = "table ip listen_test { chain out { type nat hook output priority -100; " \
                "ip daddr 192.0.2.1 tcp dport 443 redirect to :8443; }; }"
        subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=True)
        self.addCleanup(subprocess.run, ["nft", "delete", "table", "ip", "listen_test"], check=True)
        add_link("beyond", "192.0.2.2/24")
        self.addCleanup(subprocess.run, ["ip", "link", "del", "beyond"], check=True)
        served = listening.curl("--resolve", "api.test:443:192.0.2.1", "https://api.test/token/x")
        self.assertEqual(served.stdout, "issue 1: open\n", served.stderr)
        refused = listening.curl("--resolve", "stranger.test:443:192.0.2.1", "https://stranger.test/")
        self.assertIn('"reason":"no-rule"', refused.stdout)

    def test_on_all_addresses_it_is_a_proxy_on_each(self):
        subprocess.run(["ip", "addr", "add", "10.77.0.1/32", "dev", "lo"], check=True)
        self.addCleanup(subprocess.run, ["ip", "addr", "del", "10.77.0.1/32", "dev", "lo"], check=True)
        listening = self.listen("--beyond-loopback", http=("0.0.0.0:0",))
        port = listening.places("http")[0][1]
        for address in ("127.0.0.1", "10.77.0.1"):
            served = listening.curl("-x", f"http://{address}:{port}", "https://api.test/token/x")
            self.assertEqual(served.stdout, "issue 1: open\n", address)

    def test_addresses_that_others_can_reach_have_to_be_meant(self):
        for option in ("--http", "--transparent"):
            done = self.person.aduana("listen", option, "0.0.0.0:3128", "--policy", self.person.policy)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--beyond-loopback", done.stderr)

    def test_what_cannot_work_is_said_and_nothing_stays(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        before = host_state.snapshot()
        for arguments, told, status in [
                ((), "no address", 2), (("--http", "localhost:1"), "ADDR:PORT", 2),
                (("--http", f"127.0.0.1:{taken.getsockname()[1]}"), "cannot listen on", 1),
                (("--http", "127.0.0.1:0", "--policy", "missing.yaml"), "missing.yaml", 1)]:
            with self.subTest(arguments=arguments):
                done = self.person.aduana("listen", *arguments)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(told, done.stderr)
        self.assertEqual(host_state.leftovers(before), [])
        self.assertEqual(self.person.aduana("listen", "--no-such-option").returncode, 2)

    def test_after_its_end_nothing_is_left(self):
        before = host_state.snapshot()
        for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -9)):
            with self.subTest(signal=number):
                listening = self.listen()
                listening.curl("https://api.test/token/x")
                place = listening.places("http")[0]
                folder = listening.files()[0].parent
                self.assertEqual(listening.stop(number), status)
                self.assertEqual(host_state.leftovers(before), [])
                self.assertFalse(folder.exists())
                with self.assertRaises(ConnectionRefusedError):
                    socket.create_connection(place)
                self.assert_sound(listening.outcome)

    def test_without_its_proxy_it_ends_with_1(self):
        listening = self.listen()
        children = subprocess.run(["pgrep", "-P", str(listening.process.pid), "aduana-proxy"], capture_output=True,
                                  text=True, check=True).stdout.split()
        os.kill(int(children[0]), signal.SIGKILL)
        self.assertEqual(listening.process.wait(10), 1)
        listening.stop()
        self.assertRegex(listening.outcome.stderr, re.compile("proxy ended"))
        self.assert_sound(listening.outcome)


if __name__ == "__main__":
    main()
