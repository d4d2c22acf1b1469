"""One JSON document for programs: always the same shape, and all that is known of a finding."""

import json
from typing import Any

from loopwright.skills.findings import Finding, Silenced
from loopwright.skills.fixes.edits import make_edit
from loopwright.workflows.tuning.report.skill_check import OpenRepair, SkillCheck, findings_document
from tests.tune.making import finding, page

PAGE = page("SKILL.md", "Read a.md and b.md.\n")
A, B = finding(PAGE, "a.md"), finding(PAGE, "b.md", confidence="hint")
Json = dict[str, Any]  # Any: JSON, walked key by key


def checked(*findings: Finding, **more: object) -> SkillCheck:
    made: dict[str, object] = {
        "path": "skills/a", "name": "a", "dimensions": ("dataflow",), "score": 90.5, "gate": "pass", "tokens": 9,
        **more,
    }  # fmt: skip
    return SkillCheck(findings=findings, **made)  # type: ignore[arg-type]  # named as they are


def told(*skills: SkillCheck) -> Json:
    found: Json = json.loads(json.dumps(findings_document(skills)))
    return found


def shape(value: object) -> object:
    """Keys and kinds only; of a list the first."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value[:1]]
    return type(value).__name__


def test_one_skill_and_many_have_the_same_shape() -> None:
    one, two = told(checked(A)), told(checked(A), checked(A, path="b"))
    assert shape(one) == shape(two)
    assert one["schema"] == 1
    assert [skill["path"] for skill in two["skills"]] == ["skills/a", "b"]


def test_nothing_to_look_at_is_a_document_too() -> None:
    summary = told()["summary"]
    assert (summary["skills"], summary["gate"], summary["lowest_score"]) == (0, "pass", None)


def test_the_summary_counts_all_skills_and_takes_the_worst() -> None:
    skills = (
        checked(A, B, fixable={A.fingerprint: "mechanical"}, silenced=tuple(Silenced(finding=one) for one in (A, B))),
        checked(gate="fail", score=40.0, path="b"), checked(gate="review", path="c"),
    )  # fmt: skip
    assert told(*skills)["summary"] == {
        "skills": 3, "gate": "fail", "gates": {"pass": 1, "review": 1, "fail": 1}, "lowest_score": 40.0,
        "findings": {"critical": 0, "high": 1, "medium": 0, "low": 0}, "hints": 1, "suppressed": 2,
        "fixable": {"mechanical": 1, "template": 0, "agent": 0},
    }  # fmt: skip


def test_a_dimension_that_was_not_asked_for_or_failed_is_not_one_without_findings() -> None:
    (skill,) = told(checked(A, B, dimensions=("memory", "dataflow"), problems={"memory": "broke"}))["skills"]
    assert skill["dimensions"] == {
        "memory": {"status": "failed", "findings": 0, "problem": "broke"},
        "dataflow": {"status": "completed", "findings": 1, "problem": None},
        "context": {"status": "skipped", "findings": 0, "problem": None},
        "agent": {"status": "skipped", "findings": 0, "problem": None},
    }


def test_a_finding_has_its_fix_with_it() -> None:
    change = make_edit(PAGE, PAGE.text.index("a.md"), PAGE.text.index("a.md") + 4, "c.md")
    repair = OpenRepair((A.fingerprint,), "mechanical", "Name c.md", (change,), {"SKILL.md": PAGE.text})
    skill = checked(A, B, repairs=(repair,), fixable={A.fingerprint: "mechanical"})
    first, second = told(skill)["skills"][0]["findings"]
    assert first["fix"] == {
        "level": "mechanical", "description": "Name c.md", "creates": [], "deletes": [],
        "edits": [{"file": "SKILL.md", "start": 5, "end": 9, "old": "a.md", "new": "c.md"}],
    }  # fmt: skip
    assert (first["fixable"], second["fixable"], second["fix"]) == ("mechanical", None, None)
    known = A.model_dump(mode="json", exclude={"start", "end", "facts"})
    assert {key: first[key] for key in known} == known
    assert first["fingerprint"] == A.fingerprint


def test_what_is_accepted_is_listed_with_by_what() -> None:
    silenced = (Silenced(finding=A, reason="so it is"), Silenced(finding=B))
    (skill,) = told(checked(silenced=silenced))["skills"]
    assert [(one["subject"], one["by"], one["reason"]) for one in skill["silenced"]] == [
        ("a.md", "comment", "so it is"), ("b.md", "baseline", None),
    ]  # fmt: skip
