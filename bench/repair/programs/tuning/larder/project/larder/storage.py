"""Carry the entries of a cache over a restart as JSON."""

from __future__ import annotations

import json

from .cache import Larder


def dump(cache: Larder) -> str:
    """Live entries with the seconds they have left; keys must be text."""
    now = cache.clock()
    rows = []
    for key, entry in cache.entries():
        if not isinstance(key, str):
            raise TypeError(f"only text keys can be saved, not {key!r}")
        left = None if entry.expires is None else entry.expires - now
        rows.append({"key": key, "value": entry.value, "left": left, "tags": sorted(entry.tags)})
    return json.dumps({"version": 1, "entries": rows}, sort_keys=True)


def load(cache: Larder, text: str) -> int:
    """Put saved entries into a cache; tells how many. Entries without end stay without end."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("version") != 1:
        raise ValueError("not a dump of version 1")
    for row in data["entries"]:
        left = float("inf") if row["left"] is None else row["left"]
        cache.put(row["key"], row["value"], left, row.get("tags", ()))
    return len(data["entries"])
