# SPDX-License-Identifier: Apache-2.0
"""The matrix of what a server can do with a secret that it was sent: content coding x framing x size, whole, as data.
In every cell there is every spelling (see spellings.mjs): in small bodies one at a time, in large ones all in each."""

import os
from dataclasses import dataclass
from itertools import product

OLD, NEW = ("old.test", "127.0.0.2", "http/1.1"), ("new.test", "127.0.0.3", "h2")
LONG = bool(os.environ.get("LONG"))

DECODED = ("identity", "gzip", "deflate", "br", "zstd")
REFUSED = ("unknown", "stacked")    # stacked: gzip, and br on top of it
# Framing -> server, version that the client speaks.
FRAMINGS = {
    "counted": (OLD, "http1.1"),    # Content-Length
    "bytes": (OLD, "http1.1"),      # chunks of one byte; identity of more than 4 MiB: only around secrets
    "h2": (NEW, "http2"),           # DATA frames of one byte around secrets
    "events": (OLD, "http1.1"),
    "websocket": (OLD, "http1.1"),  # messages in one frame, in fragments, in fragments of one byte; pings
    "trailers": (OLD, "http1.1"),   # behind a body that has all of it, too, as for the next two
    "fields": (OLD, "http1.1"),     # of the head and of an interim one
    "location": (OLD, "http1.1"),
}
SIZES = {"1 KiB": 1 << 10, "1 MiB + 1": (1 << 20) + 1, "64 MiB": 64 << 20}

# (framing, coding) that there is not, and why.
NO_CODING = ("a WebSocket has no Content-Encoding; what it has, permessage-deflate, is offered by both sides where the "
             "coding is deflate")
ABSENT = {("websocket", coding): NO_CODING for coding in ("gzip", "br", "zstd", "unknown", "stacked")}
# Of 64 MiB: each framing and each coding, once or more. The others take minutes, and only run with LONG=1.
USUAL = {("counted", "gzip"), ("counted", "unknown"), ("counted", "stacked"), ("bytes", "zstd"), ("h2", "br"),
         ("events", "identity"), ("websocket", "identity"), ("trailers", "deflate"), ("fields", "zstd"),
         ("location", "gzip")}


@dataclass(frozen=True)
class Cell:
    coding: str
    framing: str
    size: str

    def __str__(self):
        return f"{self.coding} {self.framing} {self.size}"

    @property
    def absent(self):
        """Why, or None."""
        return ABSENT.get((self.framing, self.coding))

    @property
    def usual(self):
        return not self.absent and (self.size != "64 MiB" or (self.framing, self.coding) in USUAL)

    @property
    def runs(self):
        return self.usual or LONG and not self.absent

    @property
    def asked(self):
        """The parameters for the server. `turn` makes the cells differ in what stands where."""
        return {"coding": self.coding, "framing": self.framing, "size": SIZES[self.size],
                "turn": 7 * ALL.index(self)}


ALL = [Cell(*cell) for cell in product((*DECODED, *REFUSED), FRAMINGS, SIZES)]


def summary(done):
    """In words, what became of each cell; `done`: those that were run."""
    absent = [cell for cell in ALL if cell.absent]
    rest = len(ALL) - len(absent) - len(done)
    lines = [f"echo matrix: {len(ALL)} cells = {len(DECODED + REFUSED)} codings x {len(FRAMINGS)} framings x "
             f"{len(SIZES)} sizes; {len(done)} were run, {rest} were not{'' if LONG else ' (LONG=1 runs all)'}, "
             f"{len(absent)} do not exist:"]
    for reason in dict.fromkeys(cell.absent for cell in absent):
        lines.append(f"  {', '.join(str(cell) for cell in absent if cell.absent == reason)}: {reason}")
    return "\n".join(lines)
