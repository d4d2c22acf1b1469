"""What can be asked about failing tests without changing anything, and what is answered. Pure."""

import posixpath
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from loopwright.domain.debugging import Patch, ProbeHit
from loopwright.domain.errors import Invalid
from loopwright.domain.loop import Hypothesis
from loopwright.domain.record import Items, Record
from loopwright.domain.words import clipped, whole

LOOSE = "probe"
"""Stands in debug.log for the id of a hypothesis where a probe belongs to none."""

MOST_DIFF, MOST_NAMED, MOST_CALL = 20_000, 30, 1_000
"""Characters of a patch's diff, tests that it names, and characters of a call that tells it from another."""

_PLACE = re.compile(r"(?P<file>.+?\.\w+):(?:(?P<func>[^:]+):)?(?P<line>[0-9]{1,7})\s*")

Status = Literal["passed", "failed", "skipped"]


class Place(NamedTuple):
    """A line of a file of the project, relative to its root. `func`: what it was said to lie in."""

    file: str
    func: str | None
    line: int


class ProbeOrder(Record):
    """`expressions`: none stands for all local variables. `hits`: how many of them are shown of each test."""

    file: str
    func: str | None
    line: int
    expressions: Items[str] = ()
    hits: int = 5


class RanTest(Record):
    """One test, run again. `place`: the last line of the project that its error came from, as file:line in function."""

    test: str
    status: Status
    error: str
    message: str
    place: str


class RanTests(Record):
    """`tests` are those that were asked for; where none were named, those that fail. The counts are of all that ran."""

    tests: Items[RanTest]
    passed: int
    failed: int
    skipped: int
    note: str


class Statement(Record):
    """A suspicious statement: so many tests ran it. `score` from 0 to 1; `raised`: exceptions that came from it."""

    rank: int
    file: str
    line: int
    func: str
    code: str
    failing: int
    passing: int
    score: float
    raised: Items[str]


class Spectrum(Record):
    """The most suspicious of `total` statements that a failing test ran."""

    statements: Items[Statement]
    total: int
    failing_tests: int
    passing_tests: int
    note: str


class Watched(RanTest):
    """`reached`: how often the test came to the line; `hits` are the first of these times."""

    reached: int
    hits: Items[ProbeHit]


class Probed(Record):
    """What was there each time just before the line ran."""

    place: str
    code: str
    tests: Items[Watched]
    note: str


class ProposedPatch(Record):
    """`diff` as git and patch take it; `cut` where it was too long. The tests it turns, and those that still fail.

    `differs`: of a rival, a call that tells it from the patch, where one is known.
    """

    file: str
    description: str
    diff: str
    cut: bool
    fixes: Items[str]
    still_failing: Items[str]
    differs: str


class Proposal(Record):
    """What the search found; it is never applied. `rivals` hold as well as the patch does, as far as tests can tell."""

    patch: ProposedPatch | None
    rivals: Items[ProposedPatch]
    candidates: int
    applied: Literal[False]
    words: str
    note: str


Looked = RanTests | Spectrum | Probed | Proposal


def read_place(told: str, root: str) -> Place:
    """`file:line` or `file:function:line`; the file relative to the project, or absolute within it. Invalid."""
    found = _PLACE.fullmatch(told.strip())
    if found is None:
        raise Invalid(f"place: {clipped(told, 200)!r} is none (expected file:line or file:function:line)")
    file = posixpath.normpath(posixpath.join(root, found["file"]))
    if not file.startswith(f"{root.rstrip('/')}/"):
        raise Invalid(f"place: {found['file']} does not lie in the project {root}")
    return Place(file[len(root.rstrip("/")) + 1 :], found["func"], int(found["line"]))


def owner(hypotheses: Sequence[Hypothesis], file: str, line: int) -> str:
    """The id of the hypothesis that is about that line."""
    for one in hypotheses:
        head, _, tail = one.logging_point.rpartition(":")
        if tail == str(line) and head.partition(":")[0] == file:
            return one.id
    return LOOSE


def proposed(patch: Patch, differs: str = "") -> ProposedPatch:
    diff = whole(patch.diff)
    return ProposedPatch(
        file=patch.file, description=patch.description, diff=diff[:MOST_DIFF], cut=len(diff) > MOST_DIFF,
        fixes=patch.fixes[:MOST_NAMED], still_failing=patch.still_failing[:MOST_NAMED],
        differs=clipped(whole(differs), MOST_CALL),
    )  # fmt: skip
