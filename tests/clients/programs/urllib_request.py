# SPDX-License-Identifier: Apache-2.0
"""Python's urllib.request."""
import sys
import urllib.request

for url in sys.argv[1:]:
    print(urllib.request.urlopen(url).read().decode())
