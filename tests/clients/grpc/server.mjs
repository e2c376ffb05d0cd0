// SPDX-License-Identifier: Apache-2.0
// ADDRESS CERTIFICATE KEY TOKEN: echoes what comes with the token; without it every call is UNAUTHENTICATED.
import { readFileSync } from "node:fs";
import { echo, grpc } from "./service.mjs";

const [address, certificate, key, token] = process.argv.slice(2);
const allowed = (call) => call.metadata.get("authorization")[0] === "Bearer " + token;
const denied = { code: grpc.status.UNAUTHENTICATED, details: "no token" };

const server = new grpc.Server();
server.addService(echo, {
  once: (call, answer) => {
    if (!allowed(call)) return answer(denied);
    const after = new grpc.Metadata();
    after.set("x-after", "the end");
    answer(null, "echo: " + call.request, after);
  },
  talk: (call) => {
    if (!allowed(call)) return call.emit("error", denied);
    call.on("data", (text) => call.write(text));
    call.on("end", () => call.end());
  },
  tell: (call, answer) => answer(null, "your token: " + call.metadata.get("authorization")[0] + " ".repeat(400)),
  fail: (call, answer) => answer({ code: grpc.status.FAILED_PRECONDITION, details: "as asked: " + call.request }),
});
const pair = { cert_chain: readFileSync(certificate), private_key: readFileSync(key) };
server.bindAsync(address, grpc.ServerCredentials.createSsl(null, [pair], false), (error) => {
  if (error) throw error;
});
