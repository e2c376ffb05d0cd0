# SPDX-License-Identifier: Apache-2.0
"""libcurl as a library, where the variables of the curl program say nothing."""
import sys

import pycurl

curl = pycurl.Curl()
for url in sys.argv[1:]:
    curl.setopt(pycurl.URL, url)
    curl.perform()
