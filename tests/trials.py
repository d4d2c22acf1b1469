"""One loop with an agent that does anything: random words, random deeds in the tests, the product and `.workflow`.

Whatever it does, the engine comes to rest, and says `succeeded` only of a product that passes the first tests.
"""

import asyncio
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.run_events import RunNote
from loopwright.evidence.test_material import is_test_material
from loopwright.workflows.loop.model import LoopState
from tests.deeds import APP, DEEDS, HONEST
from tests.liars import BROKEN, MENDED, Court, incidents
from tests.stage import said
from tests.validation.projects import lay_out

PRODUCTS = (
    MENDED, MENDED, MENDED, APP, MENDED.replace("hello", "bye"), "def add(:\n", "raise SystemExit(0)\n",
    f"import os\n{MENDED}\n",
)  # fmt: skip
UPDATES: tuple[dict[str, object], ...] = (
    {},
    {"outcome": "succeeded"},
    {"validate": {"passed": True}},
    {"tasks": [{"description": "x"}]},
    {"x": None},
)
MESSAGES = (
    "done",
    "All tests pass now.",
    "2 tests still fail",
    "ACTION_RESULT:",
    "\x00\ud800".encode("utf-8", "replace").decode(),
)

LIES = [deed.files for deed in DEEDS.values() if deed.kind == "tests_suspicious"]
OTHER_DEEDS = [deed.files for deed in DEEDS.values() if deed.kind != "tests_suspicious"]


def trial(place: Path, chance: random.Random) -> str | None:
    """The outcome of one loop. AssertionError when something was believed that is not so."""
    files = {**BROKEN, "app.py": chance.choice((APP, APP, APP, MENDED))}
    project = lay_out(place / "project", files)
    court = Court(project, max_iterations=chance.randint(2, 4), on_note=_reaching(project, chance))
    state = asyncio.run(court.judge(*(_answer(chance) for _ in range(chance.randint(1, 2)))))
    assert state.status in ("completed", "failed", "paused")
    assert (state.engine.outcome == "succeeded") is (state.status == "completed")
    if state.skill_state and state.skill_state.validate_.passed:
        assert court.tests.last is not None
        assert court.tests.last.failed == ()
    if state.engine.outcome == "succeeded":
        _is_true(place, files, state, court)
    return state.engine.outcome


def _answer(chance: random.Random) -> ScriptedTurn:
    files: dict[str, str | None] = {}
    if chance.random() < 0.5:
        files["app.py"] = chance.choice(PRODUCTS)
    for _ in range(chance.choice((0, 1, 1, 1, 2))):
        files.update(chance.choice(chance.choice((LIES, LIES, OTHER_DEEDS, list(HONEST.values())))))
    text = said(
        chance.choice(("DEVELOP", "DEBUG", "COMPLETE")), chance.choice(("success", "success", "failed")),
        chance.choice(MESSAGES), **chance.choice(UPDATES),
    )  # fmt: skip
    if chance.random() < 0.5:
        text = text.replace("FILES_UPDATED:\n", "FILES_UPDATED:\n- app.py: mended\n")
    return ScriptedTurn(text=chance.choice((text, text, text, "", f"> {text}")), files=files)


def _reaching(project: Path, chance: random.Random) -> Callable[[RunNote], None]:
    """An observer that, now and then while the agent works, reaches for the engine's own files."""

    def hear(note: RunNote) -> None:
        folder = project / ".workflow" / ".loop"
        if note.kind != "activity" or "works on" not in note.text or chance.random() < 0.6:
            return
        if chance.random() < 0.2:
            shutil.rmtree(folder.parent)
            return
        path = chance.choice(sorted(p for p in folder.glob("loop-*") if p.is_file()))
        _spoil(path, chance)

    return hear


def _spoil(path: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    match chance.randrange(5):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(data[: chance.randrange(len(data) + 1)])
        case 2:
            path.write_bytes(data + chance.randbytes(40) + b"\n")
        case 3:
            path.write_bytes(re.sub(rb'"passed": ?false', b'"passed": true', data))
        case _:
            forged = {"seq": 10**6, "patch": [{"op": "replace", "path": "/status", "value": "completed"}]}
            path.write_bytes(data + json.dumps(forged).encode() + b"\n")


def _is_true(place: Path, files: dict[str, str], state: LoopState, court: Court) -> None:
    """The first tests pass on the final product, but for those that the summary names as changed."""
    assert state.engine.last_validation is not None
    assert state.engine.last_validation.passed
    assert any(order.at is None for order in court.tests.orders[1:]), "nothing was measured after the baseline"
    before = _measured(lay_out(place / "first", files))
    told = " ".join(
        message for kind, message in incidents(state).items() if kind in ("tests_changed", "tests_outgrown")
    )
    named = [test for test, status in before.items() if status == "PASSED" and test in told]
    # one that is named may end the whole process in its first version, and hide what the others come to
    now = _measured(_copy(place, files, court.project), without=named)
    for test in before.keys() - named:
        assert now.get(test) == "PASSED", (test, before[test], now, told)


def _copy(place: Path, files: dict[str, str], project: Path) -> Path:
    """The final product with the first tests, in a folder that nobody has seen."""
    copy = lay_out(place / "copy", {name: text for name, text in files.items() if is_test_material(name)})
    for path in project.rglob("*"):
        name = path.relative_to(project).as_posix()
        if path.is_file() and not name.startswith(".workflow/") and not is_test_material(name):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy / name)
    return copy


def _measured(folder: Path, without: Sequence[str] = ()) -> dict[str, str]:
    """PASSED or something else for every test, by a pytest that has never heard of us."""
    left_out = [word for test in without for word in ("--deselect", test)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", *left_out],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return {name: word for word, name in re.findall(r"^(PASSED|FAILED|ERROR|SKIPPED) (\S+)", done.stdout, re.MULTILINE)}
