#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two tasks on one machine, once with a proxy each and once with one for both: by no address, token, socket, process,
header or placeholder does one of them pass for the other, or get anything of it, not even after its end."""

import base64
import http.client
import itertools
import json
import socket
import ssl
import subprocess
import time
from collections import Counter
from pathlib import Path

from support.aduana import PYTHON
from support.arrivals import TUNNELLED
from support.case import main
from support.deriving_server import CLIENT, SECRET
from support.neighbours import BROKER, OWN, PRINTED, PROXY, SANDBOX, THEIRS, Neighbours, basic
from support.processes import named

SERVICES = ("aduana-proxy", "aduana-broker", "aduana-courier", "aduana-runner")
FOREIGN = {"198.18.0.6": "198.18.0.1", "fd00::6": "fd00::1"}    # an address of nobody, and the proxy's
IDENTITY = ["X-Task-Id: victim", "X-Task: victim", "X-Aduana-Task: victim", "Aduana-Task: victim",
            "X-Egress-Task: victim", "X-Sandbox-Id: victim", "X-Vault: two", "X-Credential: two", "From: victim",
            "X-Real-Ip: 198.18.0.2", "X-Forwarded-For: 198.18.0.2", "X-Forwarded-User: victim", "X-Client-Ip: fd00::2",
            "Forwarded: for=198.18.0.2;by=victim", "Via: 1.1 victim"]
# HAProxy's, of version 1 and 2: "I speak for 198.18.0.2".
PREAMBLES = ["PROXY TCP4 198.18.0.2 198.18.0.1 40000 3128\r\n", "PROXY UNKNOWN\r\n",
             "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc6\x12\0\x02\xc6\x12\0\x01\x9c\x40\x0c\x38"]
MADE_UP = "EGP_" + "Z" * 26
FORM = "Content-Type: application/x-www-form-urlencoded"
# A process with whatever rights to look into it a process of the same user can have.
OPEN_TO_ITS_USER = """
import ctypes, sys
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)    # PR_SET_PTRACER, where Yama restricts ptrace
print(flush=True)
sys.stdin.read()
"""


class Attacks:
    """One test for each of the ways; mixed into both settings."""

    def test_a1_a_source_address_is_no_identity(self):
        own = self.attacker.call("addresses")
        self.assertEqual(own, self.victim.call("addresses"), "each is alone in a network of its own")
        self.assertIn("198.18.0.2", own)
        for address in own:
            how = {"source": address, "proxy": "fd00::1" if ":" in address else "198.18.0.1"}
            self.assert_still_the_attacker(**how)
            self.assert_the_victim_is_served(**how)
        self.assert_still_the_attacker(way="transparent")
        self.assert_the_victim_is_served(way="transparent")

    def test_a1_no_other_address_can_be_taken(self):
        raw = [(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP), (socket.AF_PACKET, socket.SOCK_RAW),
               (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)]
        for address, proxy in FOREIGN.items():
            self.assertEqual(self.attacker.call("bind", address), {"error": "EADDRNOTAVAIL"})
            self.assertEqual(self.attacker.call("add_address", address, "eth0"), {"error": "EPERM"})
            # That it is sent is everybody's right; that it is answered would be the proxy's mistake.
            answer = self.attacker.call("request", "https://one.test/attacker/free", source=address, proxy=proxy,
                                        free=True, patience=2)
            self.assertIn("error", answer)
            with_size = f"{address}/{128 if ':' in address else 32}"
            self.assertEqual(self.on_host(("add_address", with_size, "lo"), ("bind", address)), ["added", "bound"])
            subprocess.run(["ip", "address", "del", with_size, "dev", "lo"], check=True)
        for kind in raw:
            self.assertIn(self.attacker.call("made", *kind), ({"error": "EPERM"}, {"error": "EAFNOSUPPORT"}))
        self.assertEqual(self.attacker.call("transparent"), {"error": "EPERM"})
        self.assertEqual(self.on_host(*[("made", *kind) for kind in raw], ("transparent",)), ["made"] * 3 + ["set"])
        self.assertEqual(self.arrivals.seen, [])
        self.assert_the_victim_is_served()

    def test_a2_no_token_chooses_a_task(self):
        theirs = self.victim.call("from_environment", "TWO")
        names = [basic("victim", ""), basic("victim", "victim"), "Bearer victim"]
        placeholders = [basic("victim", theirs), basic(theirs, ""), f"Bearer {theirs}"]
        for claim in names + placeholders:
            self.assert_still_the_attacker(claims=[f"Proxy-Authorization: {claim}"])
        for claim in names:
            fields = [f"Proxy-Authorization: {claim}", "X-Arrives: as it is"]
            self.assert_still_the_attacker(fields=fields)
            answer = self.attacker.call("request", "http://plain.test/attacker/plain", fields=fields, way="absolute")
            self.assertEqual(answer["status"], 200)
        before = len(self.arrivals.seen)
        for claim in placeholders:
            answer = self.attacker.call("request", "https://two.test/attacker/a2",
                                        fields=[f"Proxy-Authorization: {claim}"])
            self.assert_refused(answer, "placeholder-foreign")
        self.assertEqual(len(self.arrivals.seen), before)
        self.assertEqual([a for a in self.arrivals.seen if a.values("Proxy-Authorization")], [])
        self.assertEqual(len([a for a in self.arrivals.seen if a.values("X-Arrives")]), 3 * len(names))
        self.assert_the_victim_is_served()

    def test_a3_no_socket_of_the_border_is_in_reach(self):
        seen = self.attacker.call("sockets")
        self.assertEqual((seen["files"], seen["names"]), ([], []))
        self.assertEqual(set(seen["descriptors"]), {"0", "1", "2"})
        self.assertEqual([link for link in seen["descriptors"].values() if link.startswith("socket:")], [])
        for name in {*self.named_sockets(), str(self.person.runtime / "serve.sock"), "/run/aduana/serve.sock"}:
            self.assertEqual(set(self.attacker.call("join", name).values()), {"ENOENT"}, name)
        own = str(self.person.work / "own")
        self.attacker.call("listen", own)
        self.attacker.call("listen", "\0own")
        seen = self.attacker.call("sockets")
        self.assertEqual((seen["files"], set(seen["names"])), ([own], {own, "@own"}), "the search finds what is there")
        self.assertEqual(self.attacker.call("join", own)["SOCK_STREAM"], "connected")
        self.assertEqual(self.attacker.call("join", "@own")["SOCK_STREAM"], "connected")
        self.assertEqual(self.victim.call("join", "@own")["SOCK_STREAM"], "ECONNREFUSED")

    def named_sockets(self):
        """Those of this machine that have a name."""
        rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
        return {row[7] for row in rows if len(row) > 7}

    def test_a4_no_process_of_the_border_is_seen_inside(self):
        self.use_every_credential()
        theirs = self.victim.call("from_environment", "TWO")
        others = self.attacker.call("visible")
        self.assertEqual({other["name"] for other in others.values()} & {s[:15] for s in SERVICES}, set())
        for pid, other in others.items():
            text = base64.b64decode(other["text"])
            self.assert_without(text, [OWN, THEIRS, PRINTED, SECRET, *self.issuer.handed_out(), theirs], pid)
        outside = [pid for service in SERVICES for pid in named(service) if str(pid) not in others]
        self.assertTrue(outside)
        for way, told in self.attacker.call("pry", outside).items():
            self.assertLessEqual(set(told.values()), {"ENOENT", "ESRCH"}, way)
        # Of the one that is seen, and was started by the border, nothing of its memory or descriptors.
        first = {way: told["1"] for way, told in self.attacker.call("pry", [1]).items()}
        for way in ("memory", "traced", "read_by_call", "taken_descriptor"):
            self.assertNotEqual(first[way], "reached", way)

    def test_a4_no_process_of_the_border_is_open_to_a_user_of_this_machine(self):
        self.use_every_credential()
        services = {str(pid): service for service in SERVICES for pid in named(service)}
        self.assertEqual(set(services.values()), set(SERVICES))
        become = ["setpriv", f"--reuid={BROKER}", f"--regid={BROKER}", "--clear-groups"]
        with subprocess.Popen([*become, PYTHON, "-c", OPEN_TO_ITS_USER], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as control:
            control.stdout.readline()
            open_to_it, = self.on_host(("pry", [control.pid]), user=BROKER)
            control.stdin.close()
        for way, told in open_to_it.items():
            self.assertEqual(set(told.values()), {"reached"}, f"{way} of a process that hides nothing")
        for user in (SANDBOX, PROXY, BROKER):
            ways, = self.on_host(("pry", list(services)), user=user)
            for way, told in ways.items():
                found = [services[pid] for pid, result in told.items() if result not in ("EPERM", "EACCES")]
                self.assertEqual(found, [], f"{way}, by the user {user}")
        self.assert_the_victim_is_served()

    def use_every_credential(self):
        for host, value in (("two.test", THEIRS), ("printed.test", PRINTED)):
            self.assert_is("victim", host, value)
        self.assertEqual(self.victim.call("request", "https://minted.test/victim/minted")["status"], 200)
        minted, = self.arrivals.at("/victim/minted")
        self.assertIn(minted.values("Authorization")[0].removeprefix("Bearer "), self.issuer.access)

    def test_a5_no_channel_asks_who_has_a_process_number(self):
        """The proxy's and the broker's channels were inherited and have no name: there is nothing that somebody could
        come to in another's place. The one socket that has a name asks for a user, at the moment of connecting."""
        place = self.person.runtime / "serve.sock"
        self.assertEqual(self.named_sockets(), {str(place)} if self.shared else set())
        if not self.shared:
            return
        times = 25
        self.assertEqual(self.on_host(("ask_serve", str(place), times)), [times], "root is told")
        self.assertEqual(self.on_host(("ask_serve", str(place), 1), user=SANDBOX), [0])
        place.parent.chmod(0o755)
        place.chmod(0o666)
        for user in (SANDBOX, PROXY, BROKER):
            joined, told = self.on_host(("join", str(place)), ("ask_serve", str(place), times), user=user)
            self.assertIn("connected", joined.values())
            self.assertEqual(told, 0, f"the user {user} comes in, and is told nothing")

    def test_a6_no_field_of_a_request_is_an_identity(self):
        for way in ("connect", "transparent"):
            claims = {"claims": IDENTITY} if way == "connect" else {}
            for arrived in self.assert_still_the_attacker(fields=IDENTITY, way=way, **claims):
                self.assertEqual(arrived.values("Aduana-Task"), [])
                self.assertEqual(arrived.values("X-Task-Id"), ["victim"], "what is nothing to the proxy passes")
        self.assert_the_victim_is_served()

    def test_a6_a_preamble_is_a_malformed_request(self):
        tries = [(way, url) for way, url in (
            ("connect", "https://vault.test/attacker/a6"), ("connect", "https://one.test/attacker/a6"),
            ("absolute", "http://plain.test/attacker/a6"), ("transparent", "http://plain.test/attacker/a6"),
            ("transparent", "https://one.test/attacker/a6"))]
        for (way, url), preamble in itertools.product(tries, PREAMBLES):
            with self.subTest(way=way, url=url, preamble=preamble):
                answer = self.attacker.call("request", url, way=way, before=preamble)
                self.assertTrue("error" in answer or answer["status"] == 400, answer)
        self.assertEqual(self.arrivals.seen, [])
        for way, url in tries[1:]:
            self.assertEqual(self.attacker.call("request", url, way=way)["status"], 200, "the control")
        reasons = Counter(r["reason"] for r in self.attacker.end().refused())
        self.assertLessEqual(set(reasons), {"framing-invalid", "protocol-unknown"})
        self.assertEqual(reasons.total(), len(tries) * len(PREAMBLES))

    def test_a7_a_placeholder_of_another_task_is_an_alarm(self):
        theirs = self.victim.call("from_environment", "TWO")
        encoded = "".join(f"%{ord(c):02X}" for c in theirs)
        refusals, count = {}, 0
        for host, held in itertools.product(("one.test", "two.test"), (theirs, MADE_UP, encoded)):
            for where, what in {
                    f"path?{held}": {}, "query": {}, "bearer": {"fields": [f"Authorization: Bearer {held}"]},
                    "head": {"fields": [f"X-Any: {held}"]},
                    "password": {"fields": [f"Authorization: {basic('a', held)}"]},
                    "user": {"fields": [f"Authorization: {basic(held, 'a')}"]}}.items():
                tail = {"query": f"query?key={held}"}.get(where, where.replace("path?", "path/"))
                answer = self.attacker.call("request", f"https://{host}/attacker/{tail}", **what)
                count += 1
                with self.subTest(host=host, where=where):
                    self.assert_refused(answer, "placeholder-foreign")
                refusals.setdefault((host, where.split("?")[0]), set()).add(without_numbers(answer["body"], held))
        self.assertEqual(self.arrivals.seen, [])
        for where, told in refusals.items():
            self.assertEqual(len(told), 1, f"one that exists is refused as one that does not: {where}")
        for host in ("one.test", "two.test"):
            answer = self.attacker.call("request", f"https://{host}/attacker/body", method="POST", body=f"key={theirs}")
            self.assertEqual(answer["status"], 200)
            self.assertEqual(self.arrivals.seen[-1].body.decode(), f"key={theirs}", "nothing replaces it")
        alarms = self.attacker.end().events("placeholder")
        self.assertEqual([e["alarm"] for e in alarms], ["of another task"] * (count + 2))
        answer = self.victim.call("request", "https://two.test/victim/own", fields=[f"Authorization: Bearer {theirs}"])
        self.assertEqual(answer["status"], 200)
        self.assertEqual(self.arrivals.seen[-1].values("Authorization"), [f"Bearer {THEIRS}"], "in its own task")

    def test_a7_a_placeholder_cannot_be_guessed(self):
        again = [self.person.run("/usr/bin/printenv", "ONE").stdout.strip() for _ in range(3)]
        seen = [self.victim.call("from_environment", "TWO"), self.attacker.call("from_environment", "ONE"), *again]
        size = 26    # of base32: 130 bits
        for one in seen:
            self.assertRegex(one, f"^EGP_[A-Z2-7]{{{size}}}$")
        cores = [one.removeprefix("EGP_") for one in seen]
        # By chance, once in a million runs of this test.
        runs = Counter(run for core in cores for run in {core[at:at + 7] for at in range(size - 6)})
        self.assertEqual([run for run, times in runs.items() if times > 1], [])

    def at_each_end(self, check):
        """`check` is given what ends the victim, once as its command does, and once by kill -9; and a number."""
        for kill in (False, True):
            with self.subTest(kill=kill):
                check(lambda: self.victim.end(kill), int(kill))
            if not kill:
                self.attacker.end()
                self.victim.end()
                self.attacker, self.victim = self.begin(self.person, "attacker"), self.begin(self.other, "victim")

    def test_a8_connections_end_with_their_task(self):
        self.at_each_end(self.connections_end)

    def connections_end(self, end, number):
        kept, raw, begun = self.handed_out_connections(number)
        end()
        self.assertTrue(wait_for(lambda: not self.arrivals.open), "the servers see the end of theirs")
        before = len(self.arrivals.seen)
        self.assertIsNone(ask(kept, "plain.test", "http://plain.test/victim/late"))
        self.assertIsNone(ask(raw, "tunnel.test", "/victim/late"))
        self.assertIsNone(ask_in_tls(begun, "two.test", "/victim/late"))
        self.assertEqual(self.attacker.call("request", "https://one.test/attacker/after")["status"], 200)
        self.assertEqual([arrival.target for arrival in self.arrivals.seen[before:]], ["/attacker/after"])

    def handed_out_connections(self, number):
        """Of the victim, in our hands: one for http:// that has served, a raw tunnel, a CONNECT with nothing in it."""
        names, plain = ["kept", "raw", "begun", "tried"], "http://plain.test/victim/kept"
        self.victim.call("hold", "kept", plain, way="absolute")
        self.assertEqual(self.victim.call("again", "kept", plain, way="absolute")["status"], 200)
        for name, host, port in (("raw", "tunnel.test", TUNNELLED), ("begun", "two.test", 443),
                                 ("tried", "two.test", 443)):
            self.assertEqual(self.victim.call("tunnel", name, host, port), "held")
        door = self.other.work / f"door-{number}"
        self.victim.begin("hand_over", names, str(door))
        self.assertTrue(wait_for(door.exists))
        with socket.socket(socket.AF_UNIX) as visitor:
            self.assertTrue(wait_for(lambda: visitor.connect_ex(str(door)) == 0))
            descriptors = socket.recv_fds(visitor, 16, len(names))[1]
        self.assertEqual(self.victim.answer(), "handed over")
        door.unlink()
        streams = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        for stream in streams:
            stream.settimeout(5)
            self.addCleanup(stream.close)
        kept, raw, begun, tried = streams
        # The control: while their task is there, they are as good in our hands as in its own.
        self.assertEqual(ask(kept, "plain.test", "http://plain.test/victim/ours"), 200)
        self.assertEqual(ask(raw, "tunnel.test", "/victim/ours"), 200)
        self.assertEqual(ask_in_tls(tried, "two.test", "/victim/ours"), 200)
        self.assertEqual(self.arrivals.seen[-1].values("Authorization"), [f"Bearer {THEIRS}"])
        return kept, raw, begun

    def test_a8_a_process_that_was_left_behind_ends_with_its_task(self):
        self.at_each_end(self.left_behind_ends)

    def left_behind_ends(self, end, number):
        target, name = f"/victim/left-{number}", f"left-behind-{number}"
        self.assertEqual(self.victim.call("leave_behind", f"https://two.test{target}", name), "left")
        self.assertTrue(wait_for(lambda: len(self.arrivals.at(target)) > 2), "it works by itself")
        self.assertEqual(len(named(name)), 1)
        end()
        self.assertTrue(wait_for(lambda: not named(name)))
        self.assertTrue(wait_for(lambda: not self.arrivals.open))
        before = len(self.arrivals.at(target))
        self.assert_still_the_attacker()
        self.assertEqual(len(self.arrivals.at(target)), before)

    def test_a8_what_one_has_captured_is_nothing_to_the_other(self):
        answer = self.victim.call("request", "https://idp.test/victim/token", method="POST", fields=[FORM],
                                  body="grant_type=client_credentials")
        self.assertEqual(answer["status"], 200, answer)
        fields = [f"Authorization: Bearer {json.loads(answer['body'])['access_token']}"]
        self.assertEqual(self.victim.call("request", "https://calls.test/victim/data", fields=fields)["status"], 200)
        self.assertEqual(self.attacker.call("request", "https://calls.test/attacker/data")["status"], 401)
        for _ in range(2):
            for host in ("calls.test", "one.test", "two.test"):
                answer = self.attacker.call("request", f"https://{host}/attacker/captured", fields=fields)
                self.assert_refused(answer, "placeholder-foreign")
            self.victim.end()
        self.assertEqual(self.arrivals.at("/attacker/captured"), [])

    def test_a8_connections_to_servers_are_not_shared(self):
        used = {}
        for _ in range(2):
            for name, task in (("attacker", self.attacker), ("victim", self.victim)):
                for url, way in ((f"https://two.test/{name}", "connect"), (f"http://plain.test/{name}", "absolute")):
                    self.assertEqual(task.call("request", url, way=way)["status"], 200)
                    used.setdefault((name, url), set()).add(self.arrivals.seen[-1].connection)
        self.assertEqual([len(connections) for connections in used.values()], [1] * 4, "each is used again")
        self.assertEqual(len(set.union(*used.values())), 4, "by whoever has opened it")
        self.victim.end()
        theirs = set.union(*(connections for (name, _), connections in used.items() if name == "victim"))
        self.assertTrue(wait_for(lambda: not theirs & self.arrivals.open))
        self.assertEqual(self.attacker.call("request", "https://two.test/attacker")["status"], 200)
        self.assertIn(self.arrivals.seen[-1].connection, used["attacker", "https://two.test/attacker"])


class WithAProxyEach(Attacks, Neighbours):
    pass


class WithOneProxyForBoth(Attacks, Neighbours):
    shared = True


def without_numbers(refusal, held):
    told = {name: value for name, value in json.loads(refusal).items() if name != "record"}
    return json.dumps(told).replace(held, "HELD")


def ask(stream, host, target):
    """The status that comes back on a connection which somebody else has opened; None if it is over."""
    try:
        stream.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        answer = http.client.HTTPResponse(stream)
        answer.begin()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return None


def ask_in_tls(stream, host, target):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE    # the task's authority is inside of it
    try:
        with context.wrap_socket(stream, server_hostname=host) as inner:
            return ask(inner, host, target)
    except OSError:
        return None


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


if __name__ == "__main__":
    main()
