# SPDX-License-Identifier: Apache-2.0
"""Two real WebSocket servers, Node `ws` and Python websockets, each with its own TLS. They let in whoever brings the
token, and send back what they get: same kind, same payload. "who am I" is answered with the Authorization header in two
fragments; "please close" with a close of their own. Both would compress, if they were asked to."""

from support.npm_registry import installed_packages
from support.processes import Service

PLACES = {"node.test": "127.0.0.2", "python.test": "127.0.0.3"}

NODE = """
import { createServer } from "https";
import { readFileSync } from "fs";
import { createRequire } from "module";
const { WebSocketServer } = createRequire(process.argv[5] + "/")("ws");
const [, , address, chain, key, , token] = process.argv;
const server = createServer({ cert: readFileSync(chain), key: readFileSync(key) });
const chat = new WebSocketServer({ noServer: true, perMessageDeflate: true, handleProtocols: () => "echo" });
server.on("upgrade", (request, socket, head) => {
    console.log(JSON.stringify(request.headers));
    if (request.headers.authorization !== "Bearer " + token)
        return socket.end("HTTP/1.1 401 Unauthorized\\r\\nContent-Length: 0\\r\\n\\r\\n");
    chat.handleUpgrade(request, socket, head, (peer) => peer.on("message", (data, isBinary) => {
        const text = isBinary ? "" : data.toString();
        if (text === "please close")
            return peer.close(4002, "as you wish");
        if (text === "who am I") {
            const value = request.headers.authorization;
            peer.send(value.slice(0, 12), { fin: false });
            return peer.send(value.slice(12), { fin: true });
        }
        peer.send(data, { binary: isBinary });
    }));
});
server.listen(443, address);
"""

PYTHON = """
import asyncio, http, json, ssl, sys
import websockets
address, chain, key, token = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain, key)

async def admit(path, headers):
    print(json.dumps({name.lower(): value for name, value in headers.raw_items()}), flush=True)
    if headers.get("Authorization") != "Bearer " + token:
        return http.HTTPStatus.UNAUTHORIZED, [], b""

async def serve(peer):
    async for data in peer:
        if data == "please close":
            return await peer.close(4002, "as you wish")
        if data == "who am I":
            value = peer.request_headers["Authorization"]
            await peer.send([value[:12], value[12:]])
        else:
            await peer.send(data)

async def main():
    async with websockets.serve(serve, address, 443, ssl=context, process_request=admit, subprotocols=["echo"]):
        await asyncio.Future()

asyncio.run(main())
"""


class WebsocketServers:
    def __init__(self, folder, authority, token):
        folder.mkdir(parents=True)
        self.folder = folder
        (folder / "server.mjs").write_text(NODE)
        (folder / "server.py").write_text(PYTHON)
        self.services = []
        for name, address in PLACES.items():
            certificate = authority.issue(name)
            if name == "node.test":
                command = ["node", folder / "server.mjs", address, *certificate, installed_packages(), token]
            else:
                command = ["/usr/bin/python3", folder / "server.py", address, *certificate, token]
            self.services.append(Service(command, folder / f"{name}.log", (address, 443)))

    def log(self, name):
        """A line for each handshake: its header fields. Python's server logs nothing else; the probe of its port does
        not begin with one."""
        lines = (self.folder / f"{name}.log").read_text().splitlines()
        return [line for line in lines if line.startswith("{")]

    def stop(self):
        for service in self.services:
            service.stop()
