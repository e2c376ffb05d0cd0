// SPDX-License-Identifier: Apache-2.0
// A service without a schema: bytes in, bytes out.
import { createRequire } from "node:module";

const require = createRequire(process.env.NODE_PATH ? process.env.NODE_PATH + "/" : import.meta.url);
export const grpc = require("@grpc/grpc-js");

const method = (name, streams) => ({
  path: "/test.Echo/" + name,
  requestStream: streams,
  responseStream: streams,
  requestSerialize: (text) => Buffer.from(text),
  requestDeserialize: (bytes) => bytes.toString(),
  responseSerialize: (text) => Buffer.from(text),
  responseDeserialize: (bytes) => bytes.toString(),
});
export const echo = {
  once: method("Once", false),
  talk: method("Talk", true),
  fail: method("Fail", false),
  tell: method("Tell", false),
};
