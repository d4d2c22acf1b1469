"""When a loop has stalled: nothing new is measured any more. Pure, over the sightings that the state keeps.

Every validation is compared with all that are remembered from before it. *Progress* (`PROGRESS`) is what was never
reached before. *News* (`NEWS`) may lead to it: a cause that nobody had named or judged, another test that breaks, other
numbers in a known message. What differs by chance is neither. Whoever is stuck sees what was seen just before, whoever
goes in circles what was seen some rounds before: nothing new, both of them.

A loop has stalled when its last validation failed and one of `SIGNS` holds. Going back to code that was tested before
weighs more than writing it anew; news without progress buys time, but not for ever.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.record import Items
from loopwright.core.state import SIGHTINGS_KEPT, Sighting
from loopwright.core.text import agree_word
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.workflows.loop.model import SkillState

FAILURES_KEPT = 16
"""Failures of one validation that are kept, those with the smallest digests, so that a large set is sampled alike."""

WIDTH = 6
"""Hex digits of each of a failure's three digests."""

TEXT_LOOKED_AT = 2000

BY_CHANCE = re.compile(
    r"""0x[0-9a-f]+                                                        # addresses
    | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b     # UUIDs
    | \b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d([.,]\d+)?)?(z|[+-]\d\d:?\d\d)?  # moments
    | \b\d+(\.\d+)?\s?(ns|µs|us|ms|s|sec|secs|seconds)\b                   # durations
    | (/private)?(/var)?/tmp/[^\s'"]*                                      # temporary files
    | :\d+(:\d+)?\b | \bline\s\d+(,\scolumn\s\d+)?                         # places in files that grow and shrink
    | \b(pid|goroutine|port)\s?[=:]?\s?\d+                                 # numbers the system gives out
    """,
    re.VERBOSE | re.IGNORECASE,
)
NUMBER = re.compile(r"\d+(\.\d+)?")
OWN_LINE = re.compile(r'^>(.*)$|^[ \t]*File ".*\n(.*)$', re.MULTILINE)
"""The first line that a Python trace quotes is the test's own: it does not change when the program is rewritten."""

PLACE = re.compile(r'(?<![\w.-])[\w-][\w.-]{0,99}(?::|", line )\d+')
"""A file's name with a line; those in files of tests change less often than those in the program."""


class FailureDigest(NamedTuple):
    """Digests of one failure: the test, what kind of failure it is, and its very numbers."""

    test: str
    kind: str
    numbers: str


def list_failures(sighting: Sighting) -> tuple[FailureDigest, ...]:
    """The failures that were kept; for a sighting of an earlier version all of them as one."""
    text = sighting.failures
    if not text:
        return (FailureDigest(sighting.failing, "", ""),) if sighting.failing else ()
    cut = [text[at : at + WIDTH] for at in range(0, len(text), WIDTH)]
    return tuple(FailureDigest(*cut[n : n + 3]) for n in range(0, len(cut), 3))


def sighting(outcome: ValidationOutcome, failing: Sequence[str], skill: SkillState) -> Sighting:
    """What this validation saw; `failing` are the keys of the tests that have to be repaired."""
    results = {result.key: result for result in outcome.results}
    sample = sorted((key for key in failing if key in results), key=_name)[:FAILURES_KEPT]
    return Sighting(
        failing=_digest("\n".join(sorted(failing)), 16) if failing else "",
        tree=outcome.tree,
        failures="".join(_failure(results[key]) for key in sample),
        failed=len(failing),
        passed=sum(result.status == "passed" for result in outcome.results),
        coverage=outcome.coverage,
        tasks=sum(task.status == "completed" and bool(task.files_changed) for task in skill.develop.tasks),
        ideas=count_causes(skill.debug.hypotheses),
    )


def fruitless_sighting(last: Sighting, skill: SkillState) -> Sighting:
    """What a DEBUG that changed nothing leaves behind, so that there is nothing to validate."""
    return Sighting(failing=last.failing, tree=last.tree, tested=False, ideas=count_causes(skill.debug.hypotheses))


def keep_sightings(known: Items[Sighting], new: Sighting) -> Items[Sighting]:
    """With one more, as many as are kept."""
    return (*known, new)[-SIGHTINGS_KEPT:]


def count_causes(hypotheses: Sequence[Hypothesis]) -> int:
    """Different causes that were named, and of these again those that were judged."""
    named = ((" ".join(re.findall(r"\w+", h.description.lower())), h.status != "pending") for h in hypotheses)
    return len({(words, seen) for words, judged in named for seen in {False, judged}})


def _failure(result: TestResult) -> str:
    """The three digests of a Failure in a row."""
    said, trace = (result.error_message or "")[:TEXT_LOOKED_AT], result.stack_trace or ""
    message = BY_CHANCE.sub("…", said)
    line = OWN_LINE.search(trace)
    quoted = (line[1] or line[2] or "").strip() if line else ""
    places = (place[0] for place in PLACE.finditer(f"{said}\n{trace}"))
    own = next((place for place in places if "test" in place.lower() or "spec" in place.lower()), "")
    kind, numbers = _words(NUMBER.sub("#", message)), _words(message)
    return _name(result.key) + _digest(f"{kind}\n{quoted}", WIDTH) + _digest(f"{numbers}\n{quoted}\n{own}", WIDTH)


def _name(key: str) -> str:
    return _digest(key, WIDTH)


def _words(text: str) -> str:
    """The words in an order of their own: sets are printed in any order."""
    return " ".join(sorted(re.findall(r"[\w.#…]+", text.lower())))


def _digest(text: str, width: int) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:width]


QUIET = 6
"""Validations in a row without news that are enough."""

BACK = 2
"""Those that are enough once the code is one that was tested before."""

BARREN = 8
"""Validations in a row without progress that are enough, whatever the news."""

IDLE = 6
"""Rounds of debugging in a row that changed nothing: more than the selector allows by itself, so that its last resort
comes first."""

COVERAGE_STEP = 0.5
"""Percent points below which coverage wobbles by itself."""

Before = Sequence[Sighting]


def _fewer_fail(before: Before, now: Sighting) -> bool:
    known = [s.failed for s in before if s.failed is not None]
    return now.failed is not None and bool(known) and now.failed < min(known)


def _fails_in_another_way(before: Before, now: Sighting) -> bool:
    kinds = {(f.test, f.kind) for f in _all(before)}
    tests = {test for test, _ in kinds}
    return any(f.test in tests and (f.test, f.kind) not in kinds for f in list_failures(now))


def _one_was_repaired(before: Before, now: Sighting) -> bool:
    """More pass than ever, and not only because tests were added."""
    gone = {f.test for f in list_failures(before[-1])} - {f.test for f in list_failures(now)}
    return bool(gone) and now.passed > max(s.passed for s in before)


PROGRESS: dict[str, Callable[[Before, Sighting], bool]] = {
    "fewer tests fail than ever": _fewer_fail,
    "a known failure is another one now": _fails_in_another_way,
    "a test was repaired, and more pass than ever": _one_was_repaired,
    "a task was completed and changed files": lambda before, now: now.tasks > max(s.tasks for s in before),
    "coverage is higher than ever": lambda before, now: now.coverage >= max(s.coverage for s in before) + COVERAGE_STEP,
}

NEWS: dict[str, Callable[[Before, Sighting], bool]] = {
    "a new cause was named, or one was judged": lambda before, now: now.ideas > max(s.ideas for s in before),
    "a test fails that never failed, or with other numbers": lambda before, now: (
        not _all(before) >= {*list_failures(now)}
    ),
}


@dataclass(frozen=True)
class StallHistory:
    """What the end of a history amounts to.

    `quiet`: validations in a row, up to the last, without progress or news; `barren`: without progress; `idle`: DEBUG
    rounds in a row that changed nothing and named nothing new.
    """

    tested: Sequence[Sighting]
    quiet: int
    barren: int
    idle: int

    def returned(self, back: int) -> bool:
        """Whether the code of the validation so far `back` had been tested before."""
        at = len(self.tested) - 1 - back
        return any(s.tree == self.tested[at].tree for s in self.tested[:at])


@dataclass(frozen=True)
class StallSign:
    """One way to see that a loop has stalled, and how it is told."""

    name: str
    holds: Callable[[StallHistory], bool]
    words: Callable[[StallHistory], str]


def find_stall(sightings: Sequence[Sighting]) -> str | None:
    """The sign that the loop has stalled, in words; None while it may still get somewhere."""
    if not sightings or not sightings[-1].failing:
        return None
    course = course_of(sightings)
    return next((sign.words(course) for sign in SIGNS if sign.holds(course)), None)


def course_of(sightings: Sequence[Sighting]) -> StallHistory:
    tested = [s for s in sightings if s.tested]
    return StallHistory(
        tested=tested,
        quiet=_in_a_row(lambda before, now: not (_any(PROGRESS, before, now) or _any(NEWS, before, now)), tested),
        barren=_in_a_row(lambda before, now: not _any(PROGRESS, before, now), tested),
        idle=_in_a_row(lambda before, now: not now.tested and now.ideas <= before[-1].ideas, sightings),
    )


def _in_a_row(holds: Callable[[Before, Sighting], bool], history: Sequence[Sighting]) -> int:
    """How many at the end of a history hold, each against all before it; the first one has nothing before it."""
    answers = (holds(history[:n], history[n]) for n in range(len(history) - 1, 0, -1))
    return sum(takewhile(bool, answers))


def _any(signs: dict[str, Callable[[Before, Sighting], bool]], before: Before, now: Sighting) -> bool:
    return any(sign(before, now) for sign in signs.values())


def _all(sightings: Iterable[Sighting]) -> set[FailureDigest]:
    return {failure for sighting in sightings for failure in list_failures(sighting)}


def _goes_back(course: StallHistory) -> bool:
    """Nothing new, and the code is one that was tested before: twice in a row, or under one and the same failure."""
    if course.quiet < BACK or not course.returned(0):
        return False
    return course.returned(1) or len({s.failing for s in course.tested[-BACK - 1 :]}) == 1


def _repeated(course: StallHistory) -> str:
    """What was seen again and again, and what the code did meanwhile."""
    last = course.tested[-1]
    seen = list(takewhile(lambda s: _state(s) == _state(last), reversed(course.tested)))
    if len(seen) <= course.quiet:  # a round trip: the quiet ones repeat more than the one before them
        states = len({_state(s) for s in course.tested[-course.barren - 1 :]})
        quiet = agree_word(course.quiet, "validation")
        return f"the last {course.quiet} {quiet} saw nothing new: {states} states of the failing tests take turns"
    trees = len({s.tree for s in seen})
    tests = "test" if last.failed == 1 else f"{last.failed} tests" if last.failed else "tests"
    meanwhile = (
        "and the code did not change"
        if trees == 1
        else f"while the code went back and forth between {trees} versions"
        if trees < len(seen)
        else "although the code was changed each time"
    )
    return f"the same {tests} failed with the same messages in {len(seen)} validations, {meanwhile}"


def _state(sighting: Sighting) -> tuple[str, frozenset[tuple[str, str]]]:
    return sighting.failing, frozenset((f.test, f.kind) for f in list_failures(sighting))


SIGNS: tuple[StallSign, ...] = (
    StallSign(
        "idle",
        lambda c: c.idle >= IDLE,
        lambda c: f"{c.idle} rounds of debugging in a row changed nothing and named no new cause",
    ),
    StallSign("back again", _goes_back, _repeated),
    StallSign("nothing new", lambda c: c.quiet >= QUIET, _repeated),
    StallSign(
        "no progress",
        lambda c: c.barren >= BARREN,
        lambda c: f"{c.barren} validations in a row brought new explanations, numbers or breakages, but no progress",
    ),
)
"""The first that holds is told."""
