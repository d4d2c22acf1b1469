"""The situations that are stored: how each comes about, and how it goes on from there.

A project has one test, which passes once app.txt says good. Agents play scripts beside it, by paths that hold wherever
the project is laid out.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loopwright.core.errors import ExitCode
from loopwright.skills.findings import DIMENSIONS, Dimension
from loopwright.wiring import open_engine
from loopwright.workflows.tuning.model import DIAGNOSES
from tests.cycle.stage import said as reported
from tests.golden.stored import LINES, Place, journal_of, patched
from tests.stage import said
from tests.waiting import until

GOAL = "Make app.txt say good, as suite::app wants it"
CHECK = """\
if grep -q good app.txt; then why=''; else why='<failure message="it does not say good"/>'; fi
echo "<testsuite name='suite'><testcase classname='suite' name='app' time='0.1'>$why</testcase></testsuite>" > junit.xml
test -z "$why"
"""
AGENT = "scripted:../script.json"
SETTINGS = ("--auto", "--agent", AGENT, "--test-command", "sh check.sh")
ANYWHERE = "--allow-environment-changes"
"""Another machine, or another day on this one, is another environment."""
WAITS: Mapping[str, object] = {"signals": "../begun", "waits_for": ["../go"]}

WELL = ("completed", "succeeded")

Answer = Mapping[str, object]
Step = tuple[Sequence[str], int]


class Made(NamedTuple):
    """What is stored beside the project.

    `steps`: commands and their exit codes, one after the other; what they come to is how it `ends` (status, outcome),
    and `files` of the project. `restores`: a command for a copy of its own, and the files that it brings back.
    """

    kind: str
    id: str
    steps: Sequence[Step]
    ends: tuple[str, str | None]
    files: Mapping[str, str]
    restores: tuple[Sequence[str], Mapping[str, str]] | None = None


Case = Callable[[Place], Made]


def _project(place: Place, *answers: Answer) -> None:
    place.write({"app.txt": "bad\n", "check.sh": CHECK, "../script.json": json.dumps({"answers": answers})})


def _paused(place: Place, words: Sequence[str], id: str, *how: str) -> None:
    """While an agent is at it; without --now its turn is let to its end."""
    line = words[: words.index("run")]
    runner = place.begin(*words)
    until((place.root / "begun").exists)
    place.expect(ExitCode.DONE, *line, "pause", id, *how)
    if not how:
        (place.root / "go").touch()
    runner.wait()
    (place.root / "go").touch()


def _killed(place: Place, words: Sequence[str], id: str) -> None:
    runner = place.begin(*words)
    until((place.root / "begun").exists)
    place.kill(runner, id)
    (place.root / "go").touch()


def _tear(place: Place) -> None:
    """The journal ends as it does when the machine dies while a line is written."""
    (state,) = place.states()
    journal = journal_of(state)
    last = journal.read_bytes().splitlines(keepends=True)[-1]
    with journal.open("ab") as file:
        file.write(last[: len(last) * 2 // 3])


# ── loops ────────────────────────────────────────────────────────────────────────────────────────────────────

BETTER: Answer = {"to": "DEVELOP\n", "text": said("DEVELOP"), "files": {"app.txt": "better\n"}}
GOOD: Answer = {"to": "DEVELOP\n", "text": said("DEVELOP"), "files": {"app.txt": "good\n"}}
MENDED: Answer = {"to": "DEBUG\n", "text": said("DEBUG"), "files": {"app.txt": "good\n"}}


def _plan(*tasks: str, **more: object) -> Answer:
    return {"to": "INIT\n", "text": said("INIT", tasks=[{"description": one} for one in tasks]), **more}


def _loop(place: Place, *answers: Answer, more: Sequence[str] = ()) -> str:
    _project(place, *answers)
    return str(place.expect(ExitCode.DONE, "create", GOAL, *SETTINGS, ANYWHERE, *more).data["loop_id"])


def _run(id: str) -> tuple[str, ...]:
    return ("run", "--loop-id", id, "--auto")


def _refused(kind: str, id: str) -> Step:
    return ((*LINES[kind], "resume", id), ExitCode.ILLEGAL)


def _to_its_end(id: str, restores: tuple[Sequence[str], Mapping[str, str]] | None = None) -> Made:
    return Made("loop", id, [(_run(id), ExitCode.DONE), _refused("loop", id)], WELL, {"app.txt": "good\n"}, restores)


def _rewound(id: str, number: int, text: str) -> tuple[Sequence[str], Mapping[str, str]]:
    return ("rewind", id, "--to", str(number)), {"app.txt": text}


def loop_succeeded(place: Place) -> Made:
    id = _loop(place, _plan("Say something better"), BETTER, MENDED)
    place.expect(ExitCode.DONE, *_run(id))
    return Made("loop", id, [_refused("loop", id)], WELL, {"app.txt": "good\n"}, _rewound(id, 2, "better\n"))


def loop_failed(place: Place) -> Made:
    """Its iterations were used up; with more of them it is reopened."""
    id = _loop(place, _plan("Say something better"), BETTER, MENDED, more=("--max-iterations", "2"))
    place.expect(ExitCode.NO_SUCCESS, *_run(id))
    steps = [_refused("loop", id), ((*_run(id), "--max-iterations", "9"), ExitCode.DONE)]
    return Made("loop", id, steps, WELL, {"app.txt": "good\n"}, _rewound(id, 1, "bad\n"))


def loop_paused_in_init(place: Place) -> Made:
    id = _loop(place, _plan("Say good", **WAITS), GOOD)
    _paused(place, _run(id), id, "--now")
    return _to_its_end(id)


def loop_paused_in_develop(place: Place) -> Made:
    id = _loop(place, _plan("Say better", "Say good"), {**BETTER, **WAITS}, GOOD)
    _paused(place, _run(id), id)
    return _to_its_end(id, _rewound(id, 1, "bad\n"))


def loop_paused_in_debug(place: Place) -> Made:
    id = _loop(place, _plan("Say something better"), BETTER, {**MENDED, **WAITS})
    _paused(place, _run(id), id, "--now")
    return _to_its_end(id, _rewound(id, 1, "bad\n"))


def loop_killed_in_a_command(place: Place) -> Made:
    id = _loop(place, _plan())
    command = "test -e ../go || { echo half > app.txt; touch ../begun; sleep 600; }; echo good > app.txt"
    place.expect(ExitCode.DONE, "tasks", id, "add", "Say good", "--tool", "bash", "--command", command)
    _killed(place, _run(id), id)
    return _to_its_end(id)


def loop_torn_in_develop(place: Place) -> Made:
    id = _loop(place, _plan("Say good"), {**GOOD, **WAITS})
    _killed(place, _run(id), id)
    _tear(place)
    return _to_its_end(id)


# ── cycles ───────────────────────────────────────────────────────────────────────────────────────────────────

PLAN = {"tasks": [{"id": "TASK-001", "description": "Make app.txt say good", "files": ["app.txt"]}]}
DECISION = json.dumps({"description": "Which greeting?", "options": ["hello", "good day"], "recommended": "good day"})


def _role(step: str, files: Mapping[str, str]) -> Answer:
    return {"to": f"{step}\n", "text": reported(step.partition(".")[0]), "files": files}


def _cast(**changes: Mapping[str, object]) -> Sequence[Answer]:
    """Every role plays its part once; `changes` are those of ra, ep, cd or vas."""
    found = {"{folder}/requirements.md": "# Requirements\n\n- R1: app.txt says good\n"}
    parts = {
        "ra": _role("ra.analyse", {**found, "{folder}/edge-cases.md": "# Edge cases\n\n- none\n"}),
        "explore": _role(
            "ep.explore", {"{folder}/exploration.md": "# Exploration\n", "{folder}/architecture.md": "# Architecture\n"}
        ),
        "ep": _role("ep.plan", {"{folder}/plan.json": json.dumps(PLAN)}),
        "cd": _role("cd.implement", {"app.txt": "good\n"}),
        "vas": _role("vas.validate", {"{folder}/summary.md": "# All well\n"}),
    }
    return [{**part, **changes.get(name, {})} for name, part in parts.items()]


def _cycle(place: Place, answers: Sequence[Answer], *more: str) -> str:
    _project(place, *answers)
    return str(place.expect(ExitCode.DONE, "cycle", "create", GOAL, *SETTINGS, ANYWHERE, *more).data["cycle_id"])


def _drive(id: str) -> tuple[str, ...]:
    return ("cycle", "run", "--cycle-id", id, "--auto")


def _cycle_to_its_end(id: str, *before: Step) -> Made:
    steps = [*before, (_drive(id), ExitCode.DONE), _refused("cycle", id)]
    return Made("cycle", id, steps, WELL, {"app.txt": "good\n"})


def cycle_succeeded(place: Place) -> Made:
    id = _cycle(place, _cast())
    place.expect(ExitCode.DONE, *_drive(id))
    return Made("cycle", id, [_refused("cycle", id)], WELL, {"app.txt": "good\n"})


def cycle_failed(place: Place) -> Made:
    """Its only iteration did not bring it about; with an extension it has another one."""
    more = {"tasks": [*PLAN["tasks"], {"id": "TASK-003", "description": "Say more", "files": ["more.txt"]}]}
    asked = {"files": {"{folder}/requirements.md": "# Requirements\n\n- R2: more.txt\n"}}
    again = _cast(ra=asked, ep={"files": {"{folder}/plan.json": json.dumps(more)}})
    bad, said_more = _cast(cd={"files": {"app.txt": "better\n"}}), _role("cd.implement", {"more.txt": "more\n"})
    id = _cycle(place, [*bad, *again, said_more], "--max-iterations", "1", "--parallel", "1")
    place.expect(ExitCode.NO_SUCCESS, *_drive(id))
    steps = [_refused("cycle", id), ((*_drive(id), "--extend", "Say more", "--max-iterations", "3"), ExitCode.DONE)]
    return Made("cycle", id, steps, WELL, {"app.txt": "good\n", "more.txt": "more\n"})


def cycle_paused_before_ep(place: Place) -> Made:
    id = _cycle(place, _cast(ra=WAITS), "--parallel", "1")
    _paused(place, _drive(id), id)
    return _cycle_to_its_end(id)


def cycle_waits_for_a_decision(place: Place) -> Made:
    text = reported("ra") + f"- decisions: [{DECISION}]\n"
    _project(place, *_cast(ra={"text": text.replace("- decisions: none\n", "")}))
    created = place.expect(ExitCode.DONE, "cycle", "create", GOAL, *SETTINGS[1:], ANYWHERE)
    id = str(created.data["cycle_id"])
    place.expect(ExitCode.NEEDS_PERSON, "cycle", "run", "--cycle-id", id, "--launched")
    return _cycle_to_its_end(id, (("cycle", "decide", id, "DEC-001", "hello"), ExitCode.DONE))


def cycle_killed_in_cd(place: Place) -> Made:
    id = _cycle(place, _cast(cd=WAITS))
    _killed(place, _drive(id), id)
    return _cycle_to_its_end(id)


def cycle_torn_in_vas(place: Place) -> Made:
    id = _cycle(place, _cast(vas=WAITS))
    _killed(place, _drive(id), id)
    _tear(place)
    return _cycle_to_its_end(id)


# ── tuning sessions ──────────────────────────────────────────────────────────────────────────────────────────

SAMPLES = Path(__file__).parent.parent / "tune" / "samples" / "wrong-tool"
SKILL = "skills/travel"
PAGE = f"{SKILL}/SKILL.md"
SICK, CURED = ((SAMPLES / kind / "SKILL.md").read_text(encoding="utf-8") for kind in ("sick", "fixed"))
STYLE = "# Style\n\nShort sentences.\n"
LINK = "\nFollow [the style](specs/style.md).\n"


def _looked(dimension: Dimension, **more: object) -> Answer:
    """A review that finds nothing."""
    return {"to": DIAGNOSES[dimension], "text": said(DIAGNOSES[dimension], findings=[]), **more}


WRITES: Answer = {"to": "action-propose-fixes", "files": {"{folder}/specs/style.md": STYLE}}


def _skill(place: Place, *answers: Answer, more: str = "") -> None:
    place.write({PAGE: SICK + more, "../script.json": json.dumps({"answers": answers})})


def _tune(*more: str) -> tuple[str, ...]:
    return ("tune", SKILL, "--yes", *more)


def _pending(place: Place) -> str:
    """One that will ask which fixes to apply."""
    with patched(place.environment), open_engine(place.project, {}) as engine:
        return engine.create_tuning(Path(SKILL), level="mechanical", choosing=True).tuning_id


def _session(place: Place) -> str:
    (state,) = place.expect(ExitCode.DONE, "tunings", "list").data
    return str(state["engine"]["id"])


def _killed_session(place: Place, *more: str) -> str:
    runner = place.begin(*_tune(*more))
    until((place.root / "begun").exists)
    id = _session(place)
    place.kill(runner, id)
    (place.root / "go").touch()
    return id


def _rolled_back(id: str, files: Mapping[str, str]) -> tuple[Sequence[str], Mapping[str, str]]:
    return ("tunings", "rollback", id, "FIX-001"), files


def _tuned_to_its_end(id: str, files: Mapping[str, str]) -> Made:
    steps = [(("tune", "--tuning-id", id, "--yes"), ExitCode.DONE), _refused("tuning", id)]
    return Made("tuning", id, steps, WELL, files)


def tuning_succeeded(place: Place) -> Made:
    _skill(place)
    place.expect(ExitCode.DONE, *_tune("--fix"))
    id = _session(place)
    return Made("tuning", id, [_refused("tuning", id)], WELL, {PAGE: CURED}, _rolled_back(id, {PAGE: SICK}))


def tuning_failed(place: Place) -> Made:
    """Its skill was taken away before it began."""
    _skill(place)
    id = _pending(place)
    (place.project / PAGE).unlink()
    place.expect(ExitCode.NO_SUCCESS, "tune", "--tuning-id", id)
    return Made("tuning", id, [_refused("tuning", id)], ("failed", "failed"), {})


def tuning_waits_for_a_choice(place: Place) -> Made:
    _skill(place)
    id = _pending(place)
    place.expect(ExitCode.DONE, "tune", "--tuning-id", id, "--launched")
    choice = ((("tunings", "choose", id, "FIX-001"), ExitCode.DONE), (("tunings", "watch", id), ExitCode.DONE))
    return Made("tuning", id, [*choice, _refused("tuning", id)], WELL, {PAGE: CURED})


def tuning_killed_in_a_review(place: Place) -> Made:
    first, *others = DIMENSIONS
    _skill(place, _looked(first, **WAITS), *map(_looked, others))
    return _tuned_to_its_end(_killed_session(place, "--fix", "--agent", AGENT), {PAGE: CURED})


def tuning_torn_in_a_fix(place: Place) -> Made:
    _skill(place, *map(_looked, DIMENSIONS), {**WRITES, **WAITS}, *map(_looked, DIMENSIONS), more=LINK)
    id = _killed_session(place, "--fix=all", "--agent", AGENT)
    _tear(place)
    return _tuned_to_its_end(id, {PAGE: CURED + LINK, f"{SKILL}/specs/style.md": STYLE})


CASES: Mapping[str, Case] = {
    case.__name__.replace("_", "-"): case
    for case in (
        loop_succeeded, loop_failed, loop_paused_in_init, loop_paused_in_develop, loop_paused_in_debug,
        loop_killed_in_a_command, loop_torn_in_develop, cycle_succeeded, cycle_failed, cycle_paused_before_ep,
        cycle_waits_for_a_decision, cycle_killed_in_cd, cycle_torn_in_vas, tuning_succeeded, tuning_failed,
        tuning_waits_for_a_choice, tuning_killed_in_a_review, tuning_torn_in_a_fix,
    )
}  # fmt: skip
