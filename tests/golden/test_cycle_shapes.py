"""What is stored of a cycle, byte by byte: its state and its documents. A change here has to be meant.

`PYTHONPATH=src python -m tests.golden.test_cycle_shapes` writes the files anew.
"""

import difflib
import json
from pathlib import Path

import pytest

from loopwright.core.state import Incident
from loopwright.reports.discoveries import read_entry
from loopwright.workflows.cycle.commands import extend
from loopwright.workflows.cycle.documents import KEPT, archived_name, coverage, render
from loopwright.workflows.cycle.logs import LOGS, additions
from loopwright.workflows.cycle.model import Blocker, Coordination, CycleState, Decision
from loopwright.workflows.cycle.outcomes import AnalysisOutcome, CycleOutcome, ExplorationOutcome, PlanOutcome
from loopwright.workflows.cycle.state_reader import read_cycle
from tests.domain.cycle_making import created, driven, judged, report, running, task
from tests.tables import each

FOLDER = Path(__file__).parent / "cycle_shapes"
LATER = "2026-01-22T12:00:00+08:00"

SEEDS_KEYS = [
    "cycle_id", "title", "description", "task_history", "status", "created_at", "updated_at", "max_iterations",
    "current_iteration", "agents", "current_phase", "completed_phases", "phase_errors", "iterations", "coordination",
]  # fmt: skip
OUTCOMES: dict[str, CycleOutcome] = {
    "ra.analyse": AnalysisOutcome(
        report("ra"), "# Requirements\n\n- R1: Google signs in (goal)", ("a timeout\nof OAuth", "PKCE"),
        ("ra/requirements.md", "ra/edge-cases.md"),
    ),
    "ep.explore": ExplorationOutcome(report("ep"), "One package.", ("src/a.py: sign in",), ("src/a.py: sessions",)),
    "ep.plan": PlanOutcome(
        report("ep"), (task("TASK-001", "src/a.py"), task("TASK-002", after=["TASK-001"]).evolve(effort="large")),
    ),
}  # fmt: skip


def failed() -> CycleState:
    """One iteration, and a failing test at its end."""
    return driven(running(max_iterations=1), {**OUTCOMES, "vas.validate": judged("tests/test_a.py::test_bad")})


def extended() -> CycleState:
    """Goes on with an extension, and ends well."""
    state = driven(extend(failed(), "Also add MFA", LATER), OUTCOMES)
    coordination = Coordination(
        feedback_log=state.coordination.feedback_log,
        pending_decisions=(
            Decision(
                id="DEC-1", description="Which provider first?", options=("Google", "GitHub"), made_by="auto",
                chosen_option="Google", status="implemented",
            ),
        ),
        blockers=(
            Blocker(id="BLK-1", description="no key", reported_by="cd", status="workaround", resolution="a fake one"),
        ),
    )  # fmt: skip
    told = (Incident(kind="put_back", message="ra wrote src/a.py", at=LATER),)
    return state.evolve(
        coordination=coordination, engine=state.engine.evolve(incidents=told, roles={"ra": "builtin", "cd": "codex"})
    )


def written(state: CycleState) -> str:
    return json.dumps(json.loads(state.model_dump_json()), indent=2, ensure_ascii=False) + "\n"


def shapes() -> dict[str, str]:
    """Every golden file by name; those of documents have a dash for each folder."""
    first, last = failed(), extended()
    states = {"created.json": created(), "failed.json": first, "extended.json": last}
    shown = {name: data.decode() for name, data in render(last, None, {}).items()}
    shown[archived_name("ra/requirements.md", "1.0.0")] = render(first)["ra/requirements.md"].decode()
    shown["vas/coverage.json"] = coverage(judged().validated, "1.1.0").decode()
    logs: dict[str, str] = {}
    for state in (first, last):
        for name, lines in additions(state, logs).items():
            logs[name] = logs.get(name, "") + "".join(f"{line.decode()}\n" for line in lines)
    found = read_entry({"type": "test_command", "data": {"unit": "pytest -q"}}, ts=LATER, agent="ep")
    documents = {**shown, **logs, "coordination/discoveries.ndjson": f"{found.line}\n"}
    return {name: written(state) for name, state in states.items()} | {
        name.replace("/", "-"): text for name, text in documents.items()
    }


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
    assert {name.replace("/", "-") for name in (*LOGS, *KEPT)} - {*shapes()} == {"vas-summary.md"}


@pytest.mark.parametrize("name", ["created.json", "failed.json", "extended.json"])
def test_what_was_stored_yesterday_reads_without_a_repair(name: str) -> None:
    stored = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    state, repairs = read_cycle(stored, fallback_id="?", now=LATER)
    assert repairs == ()
    assert written(state) == written(CycleState.model_validate_json(json.dumps(stored)))


def test_a_created_cycle_holds_the_documented_keys_in_their_order() -> None:
    assert list(json.loads(written(created()))) == [*SEEDS_KEYS, "engine"]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in shapes().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
