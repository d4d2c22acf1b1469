"""How edits that the tests can not tell apart behave: which of them are alike, and by what calls the others show."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

Outcome = tuple[int, str]
"""A digest of what came of a call, and the beginning of its words."""

_RAISES = ("raises", "does not end")
"""How the words begin of outcomes that people would not ask for."""


@dataclass(frozen=True)
class Behaviours:
    """`outcomes`: of each edit what comes of the `calls`, the first edit's first; None where it was not compared.

    Of a single call None: nothing is known of it.
    """

    calls: Sequence[str]
    outcomes: Sequence[Sequence[Outcome | None] | None]

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """Places of those that were compared with the first one."""
        known = self.inputs
        return tuple(n for n, told in enumerate(self.outcomes) if n and told is not None and known)

    @cached_property
    def inputs(self) -> int:
        """Calls whose outcome is known under the first one."""
        first = self.outcomes[0] if self.outcomes else None
        return sum(one is not None for one in first or ())

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Places of those that behave alike, together: first what behaves as the first one does, with itself."""
        found: list[list[int]] = [[0]]
        for n in self.compared:
            mates = next((group for group in found if not self._differing(group[0], n)), None)
            if mates is None:
                found.append([n])
            else:
                mates.append(n)
        return tuple(map(tuple, found))

    def telling(self, places: Sequence[int]) -> tuple[int, ...]:
        """Calls by which these are told apart, each pair by one at least where there is one; as few as go.

        What ends well under both tells more than an error; among equals the smallest is taken.
        """
        chosen: list[int] = []
        for one, other in combinations(places, 2):
            differing = self._differing(one, other)
            if differing and not set(differing) & set(chosen):
                chosen.append(
                    min(differing, key=lambda call: (self._fails(one, call) + self._fails(other, call), call))
                )
        return tuple(sorted(chosen))

    def words(self, place: int, calls: Sequence[int]) -> dict[str, str]:
        """What comes of these calls under the one at that place, by call."""
        told = (self.outcomes[place] if calls else None) or ()
        return {self.calls[n]: outcome[1] for n in calls if (outcome := told[n]) is not None}

    def _differing(self, one: int, other: int) -> list[int]:
        pairs = enumerate(zip(self.outcomes[one] or (), self.outcomes[other] or (), strict=True))
        return [n for n, (a, b) in pairs if a and b and a[0] != b[0]]

    def _fails(self, place: int, call: int) -> bool:
        outcome = (self.outcomes[place] or ())[call]
        return outcome is not None and outcome[1].startswith(_RAISES)
