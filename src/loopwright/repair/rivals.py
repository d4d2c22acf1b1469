"""Which of the survivors is the patch, and how the others compare with it that pass the same tests."""

import time
from collections.abc import Sequence

from .forks import Answer
from .laboratory import Laboratory
from .merit import Survivor
from .patch import Proof
from .search import Search

_REFUTED = 12
_COMPARED = 40  # survivors that a patch is compared with
_COMPARING = 5.0  # seconds
_TOLD = 3  # rivals that are proven, too
_SLOW = 3  # times that the proof of the patch has to fit into the time that is left for proving more rivals

NOTHING: Answer = {"patches": []}


class Field:
    """A survivor, and those that turn what it turns."""

    def __init__(self, laboratory: Laboratory, first: Survivor, survivors: Sequence[Survivor], proof: Proof) -> None:
        others = [one for one in survivors if one is not first and one.turned >= first.turned]
        self.proof = proof
        self.all = [first, *others]
        seconds = min(_COMPARING, proof.seconds_left / 4)
        few = [one.candidate for one in self.all[: 1 + _COMPARED]]
        self._behaviours = laboratory.compare(few, seconds) if others else laboratory.compare([], 0)

    @property
    def first(self) -> Survivor:
        return self.all[0]

    @property
    def rivals(self) -> list[int]:
        """Places of those that behave otherwise than the first, one for each way; none that was refuted."""
        return [group[0] for group in self._groups][:_TOLD]

    @property
    def next(self) -> list[Survivor]:
        """What is proven beside the first: a rival, else just the next one."""
        return [self.all[n] for n in self.rivals[:1]] or self.all[1:2]

    def prove_rivals(self, seconds: float) -> None:
        """In the time that is left, if the patch itself took `seconds`; a refuted one's place is taken by its like."""
        for _ in range(2):
            new = [self.all[n].candidate for n in self.rivals if not self._patch(n)]
            if not new or self.proof.seconds_left < _SLOW * seconds or not self.proof.tries(new):
                return

    def told(self) -> Answer:
        """The patch, the rivals that hold, and how many there are of what kind."""
        passing = [n for n in range(len(self.all)) if self._is_fit(n)]
        differing = [n for group in self._groups for n in group]
        compared = [n for n in self._behaviours.compared if n in passing]
        rivals = [n for n in self.rivals if self._patch(n)]
        calls = self._behaviours.telling([0, *rivals])
        point = self.first.candidate.location.point
        unlike = [n for n in passing if n and (n in differing or n not in compared)]
        alike = {group[0]: len(group) for group in self._groups}
        return {
            "patches": [
                {**(self._patch(n) or {}), "gives": self._behaviours.words(n, calls), "alike": alike.get(n, 1)}
                for n in (0, *rivals)
            ],
            "comparison": {
                "passing": len(passing),
                "compared": len(compared),
                "inputs": self._behaviours.inputs if compared else 0,
                "differing": len(differing),
                "elsewhere": sum(self.all[n].candidate.location.point != point for n in unlike),
            },
        }

    @property
    def _groups(self) -> list[list[int]]:
        """Those that behave otherwise than the first, by how they do."""
        fit = [[n for n in group if self._is_fit(n)] for group in self._behaviours.groups[1:]]
        return [group for group in fit if group]

    def _is_fit(self, place: int) -> bool:
        """Whether nothing tells it from the first one: no proof has refuted it, and it fixes the same tests."""
        patch, first = self._patch(place), self._patch(0)
        same = not patch or not first or set(patch["fixes"]) == set(first["fixes"])
        return same and self.all[place].candidate.fingerprint not in self.proof.refuted

    def _patch(self, place: int) -> Answer | None:
        fingerprint = self.all[place].candidate.fingerprint
        return next((one for one in self.proof.patches if one["fingerprint"] == fingerprint), None)


def prove(search: Search, proof: Proof, laboratory: Laboratory) -> Answer:
    """Searches, and tries the survivors best first, each beside a rival; while none holds, the search goes on."""
    while not proof.patches and len(proof.refuted) < _REFUTED:
        survivors = left = search.go()
        while left and not proof.patches and len(proof.refuted) < _REFUTED:
            field, began = Field(laboratory, left[0], left, proof), time.monotonic()
            several = [field.first, *field.next]
            in_time = proof.tries([one.candidate for one in several])
            if proof.patches:
                return _settled(field, several, survivors, laboratory, time.monotonic() - began)
            if not in_time:
                break
            left = [one for one in left if one not in several]
        if search.ended:
            break
    return NOTHING


def _settled(
    field: Field, tried: Sequence[Survivor], survivors: Sequence[Survivor], laboratory: Laboratory, seconds: float
) -> Answer:
    """What is told of the first of these that held."""
    proof = field.proof
    patch = next(one for one in tried if one.candidate.fingerprint == proof.patches[0]["fingerprint"])
    if patch is not field.first:
        field = Field(laboratory, patch, survivors, proof)
    field.prove_rivals(seconds)
    return field.told()
