// SPDX-License-Identifier: Apache-2.0
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: process.argv[2], apiKey: "placeholder", maxRetries: 0 });
console.log(await (await client.models.list().asResponse()).text());
