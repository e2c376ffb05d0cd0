// SPDX-License-Identifier: Apache-2.0
// Node's http and https modules.
import http from "node:http";
import https from "node:https";

for (const url of process.argv.slice(2)) {
  const get = url.startsWith("https:") ? https.get : http.get;
  await new Promise((done, failed) =>
    get(url, (answer) => answer.pipe(process.stdout, { end: false }).on("unpipe", done)).on("error", failed));
}
