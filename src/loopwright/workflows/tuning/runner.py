"""Driving a tuning session in this process: lease, take-over, kernel, and everything closed at the end."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, get_args

from loopwright.core import notices
from loopwright.core.agent_turns import Turns
from loopwright.core.kernel import driven, held_until_it_rests
from loopwright.core.notices import Event as NoticeKind
from loopwright.core.notices import Letter, Notice
from loopwright.core.notifier import Herald
from loopwright.core.permits import Permits
from loopwright.core.ports import (
    Agent,
    Clock,
    FoundBefore,
    Notifier,
    Person,
    Processes,
    Rule,
    Skills,
    Store,
    Surroundings,
)
from loopwright.core.prompts import Prompts
from loopwright.core.protocol import Usage
from loopwright.core.record import Event
from loopwright.core.recording import RecordedTurns, Transcript
from loopwright.core.run_events import Bus
from loopwright.core.transcript import TRANSCRIPT
from loopwright.policy.secrets import Secrets
from loopwright.workflows.tuning.commands import awaits_choice, put_back
from loopwright.workflows.tuning.flow import TuningFlow
from loopwright.workflows.tuning.messages import tuning_prompts
from loopwright.workflows.tuning.model import TuningState, step_of
from loopwright.workflows.tuning.outcomes import Broken, TuningStepDone
from loopwright.workflows.tuning.publish import publish
from loopwright.workflows.tuning.reducer import end_step
from loopwright.workflows.tuning.session import TuningSession, undo_fixes


def tuning_news(before: TuningState, after: TuningState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.news(before, after)


def tuning_letter(notice: Notice, state: TuningState, project: str, at: str, masked: Callable[[str], str]) -> Letter:
    return notices.letter(notice, state, project, at, masked, tuning_id=state.tuning_id)


BROKEN_OFF = "the runner died"

NO_VALUES = Secrets()
"""Only what looks like a secret is one."""


class SkillAgents(Protocol):
    """The agent of that name, in these surroundings, at work in a folder. AgentError."""

    def __call__(self, name: str, around: Surroundings, at: Path | None = None) -> Agent: ...


def unknown(usage: Usage) -> float | None:
    """No price is known for anything."""
    return None


class Forgetful:
    """Every turn begins anew: it is about a copy that no session has seen."""

    def session(self, agent: str) -> str | None:
        return None

    def remember(self, agent: str, session: str | None) -> None: ...

    def brief(self, said: str) -> str:
        return ""


class Unkept:
    """Nothing that was answered is known later."""

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, data: bytes) -> None: ...

    def tidy(self) -> None: ...


@dataclass(frozen=True)
class TuningRunner:
    """The ports a runner needs; `drive` may be called for one session after another. See CycleRunner for the rest."""

    project: str
    store: Store[TuningState]
    skills: Skills
    clock: Clock
    processes: Processes
    agents: SkillAgents
    price: Callable[[Usage], float | None] = unknown
    prompts: Prompts = field(default_factory=tuning_prompts)
    secrets: Secrets = NO_VALUES
    notifiers: tuple[Notifier, ...] = ()
    notify_on: frozenset[NoticeKind] = frozenset(get_args(NoticeKind))
    answers: FoundBefore = field(default_factory=Unkept)

    async def drive(
        self, tuning_id: str, *, take_up: Rule[TuningState], bus: Bus, person: Person | None = None
    ) -> TuningState:
        """Takes the lease, applies `take_up` under it, and runs until the session rests.

        Conflict when another runner has the lease.
        """
        herald = Herald(
            tuning_id, self.project, tuning_news, tuning_letter, self.store, self.clock, self.notifiers,
            self.notify_on, self.secrets, say=partial(bus.publish, "activity"),
        )  # fmt: skip

        async def hold(rule: Rule[TuningState]) -> TuningState:
            return await self._held(tuning_id, rule, bus, herald, person)

        state = await held_until_it_rests(self.store, tuning_id, take_up, hold, awaits_choice)
        await herald.end(state)
        return state

    async def _held(
        self, id: str, take_up: Rule[TuningState], shown: Bus, herald: Herald[TuningState], person: Person | None
    ) -> TuningState:
        """What `drive` does while it has the lease."""
        told = Transcript(self.store, self.clock, id, TRANSCRIPT)
        with self.store.lease(id) as lease, closing(shown.also(told, self.secrets, None)) as bus:
            begun = self.store.update(id, take_up, actor="runner", event=Event(type="running"), epoch=lease.epoch)
            permits = Permits(id, self.store, self.clock, bus, epoch=lease.epoch, person=person, secrets=self.secrets)
            permits.forget_old()
            async with self.processes.owning(id), herald.watching(begun):
                session = TuningSession(
                    id=id, project=self.project, store=self.store, clock=self.clock, bus=bus, epoch=lease.epoch,
                    root=Path(begun.engine.root), skills=self.skills, prompts=self.prompts,
                    turns=partial(self._turns, id, bus, permits), answers=self.answers,
                )  # fmt: skip
                try:
                    await _take_over(session)
                    await driven(TuningFlow(session), self.clock)
                    return await _closed(session)
                finally:
                    await session.desk.close()

    @asynccontextmanager
    async def _turns(self, id: str, bus: Bus, permits: Permits[TuningState], at: Path) -> AsyncIterator[Turns]:
        """An agent's turns in a copy of the skill."""
        around = Surroundings(id, bus.hear, partial(bus.publish, "output"), permits)
        turns = RecordedTurns(
            lambda name: self.agents(name, around, at), Forgetful(), self.clock, bus, self.price, str(at)
        )  # fmt: skip
        async with turns:
            yield turns


async def _take_over(session: TuningSession) -> None:
    """What the last runner had begun is undone, and begun again."""
    state = session.state()
    begun = [one.fix for one in state.engine.under_way if one.step == "action-apply-fix" and one.fix]
    for why in (await undo_fixes(session, begun)).values():
        session.note("not_put_back", why)
    await _closed(session)
    if not state.engine.under_way:
        return
    at, broken, noted = session.now(), state.engine.under_way, session.noted()

    def rule(latest: TuningState) -> TuningState:
        for one in broken:
            step = step_of(one.step, one.fix)
            latest = end_step(latest, TuningStepDone(step, Broken(BROKEN_OFF), begun=one.at, at=at, incidents=noted))
        return latest

    event = Event(type="taken_over", data={"steps": [one.step for one in broken]})
    session.store.update(session.id, rule, actor="runner", event=event, epoch=session.epoch)


async def _closed(session: TuningSession) -> TuningState:
    """With nothing left to undo, but for what can not be and is told, and its documents written."""
    state = session.state()
    if state.engine.undo:
        left, at = await undo_fixes(session, state.engine.undo), session.now()
        state = session.store.update(
            session.id, lambda latest: put_back(latest, left, at), actor="runner", event=Event(type="put_back"),
            epoch=session.epoch,
        )  # fmt: skip
    publish(session.store, state)
    return state
