// SPDX-License-Identifier: Apache-2.0
import fetch from "node-fetch";

for (const url of process.argv.slice(2)) console.log(await (await fetch(url)).text());
