// SPDX-License-Identifier: Apache-2.0
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "placeholder", maxRetries: 0 });
console.log(await (await client.models.list().asResponse()).text());
