"""Turns of agents, without a workflow around them: how they are asked to wrap up, and what is remembered of them."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loopwright.agents.scripted import AgentScript, ScriptedTurn
from loopwright.core.agent_turns import AgentSessions, AgentTurns, ReportedAnswer
from loopwright.core.errors import AgentError
from loopwright.core.protocol import Message
from loopwright.core.run_events import EventBus, RunNote
from tests.fakes import FakeClock
from tests.stage import MakeStage, said
from tests.troubles import Watched

HANGS = ScriptedTurn(hangs=True, says_before="I am still thinking")
DONE = ScriptedTurn(text=said("DEVELOP"))
SAYS_NOTHING = ScriptedTurn(text="Nearly there.")
TIMED_OUT = "scripted was still working after 2 s"
ORDER = Message(action="DEVELOP", text="the order", seconds=2)
WAYS = (ORDER.evolve(text="report where you are"), ORDER.evolve(text="finish now"))


@dataclass
class Notebook:
    """A fake of Memory."""

    sessions: dict[str, str | None] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def session(self, agent: str) -> str | None:
        return self.sessions.get(agent)

    def remember(self, agent: str, session: str | None) -> None:
        self.sessions[agent] = session

    def brief(self, said: str) -> str:
        self.told.append(said)
        return f"before: {said}" if said else ""


@dataclass
class Talk:
    """One agent, and the turns with it."""

    agent: Watched
    notebook: Notebook = field(default_factory=Notebook)
    notes: list[RunNote] = field(default_factory=list)
    order: Message = ORDER

    async def report(self, *wrap_ups: Message) -> ReportedAnswer:
        bus = EventBus(self.notes.append)
        async with AgentTurns(lambda name: self.agent, self.notebook, FakeClock(), bus, lambda usage: None) as turns:
            return await turns.report("scripted", self.order, wrap_ups, lambda problem: f"again: {problem}")

    @property
    def orders(self) -> list[str]:
        return [message.text for message in self.agent.messages]


@pytest.fixture(autouse=True)
def _quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.core.agent_turns.LOOK_SECONDS", 0.01)


def talk(project: Path, *answers: ScriptedTurn) -> Talk:
    return Talk(Watched(AgentScript(answers=answers), project))


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ((HANGS, DONE), 1),
        ((HANGS, HANGS, DONE), 2),
        ((HANGS, SAYS_NOTHING, DONE), 2),
        ((HANGS, HANGS.evolve(says_before=said("DEVELOP"))), 1),
        ((HANGS.evolve(says_before=said("DEVELOP")),), 0),
    ],
)  # fmt: skip
async def test_it_is_asked_to_wrap_up_until_it_reports(
    tmp_path: Path, answers: tuple[ScriptedTurn, ...], asked: int
) -> None:
    with_it = talk(tmp_path, *answers)
    reported = await with_it.report(*WAYS)
    assert (reported.report.status, reported.late) == ("success", "was still working after 2 s")
    assert with_it.orders == ["the order", *(way.text for way in WAYS[:asked])]
    assert (with_it.agent.sessions, with_it.agent.open) == (1, set())


@pytest.mark.parametrize("last", [HANGS, SAYS_NOTHING])
@pytest.mark.parametrize("ways", [1, 2])
async def test_who_never_reports_is_closed_after_the_last_way(tmp_path: Path, ways: int, last: ScriptedTurn) -> None:
    with_it = talk(tmp_path, HANGS, *[last] * ways, DONE)
    with pytest.raises(AgentError, match=f"^{TIMED_OUT}, and did not wrap up$") as caught:
        await with_it.report(*WAYS[:ways])
    assert caught.value.kind == "timeout"
    assert len(with_it.orders) == 1 + ways
    assert (with_it.agent.open, with_it.notebook.sessions) == (set(), {"scripted": None})


async def test_who_dies_while_it_wraps_up_is_not_asked_again(tmp_path: Path) -> None:
    with_it = talk(tmp_path, HANGS, ScriptedTurn(dies=True), DONE)
    with pytest.raises(AgentError, match=f"^{TIMED_OUT}, and did not wrap up: the script"):
        await with_it.report(*WAYS)
    assert len(with_it.orders) == 2


async def test_a_limit_reached_at_the_second_way_is_no_lack_of_time(tmp_path: Path) -> None:
    with pytest.raises(AgentError) as caught:
        await talk(tmp_path, HANGS, HANGS, ScriptedTurn(error="quota")).report(*WAYS)
    assert caught.value.kind == "quota"


async def test_who_died_is_started_again_with_its_last_words(tmp_path: Path) -> None:
    with_it = talk(tmp_path, ScriptedTurn(dies=True, seconds=0.1, says_before="half of it is"), DONE)
    with_it.order = ORDER.evolve(seconds=600)
    assert (await with_it.report()).report.status == "success"
    first, second = with_it.agent.messages
    assert (first.brief, second.brief) == ("", "before: half of it is")
    assert second.text.endswith("\n\nthe order")
    assert with_it.agent.sessions == 2


def test_one_agent_keeps_a_session_for_each_prefix(stage: MakeStage) -> None:
    made = stage()
    loop_id = made.create()
    with made.store.lease(loop_id) as lease:
        first, second, bare = (
            AgentSessions(
                made.store, loop_id, lease.epoch, tell=lambda state, folder, said: f"{state.title}: {said}", prefix=p
            )
            for p in ("ra/", "cd-2/", "")
        )
        first.remember("codex", "s-1")
        second.remember("codex", "s-2")
        assert (first.session("codex"), second.session("codex"), bare.session("codex")) == ("s-1", "s-2", None)
        first.remember("codex", None)
        assert made.store.read(loop_id).engine.sessions == {"cd-2/codex": "s-2"}
        assert first.brief("hm") == "Make app.txt good: hm"
    kinds = [(e.event.type, e.event.data["agent"]) for e in made.store.events(loop_id) if "session" in e.event.type]
    assert kinds == [("session", "ra/codex"), ("session", "cd-2/codex"), ("session_left", "ra/codex")]
