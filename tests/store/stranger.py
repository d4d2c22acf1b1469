"""A reader of the journal written from docs/files.md alone: json and a checksum, nothing of the product."""

import json
import zlib
from typing import Any

Json = Any  # parsed JSON, walked freely by the reader below


def independent_replay(journal: bytes) -> Json:
    """A second reader of the journal, written from its description and sharing nothing with the store."""
    state: Json = None
    end = 0
    for text in journal.splitlines(keepends=True):
        end += len(text)
        line = json.loads(text)
        body, _, _ = text.rpartition(b',"check":')
        assert line["check"] == f"{len(body):08x}-{zlib.crc32(body):08x}"
        state = line["state"] if "state" in line else patched(state, line["patch"])
        state["engine"] |= {"rev": line["seq"], "digest": line["digest"], "journal_bytes": end}
    return state


def patched(state: Json, patch: Json) -> Json:
    """RFC 6902 as far as add, replace and remove go; strict about what must exist."""
    for op in patch:
        *way, last = [t.replace("~1", "/").replace("~0", "~") for t in op["path"].split("/")[1:]]
        place = state
        for token in way:
            place = place[int(token)] if isinstance(place, list) else place[token]
        at = last if isinstance(place, dict) else len(place) if last == "-" else int(last)
        if op["op"] == "remove":
            del place[at]
        elif op["op"] == "add" and isinstance(place, list):
            assert at <= len(place)
            place.insert(at, op["value"])
        else:
            assert op["op"] == "add" or isinstance(place, list) or at in place
            place[at] = op["value"]
    return state
