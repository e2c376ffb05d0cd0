# SPDX-License-Identifier: Apache-2.0
"""A server that gives the token of a request back (secret_echo.mjs), and how to see whether it is still there."""

import base64
import html
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

from support.npm_registry import installed_packages
from support.processes import Service

TOKEN = "tok/9fK2+<x>&mQ'x7=ZpL~w"
EDGE = 16384


class SecretEcho:
    """`protocol`: all that it speaks, h2 or http/1.1."""

    def __init__(self, folder, authority, address, protocol, name):
        folder = Path(folder)
        folder.mkdir(parents=True)
        certificate, key = authority.issue(name)
        script = Path(__file__).with_suffix(".mjs")
        self.service = Service(["node", script, address, certificate, key, installed_packages(), protocol],
                               folder / "log", (address, 443))

    def stop(self):
        self.service.stop()


def base64_core(value, before, altchars=None):
    """The characters that only `value` determines, `before` bytes of something else in front of it."""
    text = base64.b64encode(b"x" * before + value + b"xxx", altchars)
    return text[-(-before * 8 // 6):(before + len(value)) * 8 // 6]


def forms(token):
    value = token.encode()
    once = [base64_core(value, n, alt) for n in range(3) for alt in (None, b"-_")]
    twice = [base64_core(base64.b64encode(value)[:len(value) * 8 // 6], n) for n in range(3)]
    hexes = [value.hex(between).encode() if between else value.hex().encode() for between in ("", " ", ":")]
    return [value, value[::-1], *once, *twice, *hexes, token.encode("utf-16le"), token.encode("utf-16be")]


def unescaped(data):
    data = re.sub(rb"\\u00([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), data)
    data = re.sub(rb"\\([\\/\"'])", rb"\1", unquote_to_bytes(data))
    return html.unescape(data.decode("latin-1")).encode("latin-1", "replace")


def leaks(data, token=TOKEN):
    """The forms of the token that can be read in `data`, in whatever way it is unescaped. Where it is long, only its
    beginning, its middle and its end are unescaped."""
    middle = len(data) // 2
    parts = [data] if len(data) < 4 * EDGE else [data[:EDGE], data[middle - EDGE:middle + EDGE], data[-EDGE:]]
    views = [data] if len(data) >= 4 * EDGE else []
    for part in parts:
        once = unescaped(part)
        views += [view for text in (part, once, unescaped(once)) for view in (text, re.sub(rb"\r?\n", b"", text))]
    found = set()
    for view in views:
        lowered = view.lower()
        found.update(form for form in forms(token) if form in view or form.lower() in lowered)
    return found
