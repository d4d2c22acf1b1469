"""When a loop has stalled: nothing new is measured any more. Pure, over the sightings that the state keeps.

Every validation is compared with all that are remembered from before it. *Progress* (`PROGRESS`) is what was never
reached before. *News* (`NEWS`) may lead to it: a cause that nobody had named or judged, another test that breaks, other
numbers in a known message. What differs by chance is neither. Whoever is stuck sees what was seen just before, whoever
goes in circles what was seen some rounds before: nothing new, both of them.

A loop has stalled when its last validation failed and one of `SIGNS` holds. Going back to code that was tested before
weighs more than writing it anew; news without progress buys time, but not for ever.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from loopwright.domain.engine_state import Sighting
from loopwright.domain.sightings import Failure, failures
from loopwright.domain.words import agreeing

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
    return any(f.test in tests and (f.test, f.kind) not in kinds for f in failures(now))


def _one_was_repaired(before: Before, now: Sighting) -> bool:
    """More pass than ever, and not only because tests were added."""
    gone = {f.test for f in failures(before[-1])} - {f.test for f in failures(now)}
    return bool(gone) and now.passed > max(s.passed for s in before)


PROGRESS: dict[str, Callable[[Before, Sighting], bool]] = {
    "fewer tests fail than ever": _fewer_fail,
    "a known failure is another one now": _fails_in_another_way,
    "a test was repaired, and more pass than ever": _one_was_repaired,
    "a task was completed and changed files": lambda before, now: now.tasks > max(s.tasks for s in before),
    "coverage is higher than ever": lambda before, now: now.coverage >= max(s.coverage for s in before) + COVERAGE_STEP,
}  # fmt: skip

NEWS: dict[str, Callable[[Before, Sighting], bool]] = {
    "a new cause was named, or one was judged": lambda before, now: now.ideas > max(s.ideas for s in before),
    "a test fails that never failed, or with other numbers": lambda before, now: not _all(before) >= {*failures(now)},
}


@dataclass(frozen=True)
class Course:
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
class Sign:
    """One way to see that a loop has stalled, and how it is told."""

    name: str
    holds: Callable[[Course], bool]
    words: Callable[[Course], str]


def stalled_because(sightings: Sequence[Sighting]) -> str | None:
    """The sign that the loop has stalled, in words; None while it may still get somewhere."""
    if not sightings or not sightings[-1].failing:
        return None
    course = course_of(sightings)
    return next((sign.words(course) for sign in SIGNS if sign.holds(course)), None)


def course_of(sightings: Sequence[Sighting]) -> Course:
    tested = [s for s in sightings if s.tested]
    return Course(
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


def _all(sightings: Iterable[Sighting]) -> set[Failure]:
    return {failure for sighting in sightings for failure in failures(sighting)}


def _goes_back(course: Course) -> bool:
    """Nothing new, and the code is one that was tested before: twice in a row, or under one and the same failure."""
    if course.quiet < BACK or not course.returned(0):
        return False
    return course.returned(1) or len({s.failing for s in course.tested[-BACK - 1 :]}) == 1


def _repeated(course: Course) -> str:
    """What was seen again and again, and what the code did meanwhile."""
    last = course.tested[-1]
    seen = list(takewhile(lambda s: _state(s) == _state(last), reversed(course.tested)))
    if len(seen) <= course.quiet:  # a round trip: the quiet ones repeat more than the one before them
        states = len({_state(s) for s in course.tested[-course.barren - 1 :]})
        quiet = agreeing(course.quiet, "validation")
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
    return sighting.failing, frozenset((f.test, f.kind) for f in failures(sighting))


SIGNS: tuple[Sign, ...] = (
    Sign("idle", lambda c: c.idle >= IDLE,
         lambda c: f"{c.idle} rounds of debugging in a row changed nothing and named no new cause"),
    Sign("back again", _goes_back, _repeated),
    Sign("nothing new", lambda c: c.quiet >= QUIET, _repeated),
    Sign("no progress", lambda c: c.barren >= BARREN,
         lambda c: f"{c.barren} validations in a row brought new explanations, numbers or breakages, but no progress"),
)  # fmt: skip
"""The first that holds is told."""
