# SPDX-License-Identifier: Apache-2.0
"""After each end-to-end test: no secret of it, in any usual spelling, lies where a sandbox or a reader of logs could
find it: home and work folder, state, journals, records, and what the runs have said."""

import base64
import json
from urllib.parse import quote, quote_plus

SHORTEST = 8
# What `aduana secret` stores is sealed; its key is the broker's.
OWN_OF_THE_BROKER = ("store.key",)


def spellings(secret):
    """Name -> bytes."""
    raw = secret.encode()
    found = {"raw": raw, "reversed": raw[::-1], "hex": raw.hex().encode(), "HEX": raw.hex().upper().encode(),
             "percent": quote(secret, safe="").encode(), "form": quote_plus(secret).encode(),
             "percent, all of it": "".join(f"%{b:02x}" for b in raw).encode(),
             "PERCENT, all of it": "".join(f"%{b:02X}" for b in raw).encode(),
             "JSON": json.dumps(secret)[1:-1].encode(), "JSON, all of it": "".join(f"\\u{b:04x}" for b in raw).encode(),
             "UTF-16": secret.encode("utf-16-le")}
    for shift in range(3):
        # Without the characters that what stands around it changes.
        coded = base64.b64encode(b"\0" * shift + raw).rstrip(b"=")[(0, 2, 3)[shift]:-1]
        found[f"base64 at {shift}"] = coded
        found[f"base64url at {shift}"] = coded.translate(bytes.maketrans(b"+/", b"-_"))
    return {name: spelling for name, spelling in found.items() if len(spelling) >= SHORTEST}


def secrets_of(person):
    """What lies in the files that only their owner may read, and what the upstreams want to be shown."""
    found = set(person.upstreams.secrets() if person.upstreams else [])
    for file in person.files.rglob("*"):
        if file.is_file() and file.suffix != ".yaml" and file.stat().st_mode & 0o077 == 0:
            lines = file.read_bytes().decode(errors="replace").splitlines()
            found |= {line for line in lines if not line.startswith("-----")}
    return {secret for secret in found if len(secret) >= SHORTEST}


def places_of(person):
    """Name -> bytes."""
    roots = [person.home, person.state, person.runtime,
             *person.folder.glob("journal-*"), *person.folder.glob("record-*")]
    for file in (file for root in roots for file in [root, *root.rglob("*")]):
        if file.is_file() and not file.is_symlink() and file.name not in OWN_OF_THE_BROKER:
            yield str(file.relative_to(person.folder)), file.read_bytes()
    for number, text in enumerate(person.told):
        yield f"output {number}", text.encode(errors="replace")


def find(person, more=()):
    """Where which secret lies, of the person's own and of `more`, as lines; empty if nowhere."""
    # What a test itself says in a command is on record, of course.
    said = "\n".join(person.said).encode()
    wanted = [(secret, name, spelling) for secret in {*secrets_of(person), *more} if secret.encode() not in said
              for name, spelling in spellings(secret).items() if spelling not in said]
    return [f"{place}: {secret[:3]}... as {name}" for place, content in places_of(person)
            for secret, name, spelling in wanted if spelling in content]
