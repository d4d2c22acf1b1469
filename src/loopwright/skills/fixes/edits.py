"""Exact edits of a file's bytes: made from positions in its text, applied, and moved by what was applied before."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from loopwright.core.errors import Conflict, Invalid
from loopwright.skills.findings import Edit, Proposal
from loopwright.skills.reader.page import Page


def make_edit(page: Page, start: int, end: int, new: str) -> Edit:
    """Characters `start` to `end` of the page become `new`, with the page's own line ends. Nothing else is touched."""
    if not 0 <= start <= end <= len(page.text):
        raise Invalid(f"{page.path} has {len(page.text)} characters; there is no range {start}–{end}")
    old = page.text[start:end]
    begin = len(_bytes(page.text[:start]))
    plain = new.replace("\r\n", "\n")
    return Edit(
        file=page.path, start=begin, end=begin + len(_bytes(old)), old=old, new=plain.replace("\n", page.newline)
    )


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes with all edits made; their ranges are those of `data`. Conflict where it does not hold the old text.

    Invalid for edits that overlap, or that insert at the same place.
    """
    pieces, at, last = [], 0, None
    for one in sort_edits(edits):
        if last is not None and edits_overlap(last, one):
            raise Invalid(f"two edits of {one.file} overlap at byte {one.start:,}; merge them into one")
        if data[one.start : one.end] != _bytes(one.old):
            raise Conflict(f"{one.file} has changed: at byte {one.start:,} it does not contain what the edit replaces")
        pieces += [data[at : one.start], _bytes(one.new)]
        at, last = one.end, one
    return b"".join([*pieces, data[at:]])


def rebase_edit(edit: Edit, before: Iterable[Edit]) -> Edit | None:
    """The edit as it has to be made once `before` is in the file; None where they overlap.

    The ranges of all that is given are those of one and the same text: the file as it was diagnosed.
    """
    others = [one for one in before if one.file == edit.file]
    if any(edits_overlap(one, edit) for one in others):
        return None
    at = (edit.start, edit.end)
    shift = sum(len(_bytes(one.new)) - (one.end - one.start) for one in others if (one.start, one.end) < at)
    return edit.evolve(start=edit.start + shift, end=edit.end + shift) if shift else edit


def contents_of(proposal: Proposal, files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """By name what each file that it touches becomes; None: it is deleted. Conflict, Invalid."""
    contents: dict[str, bytes | None] = {}
    for file in proposal.files:
        now = files.get(file)
        edits = [edit for edit in proposal.edits if edit.file == file]
        if bool(edits) + (file in proposal.creates) + (file in proposal.deletes) > 1:
            raise Invalid(f"{file} is changed in two ways at once; use one of edit, create and delete")
        if (now is None) != (file in proposal.creates):
            raise Conflict(f"{file} {'already exists' if now is not None else 'is gone'}: the fix was made before that")
        if file in proposal.creates:
            contents[file] = _bytes(proposal.creates[file])
        else:
            contents[file] = None if file in proposal.deletes else apply_edits(now or b"", edits)
        if contents[file] == now:
            raise Invalid(f"the fix leaves {file} as it is")
    return contents


def edits_overlap(one: Edit, other: Edit) -> bool:
    """Whether both want the same bytes, or insert at the same place."""
    if one.file != other.file:
        return False
    if one.start == one.end == other.start == other.end:
        return True
    return one.start < other.end and other.start < one.end


def sort_edits(edits: Iterable[Edit]) -> Sequence[Edit]:
    return sorted(edits, key=lambda one: (one.start, one.end))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class ChangeSize(NamedTuple):
    """`lines`: how many were added or removed, in all files. `unreadable`: files that are no UTF-8 now."""

    edits: tuple[Edit, ...]
    creates: Mapping[str, str]
    deletes: tuple[str, ...]
    lines: int
    unreadable: tuple[str, ...] = ()


def measure_change(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> ChangeSize:
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
    return ChangeSize(tuple(sort_edits(edits)), creates, deletes, changed, tuple(unreadable))


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
