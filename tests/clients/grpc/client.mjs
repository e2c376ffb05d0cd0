// SPDX-License-Identifier: Apache-2.0
// HOST MESSAGES: one call, one conversation of so many messages, one error, one call of what no rule allows, one echo
// of the credential. Prints what came of each.
import { echo, grpc } from "./service.mjs";

const [host, count] = [process.argv[2], Number(process.argv[3])];
const Client = grpc.makeGenericClientConstructor(echo, "Echo");
const client = new Client(host + ":443", grpc.credentials.createSsl());
const metadata = new grpc.Metadata();

await new Promise((done) => {
  const call = client.once("hi", metadata, (error, text) => console.log("once:", error ? error.message : text));
  call.on("status", (status) => {
    console.log("trailer:", status.metadata.get("x-after")[0]);
    done();
  });
});
await new Promise((done) => {
  const call = client.talk(metadata);
  let received = 0;
  call.on("data", (text) => {
    if (text !== "message " + received) console.log("out of order:", text);
    received++;
  });
  call.on("error", (error) => done(console.log("talk failed:", error.message)));
  call.on("end", () => done(console.log("talk:", received)));
  for (let i = 0; i < count; i++) call.write("message " + i);
  call.end();
});
await new Promise((done) =>
  client.fail("please", metadata, (error) => done(console.log("fail:", error.code, error.details))),
);
await new Promise((done) =>
  client.makeUnaryRequest("/test.Other/Go", echo.once.requestSerialize, echo.once.responseDeserialize, "hi", metadata,
    (error) => done(console.log("refused:", error.code, error.details))),
);
await new Promise((done) =>
  client.tell("me", metadata, (error, text) => done(console.log("tell:", error ? error.message : text.trim()))),
);
client.close();
