// SPDX-License-Identifier: Apache-2.0
// undici with the agent that reads the proxy variables.
import { EnvHttpProxyAgent, request } from "undici";

const dispatcher = new EnvHttpProxyAgent();
for (const url of process.argv.slice(2)) {
  const { body } = await request(url, { dispatcher });
  console.log(await body.text());
}
