// SPDX-License-Identifier: Apache-2.0
// Node's own fetch.
for (const url of process.argv.slice(2)) {
  const answer = await fetch(url);
  console.log(await answer.text());
}
