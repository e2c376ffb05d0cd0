# SPDX-License-Identifier: Apache-2.0
"""httpx."""
import sys

import httpx

with httpx.Client() as client:
    for url in sys.argv[1:]:
        print(client.get(url).text)
