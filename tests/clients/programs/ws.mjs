// SPDX-License-Identifier: Apache-2.0
import WebSocket from "ws";

const peer = new WebSocket(process.argv[2], ["echo"]);
peer.on("open", () => peer.send("hello"));
peer.on("message", (data) => {
  console.log("came back: " + data);
  peer.close();
});
