"""A cycle by the real command, without a model and without a network."""

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.cycle_names import ROLES
from loopwright.wiring import open_engine
from tests.real_command import Project, carrying
from tests.waiting import until

SAMPLES = Path(__file__).parent.parent / "samples"
TASK = "Make the tests pass and keep coverage"

Json = Any  # Any: parsed JSON

DOCUMENTS = (
    "ra/requirements.md", "ra/edge-cases.md", "ep/exploration.md", "ep/architecture.md", "ep/plan.json",
    "cd/implementation.md", "cd/issues.md", "vas/summary.md", "vas/test-results.json", "vas/coverage.json",
)  # fmt: skip
LOGS = (
    *(f"{role}/changes.log" for role in ROLES), *(f"{role}/transcript.ndjson" for role in ROLES),
    "coordination/timeline.md", "coordination/summary.md", "coordination/discoveries.ndjson",
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Three failing tests of fourteen, with one fault behind them."""
    return copied("ledger", tmp_path)


def copied(name: str, tmp_path: Path) -> Project:
    shutil.copytree(SAMPLES / name, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))
    return Project(tmp_path / "project", tmp_path / "state")


def the_cycle(project: Project) -> Json:
    _, (cycle,) = project.call("cycle", "list")
    return cycle


def document(project: Project, id: str, name: str, *more: str) -> str:
    code, found = project.call("cycle", "documents", id, name, *more)
    assert code == 0, found
    return str(found["text"])


def run(project: Project, *words: str) -> int:
    return project.call("cycle", "run", *words, "--auto", "--agent", "builtin")[0]


def texts(project: Project) -> dict[str, bytes]:
    files = (p for p in project.root.rglob("*.py") if ".workflow" not in p.parts)
    return {str(path.relative_to(project.root)): path.read_bytes() for path in files}


def test_the_main_job_with_all_its_documents_and_then_an_extension(project: Project) -> None:
    before = texts(project)
    assert run(project, TASK) == 0
    after = texts(project)
    assert [name for name in after if after[name] != before[name]] == ["ledger.py"]
    assert_tests_really_pass(project)
    state = the_cycle(project)
    id = state["cycle_id"]
    assert (state["status"], state["engine"]["outcome"], state["current_phase"]) == (
        "completed",
        "succeeded",
        "complete",
    )
    assert state["test_results"]["pass_rate"] == 100
    assert {role: state["agents"][role]["status"] for role in ROLES} == dict.fromkeys(ROLES, "completed")
    assert_documents(project, id, "1.0.0")
    assert list(carrying(id)) == []

    requirements = document(project, id, "ra/requirements.md")
    for key in state["engine"]["baseline"]["tests"]:
        failed = state["engine"]["baseline"]["tests"][key]["status"] == "failed"
        assert (key in requirements) is failed, key
    _, plan = project.call("cycle", "documents", id, "ep/plan.json")
    assert json.loads(plan["text"])["tasks"] == state["plan"]["tasks"]
    assert "ledger.py" in document(project, id, "cd/implementation.md")

    assert run(project, "--cycle-id", id, "--extend", "Make the tests of March pass too") in (0, 1)
    state = the_cycle(project)
    assert state["current_iteration"] >= 2
    assert state["task_history"][1:] == ["Make the tests of March pass too"]
    assert "--- ITERATION 2 ---" in state["description"]
    assert "March" in document(project, id, "ra/requirements.md")
    assert document(project, id, "ra/requirements.md", "--version", "1.0.0") == requirements
    assert (progress(project, id) / "ra" / "history" / "requirements-v1.0.0.md").exists()


def assert_documents(project: Project, id: str, version: str) -> None:
    """Every one is there, in that version, and none is empty."""
    _, listed = project.call("cycle", "documents", id)
    known = {each["name"]: each for each in listed}
    assert {*DOCUMENTS, *LOGS} <= known.keys()
    assert {known[name]["version"] for name in DOCUMENTS} == {version}
    for name in DOCUMENTS:
        text = document(project, id, name)
        assert len(text) > 60, name
        if name.endswith(".md"):
            assert text.startswith(f"<!-- version {version} ")
            assert not re.search(r"\bNone\b|\{\{|Traceback", text), name
    for name in LOGS:
        lines = (progress(project, id) / name).read_text().splitlines()
        assert lines, name
        assert not name.endswith(("log", "ndjson")) or all(isinstance(json.loads(line), dict) for line in lines)


def progress(project: Project, id: str) -> Path:
    return project.root / ".workflow" / ".cycle" / f"{id}.progress"


def assert_tests_really_pass(project: Project) -> None:
    """Measured once more by a process that has never heard of us."""
    code, output = project.plain("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 0, output


def test_a_runner_that_is_killed_is_taken_up_where_it_was(project: Project) -> None:
    code, created = project.call("cycle", "create", TASK, "--auto", "--agent", "builtin")
    assert code == 0
    id = created["cycle_id"]
    assert project.call("cycle", "start", id)[0] == 0
    journal = project.root / ".workflow" / ".cycle" / f"{id}.events.ndjson"
    until(lambda: "cd.implement" in journal.read_text())
    os.kill(_runner(project, id), signal.SIGKILL)
    until(lambda: project.call("cycle", "show", id)[1]["status"] == "running")
    code, taken = project.call("resume", "--all")
    assert code == 0
    assert [each.get("cycle_id") for each in taken] == [id]
    assert project.call("cycle", "watch", id)[0] == 0
    steps = [json.loads(line)["event"] for line in journal.read_text().splitlines()]
    ended = [each["data"]["step"] for each in steps if each["type"] == "step_finished"]
    assert ended.count("vas.baseline") == ended.count("ra.analyse") == ended.count("ep.plan") == 1
    assert list(carrying(id)) == []
    assert_tests_really_pass(project)


def _runner(project: Project, id: str) -> int:
    """Its process id."""
    with open_engine(project.root, {}) as engine:
        pid = engine.cycles.store.holder(id)
    assert pid is not None
    return pid


def test_more_than_it_can_do_is_not_claimed(tmp_path: Path) -> None:
    project = copied("healthy", tmp_path)
    before = texts(project)
    assert run(project, "Add a vegetarian menu") == 1
    state = the_cycle(project)
    assert state["status"] == "failed"
    assert "cannot write features" in state["failure_reason"]
    assert texts(project) == before
