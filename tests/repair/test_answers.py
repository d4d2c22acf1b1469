"""From measured numbers to verdicts and words."""

import pytest

from loopwright.evidence.debugging import DebugRequest
from loopwright.evidence.rivals import rival_lines
from loopwright.repair.debugger import build_diagnosis, build_findings

ORDER = DebugRequest(project="/p", python="python", test_command="pytest", failing=("t",))


def place(**measured: object) -> dict[str, object]:
    return {
        "file": "a.py", "line": 3, "func": "f", "code": "return a", "point": "a.py:f:3", "score": 0.7, "failing": 1,
        "passing": 0, "exceptions": [], "changed": False, "offered": 0, "tried": 0, "turned": 0, "survived": 0,
        "exhausted": False, "kinds": {}, **measured,
    }  # fmt: skip


def patch(point: str, name: str = "x", **more: object) -> dict[str, object]:
    return {
        "point": point, "fingerprint": f"{name}-abc", "file": "a.py", "old_text": "a", "new_text": "b", "diff": "d",
        "description": name, "fixes": ["t"], "still_failing": [], "gives": {}, "alike": 1, **more,
    }  # fmt: skip


def compared(passing: int, **more: object) -> dict[str, object]:
    return {"passing": passing, "compared": 0, "inputs": 0, "differing": 0, "elsewhere": 0, **more}


def answer(*patches: dict[str, object], comparison: dict[str, object], tried: int = 156) -> dict[str, object]:
    places = [place(tried=9, turned=2, survived=1), place(line=7, point="a.py:f:7", code="b", tried=2, turned=1)]
    return {"locations": places, "patches": list(patches), "comparison": comparison, "candidates": tried}


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
    order = ORDER.evolve(hypotheses=build_diagnosis(ORDER, {"locations": [place()]}).hypotheses)
    answer = {"locations": [place(**measured)], "patches": [patch(patched)] if patched else []}
    judged = build_findings(order, answer).hypotheses[0]
    assert judged.status == status
    assert (judged.verdict_reason is None) == (word is None)
    assert word is None or word in (judged.verdict_reason or "")


def test_a_hypothesis_is_found_again_when_its_line_moved() -> None:
    order = ORDER.evolve(hypotheses=build_diagnosis(ORDER, {"locations": [place()]}).hypotheses)
    moved = place(line=8, point="a.py:f:8", tried=4, exhausted=True)
    judged = build_findings(order, {"locations": [moved]}).hypotheses
    assert [(one.id, one.status) for one in judged] == [("H1", "rejected")]
    assert build_diagnosis(order, {"locations": [moved]}).hypotheses == ()


def test_a_patch_at_a_place_nobody_named_becomes_a_hypothesis() -> None:
    answer = {"locations": [place(tried=3, turned=1, survived=1)], "patches": [patch("a.py:f:3")]}
    found = build_findings(ORDER, answer)
    assert found.patch is not None
    assert [(one.id, one.status) for one in found.hypotheses] == [(found.patch.hypothesis, "confirmed")]


def test_a_worker_that_gave_nothing_is_quoted() -> None:
    assert build_findings(ORDER, {"locations": [], "notes": ["the repair worker ran out of time"]}).note.endswith(
        "time"
    )


CALL = "f(1)"
TWO = (
    patch("a.py:f:3", "one", gives={CALL: "gives 1"}),
    patch("a.py:f:3", "two", gives={CALL: "raises KeyError"}, alike=4),
)
DIFFERING = compared(21, compared=20, inputs=96, differing=12)


@pytest.mark.parametrize(
    ("comparison", "status", "description", "reason"),
    [
        (compared(1), "confirmed", "`return a` was wrong: one", "the only one of 156 edits that passes"),
        (
            compared(21, compared=20, inputs=96), "confirmed", "`return a` was wrong: one",
            "21 of 156 edits pass; all behave alike in what was compared (96 calls)",
        ),
        (
            compared(21, compared=8, inputs=96), "confirmed", "`return a` was wrong: one",
            "21 of 156 edits pass; the 8 compared with it behave alike in what was compared (96 calls)",
        ),
        (
            compared(21), "confirmed", "`return a` is plausibly wrong: one",
            "plausible, one of 21: 21 of 156 edits pass; how the others behave could not be compared",
        ),
        (
            DIFFERING, "confirmed", "`return a` is plausibly wrong: one",
            "plausible, one of 21: 21 of 156 edits pass; 12 of 20 others compared behave differently; "
            "the tests confirm this place, not this edit",
        ),
        (
            {**DIFFERING, "elsewhere": 1}, "inconclusive", "`return a` is plausibly wrong: one",
            "12 of 20 others compared behave differently; the tests confirm neither this edit nor this place",
        ),
    ],
)  # fmt: skip
def test_a_patch_is_told_as_what_it_is(
    comparison: dict[str, object], status: str, description: str, reason: str
) -> None:
    patches = TWO if comparison.get("differing") else TWO[:1]
    found = build_findings(ORDER, answer(*patches, comparison=comparison))
    cause = found.hypotheses[0]
    assert (cause.status, cause.description) == (status, description)
    assert cause.verdict_reason is not None
    assert reason in cause.verdict_reason
    assert reason.split("; the tests")[0] in found.note


def test_each_rival_has_an_id_of_its_own_and_the_call_that_tells_it_apart() -> None:
    found = build_findings(ORDER, answer(*TWO, comparison=DIFFERING))
    assert found.comparison is not None
    (rival,) = found.comparison.rivals
    assert (rival.id, rival.place, rival.alike) == ("rival-1", "a.py:f:3", 4)
    assert rival_lines(found.comparison) == [
        "rival-1: f(1) gives 1 with the patch, raises KeyError with this instead (two)"
    ]
    assert [one.description for one in found.rivals] == ["two"]
    applied = {"edit": "one", "fingerprint": "x", "file": "a.py", "diff": "d", "after": "c", "validated": True}
    known = found.hypotheses[0].evolve(evidence={**applied, "comparison": found.comparison.model_dump(mode="json")})
    again = build_findings(ORDER.evolve(hypotheses=(known,)), answer(*TWO, comparison=DIFFERING))
    assert again.comparison is not None
    assert [one.id for one in again.comparison.rivals] == ["rival-2"]
    assert again.hypotheses[0] == known, "a patch that stands is not judged anew"


def test_the_place_of_a_rival_becomes_a_hypothesis() -> None:
    elsewhere = patch("a.py:f:7", "two", gives={CALL: "gives 2"})
    found = build_findings(ORDER, answer(TWO[0], elsewhere, comparison={**DIFFERING, "elsewhere": 1}))
    assert [one.logging_point for one in found.hypotheses] == ["a.py:f:3", "a.py:f:7"]
    assert [one.status for one in found.hypotheses] == ["inconclusive", "inconclusive"]


def test_where_there_was_no_time_to_compare_nothing_is_said_of_others() -> None:
    found = build_findings(ORDER, {"locations": [place(tried=3, turned=1)], "patches": [patch("a.py:f:3")]})
    assert found.comparison is None
    assert found.hypotheses[0].verdict_reason == "a patch here turned failing tests and broke none, in a fresh process"
