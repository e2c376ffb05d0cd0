# SPDX-License-Identifier: Apache-2.0
"""websockets, which knows no proxy variables."""
import asyncio
import sys

import websockets


async def main():
    async with websockets.connect(sys.argv[1], subprotocols=["echo"]) as peer:
        await peer.send("hello")
        print("came back:", await peer.recv())


asyncio.run(main())
