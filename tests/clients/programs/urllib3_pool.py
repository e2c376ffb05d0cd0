# SPDX-License-Identifier: Apache-2.0
"""Bare urllib3, which knows no proxy variables."""
import sys

import urllib3

pool = urllib3.PoolManager()
for url in sys.argv[1:]:
    print(pool.request("GET", url, retries=False).data.decode())
