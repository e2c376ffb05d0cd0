# SPDX-License-Identifier: Apache-2.0
"""asyncio streams: HTTP by hand, as small scripts do it."""
import asyncio
import sys
from urllib.parse import urlsplit


async def get(url):
    tls = url.scheme == "https"
    reader, writer = await asyncio.open_connection(url.hostname, 443 if tls else 80, ssl=tls or None)
    writer.write(f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
    print((await reader.read()).decode())
    writer.close()


for argument in sys.argv[1:]:
    asyncio.run(get(urlsplit(argument)))
