// SPDX-License-Identifier: Apache-2.0
import got from "got";

for (const url of process.argv.slice(2)) console.log(await got(url).text());
