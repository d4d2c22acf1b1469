"""A patch is told as what it is, and a rival can take its place."""

import pytest

from loopwright.core.errors import Conflict, NotFound
from loopwright.evidence.debugging import list_tried_fixes
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.rivals import (
    AppliedPatch,
    Comparison,
    Rival,
    choice_words,
    difference_words,
    holds_patch,
    is_refuted,
    number_rivals,
    patch_lines,
    rival_of,
    swap_rival,
    texts_with,
    texts_without,
    with_rival,
)
from loopwright.repair.patch import unified_diff
from loopwright.workflows.cycle.commands import take_rival as cycle_rival_taken
from loopwright.workflows.loop.commands import take_rival
from loopwright.workflows.loop.model import LoopState, SkillState, applied_patches
from tests.domain import cycle_making
from tests.domain.loop_making import AT, hypothesis, loop

PLACE, OTHER = "a.py:f:2", "b.py:g:1"
OLD, PATCHED, RIVALLED = "def f(n):\n    return n\n", "def f(n):\n    return n + 1\n", "def f(n):\n    return n * 2\n"
COMMITS = ("b0", "a0")


def rival(id: str = "rival-1", **more: object) -> Rival:
    known = {
        "id": id, "place": PLACE, "description": "two", "fingerprint": f"print {id}", "file": "a.py",
        "diff": unified_diff("a.py", OLD, RIVALLED), "gives": {"f(0)": "gives 0", "f(1)": "gives 2"}, "alike": 3,
    }  # fmt: skip
    return Rival.model_validate({**known, **more})


def comparison(*rivals: Rival, **more: object) -> Comparison:
    known = {
        "tried": 156, "passing": 21, "compared": 20, "inputs": 96, "differing": 12,
        "gives": {"f(0)": "gives 1", "f(1)": "gives 2"},
    }  # fmt: skip
    return Comparison.model_validate({**known, **more, "rivals": rivals})


PATCH = AppliedPatch(
    place=PLACE, description="one", fingerprint="p", file="a.py", diff=unified_diff("a.py", OLD, PATCHED),
    comparison=comparison(rival()),
)  # fmt: skip


def holder(**more: object) -> Hypothesis:
    evidence = {
        **PATCH.model_dump(mode="json", include={"fingerprint", "file", "diff", "comparison"}), "edit": "one",
        "code": "return n", "fixes": ["t"], "before": "b", "after": "a", "validated": True, **more,
    }  # fmt: skip
    return hypothesis("H1", logging_point=PLACE, status="confirmed", evidence=evidence, verdict_reason="plausible, one")


def test_a_rival_is_told_by_the_call_that_tells_it_apart() -> None:
    assert difference_words(PATCH.comparison, rival()) == "f(0) gives 1 with the patch, gives 0 with this instead"
    assert patch_lines(PATCH) == [
        "a.py:f:2: one; plausible, one of 21: 21 of 156 edits pass; 12 of 20 others compared behave differently",
        "rival-1: f(0) gives 1 with the patch, gives 0 with this instead (two)",
    ]
    assert choice_words(PATCH)["rival-1"] == "rival-1: f(0) gives 0; f(1) gives 2 (two)"


def test_a_rival_that_is_taken_leaves_the_former_patch_as_its_rival() -> None:
    new = swap_rival(PATCH, rival(), "rival-2", "somebody")
    assert (new.description, new.fingerprint, new.comparison.chosen_by) == ("two", "print rival-1", "somebody")
    (former,) = new.comparison.rivals
    assert (former.id, former.description, former.diff, former.alike) == ("rival-2", "one", PATCH.diff, 9)
    assert new.comparison.differing == 18, "21 in all, of which 3 behave as the new one does"
    back = swap_rival(new, former, "rival-3", "somebody")
    assert (back.description, back.diff, back.comparison.differing) == ("one", PATCH.diff, 12)


def test_files_change_as_the_edits_do_or_not_at_all() -> None:
    bare = texts_without(PATCH, {"a.py": f"import os\n{PATCHED}"})
    assert texts_with(rival(), bare) == {"a.py": f"import os\n{RIVALLED}"}
    with pytest.raises(Conflict, match=r"a\.py was changed where the patch is"):
        texts_without(PATCH, {"a.py": OLD})


def test_an_unknown_rival_is_told_with_those_that_are_there() -> None:
    with pytest.raises(NotFound, match=r"rival-9 \(known rivals of applied patches: rival-1\)"):
        rival_of([PATCH], "rival-9")


def test_rivals_of_several_patches_have_different_ids() -> None:
    assert [one.id for one in number_rivals(PATCH, [PATCH]).comparison.rivals] == ["rival-2"]


def test_a_taken_rival_has_yet_to_be_validated() -> None:
    (after,) = with_rival([holder()], "rival-1", "a person", COMMITS)
    assert after.evidence is not None
    assert (after.status, after.evidence["before"], after.evidence["after"]) == ("confirmed", *COMMITS)
    assert after.evidence["validated"] is None
    assert after.description == "`return n` is plausibly wrong: two"
    assert after.verdict_reason is not None
    assert after.verdict_reason.endswith("chosen by a person")
    (patch,) = applied_patches(SkillState.model_validate({"debug": {"hypotheses": [after], "hypotheses_count": 1}}))
    assert (patch.description, [one.id for one in patch.comparison.rivals]) == ("two", ["rival-2"])


def test_a_rival_at_another_place_takes_the_patch_with_it() -> None:
    elsewhere = rival(place=OTHER, file="b.py")
    other = hypothesis("H2", logging_point=OTHER)
    one = holder(comparison=comparison(elsewhere).model_dump(mode="json"))
    before, after = with_rival([one, other], "rival-1", "a person", COMMITS)
    assert (holds_patch(before), before.status) == (False, "inconclusive")
    assert (holds_patch(after), is_refuted(after), after.status) == (True, False, "inconclusive")
    assert list_tried_fixes((before, after)) == (), "neither is refuted"


def ended(**more: object) -> LoopState:
    skill = SkillState.model_validate({
        "debug": {"hypotheses": [holder()], "hypotheses_count": 1, "confirmed_hypothesis": "H1"}
    })  # fmt: skip
    state = loop(skill_state=skill)
    engine = state.engine.evolve(outcome="succeeded")
    return state.evolve(status="completed", completed_at=AT, engine=engine, **more)


def test_a_loop_that_has_ended_runs_on_also_where_its_iterations_are_used_up() -> None:
    state = ended(current_iteration=10, max_iterations=10)
    after = take_rival(state, "rival-1", "a person", COMMITS)
    assert (after.status, after.engine.outcome, after.max_iterations) == ("running", None, 11)
    assert after.skill_state is not None
    assert after.skill_state.debug.confirmed_hypothesis == "H1"


def test_a_loop_that_is_paused_stays_so() -> None:
    state = loop(status="paused", skill_state=ended().skill_state)
    assert take_rival(state, "rival-1", "a person", COMMITS).status == "paused"


def test_garbled_evidence_is_no_patch() -> None:
    for broken in ({"comparison": {"tried": "many"}}, {"comparison": 3}, {"edit": None}, {"diff": 1}):
        skill = {"debug": {"hypotheses": [holder(**broken)], "hypotheses_count": 1}}
        assert applied_patches(SkillState.model_validate(skill)) == ()


def test_a_cycle_takes_a_rival_in_the_place_of_its_patch() -> None:
    state = cycle_making.created()
    second = number_rivals(PATCH, [PATCH]).evolve(task="TASK-002")
    state = state.evolve(engine=state.engine.evolve(patches=(PATCH, second)))
    after = cycle_rival_taken(state, "rival-2", "a person", AT)
    assert after.engine.patches is not None
    first, taken = after.engine.patches
    assert (first, taken.description, taken.task) == (PATCH, "two", "TASK-002")
    assert [one.id for one in taken.comparison.rivals] == ["rival-3"]
    assert after.status == state.status, "one that rests otherwise stays as it is"
