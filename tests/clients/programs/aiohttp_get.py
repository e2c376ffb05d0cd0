# SPDX-License-Identifier: Apache-2.0
"""aiohttp; the first argument says whether it shall read the proxy variables (trust_env)."""
import asyncio
import sys

import aiohttp


async def main(trust_env, urls):
    async with aiohttp.ClientSession(trust_env=trust_env) as session:
        for url in urls:
            async with session.get(url) as answer:
                print(await answer.text())


asyncio.run(main(sys.argv[1] == "trust_env", sys.argv[2:]))
