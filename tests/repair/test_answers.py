"""From measured numbers to verdicts and words."""

import pytest

from loopwright.domain.debugging import DebugRequest
from loopwright.repair.answers import diagnosis, findings

ORDER = DebugRequest(project="/p", python="python", test_command="pytest", failing=("t",))


def place(**measured: object) -> dict[str, object]:
    return {
        "file": "a.py", "line": 3, "func": "f", "code": "return a", "point": "a.py:f:3", "score": 0.7, "failing": 1,
        "passing": 0, "exceptions": [], "changed": False, "offered": 0, "tried": 0, "turned": 0, "survived": 0,
        "exhausted": False, "kinds": {}, **measured,
    }  # fmt: skip


def patch(point: str) -> dict[str, object]:
    return {
        "point": point, "fingerprint": "abc", "file": "a.py", "old_text": "a", "new_text": "b", "diff": "d",
        "description": "x", "fixes": ["t"], "still_failing": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("measured", "patched", "status", "word"),
    [
        ({"tried": 9, "turned": 2, "survived": 1}, "a.py:f:3", "confirmed", "fresh process"),
        ({"tried": 9, "turned": 2, "exhausted": True}, None, "inconclusive", "2 of 9"),
        ({"tried": 9, "exhausted": True}, None, "rejected", "(9)"),
        ({"tried": 9, "exhausted": True}, "b.py:g:1", "rejected", "(9)"),
        ({"tried": 9, "offered": 12}, None, "inconclusive", "9 edits tried"),
        ({"tried": 9, "offered": 12}, "b.py:g:1", "pending", None),
        ({}, None, "pending", None),
    ],
)
def test_a_verdict_follows_from_what_was_measured(
    measured: dict[str, object], patched: str | None, status: str, word: str | None
) -> None:
    order = ORDER.evolve(hypotheses=diagnosis(ORDER, {"locations": [place()]}).hypotheses)
    answer = {"locations": [place(**measured)], "patches": [patch(patched)] if patched else []}
    judged = findings(order, answer).hypotheses[0]
    assert judged.status == status
    assert (judged.verdict_reason is None) == (word is None)
    assert word is None or word in (judged.verdict_reason or "")


def test_a_hypothesis_is_found_again_when_its_line_moved() -> None:
    order = ORDER.evolve(hypotheses=diagnosis(ORDER, {"locations": [place()]}).hypotheses)
    moved = place(line=8, point="a.py:f:8", tried=4, exhausted=True)
    judged = findings(order, {"locations": [moved]}).hypotheses
    assert [(one.id, one.status) for one in judged] == [("H1", "rejected")]
    assert diagnosis(order, {"locations": [moved]}).hypotheses == ()


def test_a_patch_at_a_place_nobody_named_becomes_a_hypothesis() -> None:
    answer = {"locations": [place(tried=3, turned=1, survived=1)], "patches": [patch("a.py:f:3")]}
    found = findings(ORDER, answer)
    assert found.patch is not None
    assert [(one.id, one.status) for one in found.hypotheses] == [(found.patch.hypothesis, "confirmed")]


def test_a_worker_that_gave_nothing_is_quoted() -> None:
    assert findings(ORDER, {"locations": [], "notes": ["the repair worker ran out of time"]}).note.endswith("time")
