// SPDX-License-Identifier: Apache-2.0
// A WebSocket client behind a proxy: sends texts, one after the other, and writes down all that arrives until "that is
// all". Arguments: folder of npm packages, host, "compressed" or "plain" (what it offers), file of texts (JSON), file to
// write: a kind (one character), the length (4 bytes, the high one first), the bytes.
import { closeSync, openSync, readFileSync, writeSync } from "fs";
import http from "http";
import { createRequire } from "module";
import tls from "tls";

const [, , packages, host, offer, texts, path] = process.argv;
const WebSocket = createRequire(packages + "/")("ws");
const file = openSync(path, "w");
function note(kind, data) {
    const head = Buffer.alloc(5, kind);
    head.writeUInt32BE(data.length, 1);
    for (const part of [head, data]) {
        for (let at = 0; at < part.length;)
            at += writeSync(file, part, at);
    }
}

const proxy = new URL(process.env.HTTPS_PROXY);
const request = http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: host + ":443",
                               headers: { host: host + ":443" } });
request.end();
const socket = await new Promise((resolve) => request.on("connect", (answer, raw) => resolve(raw)));
const createConnection = () => tls.connect({ socket, servername: host });
const peer = new WebSocket("wss://" + host + "/", { createConnection, perMessageDeflate: offer === "compressed",
                                                          maxFragments: 0, maxBufferedChunks: 0 });
peer.on("upgrade", (answer) => note("h", Buffer.from(answer.rawHeaders.join("\n"), "latin1")));
peer.on("ping", (data) => note("p", data));
peer.on("close", (code, reason) => note("c", reason));
let ended = null;
peer.on("message", (data) => {
    note("m", data);
    if (data.length < 20 && data.toString() === "that is all")
        ended();
});
await new Promise((resolve) => peer.on("open", resolve));
note("e", Buffer.from(peer.extensions));
for (const text of JSON.parse(readFileSync(texts))) {
    const all = new Promise((resolve) => ended = resolve);
    peer.send(text);
    await all;
}
const closed = new Promise((resolve) => peer.on("close", resolve));
peer.close();
await closed;
closeSync(file);
