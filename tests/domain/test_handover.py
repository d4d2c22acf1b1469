"""When another agent goes on, and what that changes of a loop; as pure rules."""

import pytest

from loopwright.core.agent_failures import TABLE, failure_outcome
from loopwright.core.errors import AgentError, AgentTrouble, SandboxError
from loopwright.core.handover import Handover, hand_back, hand_over, may_hand_over, trouble_words
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput
from loopwright.core.state import RelievedAgent, RunSettings, Sighting
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.reducer import begin_action, end_action, hand_over_loop, handover_reason
from loopwright.workflows.loop.selector import NextAction
from tests.domain.loop_making import debugged, engine, initialised, loop, step, task, validated
from tests.domain.test_troubles import NOW
from tests.tables import each

OTHER = Handover("codex", "claude:opus", "because")


def begun(agent: str = "codex", **settings: object) -> LoopState:
    """A loop after INIT, with one task of that agent and one of another."""
    given = RunSettings.model_validate(
        {"mode": "auto", "agent": agent, "fallback": ("claude:opus", "qwen"), **settings}
    )
    state = engine(loop("running"), settings=given)
    state = begin_action(state, NextAction("INIT", 5))
    return end_action(state, step("INIT", initialised(task("T1", tool=agent), task("T2", tool="gemini"))))


@each("kind", [kind for kind in TABLE if kind != "sandbox"])
def test_every_trouble_leads_to_another_agent_in_the_end(kind: AgentTrouble) -> None:
    outcome = failure_outcome(AgentError(kind, "because"), NOW)
    rows = [row for row in (1, 2, 3) if trouble_words(outcome, row)]
    assert rows[0] == (2 if kind in ("timeout", "protocol") else 1)


@each(
    "outcome",
    [
        failure_outcome(SandboxError("bwrap", "no"), NOW),
        NeedsInput("Which rounding?"),
        ActionFailed("the disk is full"),
        Interrupted("stopped"),
        debugged(),
    ],
)
def test_what_is_not_the_agents_trouble_hands_nothing_over(outcome: object) -> None:
    assert trouble_words(outcome, 3) is None


@each(
    "agent, settings, own",
    [
        ("codex", {}, True),
        ("codex", {"model": "gpt-5.5"}, False),
        ("gemini", {}, False),
    ],
)
def test_only_who_gives_up_is_replaced(agent: str, settings: dict[str, object], own: bool) -> None:
    after = hand_over(begun(agent, **settings), OTHER).engine.settings
    assert after.agent == ("claude:opus" if own else agent)
    assert after.fallback == ("qwen",)


def test_the_next_one_gets_what_is_open_and_a_clean_slate() -> None:
    seen = tuple(Sighting(failing="f", tree=tree, failed=1) for tree in "abab")
    state = engine(begun(model="gpt-5.5"), debug_rounds=4, sightings=seen)
    state = engine(state, spent=state.engine.spent.evolve(failures_in_a_row=2, unchanged=("T1",)))
    after = hand_over_loop(state, Handover("codex:gpt-5.5", "claude:opus", "because"))
    assert [task.tool for task in after.engine.tasks] == ["claude:opus", "gemini"]
    assert after.skill_state
    assert [task.tool for task in after.skill_state.develop.tasks] == ["claude:opus", "gemini"]
    settings = after.engine.settings
    assert (settings.agent, settings.model, settings.effort) == ("claude:opus", None, None)
    assert (after.engine.debug_rounds, after.engine.sightings) == (0, seen[-1:])
    assert (after.engine.spent.failures_in_a_row, after.engine.spent.unchanged) == (0, None)


def test_two_fruitless_rounds_are_a_reason_and_one_is_none() -> None:
    state = begun()
    for rounds, reason in ((0, None), (1, None), (2, "2 rounds of debugging in a row were fruitless")):
        after = engine(state, debug_rounds=rounds)
        assert handover_reason(after, step("VALIDATE", validated(failing=["a"])), None) == reason
        assert handover_reason(after, step("VALIDATE", validated()), None) is None


def test_a_limit_is_kept_in_mind_until_somebody_else_has_done_something() -> None:
    limit = LimitReached("used up", "2026-01-22T15:00:00+08:00", "quota")
    state = begin_action(begun(), NextAction("DEVELOP", 6, task="T1"))
    after = end_action(state, step("DEVELOP", limit, handover=Handover("codex", "qwen", "used up", limit)))
    assert (after.status, after.engine.parked, after.engine.settings.agent) == ("running", None, "qwen")
    assert may_hand_over(after), "back, though nobody else is left"
    relieved = after.engine.relieved
    assert relieved == RelievedAgent(agent="codex", reason="used up", until=limit.until)
    back = hand_back(relieved, "qwen", "no login", "auth")
    assert back
    waiting = end_action(
        begin_action(after, NextAction("DEVELOP", 6, task="T1")),
        step("DEVELOP", NeedsInput("log in", trouble="auth"), handover=back),
    )
    assert (waiting.status, waiting.engine.settings.agent, waiting.engine.relieved) == ("paused", "codex", None)
    assert waiting.engine.parked
    assert waiting.engine.parked.until == limit.until
    assert [task.tool for task in waiting.engine.tasks] == ["codex", "gemini"]


@pytest.mark.parametrize("kind", ["quota", "died", None])
def test_only_who_never_began_is_handed_back(kind: AgentTrouble | None) -> None:
    assert hand_back(RelievedAgent(agent="codex", reason="used up"), "qwen", "because", kind) is None
