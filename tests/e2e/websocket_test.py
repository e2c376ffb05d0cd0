#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Node `ws` and Python websockets, as clients and as servers: a thousand mixed frames with an injected credential, with
the proxy variables' proxy by CONNECT and without it, and what is refused."""

import json
import shutil
import unittest

from support.aduana import NODE, PYTHON, allow
from support.case import EndToEnd, main
from support.npm_registry import installed_packages
from support.websocket_servers import PLACES, WebsocketServers

FRAMES = 1000

# Both clients do the same: FRAMES messages and pings in turn, each checked against what comes back in its place, then
# "who am I", then a close. Their arguments: the host, and how to reach it. They print what they have seen as JSON.
NODE_CLIENT = """
import http from "http";
import tls from "tls";
import { createRequire } from "module";
const WebSocket = createRequire(import.meta.url)("ws");
const [, , host, way, count, goodbye] = process.argv;
const proxy = new URL(process.env.HTTPS_PROXY ?? "http://none.test");

function through() {
    return new Promise((resolve, reject) => {
        const request = http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT",
                                       path: host + ":443", headers: { host: host + ":443" } });
        request.on("connect", (answer, socket) => resolve(tls.connect({ socket, servername: host })));
        request.on("error", reject);
        request.end();
    });
}
const socket = way === "connect" ? await through() : null;
const peer = new WebSocket("wss://" + host + "/chat", ["echo"], socket ? { createConnection: () => socket } : {});
const seen = [];
const done = new Promise((resolve) => peer.on("close", (code, reason) => resolve([code, reason.toString()])));
peer.on("unexpected-response", (request, answer) => {
    console.log(JSON.stringify({ status: answer.statusCode }));
    process.exit(3);
});
peer.on("error", (error) => { console.log(JSON.stringify({ error: error.message })); process.exit(4); });
peer.on("message", (data, isBinary) => seen.push([isBinary ? "binary" : "text", data.toString("latin1")]));
peer.on("pong", (data) => seen.push(["pong", data.toString("latin1")]));
await new Promise((resolve) => peer.on("open", resolve));
const sent = [];
async function caughtUp(left) {
    while (seen.length + left < sent.length && peer.readyState === WebSocket.OPEN)
        await new Promise((resolve) => setTimeout(resolve, 1));
}
for (let i = 0; i < count; i++) {
    const payload = ("message " + i + " ").repeat(1 + (i % 50) * (i % 7));
    if (i % 4 === 0) { peer.send(payload); sent.push(["text", payload]); }
    if (i % 4 === 1) { peer.send(Buffer.from(payload)); sent.push(["binary", payload]); }
    if (i % 4 === 2) {
        peer.send(payload.slice(0, 5), { fin: false }); peer.send("", { fin: false }); peer.send(payload.slice(5));
        sent.push(["text", payload]);
    }
    if (i % 4 === 3) { peer.ping("ping " + i); sent.push(["pong", "ping " + i]); }
    await caughtUp(50); // more at a time, and this server ends the connection, with nobody between
}
peer.send("who am I");
await caughtUp(-1);
const me = seen.pop()[1];
if (goodbye === "mine") peer.close(4001, "enough"); else peer.send("please close");
const closed = await done;
// A server may answer a ping before a message that came earlier (RFC 6455 section 5.5.2).
const sorted = (list) => JSON.stringify([list.filter((e) => e[0] !== "pong"), list.filter((e) => e[0] === "pong")]);
console.log(JSON.stringify({ same: sorted(seen) === sorted(sent), count: seen.length, me, closed,
                             protocol: peer.protocol, extensions: peer.extensions }));
"""

PYTHON_CLIENT = """
import asyncio, json, os, socket, ssl, sys, urllib.parse
import websockets
host, way, count, goodbye = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]

def through():
    proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
    connection = socket.create_connection((proxy.hostname, proxy.port))
    connection.sendall(f"CONNECT {host}:443 HTTP/1.1\\r\\nHost: {host}:443\\r\\n\\r\\n".encode())
    answer = b""
    while not answer.endswith(b"\\r\\n\\r\\n"):
        answer += connection.recv(1)
    return {"sock": connection, "server_hostname": host}

async def main():
    more = through() if way == "connect" else {}
    more.update(ssl=ssl.create_default_context(), subprotocols=["echo"])
    async with websockets.connect(f"wss://{host}/chat", **more) as peer:
        same = 0
        for i in range(count):
            payload = f"message {i} " * (1 + (i % 50) * (i % 7))
            if i % 4 == 0:
                await peer.send(payload)
            elif i % 4 == 1:
                await peer.send(payload.encode())
            elif i % 4 == 2:
                await peer.send([payload[:5], "", payload[5:]])
            else:
                await (await peer.ping(f"ping {i}"))
                same += 1
                continue
            same += await peer.recv() == (payload.encode() if i % 4 == 1 else payload)
        await peer.send("who am I")
        me = await peer.recv()
        if goodbye == "mine":
            await peer.close(4001, "enough")
        else:
            await peer.send("please close")
            await peer.wait_closed()
        closed = [peer.close_code, peer.close_reason]
        print(json.dumps({"same": same == count, "count": count, "me": me, "closed": closed,
                          "protocol": peer.subprotocol, "extensions": ",".join(e.name for e in peer.extensions)}))
try:
    asyncio.run(main())
except websockets.InvalidStatusCode as refused:
    print(json.dumps({"status": refused.status_code}))
    sys.exit(3)
"""

# A WebSocket as one stream of a connection of HTTP/2 (RFC 8441): text messages, each sent when the last one is back.
HTTP2_CLIENT = """
import http2 from "http2";
const [, , host, count, path] = process.argv;
const session = http2.connect("https://" + host);
await new Promise((resolve) => session.on("remoteSettings", resolve));
const stream = session.request({ ":method": "CONNECT", ":protocol": "websocket", ":path": path ?? "/chat",
                                 "sec-websocket-version": "13", "sec-websocket-protocol": "echo" });
const head = await new Promise((resolve) => stream.on("response", resolve));
if (head[":status"] !== 200) {
    console.log(JSON.stringify({ status: head[":status"] }));
    process.exit(3);
}
const mask = Buffer.from([1, 2, 3, 4]);
function send(opcode, payload) {
    const bytes = Buffer.from(payload).map((byte, at) => byte ^ mask[at % 4]);
    stream.write(Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length]), mask, bytes]));
}
let unread = Buffer.alloc(0), wake = () => {};
stream.on("data", (data) => { unread = Buffer.concat([unread, data]); wake(); });
async function bytes(count) {
    while (unread.length < count) await new Promise((resolve) => { wake = resolve; });
    const taken = unread.subarray(0, count);
    unread = unread.subarray(count);
    return taken;
}
async function frame() {
    const start = await bytes(2);
    return [start[0], (await bytes(start[1] & 0x7f)).toString("latin1")];
}
let same = 0;
for (let i = 0; i < count; i++) {
    send(1, "message " + i);
    const [start, text] = await frame();
    if (start === 0x81 && text === "message " + i) same++;
}
const ended = new Promise((resolve) => stream.on("close", () => resolve(stream.rstCode)));
send(8, Buffer.concat([Buffer.from([0x0f, 0xa1]), Buffer.from("enough")]));
const [, goodbye] = await frame();
stream.end();
console.log(JSON.stringify({ same, protocol: head["sec-websocket-protocol"], reset: await ended,
                             closed: [goodbye.charCodeAt(0) * 256 + goodbye.charCodeAt(1), goodbye.slice(2)] }));
session.close();
"""


class Websockets(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.servers = WebsocketServers(cls.upstreams.folder / "websockets", cls.upstreams.authority,
                                       cls.upstreams.api_token)
        cls.addClassCleanup(cls.servers.stop)

    def setUp(self):
        super().setUp()
        self.person.operate(**{name.replace(".", "_"): address for name, address in PLACES.items()})
        self.allow_chat(websocket=True, paths=["/chat"])
        (self.person.work / "client.mjs").write_text(NODE_CLIENT)
        (self.person.work / "client.py").write_text(PYTHON_CLIENT)
        (self.person.work / "http2.mjs").write_text(HTTP2_CLIENT)
        shutil.copytree(installed_packages() / "node_modules/ws", self.person.work / "node_modules/ws")

    def allow_chat(self, **more):
        self.person.allow(*(allow(name.split(".")[0], name, name.split(".")[0], **more) for name in PLACES))
        self.person.bind(*((name.split(".")[0], name, self.upstreams.api_token, "{bearer: {}}") for name in PLACES))

    def clients(self, goodbye="mine", count=FRAMES):
        """Each client to each server, each way; yields the server's name and what came of it."""
        for client in ([NODE, "client.mjs"], [PYTHON, "client.py"]):
            for name in PLACES:
                for way in ("connect", "transparent"):
                    yield name, self.person.run(*client, name, way, str(count), goodbye)

    def test_a_thousand_mixed_frames_come_back_in_order(self):
        for name, outcome in self.clients():
            self.assert_exit(outcome, 0)
            told = json.loads(outcome.stdout)
            self.assertTrue(told["same"], outcome.stdout)
            self.assertEqual((told["closed"], told["protocol"], told["extensions"]), ([4001, "enough"], "echo", ""))
            self.assertEqual(told["me"], "Bearer [scrubbed]")
            self.assert_no_secret(outcome.stdout, "what came back")
            handshake = json.loads(self.servers.log(name)[-1])
            self.assertEqual(handshake["authorization"], f"Bearer {self.upstreams.api_token}")
            self.assertNotIn("sec-websocket-extensions", handshake)
            (record,) = outcome.requests()
            self.assertEqual([record[key] for key in ("status", "method", "protocol", "reason", "error")],
                             [101, "GET", "websocket", "allowed", ""])
            self.assertEqual((record["messages_up"], record["messages_down"]), (FRAMES * 3 // 4 + 1,) * 2)
            self.assertGreater(record["scrubbed"], 0)
            self.assertGreater(record["bytes_down"], 100_000)
            self.assert_sound(outcome)

    def test_a_stream_of_http2_becomes_one_as_well(self):
        for name in PLACES:
            outcome = self.person.run(NODE, "http2.mjs", name, "200")
            self.assert_exit(outcome, 0)
            told = json.loads(outcome.stdout)
            self.assertEqual((told["same"], told["protocol"], told["closed"]), (200, "echo", [4001, "enough"]))
            self.assertEqual(told["reset"], 0, "it ended in order")
            handshake = json.loads(self.servers.log(name)[-1])
            self.assertEqual(handshake["authorization"], f"Bearer {self.upstreams.api_token}")
            (record,) = outcome.requests()
            self.assertEqual([record[key] for key in ("status", "method", "protocol", "reason", "messages_up")],
                             [101, "GET", "websocket", "allowed", 200])
        self.allow_chat(paths=["/chat"])
        outcome = self.person.run(NODE, "http2.mjs", "node.test", "1")
        self.assertEqual(json.loads(outcome.stdout), {"status": 403})
        self.assertEqual([r["reason"] for r in outcome.requests()], ["websocket-not-allowed"])

    def test_a_server_that_says_200_to_a_stream_of_http2_has_opened_none(self):
        self.person.allow(allow("api", "api.test", "api", websocket=True, paths=["/**"]))
        self.person.bind(("api", "api.test", self.upstreams.api_token, "{bearer: {}}"))
        outcome = self.person.run(NODE, "http2.mjs", "api.test", "1", "/token/issues")
        self.assertEqual(json.loads(outcome.stdout), {"status": 502})
        self.assertEqual([r["reason"] for r in outcome.requests()], ["upstream-invalid"])

    def test_the_servers_close_arrives_with_its_code(self):
        for _, outcome in self.clients(goodbye="yours", count=8):
            self.assert_exit(outcome, 0)
            self.assertEqual(json.loads(outcome.stdout)["closed"], [4002, "as you wish"])

    def test_a_rule_that_does_not_name_websockets_refuses_them(self):
        self.allow_chat(paths=["/chat"])
        before = {name: len(self.servers.log(name)) for name in PLACES}
        for name, outcome in self.clients(count=1):
            self.assertEqual(json.loads(outcome.stdout), {"status": 403})
            self.assertEqual([r["reason"] for r in outcome.requests()], ["websocket-not-allowed"])
        self.assertEqual({name: len(self.servers.log(name)) for name in PLACES}, before)

    def test_a_limit_closes_it_as_against_the_policy(self):
        self.allow_chat(websocket=True, paths=["/chat"], limits={"upload": "20KiB"})
        outcome = self.person.run(PYTHON, "client.py", "python.test", "transparent", str(FRAMES), "mine")
        self.assertIn("code = 1008", outcome.stderr.replace("received 1008", "code = 1008"))
        (record,) = outcome.requests()
        self.assertEqual(record["reason"], "limit-upload")
        self.assertLessEqual(record["bytes_up"], 20 * 1024 + 16)


if __name__ == "__main__":
    main()
