"""kill -9 of a tuning session at random moments: the skill is never torn, and the session comes to its right end.

Its agent reviews the skill, too, and refutes what it finds: a review that was cut off is made again.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.skills.findings import DIMENSIONS
from loopwright.wiring import open_engine
from loopwright.workflows.tuning.model import DIAGNOSES

HERE = Path(__file__).resolve().parent.parent.parent
KILLS = 120
"""At scale 1."""
IN_ONE_SESSION = 5
"""Kills that one session has to bear, at most."""
PATIENCE = 120.0

HEAD = "---\nname: notes\ndescription: Writes notes of a meeting.\n---\n\n# Notes\n\nWrite the notes of a meeting.\n\n"
PARTS = ("listen", "write", "check", "send")
PHASE = "# {part}\n\nDo the part that is called {part}, and write down what came of it.\n"
STYLE = "# Style\n\nShort sentences, in the order in which things were said.\n"
LISTEN, SEND = f"phases/01-{PARTS[0]}.md", f"phases/04-{PARTS[3]}.md"
CLAIM = {
    "card": "contradicting-rules", "severity": "high", "claim": "Two parts are called differently.",
    "evidence": [{"file": LISTEN, "quote": "that is called listen"}],
    "other_side": [{"file": SEND, "quote": "that is called send"}],
    "scenario": "A model does one of them only.", "fix": "Give them one name.",
}  # fmt: skip
AGAINST = {
    "id": "F1", "verdict": "refuted", "why": "They are two parts.",
    "quotes": [{"file": SEND, "quote": "Do the part that is called send"}],
}  # fmt: skip
Files = dict[str, bytes]


@dataclass(frozen=True)
class Course:
    """One session of a skill that seeks its phases in a wrong folder, and a file that only an agent can write."""

    project: Path
    root: Path
    id: str
    environment: Mapping[str, str]
    sick: Files
    mended: Files

    @property
    def journal(self) -> Path:
        return self.project / ".workflow" / ".scratchpad" / self.id / "state.events.ndjson"

    def state(self) -> Any:  # Any: parsed JSON
        return json.loads((self.journal.parent / "state.json").read_bytes())

    def begin(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "loopwright", "tune", "--tuning-id", self.id, "--launched"]
        return subprocess.Popen(
            [*command, "--project", str(self.project)], cwd=self.project, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def assert_whole(self) -> None:
        """Every file is what it was with some of the fixes; other files are only our own, on their way."""
        now = contents(self.root)
        for name, data in now.items():
            if Path(name).name.startswith(".loopwright"):
                continue
            assert name in self.mended, f"{name} has come from nowhere"
            was = self.sick.get(name, self.mended[name]).splitlines()
            lines = zip(data.splitlines(), was, self.mended[name].splitlines(), strict=True)
            assert all(line in (old, new) for line, old, new in lines), f"{name} is torn"
        assert now.keys() >= self.sick.keys(), "a file is gone"


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Kills, what they hit, and the sessions that bore them."""
    counts, wanted = Counter[str](), max(1, round(KILLS * scale))
    with tempfile.TemporaryDirectory(prefix="loopwright-tune-") as room:
        while counts["kills"] < wanted:
            place = Path(room) / str(counts["sessions"])
            _bear(_made(place, chance), chance, min(IN_ONE_SESSION, wanted - counts["kills"]), counts)
    return counts


def _bear(course: Course, chance: random.Random, most: int, counts: Counter[str]) -> None:
    counts["sessions"] += 1
    for _ in range(most):
        if not _killed(course, chance, counts):
            break
        course.assert_whole()
    runner = course.begin()
    assert runner.wait(PATIENCE) in (0, 1), course.state()["engine"]
    state = course.state()
    assert state["status"] == "completed", state["engine"]["reason"]
    assert contents(course.root) == course.mended
    kept = [fix["fix_id"] for fix in state["applied_fixes"] if fix["verification_result"] == "pass"]
    assert len(kept) == len(set(kept)) == len(PARTS) + 1, "every fix is in it once"
    assert (state["engine"]["under_way"], state["engine"]["undo"]) == ([], [])
    assert (state["engine"].get("unreviewed", []), {*state["engine"]["reviewed"]}) == ([], {*DIMENSIONS})
    reviewed = [one for one in state["engine"]["findings"] if one["rule"] == CLAIM["card"]]
    assert [one["confidence"] for one in reviewed] == ["refuted"], "it is found once, and counts nothing"


def _killed(course: Course, chance: random.Random, counts: Counter[str]) -> bool:
    """False when it had ended before."""
    runner = course.begin()
    size = course.journal.stat().st_size
    grown = chance.choice((1, chance.randrange(1, 3_000), chance.randrange(1, 60_000)))
    by_time = chance.random() < 0.2
    until = time.monotonic() + chance.uniform(0, 2)
    deadline = time.monotonic() + PATIENCE
    while runner.poll() is None:
        assert time.monotonic() < deadline, "nothing happens"
        if time.monotonic() > until if by_time else course.journal.stat().st_size >= size + grown:
            break
        time.sleep(0.0005)
    time.sleep(chance.choice((0, 0, 0.002, 0.02)) * chance.random())
    if runner.poll() is not None:
        return False
    runner.kill()
    runner.wait()
    step = course.state().get("current_action") or "between two steps"
    counts[f"in {step.removeprefix('action-')}"] += 1
    counts["kills"] += 1
    return True


def contents(root: Path) -> Files:
    found = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def _made(place: Path, chance: random.Random) -> Course:
    project, root = place / "project", place / "project" / "skills" / "notes"
    right = [f"phases/{n:02}-{part}.md" for n, part in enumerate(PARTS, 1)]
    wrong = [name.replace("phases", chance.choice(("phase", "steps"))) for name in right]
    main = HEAD + "".join(f"{n}. Read [it]({{{n - 1}}}) and follow it.\n\n" for n in range(1, len(PARTS) + 1))
    main += "All of them: " + ", ".join(f"[{n}]({name})" for n, name in enumerate(right, 1)) + ".\n"
    files = {name: PHASE.format(part=part) for name, part in zip(right, PARTS, strict=True)}
    files[right[1]] += "\nFollow [the style](../specs/style.md).\n"
    mended = {"SKILL.md": main.format(*right), **files, "specs/style.md": STYLE}
    sick = {"SKILL.md": main.format(*wrong), **files}
    for name, text in sick.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (place / "tmp").mkdir()
    script = place / "script.json"
    script.write_text(json.dumps({"answers": [one for one in _answers() for _ in range(3 * IN_ONE_SESSION)]}))
    environment = {
        **os.environ, "XDG_STATE_HOME": str(place / "state"), "TMPDIR": str(place / "tmp"),
        "PYTHONPATH": os.pathsep.join([str(HERE / "src"), *sys.path]),
    }  # fmt: skip
    with open_engine(project, {}) as engine:
        agent = f"scripted:{script}"
        id = engine.create_tuning(Path("skills/notes"), level="agent", agent=agent).tuning_id
    encoded = ({name: text.encode() for name, text in texts.items()} for texts in (sick, mended))
    return Course(project, root, id, environment, *encoded)


def _answers() -> Iterator[dict[str, object]]:
    """Of an agent that says the same to the same question, however often it is asked."""
    yield {"to": "action-propose-fixes", "files": {"{folder}/specs/style.md": STYLE}}
    yield {"to": "action-verify", "text": _report("action-verify", verdicts=[AGAINST])}
    for dimension in DIMENSIONS:
        findings = [CLAIM] if dimension == "dataflow" else []
        yield {"to": DIAGNOSES[dimension], "text": _report(DIAGNOSES[dimension], findings=findings)}


def _report(action: str, **updates: object) -> str:
    fields = (f"action: {action}", "status: success", "message: done", f"state_updates: {json.dumps(updates)}")
    return "\n".join(("ACTION_RESULT:", *(f"- {field}" for field in fields)))
