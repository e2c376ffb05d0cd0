// SPDX-License-Identifier: Apache-2.0
// A server that gives the token of a request back, in every spelling, coding and framing that it is asked for: HTTP/1.1,
// HTTP/2 and WebSocket. Arguments: address, certificate, key, folder of npm packages, protocol (h2 or http/1.1), what
// stands in each line of filler.
//
//   /?spelling=hex&coding=gzip&framing=bytes&size=1024      one spelling three times
//   /?spelling=all&...&turn=7                               all of them, see `everything`
//   /names                                                  {all, fields}: spellings; those that a field can hold
import { spawnSync } from "child_process";
import { readFileSync } from "fs";
import { createSecureServer } from "http2";
import { createRequire } from "module";
import zlib from "zlib";
import { inBodiesOnly, spellings } from "./spellings.mjs";

const [, , address, certificate, key, packages, protocol, filler] = process.argv;
const { WebSocketServer } = createRequire(packages + "/")("ws");

const names = Object.keys(spellings);
const inFields = names.filter((name) => !inBodiesOnly.includes(name));
const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } };
const codings = {
    identity: (body) => body, unknown: (body) => body, gzip: zlib.gzipSync, deflate: zlib.deflateSync,
    br: (body) => zlib.brotliCompressSync(body, quick),
    zstd: (body) => spawnSync("zstd", ["-q", "-c"], { input: body, maxBuffer: 1 << 28 }).stdout,
    stacked: (body) => zlib.brotliCompressSync(zlib.gzipSync(body), quick),
};
const fieldOf = (coding) => coding === "stacked" ? "gzip, br" : coding;

// Lines with a number each: what grows to more than 200 times its size is refused.
const line = `{"id": "00000000${filler}\n`;
const asEvent = (data) => Buffer.concat([Buffer.from("data: "), Buffer.from(data), Buffer.from("\n")]);
function fill(out, from, to, events) {
    const unit = events ? asEvent(line) : Buffer.from(line);
    const number = unit.indexOf("00000000");
    for (let at = from, i = from; at < to; at += unit.length, ++i) {
        unit.write((Math.imul(i, 2654435761) >>> 0).toString(16).padStart(8, "0"), number, "latin1");
        unit.copy(out, at, 0, Math.min(unit.length, to - at));
    }
}

// At the beginning, in the middle and at the end. `marks`: [from, to] of each.
function threeTimes(value, name, size, events) {
    const spelled = Buffer.from(spellings[name](value), "latin1");
    const piece = events ? Buffer.concat([Buffer.from("data: "), spelled, Buffer.from("\n\n")]) : spelled;
    const places = [0, Math.floor((size - piece.length) / 2), size - piece.length];
    const body = Buffer.alloc(size);
    for (const [i, at] of places.entries()) {
        piece.copy(body, at);
        if (i < 2)
            fill(body, at + piece.length, places[i + 1], events);
    }
    return { body, marks: places.map((at) => [at, at + piece.length]) };
}

// Each spelling once in front, once behind, and again and again between them, each time across a place where the body
// may be cut: a multiple of `grid`, where pieces, TLS records, frames and buffers end. <name|spelling|> says which one it
// is, except for the very first and the very last bytes. `turn`: which one is where.
function everything(value, size, events, turn) {
    const nameAt = (i) => names[(i + turn) % names.length];
    const spelled = (i) => Buffer.from(spellings[nameAt(i)](value), "latin1");
    const record = (i) => {
        const text = Buffer.concat([Buffer.from(`<${nameAt(i)}|`), spelled(i), Buffer.from("|>\n")]);
        return events ? asEvent(text) : text;
    };
    const records = Buffer.concat(names.map((_, i) => record(i)));
    const head = Buffer.concat([events ? asEvent(spelled(0)) : spelled(0), Buffer.from("\n"), records]);
    const tail = Buffer.concat([records, events ? asEvent(spelled(0)) : spelled(0)]);
    const grid = size > 8 << 20 ? 128 << 10 : 8 << 10;
    const body = Buffer.alloc(size);
    const marks = [[0, head.length], [size - tail.length, size]];
    head.copy(body);
    tail.copy(body, size - tail.length);
    let end = head.length;
    for (let i = 0; ; ++i) {
        const piece = record(i);
        const secret = spelled(i);
        const cut = 1 + (7 * i + turn) % (secret.length - 1);
        const begin = Math.ceil((end + piece.length) / grid) * grid - piece.indexOf("|") - 1 - cut;
        if (begin + piece.length > size - tail.length)
            break;
        fill(body, end, begin, events);
        piece.copy(body, begin);
        end = begin + piece.length;
        marks.push([begin, end]);
    }
    fill(body, end, size - tail.length, events);
    return { body, marks: marks.sort((a, b) => a[0] - b[0]) };
}

const kept = new Map();
function coded(value, ask) {
    const events = ask.framing === "events";
    const small = ask.size <= 4096;
    const id = small && JSON.stringify([value, ask.spelling, events, ask.size, ask.coding]);
    if (kept.has(id))
        return kept.get(id);
    const plain = ask.spelling === "all" ? everything(value, ask.size, events, ask.turn)
        : threeTimes(value, ask.spelling, ask.size, events);
    const body = codings[ask.coding](plain.body);
    const middle = body.length >> 1;
    const marks = body === plain.body ? plain.marks
        : [[0, 600], [middle - 600, middle + 600], [body.length - 600, body.length]];
    if (small)
        kept.set(id, { body, marks });
    return { body, marks };
}

function* inPieces(body, size) {
    for (let at = 0; at < body.length; at += size)
        yield body.subarray(at, at + size);
}
// One byte at a time where secrets are, and larger pieces between.
function* inBytes(body, marks) {
    let at = 0;
    for (const [from, to] of marks) {
        for (; at < from; at = Math.min(at + 1500, from))
            yield body.subarray(at, Math.min(at + 1500, from));
        for (; at < Math.min(to, body.length); ++at)
            yield body.subarray(at, at + 1);
    }
    yield* inPieces(body.subarray(at), 1500);
}
function* inByteChunks(body) {
    for (const piece of inPieces(body, 2048)) {
        const chunks = Buffer.alloc(6 * piece.length, "1\r\n?\r\n");
        for (let i = 0; i < piece.length; ++i)
            chunks[6 * i + 3] = piece[i];
        yield chunks;
    }
    yield Buffer.from("0\r\n\r\n");
}
const mostByteChunks = 4 << 20; // each goes through the proxy by itself: 64 MiB of them would take a quarter of an hour

async function send(response, pieces) {
    let open = true;
    let wake = () => {};
    response.on("drain", () => wake());
    response.on("close", () => {
        open = false; // the proxy goes away when it refuses
        wake();
    });
    for (const piece of pieces) {
        if (open && !response.write(piece))
            await new Promise((resolve) => wake = resolve);
    }
    if (open)
        response.end();
}

const server = createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: true,
                                    ALPNProtocols: [protocol] });
server.on("request", async (request, response) => {
    response.on("error", () => {});
    const url = new URL(request.url, "https://echo.test");
    if (url.pathname === "/names")
        return response.end(JSON.stringify({ all: names, fields: inFields }));
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    const ask = { spelling: "raw", coding: "identity", framing: "counted", size: 1024, turn: 0,
                  ...Object.fromEntries(url.searchParams) };
    ask.size = Number(ask.size);
    ask.turn = Number(ask.turn);
    const { body, marks } = coded(token, ask);
    const fields = { "content-type": ask.framing === "events" ? "text/event-stream" : "application/json" };
    if (ask.coding !== "identity")
        fields["content-encoding"] = fieldOf(ask.coding);
    const asked = inFields.filter((name) => ask.spelling === "all" || ask.spelling === name);
    const each = (write, between) => asked.map((name) => write(spellings[name](token), name)).join(between);
    const named = (start) => Object.fromEntries(asked.map((name) => [start + name, spellings[name](token)]));
    const link = each((spelled) => `</${spelled}>; rel=x`, ", ");
    const pieces = () => inPieces(body, ask.coding === "identity" ? 8192 : 1021);

    if (ask.framing === "fields") {
        // Node checks the link of an interim response more strictly than anybody reads it.
        if (request.httpVersion === "1.1")
            request.socket.write(`HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n\r\n`, "latin1");
        response.writeHead(200, { ...fields, ...named("x-echo-"), link, etag: `"${each((s) => s, " ")}"`,
                                  "content-location": "/" + each((s) => s, "/"), refresh: "0; url=/" + each((s) => s, "/"),
                                  "set-cookie": "t=" + each((s) => s, "|") });
        return send(response, pieces());
    }
    if (ask.framing === "location") {
        const location = "https://elsewhere.test/?" + each((spelled, name) => `${name}=${spelled}`, "&");
        response.writeHead(302, { ...fields, location });
        return send(response, pieces());
    }
    if (ask.framing === "trailers") {
        response.writeHead(200, { ...fields, trailer: "x-echo-raw, grpc-message" });
        response.addTrailers({ ...named("x-echo-"), "grpc-message": each(encodeURIComponent, " ") });
        return send(response, pieces());
    }
    if (ask.framing === "counted") {
        response.writeHead(200, { ...fields, "content-length": body.length });
        return send(response, pieces());
    }
    response.writeHead(200, fields);
    if (ask.framing === "events")
        return send(response, inPieces(body, 1500));
    if (request.httpVersion !== "1.1" || body.length > mostByteChunks)
        return send(response, inBytes(body, marks));
    response.chunkedEncoding = false; // the pieces bring their framing along
    return send(response, inByteChunks(body));
});

// A message asks as a URL does. Some messages and a ping are the answer, and then "that is all".
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: true });
server.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, (peer) => {
    const token = (request.headers.authorization ?? "").replace("Bearer ", "");
    const sendMessage = async (pieces, binary) => {
        let held = null;
        let count = 0;
        for (const piece of pieces) {
            if (held)
                peer.send(held, { binary, fin: false });
            if (++count === 2)
                peer.ping(token); // control frames may stand between fragments
            held = piece;
            while (peer.bufferedAmount > 1 << 20)
                await new Promise((resolve) => setTimeout(resolve, 1));
        }
        peer.send(held, { binary, fin: true });
    };
    peer.on("message", async (text) => {
        const { spelling, size, turn } = JSON.parse(text);
        if (spelling !== "all") {
            const spelled = Buffer.from(spellings[spelling](token), "latin1");
            const binary = spelling.startsWith("utf16");
            const { body, marks } = threeTimes(token, spelling, size, false);
            await sendMessage(inPieces(spelled, 5), binary);
            await sendMessage(inPieces(body, body.length), binary);
            await sendMessage(inBytes(body, marks), binary);
            peer.ping(spelled.length <= 125 ? spelled : token); // as much as a ping may hold (RFC 6455 section 5.5)
        } else {
            const cuts = [(body) => inPieces(body, body.length), (body) => inPieces(body, 16384),
                          (body) => inPieces(body, 777), inBytes];
            for (const [i, cut] of cuts.entries()) {
                const part = i < 3 ? size >> 2 : size - 3 * (size >> 2);
                const { body, marks } = everything(token, part, false, turn + 31 * i);
                await sendMessage(cut(body, marks), i % 2 === 0);
                peer.ping(token);
            }
        }
        peer.send("that is all");
    });
}));
server.listen(443, address);
