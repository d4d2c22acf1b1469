"""Another agent plays the roles of one that cannot go on."""

from pathlib import Path

from loopwright.core.errors import AgentError
from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from tests.cycle.stage import Cast, CycleStage, MakeCycleStage, Player, Turn, said


class Named(Player):
    """Keeps who was asked what."""

    def __init__(self, cast: Cast, place: Path, name: str, asked: list[tuple[str, str]], trouble: str | None) -> None:
        super().__init__(cast, place)
        self._name, self._asked, self._trouble = name, asked, trouble

    async def play(self, id: str, message: Message) -> AgentOutput:
        self._asked.append((self._name, message.action))
        if self._name == "claude":  # which does what is usual
            self._cast.plays.clear()
        if self._trouble:
            raise AgentError(self._trouble, f"{self._name} has trouble")  # type: ignore[arg-type]  # one of the kinds
        return await super().play(id, message)


def played_by(ready: CycleStage, **troubles: str | None) -> list[tuple[str, str]]:
    """(agent, step) in order; an agent without an entry is not installed."""
    asked: list[tuple[str, str]] = []

    def make(name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        if name not in troubles:
            raise AgentError("refused", f"{name} is not installed")
        return Named(ready.cast, at or ready.project, name, asked, troubles[name])

    ready.make_agent = make  # type: ignore[method-assign]
    return asked


async def test_a_used_up_agent_is_relieved_of_every_role(make_stage: MakeCycleStage) -> None:
    ready = make_stage()
    asked = played_by(ready, codex="quota", claude=None)
    state = await ready.drive(ready.create(agent="codex", fallback=["qwen", "claude"], roles={"cd": "codex"}))
    assert state.engine.outcome == "succeeded"
    assert {step for name, step in asked if name == "codex"} <= {"ra.analyse", "ep.explore"}
    assert state.engine.settings.agent == state.engine.roles["cd"] == "claude"
    words = [one.message for one in state.engine.incidents]
    assert words.count("claude takes over from codex: codex has trouble") == 1
    assert "qwen cannot take over from codex: qwen is not installed" in words
    assert state.phase_errors == ()


async def test_one_role_alone_is_handed_on(make_stage: MakeCycleStage) -> None:
    ready = make_stage()
    asked = played_by(ready, codex=None, gemini="auth", claude=None)
    state = await ready.drive(ready.create(agent="codex", fallback=["claude"], roles={"cd": "gemini"}))
    assert state.engine.outcome == "succeeded"
    assert [name for name, step in asked if step == "cd.implement"] == ["gemini", "claude"]
    assert (state.engine.settings.agent, state.engine.roles) == ("codex", {"cd": "claude"})


async def test_a_task_that_failed_twice_is_tried_by_another(make_stage: MakeCycleStage) -> None:
    ready = make_stage()

    async def fails(turn: Turn) -> str:
        return said("cd", "failed", "it cannot be done")

    ready.cast.plays["cd.implement"] += [fails, fails]
    asked = played_by(ready, codex=None, claude=None)
    state = await ready.drive(ready.create(agent="codex", fallback=["claude"]))
    assert state.engine.outcome == "succeeded"
    assert [name for name, step in asked if step == "cd.implement"] == ["codex", "codex", "claude"]


async def test_a_cycle_that_stands_still_gets_another_developer(make_stage: MakeCycleStage) -> None:
    ready = make_stage()

    async def nothing(turn: Turn) -> str:
        turn.change("other.txt", "something")
        return said("cd", files_written=["other.txt"])

    ready.cast.plays["cd.implement"] += [nothing] * 40
    asked = played_by(ready, codex=None, claude=None)
    state = await ready.drive(ready.create(agent="codex", fallback=["claude"], max_iterations=6))
    assert state.engine.outcome == "succeeded", state.failure_reason
    who = [name for name, step in asked if step == "cd.implement"]
    assert (who[0], who[-1]) == ("codex", "claude")


async def test_an_agent_that_is_gone_is_relieved_before_the_first_step(make_stage: MakeCycleStage) -> None:
    ready = make_stage()
    played_by(ready, claude=None)
    cycle_id = ready.create(agent="codex", fallback=["claude"])
    state = await ready.drive(cycle_id)
    assert state.engine.outcome == "succeeded"
    assert [e.event.data for e in ready.store.events(cycle_id) if e.event.type == "handed_over"] == [
        {"handed_over": {"by": "codex", "to": "claude"}}
    ]
