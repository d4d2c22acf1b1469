"""What a surviving edit looks like as a change of a file, and whether it holds in a fresh process."""

import difflib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from .baseline import Baseline
from .candidate import Candidate
from .forks import Answer
from .tree import copy_tree

_SHORTEST = 1.0  # seconds in which a fresh process may come to an end
_FEW = 3  # tests that may have failed by chance


def described(candidate: Candidate, baseline: Baseline, statuses: Answer) -> Answer:
    """The patch as plain values: text before and after, diff, and which tests it turns."""
    spectrum, keys = baseline.spectrum, baseline.keys
    failing = [keys[n] for n in sorted(spectrum.failing | baseline.apart)]
    location = candidate.location
    old, new = location.source.text, candidate.text
    return {
        "point": location.point,
        "fingerprint": candidate.fingerprint,
        "file": location.file,
        "old_text": old,
        "new_text": new,
        "diff": unified(location.file, old, new),
        "description": f"{candidate.family} in {location.func} (line {location.line}): {candidate.edit.what}",
        "fixes": [key for key in failing if statuses.get(key) == "passed"],
        "still_failing": [key for key in failing if statuses.get(key) != "passed"],
    }


class Proof:
    """Tries candidates in fresh processes until the deadline (monotonic): `patches` of those `held`, in that order.

    `refuted`: fingerprints of those that did not hold. `notes`: what could not be proven, and what can not be trusted.
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
            for candidate, statuses in zip(candidates, list(pool.map(self._statuses, candidates)), strict=True):
                if holds(self._baseline, statuses):
                    self.held.append(candidate)
                    self.patches.append(described(candidate, self._baseline, statuses))
                elif statuses or self._left() > _SHORTEST:
                    self.refuted.append(candidate.fingerprint)
                else:
                    where = f"{candidate.location.file}, line {candidate.location.line}: {candidate.edit.what}"
                    self.notes.append(f"there was no time left to see whether this holds in a fresh process: {where}")
                    return False
        return True

    def _statuses(self, candidate: Candidate) -> Answer:
        """What a fresh process says; where a few tests seem broken, what another says of these: it may be chance."""
        statuses = self._fresh(candidate)
        broken = [key for key in self._passing if statuses and statuses.get(key) != "passed"]
        if not 0 < len(broken) <= _FEW:
            return statuses
        again = self._fresh(candidate)
        if moody := [key for key in broken if again.get(key) == "passed"]:
            self.notes.append(f"with the same patch these tests failed and passed: {', '.join(moody)}")
        return {**statuses, **dict.fromkeys(moody, "passed")}

    def _fresh(self, candidate: Candidate) -> Answer:
        left = self._left()
        return confirm(candidate, self._baseline, self._pristine, left) if left > _SHORTEST else {}

    def _left(self) -> float:
        return self._deadline - time.monotonic()

    @property
    def _passing(self) -> list[str]:
        return [self._baseline.keys[n] for n in sorted(self._baseline.spectrum.passing)]


def holds(baseline: Baseline, statuses: Answer) -> bool:
    """Whether a fresh run turned at least one failing test and broke none that passed."""
    spectrum, keys = baseline.spectrum, baseline.keys
    kept = all(statuses.get(keys[n]) == "passed" for n in spectrum.passing)
    return kept and any(statuses.get(keys[n]) == "passed" for n in spectrum.failing)


def confirm(candidate: Candidate, baseline: Baseline, pristine: str, seconds: float) -> Answer:
    """Statuses by test key, from a fresh process on a fresh copy with the patched file written; {} when none came."""
    room = Path(pristine).parent / f"confirm-{candidate.fingerprint}"
    copy_tree(Path(pristine), room / "tree")
    try:
        with open(room / "tree" / candidate.location.file, "w", encoding="utf-8", newline="") as file:
            file.write(candidate.text)
        return _fresh_run(baseline, room, seconds)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _fresh_run(baseline: Baseline, room: Path, seconds: float) -> Answer:
    order, answer = room / "order.json", room / "answer.json"
    request: Answer = {
        "mode": "run",
        "tree": str(room / "tree"),
        "origin": baseline.project.origin,
        "root_on_path": baseline.project.root_on_path,
        "arguments": list(baseline.project.arguments),
        "style": baseline.project.style,
        "nodes": list(baseline.project.nodes),
        "keys": baseline.keys,
        "passing": [baseline.keys[n] for n in sorted(baseline.spectrum.passing)],
        "failing": [baseline.keys[n] for n in sorted(baseline.spectrum.failing)],
        "apart": [baseline.keys[n] for n in sorted(baseline.apart)],
    }
    order.write_text(json.dumps(request))
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


def unified(path: str, old: str, new: str) -> str:
    """A diff that `git apply` and `patch -p1` take."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=3
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
