"""What a surviving edit looks like as a change of a file, and whether it holds in a fresh process."""

import difflib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from .baseline import Baseline
from .candidate import Candidate
from .executor import CandidateExecutor
from .fork_server import ProjectCopy
from .forks import Answer
from .overlay import is_laid_over
from .search import CandidateSearch, Survivor
from .tree import copy_tree

_SHORTEST = 1.0  # seconds in which a fresh process may come to an end
_NAMED = 3  # refuted candidates that are told
_FEW = 3  # tests that may have failed by chance


def describe_patch(candidate: Candidate, baseline: Baseline, statuses: Answer) -> Answer:
    """The patch as plain values: text before and after, diff, and which tests it turns."""
    spectrum, keys = baseline.spectrum, baseline.keys
    failing = [keys[n] for n in sorted(spectrum.failing | baseline.apart)]
    return {
        **describe_edit(candidate),
        "point": candidate.location.point,
        "fingerprint": candidate.fingerprint,
        "file": candidate.location.file,
        "old_text": candidate.location.source.text,
        "new_text": candidate.text,
        "fixes": [key for key in failing if statuses.get(key) == "passed"],
        "still_failing": [key for key in failing if statuses.get(key) != "passed"],
    }


def describe_edit(candidate: Candidate) -> Answer:
    """The edit in words, and as a diff."""
    location = candidate.location
    return {
        "diff": unified_diff(location.file, location.source.text, candidate.text),
        "description": f"{candidate.family} in {location.func} (line {location.line}): {candidate.edit.what}",
    }


class PatchProof:
    """Tries candidates in fresh processes until the deadline (monotonic): `patches` of those `held`, in that order.

    `refuted`: fingerprints of those that did not hold. `notes`: what could not be proven, and what cannot be trusted.
    """

    def __init__(self, baseline: Baseline, pristine: str, deadline: float) -> None:
        self._baseline = baseline
        self._pristine = pristine
        self._deadline = deadline
        self.patches: list[Answer] = []
        self.held: list[Candidate] = []
        self.refuted: list[str] = []
        self.notes: list[str] = []

    def tries(self, candidates: Sequence[Candidate]) -> bool:
        """Tries them side by side; whether there was time to see if they hold."""
        with ThreadPoolExecutor(len(candidates)) as pool:
            told = list(pool.map(self._statuses, candidates, range(len(candidates))))
        return all(self._judged(candidate, statuses) for candidate, statuses in zip(candidates, told, strict=True))

    def _judged(self, candidate: Candidate, statuses: Answer) -> bool:
        """Whether there was time for a verdict."""
        where = f"{candidate.location.file}, line {candidate.location.line}: {candidate.edit.what}"
        if holds_after(self._baseline, statuses):
            self.held.append(candidate)
            self.patches.append(describe_patch(candidate, self._baseline, statuses))
        elif statuses or self.seconds_left > _SHORTEST:
            self.refuted.append(candidate.fingerprint)
            if statuses and len(self.refuted) <= _NAMED:
                broken = self._broken(statuses)
                more = f" and {len(broken) - 1:,} more" if len(broken) > 1 else ""
                why = f"it breaks {broken[0]}{more}" if broken else "no failing test passes there"
                self.notes.append(f"refuted in a fresh process: {where} ({why})")
        else:
            self.notes.append(f"there was no time left to see whether this holds in a fresh process: {where}")
            return False
        return True

    def _statuses(self, candidate: Candidate, side: int) -> Answer:
        """What a fresh process says; where few tests seem broken, what others say of these, with and without the patch.

        It may be chance, or the test fails in any other folder than the project's.
        """
        statuses = self._fresh(candidate, side)
        broken = self._broken(statuses)
        if not 0 < len(broken) <= _FEW:
            return statuses
        again = self._fresh(candidate, side)
        if moody := [key for key in broken if again.get(key) == "passed"]:
            self.notes.append(f"with the same patch these tests failed and passed: {', '.join(moody)}")
        still = [key for key in broken if key not in moody]
        without = self._fresh(None, side) if still else {}
        if alien := [key for key in still if without.get(key, "passed") != "passed"]:
            self.notes.append(f"in a fresh copy these tests fail without the patch, too: {', '.join(alien)}")
        return {**statuses, **dict.fromkeys([*moody, *alien], "passed")}

    def _broken(self, statuses: Answer) -> list[str]:
        keys, passing = self._baseline.keys, sorted(self._baseline.spectrum.passing)
        return [keys[n] for n in passing if statuses and statuses.get(keys[n]) != "passed"]

    def _fresh(self, candidate: Candidate | None, side: int) -> Answer:
        left = self.seconds_left
        return confirm_patch(candidate, self._baseline, self._pristine, side, left) if left > _SHORTEST else {}

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()


def holds_after(baseline: Baseline, statuses: Answer) -> bool:
    """Whether a fresh run turned at least one failing test and broke none that passed."""
    spectrum, keys = baseline.spectrum, baseline.keys
    kept = all(statuses.get(keys[n]) == "passed" for n in spectrum.passing)
    return kept and any(statuses.get(keys[n]) == "passed" for n in spectrum.failing)


def confirm_patch(candidate: Candidate | None, baseline: Baseline, pristine: str, side: int, seconds: float) -> Answer:
    """Statuses by test key, from a fresh process on a copy of its own with the patched file written; {} when none came.

    `side`: the number of the copy; there may be several at a time, and their names are the same in each search.
    """
    room = Path(pristine).parent / f"confirm{side}"
    tree = room / "tree"
    if not is_laid_over(str(tree)) and not any(tree.iterdir()):
        copy_tree(Path(pristine), tree)
    copy = ProjectCopy(str(tree), pristine)
    try:
        if candidate is not None:
            with open(tree / candidate.location.file, "w", encoding="utf-8", newline="") as file:
                file.write(candidate.text)
        return _fresh_run(baseline, room, seconds)
    finally:
        copy.put_back()


def _fresh_run(baseline: Baseline, room: Path, seconds: float) -> Answer:
    order, answer = room / "order.json", room / "answer.json"
    request: Answer = {
        "mode": "run",
        "laid_out": True,
        "tree": str(room / "tree"),
        "origin": baseline.project.origin,
        "root_on_path": baseline.project.root_on_path,
        "arguments": list(baseline.project.arguments),
        "style": baseline.project.style,
        "nodes": list(baseline.project.nodes),
        "files": list(baseline.project.files),
        "keys": baseline.keys,
        "passing": [baseline.keys[n] for n in sorted(baseline.spectrum.passing)],
        "failing": [baseline.keys[n] for n in sorted(baseline.spectrum.failing)],
        "apart": [baseline.keys[n] for n in sorted(baseline.apart)],
    }
    order.write_text(json.dumps(request))
    answer.unlink(missing_ok=True)
    command: Sequence[str] = (sys.executable, "-m", f"{__package__}.start", str(order), str(answer))
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, cwd=room / "tree", timeout=seconds, stdin=subprocess.DEVNULL, env=environment, check=False
        )
    if not answer.exists():
        return {}
    statuses: Answer = json.loads(answer.read_text()).get("statuses", {})
    return statuses


def unified_diff(path: str, old: str, new: str) -> str:
    """A diff that `git apply` and `patch -p1` take."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=3
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


_REFUTED = 12
_COMPARED = 40  # survivors that a patch is compared with
_COMPARING = 5.0  # seconds
_TOLD = 3  # rivals that are proven, too
_SLOW = 3  # times that the proof of the patch has to fit into the time that is left for proving more rivals

NOTHING: Answer = {"patches": []}


class RivalGroup:
    """A survivor, and those that turn what it turns."""

    def __init__(
        self, executor: CandidateExecutor, first: Survivor, survivors: Sequence[Survivor], proof: PatchProof
    ) -> None:
        others = [one for one in survivors if one is not first and one.turned >= first.turned]
        self.proof = proof
        self.all = [first, *others]
        seconds = min(_COMPARING, proof.seconds_left / 4)
        few = [one.candidate for one in self.all[: 1 + _COMPARED]]
        self._behaviours = executor.compare(few, seconds) if others else executor.compare([], 0)

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


def prove_patches(search: CandidateSearch, proof: PatchProof, executor: CandidateExecutor) -> Answer:
    """Searches, and tries the survivors best first, each beside a rival; while none holds, the search goes on."""
    while not proof.patches and len(proof.refuted) < _REFUTED:
        survivors = left = search.go()
        while left and not proof.patches and len(proof.refuted) < _REFUTED:
            field, began = RivalGroup(executor, left[0], left, proof), time.monotonic()
            several = [field.first, *field.next]
            in_time = proof.tries([one.candidate for one in several])
            if proof.patches:
                return _settled(field, several, survivors, executor, time.monotonic() - began)
            if not in_time:
                break
            left = [one for one in left if one not in several]
        if search.ended:
            break
    return NOTHING


def _settled(
    field: RivalGroup,
    tried: Sequence[Survivor],
    survivors: Sequence[Survivor],
    executor: CandidateExecutor,
    seconds: float,
) -> Answer:
    """What is told of the first of these that held."""
    proof = field.proof
    patch = next(one for one in tried if one.candidate.fingerprint == proof.patches[0]["fingerprint"])
    if patch is not field.first:
        field = RivalGroup(executor, patch, survivors, proof)
    field.prove_rivals(seconds)
    return field.told()
