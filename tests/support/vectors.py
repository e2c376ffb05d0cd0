# SPDX-License-Identifier: Apache-2.0
"""Reads the files of tests/vectors, as vectors.hpp does: one case in a line, columns between " | ", C-like escapes."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "vectors"
ESCAPE = re.compile(r"\\(?:x(..)|\{(.)\*(\d+)\}|(.))", re.DOTALL)
NAMED = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}


def unescape(text):
    """Bytes: what is not ASCII in these files is written as an escape."""
    def value(match):
        code, repeated, times, name = match.groups()
        return chr(int(code, 16)) if code else repeated * int(times) if repeated else NAMED[name]
    return ESCAPE.sub(value, text).encode("latin-1")


def read_vectors(name, columns):
    """Rows of bytes."""
    lines = (FOLDER / name).read_text().split("\n")
    rows = [[unescape(part) for part in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    assert all(len(row) == columns for row in rows), name
    return rows
