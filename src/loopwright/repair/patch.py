"""What a surviving edit looks like as a change of a file, and whether it holds in a fresh process."""

import difflib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .baseline import Baseline
from .candidate import Candidate
from .forks import Answer
from .tree import copy_tree


def described(candidate: Candidate, baseline: Baseline, statuses: Answer) -> Answer:
    """The patch as plain values: text before and after, diff, and which tests it turns."""
    spectrum, keys = baseline.spectrum, baseline.keys
    failing = [keys[n] for n in sorted(spectrum.failing)]
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


def holds(baseline: Baseline, statuses: Answer) -> bool:
    """Whether a fresh run turned at least one failing test and broke none that passed."""
    spectrum, keys = baseline.spectrum, baseline.keys
    kept = all(statuses.get(keys[n]) == "passed" for n in spectrum.passing)
    return kept and any(statuses.get(keys[n]) == "passed" for n in spectrum.failing)


def confirm(candidate: Candidate, baseline: Baseline, pristine: str, seconds: float) -> Answer:
    """Statuses by test key, from a fresh process on a fresh copy with the patched file written; {} when none came."""
    room = Path(pristine).parent / "confirm"
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
        "passing": [baseline.keys[n] for n in sorted(baseline.spectrum.passing)],
        "failing": [baseline.keys[n] for n in sorted(baseline.spectrum.failing)],
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
