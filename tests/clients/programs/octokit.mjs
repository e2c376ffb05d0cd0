// SPDX-License-Identifier: Apache-2.0
import { Octokit } from "@octokit/core";

const url = new URL(process.argv[2]);
const octokit = new Octokit({ baseUrl: url.origin, auth: "placeholder" });
console.log((await octokit.request(`GET ${url.pathname}`)).data);
