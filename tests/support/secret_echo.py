# SPDX-License-Identifier: Apache-2.0
"""A server that gives the token of a request back (secret_echo.mjs), and how to see whether it is still there."""

import base64
import functools
import html
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

from support.npm_registry import installed_packages
from support.processes import Service

TOKEN = "tok/9fK2+<x>&mQ'x7=ZpL~w"
# What stands in a line between secrets, behind its number: some escapes, and nothing that changes.
FILLER = ('", "rate": "100%", "link": "<a href=\\u0022/?a=1&amp;b=2%20c\\u0022>", "text": "'
          + "a line that looks like any other line of an answer, " * 8 + '"},')
_LINE = re.compile(rb'\{"id": "[0-9a-f]{8}' + re.escape(FILLER.encode()) + rb"\n")
_RECORD = re.compile(rb"<([a-z0-9_]+)\|(.*?)\|>", re.DOTALL)


class SecretEcho:
    """`protocol`: all that it speaks, h2 or http/1.1."""

    def __init__(self, folder, authority, address, protocol, name):
        folder = Path(folder)
        folder.mkdir(parents=True)
        certificate, key = authority.issue(name)
        script = Path(__file__).with_suffix(".mjs")
        self.service = Service(["node", script, address, certificate, key, installed_packages(), protocol, FILLER],
                               folder / "log", (address, 443))

    def stop(self):
        self.service.stop()


def base64_core(value, before, altchars=None):
    """The characters that only `value` determines, `before` bytes of something else in front of it."""
    text = base64.b64encode(b"x" * before + value + b"xxx", altchars)
    return text[-(-before * 8 // 6):(before + len(value)) * 8 // 6]


@functools.cache
def forms(token):
    """Each, and in lower case."""
    value = token.encode()
    shifts = [(n, alt) for n in range(3) for alt in (None, b"-_")]
    once = [base64_core(value, *shift) for shift in shifts]
    twice = [base64_core(inner, *shift) for inner in once for shift in shifts]
    hexes = [value.hex(between).encode() if between else value.hex().encode() for between in ("", " ", ":")]
    found = [value, value[::-1], *once, *twice, *hexes, token.encode("utf-16le"), token.encode("utf-16be")]
    return [(form, form.lower()) for form in dict.fromkeys(found)]


def unescaped(data):
    data = re.sub(rb"\\u00([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), data)
    data = re.sub(rb"\\([\\/\"'])", rb"\1", unquote_to_bytes(data))
    return html.unescape(data.decode("latin-1")).encode("latin-1", "replace")


def condensed(data):
    """Without whole lines of filler: a form of the token that was part of one would be part of what is in all of them,
    and one that ended or began in one would have its brackets. Gives how many there were, too."""
    text, count = _LINE.subn(b"{}\n", data)
    return text.replace(b"data: {}\n\n", b"\n").replace(b"{}\n{}\n", b"\n"), count


def leaks(data, token=TOKEN):
    """The forms of the token that can be read in `data`, in whatever way it is unescaped."""
    text, _ = condensed(data)
    once = unescaped(text)
    views = {view for one in (text, once, unescaped(once)) for view in (one, re.sub(rb"\r?\n", b"", one))}
    found = set()
    for view in views:
        lowered = view.lower()
        found.update(form for form, low in forms(token) if form in view or low in lowered)
    return found


def records(data):
    """[(name, what came of that spelling)] of a body with all spellings."""
    return [(name.decode(), text) for name, text in _RECORD.findall(condensed(data)[0])]


def unframed(raw):
    """(payload, framing) of a body in chunks (RFC 9112 section 7.1), trailers included."""
    payload, framing, at = bytearray(), bytearray(), 0
    while True:
        end = raw.index(b"\r\n", at) + 2
        framing += raw[at:end]
        size = int(raw[at:end].split(b";")[0], 16)
        if size == 0:
            return bytes(payload), bytes(framing + raw[end:])
        payload += raw[end:end + size]
        at = end + size + 2
        if raw[at - 2:at] != b"\r\n":
            raise ValueError(f"no chunk ends at byte {at}")


def read_items(path):
    """[(kind, bytes)] of what websocket_capture.mjs has written."""
    kinds = {b"h": "head", b"e": "extensions", b"m": "message", b"p": "ping", b"c": "reason"}
    data, at = Path(path).read_bytes(), 0
    while at < len(data):
        size = int.from_bytes(data[at + 1:at + 5], "big")
        yield kinds[data[at:at + 1]], data[at + 5:at + 5 + size]
        at += 5 + size
