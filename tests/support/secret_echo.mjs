// SPDX-License-Identifier: Apache-2.0
// A server that gives the token of a request back, in every spelling, coding and framing that it is asked for: HTTP/1.1,
// HTTP/2 and WebSocket. Arguments: address, certificate, key, folder of npm packages, protocol (h2 or http/1.1).
//
//   /?spelling=hex&coding=gzip&framing=bytes&size=1024&status=200      /names: all spellings, as JSON
import { createSecureServer } from "http2";
import { readFileSync } from "fs";
import { createRequire } from "module";
import { spawnSync } from "child_process";
import zlib from "zlib";

const [, , address, certificate, key, packages, protocol] = process.argv;
const { WebSocketServer } = createRequire(packages + "/")("ws");

const each = (value, write) => [...Buffer.from(value)].map((byte) => write(byte)).join("");
const hex = (byte) => byte.toString(16).padStart(2, "0");
const base64 = (before) => (value) => Buffer.from(before + value + "~~~").toString("base64");
const lines = (text, width, end) => text.replace(new RegExp(`(.{${width}})`, "g"), `$1${end}`);
const mixed = (value) => {
    const ways = [(b) => String.fromCharCode(b), (b) => "%" + hex(b), (b) => "\\u00" + hex(b), (b) => `&#${b};`];
    return [...Buffer.from(value)].map((byte, i) => ways[i % 4](byte)).join("");
};
// Fields of a head hold no control characters: those spellings are only asked for in bodies.
const spellings = {
    raw: (v) => v, lower: (v) => v.toLowerCase(), upper: (v) => v.toUpperCase(),
    reversed: (v) => [...v].reverse().join(""),
    base64_0: base64(""), base64_1: base64("u"), base64_2: base64("u:"),
    base64url_0: (v) => Buffer.from(v + "~~~").toString("base64url"),
    base64url_1: (v) => Buffer.from("u" + v + "~~~").toString("base64url"),
    base64url_2: (v) => Buffer.from("u:" + v + "~~~").toString("base64url"),
    basic: (v) => Buffer.from("user:" + v).toString("base64"),
    base64_lines_64: (v) => lines(base64("a".repeat(33))(v), 64, "\n"),
    base64_lines_76: (v) => lines(base64("a".repeat(40))(v), 76, "\r\n"),
    base64_twice: (v) => Buffer.from(Buffer.from(v).toString("base64")).toString("base64"),
    percent_base64: (v) => encodeURIComponent(Buffer.from(v).toString("base64")),
    hex: (v) => each(v, hex), hex_upper: (v) => each(v, hex).toUpperCase(),
    hex_blanks: (v) => [...Buffer.from(v)].map(hex).join(" "), hex_colons: (v) => [...Buffer.from(v)].map(hex).join(":"),
    percent: encodeURIComponent, percent_all: (v) => each(v, (b) => "%" + hex(b)),
    percent_all_upper: (v) => each(v, (b) => "%" + hex(b).toUpperCase()),
    json: (v) => JSON.stringify(v).slice(1, -1).replaceAll("/", "\\/"),
    json_all: (v) => each(v, (b) => "\\u00" + hex(b)), json_all_upper: (v) => each(v, (b) => "\\u00" + hex(b).toUpperCase()),
    html: (v) => v.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    html_decimal: (v) => each(v, (b) => `&#${b};`), html_hex: (v) => each(v, (b) => `&#x${hex(b)};`),
    utf16le: (v) => Buffer.from(v, "utf16le").toString("latin1"),
    utf16be: (v) => Buffer.from(v, "utf16le").swap16().toString("latin1"),
    mixed, percent_of_json: (v) => encodeURIComponent(each(v, (b) => "\\u00" + hex(b))),
    html_of_percent: (v) => each(v, (b) => `&#37;${hex(b)}`),
};
const codings = {
    identity: (body) => body, gzip: zlib.gzipSync, deflate: zlib.deflateSync, br: (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
    zstd: (body) => spawnSync("zstd", ["-q", "-c"], { input: body, maxBuffer: 1 << 28 }).stdout,
    unknown: (body) => body,
};

// At the beginning, in the middle and at the end of something that looks like an answer, and is no easy prey for a
// compressor: what grows to more than 200 times its size is refused.
function bodyOf(spelled, size) {
    const half = Math.max(0, Math.floor((size - 3 * spelled.length) / 2));
    const filler = [];
    for (let i = 0, length = 0; length < half; i++) {
        filler.push(`{"id": ${(i * 7919) % 100003}, "title": "number ${i}", "rate": "100%", "link": "<a&b>"},\n`);
        length += filler.at(-1).length;
    }
    const text = filler.join("").slice(0, half);
    return Buffer.from(spelled + text + spelled + text + spelled, "latin1");
}

// One byte at a time where the secret is, and larger pieces between.
function* pieces(body, framing) {
    const near = framing === "bytes" ? 600 : 0;
    for (let at = 0; at < body.length;) {
        const middle = Math.abs(at - body.length / 2) < near || at < near || body.length - at < near;
        const size = middle ? 1 : 1500;
        yield body.subarray(at, at + size);
        at += size;
    }
}

const server = createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: true,
                                    ALPNProtocols: [protocol] });
server.on("request", async (request, response) => {
    const url = new URL(request.url, "https://echo.test");
    const ask = (name, otherwise) => url.searchParams.get(name) ?? otherwise;
    if (url.pathname === "/names")
        return response.end(JSON.stringify(Object.keys(spellings)));
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    const spelled = spellings[ask("spelling", "raw")](token);
    const framing = ask("framing", "counted");
    const fields = { "content-type": framing === "events" ? "text/event-stream" : "application/json" };
    if (framing === "fields") {
        const inFields = { "x-echo": spelled, location: `https://elsewhere.test/?t=${spelled}`, link: `</${spelled}>; rel=x`,
                           "content-location": `/${spelled}`, refresh: `0; url=/${spelled}`, "set-cookie": `t=${spelled}`,
                           etag: `"${spelled}"` };
        if (request.httpVersion === "1.1")
            response.writeEarlyHints({ link: `</${spelled}>; rel=preload` });
        response.writeHead(302, { ...inFields, trailer: "x-echo-trailer, grpc-message" });
        response.write("see other");
        response.addTrailers({ "x-echo-trailer": spelled, "grpc-message": encodeURIComponent(spelled) });
        return response.end();
    }
    const coding = ask("coding", "identity");
    const body = codings[coding](bodyOf(framing === "events" ? `data: ${spelled}\n\n` : spelled, Number(ask("size", 1024))));
    if (coding !== "identity")
        fields["content-encoding"] = coding;
    if (framing === "counted") {
        response.writeHead(200, { ...fields, "content-length": body.length });
        return response.end(body);
    }
    response.writeHead(200, fields);
    for (const piece of pieces(body, framing)) {
        if (!response.write(piece))
            await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end();
});

const sockets = new WebSocketServer({ noServer: true });
server.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, (peer) => {
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    peer.on("message", (name) => {
        const spelled = Buffer.from(spellings[name.toString()](token), "latin1");
        const binary = name.toString().startsWith("utf16");
        for (let at = 0; at < spelled.length; at += 5)
            peer.send(spelled.subarray(at, at + 5), { binary, fin: at + 5 >= spelled.length });
        peer.send(Buffer.concat([Buffer.from("whole "), spelled]), { binary });
        peer.ping(spelled.length <= 125 ? spelled : token); // as much as a ping may hold (RFC 6455 section 5.5)
    });
}));
server.listen(443, address);
