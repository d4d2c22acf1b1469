"""Unified diffs that `git apply` takes to the byte."""

import difflib
from collections.abc import Iterator

from loopwright.core.errors import Invalid

CONTEXT = 3
NO_NEWLINE = "\\ No newline at end of file\n"
_ESCAPES = {"\t": "\\t", "\n": "\\n", '"': '\\"', "\\": "\\\\", "\r": "\\r"}


def render_file_diff(file: str, old: bytes | None, new: bytes | None) -> str:
    """What becomes of one file; None: there is none. "" where nothing does. Invalid for bytes that are no UTF-8 text.

    Line ends are part of the lines: it has to be written out as it is.
    """
    if old == new:
        return ""
    before, after = _lines(file, old or b""), _lines(file, new or b"")
    hunks = "".join(_hunks(before, after))
    mode = "new file mode 100644\n" if old is None else "deleted file mode 100644\n" if new is None else ""
    head = f"diff --git {_name('a', file)} {_name('b', file)}\n{mode}"
    if not hunks:
        return head
    source = "/dev/null" if old is None else _marked(_name("a", file))
    target = "/dev/null" if new is None else _marked(_name("b", file))
    return f"{head}--- {source}\n+++ {target}\n{hunks}"


def why_no_text(data: bytes) -> str | None:
    """Why a file cannot be shown as a diff, or None for a text."""
    if b"\0" in data:
        return "it is binary: it contains a NUL byte"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"its byte {error.start:,} is not UTF-8"
    return None


def _lines(file: str, data: bytes) -> list[str]:
    if why := why_no_text(data):
        raise Invalid(f"no diff of {file} can be shown: {why}")
    return lines_of(data)


Opcode = tuple[str, int, int, int, int]
"""As `difflib` has them: equal, replace, delete or insert, and the ranges of lines before and after."""


def _matched(before: list[str], after: list[str]) -> tuple["difflib.SequenceMatcher[str]", int]:
    """What both have in common at the beginning and at the end is cut off first: finding the rest is then fast."""
    shortest = min(len(before), len(after))
    head = next((n for n in range(shortest) if before[n] != after[n]), shortest)
    rest = shortest - head
    tail = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    skip, cut = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    middle = before[skip : len(before) - cut], after[skip : len(after) - cut]
    return difflib.SequenceMatcher(None, *middle), skip


def _shifted(one: Opcode, by: int) -> Opcode:
    tag, i, i_end, j, j_end = one
    return tag, i + by, i_end + by, j + by, j_end + by


def lines_of(data: bytes) -> list[str]:
    """Each with its newline, of a text; only `\\n` ends a line, as for git."""
    lines = [f"{line}\n" for line in data.decode().split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    matcher, skip = _matched(before, after)
    for shown in matcher.get_grouped_opcodes(CONTEXT):
        group = [_shifted(one, skip) for one in shown]
        _, old, _, new, _ = group[0]
        _, _, old_end, _, new_end = group[-1]
        yield f"@@ -{_range(old, old_end - old)} +{_range(new, new_end - new)} @@\n"
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                yield from (_ended(f" {line}") for line in before[i:i_end])
            else:
                yield from (_ended(f"-{line}") for line in before[i:i_end])
                yield from (_ended(f"+{line}") for line in after[j:j_end])


def _range(start: int, length: int) -> str:
    """Lines count from 1; an empty range names the line before it."""
    return f"{start + 1 if length else start},{length}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}"


def _name(side: str, file: str) -> str:
    """Quoted as git does where it has to be."""
    if all(char >= " " and char not in '"\\\x7f' for char in file):
        return f"{side}/{file}"
    written = "".join(
        _ESCAPES.get(char, char if char >= " " and char != "\x7f" else f"\\{ord(char):03o}") for char in file
    )
    return f'"{side}/{written}"'


def _marked(name: str) -> str:
    """A name with blanks is ended by a tab, so that none of it is taken for a date."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name
