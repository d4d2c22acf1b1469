"""What is stored, byte by byte. Other programs and older states depend on it: a change here has to be meant.

`PYTHONPATH=src python -m tests.golden.test_shapes` writes the files anew.
"""

import difflib
import json
from pathlib import Path

import pytest

from loopwright.core.protocol import Usage
from loopwright.core.state import Baseline, BaselineTest, RunSettings
from loopwright.workflows.loop.commands import add_task
from loopwright.workflows.loop.documents import render_progress
from loopwright.workflows.loop.model import LoopState, Summary
from loopwright.workflows.loop.outcomes import ActionOutcome, CompleteOutcome, DebugOutcome, InitOutcome
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.state_reader import read_loop
from tests.domain.loop_making import confirmed, developed, result, step, task, validated
from tests.tables import each

FOLDER = Path(__file__).parent / "shapes"
AT = "2026-01-22T10:00:00+08:00"

SEEDS_KEYS = [
    "loop_id", "title", "description", "max_iterations", "status", "current_iteration", "created_at", "updated_at",
]  # fmt: skip
SKILL_KEYS = ["current_action", "last_action", "completed_actions", "mode", "develop", "debug", "validate", "errors"]
PART_KEYS = {
    "develop": ["total", "completed", "current_task", "tasks", "last_progress_at"],
    "debug": [
        "active_bug", "hypotheses_count", "hypotheses", "confirmed_hypothesis", "iteration", "last_analysis_at",
    ],
    "validate": ["pass_rate", "coverage", "test_results", "passed", "failed_tests", "last_run_at"],
    "summary": ["duration", "iterations", "develop", "debug", "validate"],
}  # fmt: skip
ITEM_KEYS = {
    ("develop", "tasks"): [
        "id", "description", "tool", "mode", "status", "files_changed", "created_at", "completed_at",
    ],
    ("debug", "hypotheses"): [
        "id", "description", "testable_condition", "logging_point", "evidence_criteria", "likelihood", "status",
        "evidence", "verdict_reason",
    ],
    ("validate", "test_results"): [
        "test_name", "suite", "status", "duration_ms", "error_message", "stack_trace",
    ],
}  # fmt: skip


def created() -> LoopState:
    state = LoopState(
        loop_id="loop-v2-20260122T100000-0123abcd",
        title="Implement user authentication",
        description="Add login/logout functionality",
        created_at=AT,
        updated_at=AT,
    )
    return state.evolve(engine=state.engine.evolve(settings=RunSettings(mode="auto", agent="codex")))


def taken(state: LoopState, choice: NextAction, outcome: ActionOutcome) -> LoopState:
    done = step(choice.action, outcome, elapsed=1.5, usage=Usage(tokens=100))
    return end_action(begin_action(state, choice), done)


def after_init() -> LoopState:
    state = add_task(created(), "task-00000001", {"description": "Create the login form", "prompt_template": "p"}, AT)
    baseline = Baseline(tree="tree-0", at=AT, tests={"tests/test_ledger.py::green": BaselineTest(status="passed")})
    outcome = InitOutcome((task("task-00000002"),), True, "python -m pytest", baseline, (".coverage",))
    return taken(state.evolve(status="running"), NextAction("INIT", 5), outcome)


def whole_run() -> LoopState:
    state = after_init()
    state = taken(state, NextAction("DEVELOP", 6, None, "task-00000001"), developed("task-00000001"))
    state = taken(state, NextAction("DEVELOP", 6, None, "task-00000002"), developed("task-00000002"))
    red = result("adds_up", "failed").evolve(duration_ms=12.5, error_message="0 != 1\nline 2", stack_trace="…")
    state = taken(state, NextAction("VALIDATE", 8), validated("tree-1", results=(result("green"), red), passed=False))
    cause = confirmed("H1", fixes=["tests/test_ledger.py::adds_up"], hits=3)
    state = taken(state, NextAction("DEBUG", 9), DebugOutcome((cause,), "the sum | starts at one", "H1", "fixed"))
    state = taken(state, NextAction("VALIDATE", 8), validated("tree-2", results=(result("green"), result("adds_up"))))
    left: dict[str, object] = {"tasks": 2, "completed": 2, "left_to_do": [], "files_changed": ["ledger.py"]}
    summary = Summary.model_validate(
        {"duration": 61500, "iterations": 5, "develop": left, "debug": {"rounds": 1}, "validate": {"passed": True}}
    )
    return taken(state, NextAction("COMPLETE", 3, "succeeded"), CompleteOutcome("succeeded", None, summary))


def written(state: LoopState) -> str:
    return json.dumps(json.loads(state.model_dump_json()), indent=2, ensure_ascii=False) + "\n"


def shapes() -> dict[str, str]:
    """Every golden file by name."""
    states = {"created.json": created(), "after_init.json": after_init(), "whole_run.json": whole_run()}
    files = {name: text.decode() for name, text in render_progress(whole_run()).items()}
    return {name: written(state) for name, state in states.items()} | files


@each("name", sorted(shapes()))
def test_shape(name: str) -> None:
    path = FOLDER / name
    golden = path.read_text(encoding="utf-8") if path.exists() else ""
    diff = difflib.unified_diff(
        golden.splitlines(), shapes()[name].splitlines(), "stored so far", "stored now", lineterm=""
    )
    words = "\n".join(diff)
    assert not words, f"the stored shape of {name} has changed:\n{words}"


def test_there_is_no_golden_file_that_nothing_writes() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(shapes())


@pytest.mark.parametrize("name", ["created.json", "after_init.json", "whole_run.json"])
def test_what_was_stored_yesterday_reads_without_a_repair(name: str) -> None:
    stored = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    state, repairs = read_loop(stored, fallback_id="?", now=AT)
    assert repairs == ()
    assert written(state) == written(LoopState.model_validate_json(json.dumps(stored)))


def test_a_created_loop_holds_the_documented_keys_in_their_order() -> None:
    assert list(json.loads(written(created()))) == [*SEEDS_KEYS, "engine"]


def test_the_runners_part_holds_the_documented_keys_in_their_order() -> None:
    stored = json.loads(written(whole_run()))
    assert list(stored) == [*SEEDS_KEYS, "completed_at", "skill_state", "engine"]
    skill = stored["skill_state"]
    assert list(skill) == [*SKILL_KEYS, "summary"]
    for part, keys in PART_KEYS.items():
        assert list(skill[part]) == keys
    for (part, items), keys in ITEM_KEYS.items():
        assert skill[part][items], "an empty list would prove nothing"
        for item in skill[part][items]:
            assert list(item) == keys


if __name__ == "__main__":
    for name, text in shapes().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
