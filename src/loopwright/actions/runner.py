"""Driving a loop in this process: lease, take-over, kernel, and everything closed at the end."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import get_args

from loopwright.actions.distant import DistantPerson
from loopwright.actions.loop import LoopFlow
from loopwright.actions.messages import loop_prompts
from loopwright.actions.session import Session
from loopwright.actions.takeover import take_over
from loopwright.domain.brief import brief
from loopwright.domain.events import Event
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_choosing import taken_over
from loopwright.domain.loop_notices import loop_letter, loop_news
from loopwright.domain.notices import Event as NoticeKind
from loopwright.domain.parking import goes_on
from loopwright.domain.protocol import Usage
from loopwright.domain.secrets import Secrets
from loopwright.engine.bus import Bus
from loopwright.engine.driving import driven, held_until_it_rests
from loopwright.engine.earlier import earlier_messages
from loopwright.engine.heralding import Herald
from loopwright.engine.parked import until_it_goes_on
from loopwright.engine.permits import Permits
from loopwright.engine.recall import Recall
from loopwright.engine.recorded import RecordedTurns
from loopwright.engine.transcript import Transcript
from loopwright.ports import (
    Agent,
    Clock,
    Debugger,
    Notifier,
    Person,
    Processes,
    Rule,
    Store,
    Surroundings,
    TestRunner,
    Workspace,
)
from loopwright.prompts import Prompts

AgentMaker = Callable[[str, Surroundings], Agent]
"""The agent of that name, in these surroundings; AgentError when there is none."""


def unknown(usage: Usage) -> float | None:
    """No price is known for anything."""
    return None


NO_VALUES = Secrets()
"""Only what looks like a secret is one."""


@dataclass(frozen=True)
class LoopRunner:
    """The ports a runner needs; `drive` may be called for one loop after another.

    `price`: US dollars of a turn whose agent tells only its tokens, where that is known. `secrets` are kept out of all
    that is told of the agents.
    """

    project: str
    store: Store[LoopState]
    workspace: Workspace
    tests: TestRunner
    clock: Clock
    processes: Processes
    agents: AgentMaker
    debugger: Callable[[str, Bus], Debugger]
    price: Callable[[Usage], float | None] = unknown
    prompts: Prompts = field(default_factory=loop_prompts)
    secrets: Secrets = NO_VALUES
    notifiers: tuple[Notifier, ...] = ()
    notify_on: frozenset[NoticeKind] = frozenset(get_args(NoticeKind))

    async def drive(
        self,
        loop_id: str,
        *,
        take_up: Rule[LoopState],
        bus: Bus,
        person: Person | None = None,
        from_afar: bool = False,
    ) -> LoopState:
        """Takes the lease, applies `take_up` under it, and runs until the loop rests.

        `person` sits at this terminal; `from_afar`: nobody does, and an interactive loop asks through its state.
        Conflict when another runner has the lease.
        """
        transcript = Transcript(self.store, self.clock, loop_id)
        shown = Bus(*bus.observers, transcript, secrets=self.secrets)
        herald = Herald(
            loop_id, self.project, loop_news, loop_letter, self.store, self.clock, self.notifiers, self.notify_on,
            self.secrets, say=partial(shown.publish, "activity"),
        )  # fmt: skip
        later = asyncio.get_running_loop().call_later

        async def hold(rule: Rule[LoopState]) -> LoopState:
            kept = bus.also(transcript, self.secrets, later)
            return await self._held(loop_id, rule, kept, herald, person=person, from_afar=from_afar)

        state = await held_until_it_rests(self.store, loop_id, take_up, hold)
        await herald.end(state)
        return state

    async def _held(
        self, loop_id: str, take_up: Rule[LoopState], kept: Bus, herald: Herald[LoopState], *, person: Person | None,
        from_afar: bool,
    ) -> LoopState:  # fmt: skip
        """What `drive` does while it has the lease."""
        with self.store.lease(loop_id) as lease, closing(kept) as bus:
            begun = self.store.update(
                loop_id, lambda s: taken_over(take_up(s), from_afar=from_afar),
                actor="runner", event=Event(type="running"), epoch=lease.epoch,
            )  # fmt: skip
            asked = person
            if from_afar:
                asked = DistantPerson(loop_id, self.store, self.clock, lease.epoch)
            if begun.mode == "auto":
                asked = None
            permits = Permits(
                loop_id, self.store, self.clock, bus, epoch=lease.epoch, person=person, secrets=self.secrets
            )
            permits.forget_old()
            earlier = partial(earlier_messages, self.store, loop_id, until=begun.engine.rev)
            around = Surroundings(loop_id, bus.hear, partial(bus.publish, "output"), permits, earlier=earlier)
            async with (
                self.processes.owning(loop_id) as left,
                RecordedTurns(
                    lambda name: self.agents(name, around),
                    Recall(self.store, loop_id, lease.epoch, tell=brief),
                    self.clock,
                    bus,
                    self.price,
                    self.project,
                ) as turns,
                herald.watching(begun),
            ):
                session = Session(
                    id=loop_id, project=self.project, store=self.store, workspace=self.workspace,
                    tests=self.tests, debugger=self.debugger(loop_id, bus), turns=turns, clock=self.clock, bus=bus,
                    epoch=lease.epoch, prompts=self.prompts, interactive=asked is not None, person=asked,
                )  # fmt: skip
                await take_over(session, left)
                state = await driven(LoopFlow(session), self.clock)
                while await until_it_goes_on(session, state, session.turns.rest, goes_on):
                    state = await driven(LoopFlow(session), self.clock)
                return session.state()
