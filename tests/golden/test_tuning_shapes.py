"""What is stored of a tuning session, byte by byte. Other programs depend on it: a change here has to be meant.

`PYTHONPATH=src python -m tests.golden.test_tuning_shapes` writes the files anew.
"""

import difflib
import json
from pathlib import Path

import pytest

from loopwright.core.protocol import Usage
from loopwright.core.state import Incident
from loopwright.skills.findings import Proposal
from loopwright.workflows.tuning.commands import stop
from loopwright.workflows.tuning.model import FileChange, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import FailureOutcome, FixOffer, TuningOutcome, TuningStepDone
from loopwright.workflows.tuning.reducer import begin_step, end_step
from loopwright.workflows.tuning.selector import next_steps
from loopwright.workflows.tuning.state_reader import read_tuning
from tests.domain.tuning_making import (
    AT,
    LATER,
    created,
    diagnosed_all,
    driven,
    finding,
    in_files,
    offer,
    proposed,
    usual,
)

FOLDER = Path(__file__).parent / "tuning_shapes"
INCIDENT = Incident(kind="rolled_back", message="FIX-001 did not hold", at=LATER)

SEEDS_KEYS = [
    "status", "started_at", "updated_at", "target_skill", "user_issue_description", "focus_areas", "diagnosis",
    "issues", "issues_by_severity", "proposed_fixes", "applied_fixes", "pending_fixes", "iteration_count",
    "max_iterations", "quality_score", "quality_gate", "completed_actions", "current_action", "action_history",
    "errors", "error_count", "max_errors", "work_dir", "backup_dir",
]  # fmt: skip
PART_KEYS = {
    "target_skill": ["name", "path", "execution_mode", "phases", "specs"],
    "diagnosis": ["context", "memory", "dataflow", "agent"],
    "issues_by_severity": ["critical", "high", "medium", "low"],
}
ITEM_KEYS = {
    "issues": [
        "id", "type", "severity", "priority", "location", "description", "evidence", "root_cause", "impact",
        "suggested_fix", "related_issues",
    ],
    "proposed_fixes": [
        "id", "issue_ids", "strategy", "description", "rationale", "changes", "risk", "estimated_impact",
        "verification_steps",
    ],
    "applied_fixes": [
        "fix_id", "applied_at", "success", "backup_path", "verification_result", "rollback_available",
    ],
    "action_history": ["action", "started_at", "completed_at", "result", "output_files"],
    "errors": ["action", "message", "timestamp", "recoverable"],
}  # fmt: skip
RESULT_KEYS = ["status", "issues_found", "severity", "execution_time_ms", "details"]
DETAILS_KEYS = ["patterns_checked", "patterns_matched", "evidence", "recommendations"]
EVIDENCE_KEYS = ["file", "line", "pattern", "context", "severity"]
LOCATION_KEYS = ["file", "line_start", "line_end", "phase"]
CHANGE_KEYS = ["file", "action", "old_content", "new_content", "diff"]

DEAD = finding("phases/03-report.md", severity="high", file="phases/02-read.md", line=12).evolve(
    phase="phases/02-read.md", also=("SKILL.md:40",), facts={"near": "phases/03-write.md"}
)
TOOL = finding("Task", "agent", "medium", "likely")
HINT = finding("the whole request", "memory", "low", "hint")


def written_by_template(id: str) -> FixOffer:
    """A fix that makes one file and takes another away."""
    plain = offer(id, TOOL, level="template")
    changes = (
        FileChange(file="specs/tools.md", action="create", new_content="# Tools\n", diff="--- /dev/null\n"),
        FileChange(file="old.md", action="delete", old_content="x\n", diff="--- a/old.md\n"),
    )
    proposal = Proposal.model_validate(
        {**plain.proposal.model_dump(), "edits": [], "creates": {"specs/tools.md": "# Tools\n"}, "deletes": ["old.md"]}
    )
    fix = plain.fix.evolve(issue_ids=("ISS-002",), changes=changes, verification_steps=("tools.md is linked",))
    return FixOffer(fix, proposal)


def new() -> TuningState:
    state = created(level="template", description="It forgets what I asked for")
    engine = state.engine.evolve(created_at=AT, accepted=("0123456789abcdef",))
    folder = f".workflow/.scratchpad/{state.tuning_id}"
    return state.evolve(
        focus_areas=("memory",), work_dir=folder, backup_dir=f"{folder}/backups", updated_at=AT, engine=engine
    )


def costly(state: TuningState, step: TuningStep, outcome: TuningOutcome) -> TuningState:
    done = TuningStepDone(
        step=step, outcome=outcome, begun=AT, at=LATER, elapsed=1.5, usage=Usage(tokens=100),
        incidents=(INCIDENT,), files=("fixes/FIX-001.diff",),
    )  # fmt: skip
    return end_step(begin_step(state, step, AT), done)


def applied() -> TuningState:
    """One fix is in the files and not verified, the other one waits; its first try to be written failed."""
    state = proposed(diagnosed_all(new(), DEAD, TOOL, HINT), offer("FIX-001", DEAD), written_by_template("FIX-002"))
    (step,) = next_steps(state)
    return in_files(costly(state, step, FailureOutcome("the disk is full", recoverable=True)), "FIX-001")


def completed() -> TuningState:
    return driven(applied(), usual((DEAD, TOOL, HINT)))


def shapes() -> dict[str, str]:
    """Every golden file by name."""
    states = {
        "created.json": new(), "applied.json": applied(), "completed.json": completed(),
        "stopped.json": stop(applied(), LATER),
    }  # fmt: skip
    return {name: written(state) for name, state in states.items()}


def written(state: TuningState) -> str:
    return json.dumps(json.loads(state.model_dump_json()), indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", sorted(shapes()))
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


@pytest.mark.parametrize("name", sorted(shapes()))
def test_what_was_stored_yesterday_reads_without_a_repair(name: str) -> None:
    stored = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    state, repairs = read_tuning(stored, fallback_id="?", now=LATER)
    assert repairs == ()
    assert written(state) == written(TuningState.model_validate_json(json.dumps(stored)))


@pytest.mark.parametrize("name", sorted(shapes()))
def test_the_documented_keys_are_in_their_order(name: str) -> None:
    stored = json.loads(shapes()[name])
    assert list(stored) == [*SEEDS_KEYS, "engine"]
    for part, keys in PART_KEYS.items():
        assert list(stored[part]) == keys


def test_so_are_those_of_what_is_in_them() -> None:
    stored = json.loads(shapes()["applied.json"])
    for items, keys in ITEM_KEYS.items():
        assert stored[items], "an empty list would prove nothing"
        for item in stored[items]:
            assert list(item) == keys
    result = stored["diagnosis"]["dataflow"]
    assert (list(result), list(result["details"])) == (RESULT_KEYS, DETAILS_KEYS)
    assert list(result["details"]["evidence"][0]) == EVIDENCE_KEYS
    assert list(stored["issues"][0]["location"]) == LOCATION_KEYS
    assert list(stored["proposed_fixes"][0]["changes"][0]) == CHANGE_KEYS


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in shapes().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
