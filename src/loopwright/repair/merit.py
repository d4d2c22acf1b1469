"""Which of several survivors is the best."""

from collections.abc import Sequence
from dataclasses import dataclass

from .candidate import Candidate


@dataclass(frozen=True)
class Survivor:
    """A candidate that turned failing tests and broke none of those that its function serves. `order`: its number.

    `left`: failing tests that still fail though they, in the groups of these, run its very place, or ended in the same
    error at the same line: it may suit one test instead of curing the fault.
    """

    order: int
    price: float
    candidate: Candidate
    turned: frozenset[int]
    left: frozenset[int]


def ranked(survivors: Sequence[Survivor]) -> list[Survivor]:
    """Best first: no test left at its place, more tests turned, then the cheaper and the smaller change."""

    def merit(one: Survivor) -> tuple[bool, int, float, int, int]:
        edit = one.candidate.edit
        return (
            bool(one.left),
            -len(one.turned),
            round(one.price, 3),
            abs(len(edit.text) - (edit.end - edit.start)),
            one.order,
        )

    return sorted(survivors, key=merit)
