"""From a skill's files to what reports are made of, and from a session's state to the same."""

from collections.abc import Callable, Iterable

import pytest

from loopwright.skills import diagnosis
from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.files import SkillFiles
from loopwright.skills.findings import Dimension
from loopwright.skills.reader.model import Skill
from loopwright.skills.score import compute_score, decide_gate
from loopwright.workflows.tuning.model import TuningStep
from loopwright.workflows.tuning.outcomes import VerifyOutcome
from loopwright.workflows.tuning.report.skill_check import check_skill, read_session_check
from tests.domain.tuning_making import (
    created,
    diagnosed_all,
    ended,
    finding,
    in_files,
    offer,
    proposed,
    verified,
)

TEXT = "Read a.md.\n\nRead b.md. <!-- loopwright: ignore dead-reference - made by phase 2 -->\n\nRead c.md.\n"
FILES = SkillFiles("sample", {"SKILL.md": TEXT.encode()}, {}, {})


def _dead(skill: Skill) -> Iterable[DetectorHit]:
    text = skill.pages["SKILL.md"].text
    for name in ("a.md", "b.md", "c.md"):
        at = text.index(name)
        yield DetectorHit("SKILL.md", at, at + 4, name, f"{name} does not exist")


def _broken(skill: Skill) -> Iterable[DetectorHit]:
    raise KeyError("x")


def detector(name: str, look: Callable[[Skill], Iterable[DetectorHit]], dimension: Dimension = "dataflow") -> Detector:
    return Detector(name, dimension, "high", "certain", "custom", "t", "w", "a", look)


@pytest.fixture(autouse=True)
def _one_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "DETECTORS", (detector("dead-reference", _dead),))


def test_what_stays_counts_and_what_is_accepted_does_not() -> None:
    found = check_skill(FILES, "skills/sample")
    assert [one.subject for one in found.findings] == ["a.md", "c.md"]
    assert [(one.finding.subject, one.reason) for one in found.silenced] == [("b.md", "made by phase 2")]
    assert found.score == compute_score(found.findings, found.tokens)
    assert found.gate == decide_gate(found.score, found.findings, all_ran=True)
    assert (found.path, found.unasked, found.problems) == ("skills/sample", (), {})


def test_what_the_baseline_knows_has_no_reason() -> None:
    known = check_skill(FILES, ".").findings[0].fingerprint
    found = check_skill(FILES, ".", accepted={known})
    assert [one.subject for one in found.findings] == ["c.md"]
    assert [(one.finding.subject, one.reason) for one in found.silenced] == [
        ("a.md", None),
        ("b.md", "made by phase 2"),
    ]


def test_only_what_was_asked_for_is_looked_at() -> None:
    found = check_skill(FILES, ".", ["memory"])
    assert (found.findings, found.unasked) == ((), ("context", "dataflow", "agent"))


def test_a_dimension_that_broke_never_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "DETECTORS", (detector("no-recovery", _broken, "memory"),))
    found = check_skill(FILES, ".")
    assert found.gate == "fail"
    assert "no-recovery could not be checked" in found.problems["memory"]


def test_a_session_is_told_as_its_last_report_has_it() -> None:
    one, two = finding("one", severity="high"), finding("two", "agent", confidence="hint")
    state = diagnosed_all(created(), one, two)
    found = read_session_check(state)
    assert (found.path, found.name, found.score, found.gate) == ("skills/a", "a", state.quality_score, "pass")
    assert (found.counted, found.hints) == ((one,), (two,))
    assert found.fixable == state.engine.fixable


def test_only_fixes_that_were_not_tried_can_be_offered() -> None:
    one, two = finding("one", severity="high"), finding("two", "agent")
    state = proposed(diagnosed_all(created(level="mechanical"), one, two), offer("FIX-001", one), offer("FIX-002", two))
    assert [repair.description for repair in read_session_check(state).repairs] == [
        "FIX-001 mends it",
        "FIX-002 mends it",
    ]
    assert read_session_check(state).repairs[0].texts == {"SKILL.md": "bad"}
    state = in_files(state, "FIX-001")
    assert [repair.description for repair in read_session_check(state).repairs] == ["FIX-002 mends it"]
    verify = TuningStep("action-verify", "FIX-001")
    failed = ended(state, verify, VerifyOutcome("FIX-001", False, ("no",), (), {}))
    assert [repair.description for repair in read_session_check(failed).repairs] == ["FIX-002 mends it"]
    held = ended(state, verify, verified(state, "FIX-001"))
    assert read_session_check(held).counted == (two,)
