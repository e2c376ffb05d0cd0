# SPDX-License-Identifier: Apache-2.0
"""Python's http.client, which knows no proxy."""
import http.client
import sys
from urllib.parse import urlsplit

for url in map(urlsplit, sys.argv[1:]):
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.netloc)
    connection.request("GET", url.path)
    print(connection.getresponse().read().decode())
