"""Another agent goes on where the one at work cannot: over a limit, a refusal, its end, or two fruitless tries."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from loopwright.agents.scripted import AgentScript, ScriptedTurn
from loopwright.core.errors import AgentError, AgentTrouble
from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.core.record import JournalEvent
from loopwright.workflows.loop.model import LoopState
from tests.stage import MakeStage, Stage, said
from tests.troubles import DONE, PLAN, Watched, events, heard, incidents, succeeded

LIMIT = ScriptedTurn(error="quota")
NOTHING = ScriptedTurn(text=said("DEBUG", message="nothing is wrong"))
UNDONE = ScriptedTurn(text=said("DEVELOP"))


@dataclass
class Several:
    """A stage on which each name is an agent of its own; names without turns are not installed."""

    stage: Stage
    agents: dict[str, Watched] = field(default_factory=dict)

    def play(self, name: str, *turns: ScriptedTurn) -> Watched:
        script = AgentScript(capabilities=self.stage.capabilities, answers=turns)
        self.agents[name] = Watched(script, self.stage.project)
        return self.agents[name]

    def make_agent(self, name: str, around: AgentEnvironment) -> Agent:
        if name not in self.agents:
            raise AgentError("refused", f"{name} is not installed")
        return self.agents[name]


@pytest.fixture
def several(stage: MakeStage) -> Callable[[], Several]:
    def make() -> Several:
        ready = Several(stage())
        ready.stage.make_agent = ready.make_agent  # type: ignore[method-assign]
        return ready

    return make


def told(state: LoopState) -> list[str]:
    return [incident.message for incident in state.engine.incidents if incident.kind == "handed_over"]


@pytest.mark.parametrize("kind", ["quota", "auth", "refused", "died"])
async def test_the_next_agent_goes_on_in_a_session_of_its_own(
    kind: AgentTrouble, several: Callable[[], Several]
) -> None:
    ready = several()
    ends = ScriptedTurn(error=kind, session="s-1")
    first = ready.play("codex", PLAN.evolve(session="s-1"), ends, ends)
    second = ready.play("claude:opus", DONE)
    loop_id = ready.stage.create(agent="codex", fallback=["claude:opus", "qwen"])
    state = await ready.stage.drive(loop_id)
    assert succeeded(state)
    [words] = told(state)
    assert words.startswith("claude:opus takes over from codex: ")
    assert words in heard(ready.stage)
    settings = state.engine.settings
    assert (settings.agent, settings.fallback) == ("claude:opus", ("qwen",))
    [message] = second.messages
    assert (message.action, message.session) == ("DEVELOP", None)
    assert "write it" in message.text
    assert message.brief
    assert first.open == second.open == set()
    assert (state.engine.parked, state.engine.waiting) == (None, None)


async def test_who_is_not_installed_is_passed_over_and_told(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("codex", PLAN, LIMIT)
    ready.play("opencode", DONE)
    state = await ready.stage.drive(ready.stage.create(agent="codex", fallback=["claude", "opencode"]))
    assert succeeded(state)
    assert "claude cannot take over from codex: claude is not installed" in heard(ready.stage)
    assert state.engine.settings.agent == "opencode"


async def test_who_is_not_logged_in_hands_on(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("codex", PLAN, LIMIT)
    ready.play("claude", ScriptedTurn(error="auth"))
    ready.play("opencode", DONE)
    state = await ready.stage.drive(ready.stage.create(agent="codex", fallback=["claude", "opencode"]))
    assert succeeded(state)
    assert len(told(state)) == 2


async def test_where_nobody_is_left_who_is_logged_in_the_limit_is_waited_for(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("codex", PLAN, LIMIT, DONE)
    ready.play("claude", ScriptedTurn(error="auth"))
    loop_id = ready.stage.create(agent="codex", fallback=["claude"])
    state = await ready.stage.drive(loop_id)
    assert succeeded(state)
    assert events(ready.stage, loop_id, "resumed") == [("resumed", "runner")]
    assert state.engine.settings.agent == "codex"
    assert told(state)[-1].startswith("claude cannot take over, and codex is waited for: ")


@pytest.mark.parametrize(("kind", "status"), [("quota", "failed"), ("auth", "paused")])
async def test_where_none_is_left_all_is_as_without(
    kind: AgentTrouble, status: str, several: Callable[[], Several]
) -> None:
    ready = several()
    ready.play("codex", PLAN, ScriptedTurn(error=kind))
    state = await ready.stage.drive(ready.stage.create(agent="codex", fallback=["claude"], park=False))
    assert state.status == status
    assert "handed_over" not in incidents(state)
    assert state.engine.settings.fallback == ("claude",), "it may be installed by then"


async def test_an_agent_that_is_gone_when_the_loop_begins_is_relieved(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("claude", PLAN, DONE)
    loop_id = ready.stage.create(agent="codex", fallback=["claude"])
    state = await ready.stage.drive(loop_id)
    assert succeeded(state)
    assert told(state) == ["claude takes over from codex: codex is not installed"]
    assert events(ready.stage, loop_id, "handed_over") == [("handed_over", "runner")]


async def test_two_fruitless_rounds_of_debugging_are_enough(several: Callable[[], Several]) -> None:
    ready = several()
    bad = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "awful"})
    worse = ScriptedTurn(text=said("DEBUG"), files={"app.txt": "worse"})
    first = ready.play("codex", PLAN, bad, worse, NOTHING, NOTHING, NOTHING, NOTHING)
    second = ready.play("claude", ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"}))
    state = await ready.stage.drive(ready.stage.create(agent="codex", fallback=["claude"], max_iterations=20))
    assert succeeded(state)
    assert [message.action for message in first.messages] == ["INIT", "DEVELOP", "DEBUG", "DEBUG"]
    assert [message.action for message in second.messages] == ["DEBUG"]
    assert "worse" in second.messages[0].text, "it is told what was tried before"
    assert told(state) == ["claude takes over from codex: 2 rounds of debugging in a row were fruitless"]


async def test_a_task_that_was_twice_only_said_to_be_done_is_another_agents(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("codex", PLAN, UNDONE, UNDONE)
    ready.play("claude", DONE)
    state = await ready.stage.drive(ready.stage.create(agent="codex", fallback=["claude"]))
    assert succeeded(state)
    assert state.skill_state
    [task] = state.skill_state.develop.tasks
    assert (task.tool, task.status) == ("claude", "completed")


async def test_a_limit_that_has_passed_changes_nothing_any_more(several: Callable[[], Several]) -> None:
    ready = several()
    first = ready.play("codex", PLAN, LIMIT, DONE)
    bad = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "awful"})
    ready.play("claude", bad, ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"}))
    state = await ready.stage.drive(ready.stage.create(agent="codex", fallback=["claude"]))
    assert succeeded(state)
    assert len(first.messages) == 2
    assert state.engine.relieved is None


class Killed(BaseException):
    """Nothing handles it."""


@pytest.mark.parametrize("after", [False, True])
async def test_whoever_goes_on_after_a_death_goes_on_with_the_right_agent(
    after: bool, several: Callable[[], Several], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner dies before or after the very commit that hands over."""
    ready = several()
    ready.play("codex", PLAN, LIMIT, LIMIT)
    second = ready.play("claude", DONE)
    loop_id = ready.stage.create(agent="codex", fallback=["claude"])
    store = ready.stage.store
    update = store.update

    def dying(id: str, rule: object, **data: object) -> LoopState:
        event = data["event"]
        if not isinstance(event, JournalEvent) or "handed_over" not in event.data:
            return update(id, rule, **data)  # type: ignore[arg-type]  # as it came
        monkeypatch.undo()
        if after:
            update(id, rule, **data)  # type: ignore[arg-type]
        raise Killed

    monkeypatch.setattr(store, "update", dying)
    with pytest.raises(BaseException) as died:
        await ready.stage.drive(loop_id)
    assert "Killed" in repr(died.value)
    assert store.read(loop_id).engine.settings.agent == ("claude" if after else "codex")
    state = await ready.stage.drive(loop_id)
    assert succeeded(state)
    assert len(told(state)) == 1
    assert state.engine.settings.agent == "claude"
    assert [message.action for message in second.messages] == ["DEVELOP"]
