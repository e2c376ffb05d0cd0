# SPDX-License-Identifier: Apache-2.0
"""requests, with a session."""
import sys

import requests

with requests.Session() as session:
    for url in sys.argv[1:]:
        print(session.get(url).text)
