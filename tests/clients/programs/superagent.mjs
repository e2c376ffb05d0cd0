// SPDX-License-Identifier: Apache-2.0
import superagent from "superagent";

for (const url of process.argv.slice(2)) console.log((await superagent.get(url)).text);
