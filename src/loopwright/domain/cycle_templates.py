"""Documents without a model: sentences that each name the file or the test they come from. Pure.

What they are made of, and how they are laid out; what they say is in the modules beside this one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field

from loopwright.domain.record import Items, Record
from loopwright.domain.words import clean, clipped, plural

SENTENCE = 300
"""Characters of a sentence; what it is about can be looked up where it comes from."""

ADDED = "What a model would have added"
"""Heading of the section in which a document says what it is not."""

_PART = re.compile(r"\[(.*)\]$", re.DOTALL)


def line_of(text: str) -> str:
    """One line that reads back as it is."""
    return " ".join(clean(text).split())


@dataclass(frozen=True)
class Statement:
    """A sentence, and the file, test or words of the user that it comes from: there is none without."""

    text: str
    source: str

    def __post_init__(self) -> None:
        if not line_of(self.text) or not line_of(self.source):
            raise ValueError(f"a statement needs its words and its source: {self.text!r} from {self.source!r}")

    def __str__(self) -> str:
        return f"{clipped(line_of(self.text), SENTENCE)} ({clipped(line_of(self.source), SENTENCE)})"


@dataclass(frozen=True)
class Section:
    """Statements under a heading; `more`: how many were left out of it, and what they are."""

    heading: str
    statements: tuple[Statement, ...]
    more: str = ""


class Failure(Record):
    """A failing test: its key, and what was said of it, as far as that is known."""

    test: str
    error: str = ""
    trace: str = ""

    @property
    def file(self) -> str:
        """The test file, where the key begins with it; else empty."""
        file, parted, _ = self.test.partition("::")
        return file if parted and "." in file else ""

    @property
    def name(self) -> str:
        return self.test.rpartition("::")[2]

    @property
    def first_line(self) -> str:
        return next((found for line in self.error.splitlines() if (found := line_of(line))), "")


class FoundTests(Record):
    """The last run of the tests. `names` are the keys of all; `coverage` in percent by file, where it was measured."""

    command: str = ""
    total: int = 0
    passing: int = 0
    failing: Items[Failure] = ()
    names: Items[str] = ()
    coverage: dict[str, float] = Field(default_factory=dict)


def document(title: str, lead: str, sections: Sequence[Section], added: Sequence[str]) -> str:
    """A whole document; sections without a statement are left out. `added`: what a model would have."""
    lines = [f"# {title}", "", lead]
    for section in sections:
        if section.statements:
            lines += ["", f"## {section.heading}", "", *(f"- {statement}" for statement in section.statements)]
            lines += [f"\n{section.more}"] if section.more else []
    return "\n".join([*lines, "", *closing(added)]) + "\n"


def closing(added: Sequence[str]) -> tuple[str, ...]:
    """The last section. It is no list: lists of a document are read back as what it says."""
    return f"## {ADDED}", "", f"{'; '.join(added)}."[:1].upper() + f"{'; '.join(added)}."[1:]


def section(heading: str, statements: Iterable[Statement], most: int, thing: str) -> Section:
    """At most so many of them; the others are counted as `thing`."""
    found = tuple(statements)
    left = len(found) - most
    return Section(heading, found[:most], f"{plural(left, f'other {thing}')} are left out here." if left > 0 else "")


def in_words(test: str) -> str:
    """A test's name as a sentence: `test_an_empty_cart[0]` is `an empty cart (0)`."""
    bare = test.rpartition("::")[2]
    part = _PART.search(bare)
    name = _PART.sub("", bare)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"^test[_\s]*", "", name)).replace("_", " ").strip() or name
    return f"{words} ({part[1]})" if part else words


def named(names: Sequence[str], most: int) -> str:
    """The first of them, and how many there are beside."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {plural(more, 'other')}" if more > 0 else "")
