"""What somebody has changed in a copy of the skill, as exact edits."""

import difflib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loopwright.domain.findings import Edit
from loopwright.tune.fixes.edits import in_order


class Change(NamedTuple):
    """`lines`: how many were added or removed, in all files. `unreadable`: files that are no UTF-8 now."""

    edits: tuple[Edit, ...]
    creates: Mapping[str, str]
    deletes: tuple[str, ...]
    lines: int
    unreadable: tuple[str, ...] = ()


def between(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Change:
    """From the files `before` to those `after`, line by line."""
    edits: list[Edit] = []
    creates: dict[str, str] = {}
    unreadable: list[str] = []
    for file in sorted(after):
        old, new = before.get(file), after[file]
        if old == new:
            continue
        text = _text(new)
        if text is None or (old is not None and _text(old) is None):
            unreadable.append(file)
        elif old is None:
            creates[file] = text
        else:
            edits += _edits(file, old, new)
    deletes = tuple(sorted(before.keys() - after.keys()))
    changed = sum(max(_lines(edit.old), _lines(edit.new)) for edit in edits)
    changed += sum(_lines(text) for text in creates.values())
    changed += sum(before[file].count(b"\n") for file in deletes)
    return Change(tuple(in_order(edits)), creates, deletes, changed, tuple(unreadable))


def _edits(file: str, old: bytes, new: bytes) -> Iterator[Edit]:
    was, now = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in was:
        starts.append(starts[-1] + len(line))
    for tag, a, b, c, d in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal":
            removed, added = b"".join(was[a:b]).decode(), b"".join(now[c:d]).decode()
            yield Edit(file=file, start=starts[a], end=starts[b], old=removed, new=added)


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> int:
    return len(text.splitlines())
