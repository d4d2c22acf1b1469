"""The state of a tuning session is the seed's, key by key; what makes no sense cannot be built."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.core.errors import Invalid
from loopwright.workflows.tuning.model import AppliedFix, DiagnosisResult, FileChange, TuningState
from tests.domain.tuning_making import AT, ID, created, diagnosed_all, finding, in_files, offer, proposed
from tests.tables import each

INITIAL = """
{ "status": "pending", "started_at": null, "updated_at": null,
  "target_skill": { "name": null, "path": null, "execution_mode": null, "phases": [], "specs": [] },
  "user_issue_description": "", "focus_areas": [],
  "diagnosis": { "context": null, "memory": null, "dataflow": null, "agent": null },
  "issues": [], "issues_by_severity": { "critical": 0, "high": 0, "medium": 0, "low": 0 },
  "proposed_fixes": [], "applied_fixes": [], "pending_fixes": [],
  "iteration_count": 0, "max_iterations": 5, "quality_score": 0, "quality_gate": "fail",
  "completed_actions": [], "current_action": null, "action_history": [],
  "errors": [], "error_count": 0, "max_errors": 3, "work_dir": null, "backup_dir": null }
"""
"""The seed's Initial State Template."""


def test_a_new_state_is_the_seeds_initial_one_with_its_keys_in_order() -> None:
    state = TuningState()
    assert json.loads(state.model_dump_json(exclude={"engine"})) == json.loads(INITIAL)
    assert json.dumps(state.model_dump(exclude={"engine"})) == json.dumps(json.loads(INITIAL))
    assert list(state.model_dump()) == [*json.loads(INITIAL), "engine"]


def test_where_the_template_has_null_a_state_that_was_created_has_it_too() -> None:
    told = json.loads(created(description="it forgets").model_dump_json())
    assert (told["started_at"], told["updated_at"], told["current_action"]) == (None, None, None)
    assert told["target_skill"] == json.loads(INITIAL)["target_skill"]


def test_its_names() -> None:
    state = created()
    assert (state.tuning_id, state.title, state.failure_reason) == (ID, "skills/a", None)
    assert diagnosed_all(state).title == "a"


def unverified() -> TuningState:
    found = finding()
    return in_files(proposed(diagnosed_all(created(level="mechanical"), found), offer("FIX-001", found)), "FIX-001")


NONSENSE: dict[str, tuple[dict[str, Any], str]] = {  # Any: fields by name
    "an issue that is not counted": ({"issues": []}, "issues_by_severity says 1"),
    "fewer errors than there are": ({"errors": [{
        "action": "x", "message": "m", "timestamp": AT, "recoverable": True}]}, "error_count is 0"),
    "two fixes with one id": ({"proposed_fixes": [offer("FIX-001", finding()).fix] * 2}, "share an id"),
    "a pending fix that nobody proposed": ({"pending_fixes": ["FIX-009"]}, "nobody has proposed FIX-009"),
    "an applied fix that nobody proposed": ({"applied_fixes": [AppliedFix(
        fix_id="FIX-009", applied_at=AT, success=True, backup_path="b", rollback_available=True)]}, "FIX-009"),
    "an end without an outcome": ({"status": "completed"}, "outcome"),
    "a beginning that has begun": ({"status": "pending"}, "has not begun"),
    "a score beyond the best": ({"quality_score": 101}, "quality_score"),
    "a gate that there is not": ({"quality_gate": "good"}, "quality_gate"),
    "no iteration at all": ({"max_iterations": 0}, "max_iterations"),
}  # fmt: skip


@each("name", NONSENSE)
def test_nonsense_can_not_be_built(name: str) -> None:
    changes, words = NONSENSE[name]
    with pytest.raises(Invalid, match=words):
        unverified().evolve(**changes)


def test_a_session_can_not_end_with_a_fix_that_nobody_has_verified() -> None:
    state = unverified()
    with pytest.raises(Invalid, match="nobody has verified"):
        state.evolve(status="completed", engine=state.engine.evolve(outcome="succeeded"))


@pytest.mark.parametrize(("found", "severity"), [(0, "low"), (2, "none")])
def test_a_result_counts_what_has_a_severity(found: int, severity: str) -> None:
    with pytest.raises(ValidationError, match="cannot have the severity"):
        DiagnosisResult.model_validate({"status": "completed", "issues_found": found, "severity": severity})


@pytest.mark.parametrize(
    ("action", "texts", "fits"),
    [
        ("create", {"new_content": "x"}, True), ("create", {"old_content": "x"}, False),
        ("delete", {"old_content": "x"}, True), ("delete", {"old_content": "x", "new_content": ""}, False),
        ("modify", {"old_content": "x", "new_content": "y"}, True), ("modify", {"diff": "only"}, True),
    ],
)  # fmt: skip
def test_a_change_of_a_file(action: str, texts: dict[str, str], fits: bool) -> None:
    def build() -> FileChange:
        return FileChange.model_validate({"file": "a.md", "action": action, **texts})

    if fits:
        assert build().model_dump() == {"file": "a.md", "action": action, **texts}
    else:
        with pytest.raises(ValidationError):
            build()
