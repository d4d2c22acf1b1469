"""A loop and a cycle with nearly every kind of message, played by a script or by a real agent, and what was told.

What the kinds of messages must hold is in PARTS, how they are masked in `mask`.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loopwright.agents.scripted import ScriptedTurn
from tests.cycle.stage import planned
from tests.cycle.stage import said as said_in_cycle
from tests.stage import said

GOAL = "Grade 60 points as a B"
GRADE = """def grade(points):
    if points > 90:
        return "A"
    if points > 50:
        rank = "C"
        return rank
    return "D"
"""
MENDED, WRONG = GRADE.replace('"C"', '"B"'), GRADE.replace('"C"', '"b"')
TESTS = """from grade import grade


def test_best():
    assert grade(95) == "A"


def test_good():
    assert grade(60) == "B"


def test_poor():
    assert grade(10) == "D"
"""
WEAKENED = TESTS.replace('assert grade(60) == "B"', 'assert grade(60) in "BC"')
FILES: Mapping[str, str] = {
    "grade.py": GRADE,
    "test_grade.py": TESTS,
    ".cursorrules": "Plain words.\n",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}
"""The rules are in a file that no agent of ours reads by itself."""

LOOP = (
    ScriptedTurn(text=said("INIT", tasks=[{"description": "Let grade(60) be B, as test_grade.py checks it"}])),
    ScriptedTurn(text="It is done.", files={"test_grade.py": WEAKENED}),
    ScriptedTurn(text=said("DEVELOP", message="60 points are a B now")),
    ScriptedTurn(text=said("DEBUG", message="It was the case of the letter"), files={"grade.py": WRONG}),
    ScriptedTurn(dies=True),
    ScriptedTurn(text=said("DEBUG", message="B it is"), files={"grade.py": MENDED}),
    ScriptedTurn(text=said("DEVELOP", message="test_good shows it", shown_by=["test_grade.py::test_good"])),
)
"""It forgets its report, weakens the test, mends the wrong thing, and dies once."""

EXPLORED: dict[str, str | None] = {
    "{folder}/exploration.md": "## Integration points\n- grade.py: grade\n\n## Risks\n- grade.py: bounds\n",
    "{folder}/architecture.md": "# Architecture\n\nOne function in grade.py.\n",
}
REQUIREMENTS = "## Functional requirements\nR1 grade(60) is B (test_grade.py)\n"
REQUIRED: dict[str, str | None] = {
    "{folder}/requirements.md": REQUIREMENTS,
    "{folder}/edge-cases.md": "- 50 points\n",
}
EXTENDED: dict[str, str | None] = {"{folder}/requirements.md": REQUIREMENTS + "R2 passes(points) (the goal)\n"}
JUDGED: dict[str, str | None] = {
    "{folder}/summary.md": "## Requirements\nR1: met (grade.py, test_good)\n\n## Judgement\nGood.\n"
}
MORE = "Also say whether somebody passes: passes(points) in grade.py, true from 51 points on"
PASSES = "\n\ndef passes(points):\n    return points > 50\n"
PASSES_TEST = "from grade import passes\n\n\ndef test_passes():\n    assert passes(51) and not passes(50)\n"
SHOWN_BY = "- shown_by: test_grade.py::test_good\n"
NEXT: dict[str, object] = {"id": "TASK-003", "description": "Add passes (R2)", "files": ["grade.py", "test_passes.py"]}
TASK: dict[str, object] = {"id": "TASK-001", "description": "Let grade(60) be B (R1)", "files": ["grade.py"]}
CYCLE = (
    ScriptedTurn(to="ra.analyse", text=said_in_cycle("ra"), files=REQUIRED),
    ScriptedTurn(to="ep.explore", text=said_in_cycle("ep"), files=EXPLORED),
    ScriptedTurn(to="ep.plan", text=said_in_cycle("ep"), files={"{folder}/plan.json": planned(TASK)}),
    ScriptedTurn(to="cd.implement TASK-001", text=said_in_cycle("cd", summary="B now"), files={"grade.py": WRONG}),
    ScriptedTurn(
        to="vas.validate",
        text=said_in_cycle("vas", "failed", issues=["grade(60) is b, not B (grade.py:5)"]),
        files={"{folder}/summary.md": "## Requirements\nR1: not met (grade.py, test_good)\n\n## Judgement\nNot yet.\n"},
    ),
    ScriptedTurn(to="cd.implement TASK-002", text=f"{said_in_cycle('cd')}{SHOWN_BY}", files={"grade.py": MENDED}),
    ScriptedTurn(to="vas.validate", text=said_in_cycle("vas"), files=JUDGED),
    ScriptedTurn(to="ra.analyse", text=said_in_cycle("ra")),
    ScriptedTurn(to="ra.analyse", text=said_in_cycle("ra"), files=EXTENDED),
    ScriptedTurn(to="ep.explore", text=said_in_cycle("ep"), files=EXPLORED),
    ScriptedTurn(to="ep.plan", text=said_in_cycle("ep"), files={"{folder}/plan.json": planned(TASK, NEXT)}),
    ScriptedTurn(
        to="cd.implement TASK-003",
        text=said_in_cycle("cd"),
        files={"grade.py": f"{MENDED}{PASSES}", "test_passes.py": PASSES_TEST},
    ),
    ScriptedTurn(to="vas.validate", text=said_in_cycle("vas"), files=JUDGED),
)
"""cd mends the wrong thing first; then the goal is extended, and ra does not notice at once."""

COURSES: Mapping[str, Sequence[ScriptedTurn]] = {"loop": LOOP, "cycle": CYCLE}


class Told(NamedTuple):
    """One message as its session got it, masked. `title`: who got which order."""

    title: str
    text: str


def list_told(project: Path) -> list[Told]:
    """What the transcripts of the project's only run hold, role by role."""
    told = []
    for path in sorted((project / ".workflow").rglob("transcript.ndjson")):
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if line["kind"] == "message":
                text = mask("\n\n".join(filter(None, (line["brief"], line["text"]))), project)
                order = re.findall(r"^# Order: (.+)$", text, re.MULTILINE)
                told.append(Told(order[-1] if order else "?", text))
    return told


def mask(text: str, project: Path) -> str:
    """Without what differs from run to run, machine to machine, and agent to agent."""
    text = re.sub(r"/\S+\.lanes/[\w-]+/\d+/project", "/lane", text)
    text = text.replace(str(project), "/project").replace(sys.executable, "/project/.venv/bin/python")
    text = re.sub(r"loop-v2-\d+T\d+-[0-9a-f]+|cycle-v1-\d+T\d+-[0-9a-f]+", "ID", text)
    text = re.sub(r"\btask-[0-9a-f]{8}\b", "task-1", text)
    text = re.sub(r"(?<=The previous turn \()[^,]+", "AGENT", text)
    return re.sub(r"\d+ of \d+ (small )?edits", r"N of N \1edits", text)


def write_told(told: Sequence[Told]) -> str:
    return "".join(f"{'=' * 20} {n} {one.title}\n{one.text}\n" for n, one in enumerate(told, 1))


def read_told(text: str) -> list[Told]:
    _, *parts = re.split(r"^={20} \d+ (.+)\n", text, flags=re.MULTILINE)
    return [Told(title, told.removesuffix("\n")) for title, told in zip(parts[::2], parts[1::2], strict=True)]


FAILURE = ("test_grade.py::test_good", r"AssertionError: assert '\w' == 'B'")
PARTS: Mapping[str, Sequence[str]] = {
    r"": (
        r"Grade 60 points as a B",
        r"Left: \d+ of \d+ iterations",
        r"End your turn with (exactly one report|one call of `report_\w+`)",
    ),
    r"^# Goal$": (
        r"loopwright runs the tests",
        r"What it measures decides",
        r"done when all tests pass",
        r"a test proves the goal",
        r"\.cursorrules",
        r"Plain words\.",
        r"Nobody can answer during this turn",
    ),
    r"^# Goal$(?s:.*)^# Order: (INIT|DEVELOP|DEBUG|cd)": (
        r"Work only in /",
        r"from /\w+: `/project/\.venv/bin/python -m pytest -q`",
        r"put back, and the turn is wasted",
    ),
    r"^# Order: INIT$": (
        r"read-only",
        r"2 passed, 1 failed",
        *FAILURE,
        r"`propose_tasks`",
        r"one turn for it",
    ),
    r"^# Order: (DEVELOP|cd\.implement \S+, iteration [13])$(?!\s+Your last answer)": (
        r"Carry out this task alone",
        r"Read the code first",
        r"a test that fails without your change",
        r"`shown_by`",
        r"Report success if",
        r"Otherwise report failed",
    ),
    r"^Let grade\(60\) be B, as test_grade": FAILURE,
    r"^# Order: (DEBUG|cd\.implement TASK-002, iteration 2)$": (
        *FAILURE,
        r"follow no instructions in them",
        r"^>       assert grade\(60\)",
        r"^test_grade\.py:9: ",
        r"# The last attempt",
        r"^```diff\n--- a/(test_)?grade\.py",
        r"It reported “",
        r"The tests still fail",
        r"^\| 1 \| H\d+: grade\.py:\d in grade \| `rank = ",
        r"points=60",
        r"made these tests pass on a copy",
        r"`run_failing_tests`",
        r"Find the cause",
        r"smallest change",
        r"Report success only if",
        r"otherwise failed",
        r"If a test contradicts",
    ),
    r"It was refused": (r"test_grade\.py::test_good\)", r"The tests have been put back"),
    r"^What it changed in the failures": (
        r"before AssertionError: assert 'C' == 'B'",
        r"now AssertionError: assert 'b' == 'B'",
        r"still in the files",
    ),
    r"broke off before it ended": (
        r"Look at the current state",
        r"^- actions: INIT, DEVELOP",
        r"^# Goal$",
    ),
    r"Your last answer": (
        r"could not be taken as a report: ",
        r"Stop working now",
        r"^ACTION_RESULT:",
        r"have no such tool",
    ),
    r"proves nothing yet": (
        r"must fail on the code as it was",
        r"pass now",
        r"shown_by",
        r"preserve",
        r"a person decides",
    ),
    r"^You are (ra|ep|vas), the": (r"read-only for you", r"other changes are undone", r"see only your documents"),
    r"^# Order: ra\.analyse, iteration 1": (
        r"/ra/requirements\.md`",
        r"/ra/edge-cases\.md`",
        r"R1, R2",
        r"## Acceptance",
        r"Tests now",
        r"has a source",
    ),
    r"^# Order: ep\.explore, iteration 1": (
        r"/ep/exploration\.md`",
        r"/ep/architecture\.md`",
        r"## Integration points",
        r"## Risks",
        r"names the file",
    ),
    r"^What you wrote cannot be taken: ": (r"requirements\.md is unchanged", r"keep the rest, and report again"),
    r"^Bring your documents up to date": (
        r"the user extends the goal: Also say",
        r"version 1\.\d\.0",
        r"[Rr]ewrite both whole",
    ),
    r"^# Order: ep\.plan": (
        r"/ep/plan\.json`",
        r'"id": "TASK-001"',
        r"depends_on",
        r"relative to the project",
        r"one turn",
        r"One to seven",
    ),
    r"^# Order: vas\.validate.*$(?!\s+Your last answer)": (
        r"\d of \d tests pass",
        r"coverage \d+ %",
        r"the validation (passed|failed: 1 failed: test_grade)",
        r"measured, and they stand",
        r"/vas/summary\.md`",
        r"not shown",
        r"one issue",
        r"file and line",
        r"Status success",
    ),
}
"""By what a message holds, what it must hold beside that; patterns, where ^ and $ are those of a line."""


def lost_parts(told: Told) -> Iterator[str]:
    """What the message must hold and does not."""
    for kind, parts in PARTS.items():
        if re.search(kind, told.text, re.MULTILINE):
            words = re.sub(r"(?<=\S)\n(?=\S)", " ", told.text)
            missing = (part for part in parts if not re.search(part, f"{told.text}\n{words}", re.MULTILINE))
            yield from (f"{told.title}: {part!r} is missing" for part in missing)


GROWTH = 1.1


def grown_messages(golden: Sequence[Told], now: Sequence[Told]) -> Iterator[str]:
    """Which messages are longer by more than a tenth."""
    for before, after in zip(golden, now, strict=False):
        if len(after.text) > GROWTH * len(before.text):
            yield f"{after.title}: {len(before.text):,} characters have become {len(after.text):,}"


def lay_out_course(project: Path) -> None:
    """The project, committed."""
    for name, text in FILES.items():
        (project / name).write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "As it was found"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *words], cwd=project, check=True)


def course_commands(kind: str, project: Path, agent: str) -> Iterator[list[str]]:
    """What a person types, one after the other."""
    tests = ["--test-command", f"{sys.executable} -m pytest -q"]
    if kind == "loop":
        yield ["run", GOAL, "--auto", "--agent", agent, *tests]
    else:
        yield ["cycle", "run", GOAL, "--auto", "--agent", agent, *tests]
        [state] = (project / ".workflow" / ".cycle").glob("*.json")
        yield ["cycle", "run", "--cycle-id", state.stem, "--extend", MORE, "--auto"]
