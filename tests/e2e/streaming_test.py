#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bodies in both directions as they come: no event is held back or merged, an answer during an upload reaches the
client, and however long a body is, the proxy's memory stays as it was."""

import os
import subprocess
from pathlib import Path

from support.aduana import PYTHON, WITHOUT_PROXY, allow
from support.case import EndToEnd, main
from support.event_server import handler_for
from support.listening import Listening
from support.sink_server import SinkHandler
from support.tls_server import TlsServer

EVENTS = 100
LONG = int(os.environ.get("LONG", 256 << 20))
ROOM = 32 << 20
# Runs in the sandbox: reads one event after the other, and tells the server of each before it reads on.
READER = """
import subprocess, sys
version, count = sys.argv[1], int(sys.argv[2])
stream = subprocess.Popen(["curl", "-sN", version, "https://events.test/events"], stdout=subprocess.PIPE, text=True)
seen = 0
for line in stream.stdout:
    if not line.strip():
        continue
    assert line == f"data: {seen}\\n", line
    subprocess.run(["curl", "-sf", version, f"https://events.test/seen?{seen}"], check=True)
    seen += 1
print(seen, stream.wait())
"""


class Streaming(EndToEnd):
    def test_each_event_arrives_before_the_next_is_sent(self):
        token = "events-token-31d0c2"
        for version in ("--http1.1", "--http2"):
            for way in ([], WITHOUT_PROXY):
                with self.subTest(version=version, way=way[:1]):
                    self.setUp()
                    events = handler_for(EVENTS, token)
                    server = TlsServer(events, self.upstreams.authority, "127.0.0.4", "events.test")
                    try:
                        self.person.operate(events_test="127.0.0.4")
                        self.person.allow(allow("events", "events.test", "events", methods=["GET"]))
                        self.person.bind(("events", "events.test", token, "{bearer: {}}"))
                        outcome = self.person.run(*way, PYTHON, "-c", READER, version, str(EVENTS))
                    finally:
                        server.stop()
                    self.assert_exit(outcome, 0)
                    self.assertEqual(outcome.stdout, f"{EVENTS} 0\n", str(outcome))
                    self.assertTrue(all(events.authorized))

    def test_the_length_of_a_body_costs_no_memory(self):
        sink = TlsServer(SinkHandler, self.upstreams.authority, "127.0.0.5", "sink.test", "tunnel.test")
        self.addCleanup(sink.stop)
        self.person.operate(sink_test="127.0.0.5", tunnel_test="127.0.0.5")
        self.person.allow(allow("sink", "sink.test", methods=["GET", "PUT"]), allow("tunnel", "tunnel.test"))
        listening = Listening(self.person)
        self.addCleanup(listening.stop)
        small, body = self.person.folder / "small", self.person.folder / "body"
        small.write_text("x")
        with open(body, "wb") as file:
            file.truncate(LONG)
        ways = [("--http1.1", "sink.test"), ("--http2", "sink.test"), ("--http1.1", "tunnel.test")]
        for version, host in ways:
            self.transfer(listening, version, f"https://{host}/1", small, 1)
        before = self.peak(listening)
        for version, host in ways:
            self.transfer(listening, version, f"https://{host}/{LONG}", body, LONG)
        self.assertLess(self.peak(listening) - before, ROOM)

    def transfer(self, listening, version, url, body, size):
        got = listening.curl(version, "-f", "-o", "/dev/null", "-w", "%{size_download}", url, timeout=600)
        self.assertEqual(got.stdout, str(size), got.stderr)
        put = listening.curl(version, "-f", "-T", str(body), url, timeout=600)
        self.assertEqual(put.stdout, str(Path(body).stat().st_size), put.stderr)

    @staticmethod
    def peak(listening):
        """The most memory that the proxy ever held, in bytes."""
        children = subprocess.run(["pgrep", "-P", str(listening.process.pid)], capture_output=True, text=True).stdout
        for pid in children.split():
            if Path(f"/proc/{pid}/comm").read_text().strip() == "aduana-proxy":
                status = Path(f"/proc/{pid}/status").read_text()
                return int(status.split("VmHWM:")[1].split()[0]) << 10
        raise AssertionError(f"no proxy among {children}")


if __name__ == "__main__":
    main()
