"""Reading what others wrote of a tuning session: lenient where it makes sense, and every repair is told."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.workflows.tuning.model import ERRORS_KEPT, TuningState
from loopwright.workflows.tuning.state_reader import read_tuning
from tests.domain.test_tuning_state import INITIAL
from tests.domain.tuning_making import AT, ID, created, diagnosed_all, driven, finding, in_files, offer, proposed, usual
from tests.tables import each
from tests.tiers import examples

Json = dict[str, Any]  # Any: parsed JSON

SEEDS: Json = {
    "status": "completed", "started_at": "2026-01-22T10:00:00.000Z", "updated_at": "2026-01-22T10:05:00.000Z",
    "target_skill": {
        "name": "software-manual", "path": ".claude/skills/software-manual", "execution_mode": "autonomous",
        "phases": ["phases/01.md"], "specs": ["specs/a.md"],
    },
    "user_issue_description": "It forgets what I asked for", "focus_areas": ["memory"],
    "diagnosis": {
        "context": {
            "status": "completed", "issues_found": 1, "severity": "high", "execution_time_ms": 1200,
            "details": {
                "patterns_checked": ["P1"], "patterns_matched": ["P1"], "recommendations": ["summarise"],
                "evidence": [{"file": "SKILL.md", "line": 3, "pattern": "P1", "context": "c", "severity": "high"}],
            },
        },
        "memory": {"status": "skipped", "issues_found": 0, "severity": "none", "execution_time_ms": 0, "details": {
            "patterns_checked": [], "patterns_matched": [], "evidence": [], "recommendations": []}},
        "dataflow": None, "agent": None,
    },
    "issues": [{
        "id": "ISS-001", "type": "context_explosion", "severity": "high", "priority": 1,
        "location": {"file": "SKILL.md", "line_start": 3, "phase": "1"}, "description": "It grows", "evidence": ["e"],
        "root_cause": "r", "impact": "i", "suggested_fix": "s", "related_issues": [],
    }],
    "issues_by_severity": {"critical": 0, "high": 1, "medium": 0, "low": 0},
    "proposed_fixes": [{
        "id": "FIX-001", "issue_ids": ["ISS-001"], "strategy": "sliding_window", "description": "d", "rationale": "r",
        "changes": [{"file": "SKILL.md", "action": "modify", "diff": "--- a"}], "risk": "low",
        "estimated_impact": "less", "verification_steps": ["look"],
    }],
    "applied_fixes": [{
        "fix_id": "FIX-001", "applied_at": "2026-01-22T10:04:00Z", "success": True, "backup_path": "backups/x",
        "verification_result": "pass", "rollback_available": True,
    }],
    "pending_fixes": [], "iteration_count": 1, "max_iterations": 5, "quality_score": 85, "quality_gate": "pass",
    "completed_actions": ["action-init", "action-diagnose-context"], "current_action": None,
    "action_history": [{
        "action": "action-init", "started_at": "2026-01-22T10:00:00Z", "completed_at": "2026-01-22T10:00:01Z",
        "result": "success", "output_files": ["a.json"],
    }],
    "errors": [], "error_count": 0, "max_errors": 3, "work_dir": ".workflow/.scratchpad/x", "backup_dir": "backups",
}  # fmt: skip
"""As the seed's own runner would leave one."""


def read(raw: object) -> tuple[TuningState, tuple[str, ...]]:
    return read_tuning(raw, fallback_id=ID, now=AT)


def with_changes(**changes: object) -> Json:
    return {**json.loads(json.dumps(SEEDS)), **changes}


class TestSeeds:
    def test_the_initial_template_reads_as_it_is(self) -> None:
        state, repairs = read(json.loads(INITIAL))
        assert (state.tuning_id, repairs) == (ID, ())
        assert json.loads(state.model_dump_json(exclude={"engine"})) == json.loads(INITIAL)

    def test_one_that_its_own_runner_left(self) -> None:
        state, repairs = read(SEEDS)
        assert json.loads(state.model_dump_json(exclude={"engine"})) == SEEDS
        assert repairs == ("the outcome was not recorded; it reads as succeeded",)
        assert (state.title, state.engine.path) == ("software-manual", ".claude/skills/software-manual")

    def test_keys_that_nobody_knows_are_kept(self) -> None:
        state, _ = read(with_changes(x_note={"a": [1]}))
        assert state.model_dump()["x_note"] == {"a": [1]}

    @pytest.mark.parametrize("name", ["created", "offered", "applied", "completed"])
    def test_ours_read_as_they_are(self, name: str) -> None:
        one = finding("one")
        offered = proposed(diagnosed_all(created(level="mechanical"), one), offer("FIX-001", one))
        states = {
            "created": created(), "offered": offered, "applied": in_files(offered, "FIX-001"),
            "completed": driven(offered, usual((one,))),
        }  # fmt: skip
        assert read_tuning(json.loads(states[name].model_dump_json()), fallback_id="?", now=AT) == (states[name], ())


ERROR: Json = {"action": "x", "message": "m", "timestamp": AT, "recoverable": True}
MENDED: dict[str, tuple[Json, str, object, str]] = {
    "counts": ({"issues_by_severity": {"critical": 9}}, "issues_by_severity.high", 1, "issues_by_severity was"),
    "no counts": ({"issues_by_severity": None}, "issues_by_severity.high", 1, "issues_by_severity was {}"),
    "errors": ({"errors": [ERROR]}, "error_count", 1, "error_count was 0, counted 1"),
    "a null list": ({"phases": 1, "focus_areas": None}, "focus_areas", [], "focus_areas was null"),
    "no skill": ({"target_skill": None}, "target_skill.name", None, "target_skill was null"),
    "an empty time": ({"started_at": ""}, "started_at", None, "started_at was empty"),
    "a time that is none": ({"started_at": "just now"}, "started_at", None, "started_at was no time"),
    "a time without an offset": ({"started_at": "2026-01-22T10:00:00"}, "started_at", "2026-01-22T10:00:00+08:00",
        "had no offset"),
    "a pending fix of nobody": ({"pending_fixes": ["FIX-9"]}, "pending_fixes", [], "nobody has proposed"),
    "an applied fix of nobody": ({"proposed_fixes": []}, "applied_fixes", [], "nobody has proposed"),
    "two fixes with one id": ({"proposed_fixes": SEEDS["proposed_fixes"] * 2}, "proposed_fixes",
        SEEDS["proposed_fixes"], "shared an id"),
    "a beginning that has begun": ({"status": "pending"}, "status", "running", "it had begun"),
    "an end that nobody verified": (
        {"applied_fixes": [{**SEEDS["applied_fixes"][0], "verification_result": "pending"}]},
        "applied_fixes.0.verification_result", "fail", "never verified"),
    "a failure": ({"status": "failed"}, "engine.reason", "the reason was not recorded", "it reads as failed"),
    "an outcome without an end": ({"status": "running", "engine": {"id": ID, "outcome": "failed", "reason": "r"}},
        "engine.outcome", None, "outcome was dropped"),
    "no id": ({"engine": {"path": "a"}}, "engine.id", ID, "engine.id was missing"),
    "nothing found, with a severity": (
        {"diagnosis": {"agent": {"status": "completed", "issues_found": 0, "severity": "low"}}},
        "diagnosis.agent.severity", "none", "diagnosis.agent found 0"),
    "something found, without one": (
        {"diagnosis": {"context": {"status": "completed", "issues_found": 1, "severity": "none"}}},
        "diagnosis.context.severity", "high", "diagnosis.context found 1"),
    "too many errors": ({"errors": [ERROR] * 150, "error_count": 150}, "errors", [ERROR] * ERRORS_KEPT, "the last 100"),
    "a line before the first": ({"issues": [{**SEEDS["issues"][0], "location": {"file": "a", "line_start": 0}}]},
        "issues.0.location", {"file": "a"}, "lines count from 1"),
    "an issue without its words": ({"issues": [{"id": "I", "type": "memory_loss", "severity": "high"}]},
        "issues.0.priority", 1, "issues.0.description was missing"),
    "an error without its words": ({"errors": [{"action": "x"}]}, "errors.0.message", "the message was not recorded",
        "errors.0.message was missing"),
    "an entry without times": ({"action_history": [{"action": "x", "result": "success"}]},
        "action_history.0.completed_at", SEEDS["updated_at"], "completed_at was missing"),
}  # fmt: skip


@each("name", MENDED)
def test_mended_and_told(name: str) -> None:
    changes, where, expected, words = MENDED[name]
    state, repairs = read(with_changes(**changes))
    found: Any = state.model_dump(mode="json")  # Any: walks parsed JSON
    for step in where.split("."):
        found = found[int(step)] if step.isdigit() else found[step]
    assert found == expected
    assert any(words in repair for repair in repairs), repairs
    again, more = read_tuning(json.loads(state.model_dump_json()), fallback_id=ID, now=AT)
    assert (again, more) == (state, ()), "once is enough"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "paused"}, "status"), ({"quality_score": 1000}, "quality_score"), ({"issues": "many"}, "issues"),
        ({"max_iterations": 0}, "max_iterations"), ({"issues": [{"id": "I"}]}, "issues.0.type"),
        ({"quality_gate": "good"}, "quality_gate"), ({"error_count": "two"}, "error_count"),
    ],
)  # fmt: skip
def test_refused(changes: Json, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        read(with_changes(**changes))


def test_what_is_no_state_at_all() -> None:
    nothing: tuple[object, ...] = ([], "x", None, 3)
    for raw in nothing:
        with pytest.raises(Invalid, match="JSON object"):
            read(raw)
    with pytest.raises(NewerSchema):
        read({"engine": {"schema": 99}})


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", AT, "pending", "failed", "FIX-001"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "status", "file", "x"]), inner),
    max_leaves=6,
)


@settings(max_examples=examples(300))
@given(st.dictionaries(st.sampled_from([*SEEDS, "engine"]), values, max_size=3))
def test_whatever_stands_in_a_field_is_read_or_refused(changes: Json) -> None:
    try:
        state, _ = read(with_changes(**changes))
    except (Invalid, NewerSchema):
        return
    assert read_tuning(json.loads(state.model_dump_json()), fallback_id=ID, now=AT)[0] == state
