"""What the terminal says of a patch that other edits would have replaced as well, and how one takes one of these."""

from datetime import datetime

from loopwright.surfaces.cli.cycle_rendering import CYCLE, patches_lines
from loopwright.surfaces.cli.loop_rendering import LOOP
from loopwright.workflows.loop.model import LoopState, SkillState
from tests.domain.cycle_making import created
from tests.domain.loop_making import AT, loop
from tests.domain.test_rivals import PATCH, PLACE, comparison, holder, rival

NOW = datetime.fromisoformat("2026-01-22T10:00:00+08:00")
TAKE = "choose {id} rival-1 --project x  (that edit instead of the patch; the tests are run again)"
DIFFERENCE = "rival-1: f(0) gives 1 with the patch, gives 0 with this instead (two)"


def ended(**evidence: object) -> LoopState:
    cause = holder(**evidence)
    skill = {"debug": {"hypotheses": [cause], "hypotheses_count": 1}}
    state = loop(skill_state=SkillState.model_validate(skill))
    return state.evolve(status="completed", completed_at=AT, engine=state.engine.evolve(outcome="succeeded"))


def test_the_last_words_of_a_run_name_the_rivals_and_how_to_take_one() -> None:
    state = ended()
    words = LOOP.ending(state, diff="", summary=None, live=False, elsewhere=" --project x")
    assert f"{PLACE}: " in words
    assert "plausible, one of 21: 21 of 156 edits pass; 12 of 20 others compared behave differently" in words
    assert DIFFERENCE in words
    assert words.endswith(f"or          loopwright {TAKE.format(id=state.loop_id)}")


def test_show_says_the_same() -> None:
    page = LOOP.page(ended(), live=False, elsewhere="", cells=500)
    assert DIFFERENCE in page
    assert "rival-1  (that edit instead" in page


def test_where_nothing_is_open_nothing_is_offered() -> None:
    only = comparison(passing=1, compared=0, differing=0).model_dump(mode="json")
    words = LOOP.ending(ended(comparison=only), diff="", summary=None, live=False, elsewhere="")
    assert "the only one of 156 edits that passes" in words
    assert "choose" not in words


def test_hostile_words_stay_in_their_line() -> None:
    odd = comparison(rival(description="x\x1b[2J\nSucceeded"), gives={"f(0)": "gives \x1b[1A"})
    words = LOOP.ending(ended(comparison=odd.model_dump(mode="json")), diff="", summary=None, live=False, elsewhere="")
    assert "\x1b" not in words
    assert "\nSucceeded" not in words.partition("\n")[2]


def test_a_cycle_says_it_of_its_patches() -> None:
    state = created()
    state = state.evolve(engine=state.engine.evolve(patches=(PATCH,)))
    assert patches_lines(state.engine.patches or ())[1] == DIFFERENCE
    assert f"loopwright cycle {TAKE.format(id=state.cycle_id)}" in CYCLE.next_lines(state, False, " --project x")[-1]
