"""Notifications: what is news of a run reaches people who do not look, and never holds the run up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Generic

from loopwright.core.errors import NotFound, StoreError
from loopwright.core.notices import Event as Kind
from loopwright.core.notices import IdName, Notice, Notification, compose_notification
from loopwright.core.ports import Clock, Notifier, Store
from loopwright.core.record import JournalEvent
from loopwright.core.run import R, add_incidents
from loopwright.core.state import Incident
from loopwright.policy.secrets import SecretFilter

LOOK_SECONDS = 0.2
"""How often the state is looked at: what an agent asks for waits in the middle of a step."""
PATIENCE = 10.0
"""Seconds that a runner which is done otherwise gives to what is still on its way."""
AT_ONCE = 20
"""Letters on their way at the same time; further ones are not sent."""
TROUBLE = "notification_failed"


@dataclass
class NotificationDispatcher(Generic[R]):
    """The news of one run, told by each of `notifiers`; those of other kinds than `on` are kept back.

    `news` says what is any between two states, whose id is called `id_name`. `say`: where a person who looks hears of
    trouble with it, and where that is kept.
    """

    id: str
    project: str
    id_name: IdName
    news: Callable[[R, R], Notice | None]
    store: Store[R]
    clock: Clock
    notifiers: Sequence[Notifier]
    on: Collection[Kind]
    secrets: SecretFilter
    say: Callable[[str], None]
    _last: R | None = None
    _under_way: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def watching(self, begun: R) -> AsyncIterator[None]:
        """While a runner drives: what is asked in the middle of a step, and a limit that is waited for."""
        self._last = begun
        if not self.notifiers:
            yield
            return
        looking = asyncio.ensure_future(self._look())
        try:
            yield
        finally:
            looking.cancel()
            await asyncio.wait({looking})
            await self._settle()
        if not looking.cancelled():
            looking.result()

    async def end(self, rested: R) -> None:
        """The last news, once the runner has let go of it: somebody may take it up meanwhile."""
        if self.notifiers:
            self._compare(rested)
            await self._settle()

    async def _look(self) -> None:
        while True:
            await self.clock.sleep(LOOK_SECONDS)
            with suppress(NotFound, StoreError):  # whoever drives it tells of it
                state = self.store.read(self.id)
                if state.status == "running" or state.engine.parked:  # else it rests, see `end`
                    self._compare(state)

    def _compare(self, state: R) -> None:
        before, self._last = self._last, state
        notice = self.news(before, state) if before else None
        if notice is None or notice.event not in self.on:
            return
        if len(self._under_way) >= AT_ONCE:
            self.say(f"a notification was not sent: {AT_ONCE} others are pending")
            return
        at = self.clock.now().isoformat(timespec="milliseconds")
        told = compose_notification(notice, state, self.project, at, self.secrets.masked, self.id_name)
        for notifier in self.notifiers:
            task = asyncio.ensure_future(self._deliver(notifier, told))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _deliver(self, notifier: Notifier, told: Notification) -> None:
        problem = "cancelled: its process has ended"
        try:
            problem = await notifier.notify(told) or ""
        finally:
            if problem:
                self._failed(f"notification ({told.event}) not delivered: {problem}")

    async def _settle(self) -> None:
        """Waits for what is on its way, and cuts off what takes too long."""
        tasks = set(self._under_way)
        if not tasks:
            return
        try:
            await asyncio.wait(tasks, timeout=PATIENCE)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def _failed(self, words: str) -> None:
        """A line in the transcript each time; an incident once in the run's life."""
        words = self.secrets.masked(words)
        self.say(words)
        incident = Incident(kind=TROUBLE, message=words, at=self.clock.now().isoformat(timespec="milliseconds"))

        def rule(state: R) -> R:
            told = any(known.kind == TROUBLE for known in state.engine.incidents)
            return state if told else add_incidents(state, (incident,))

        event = JournalEvent(type=TROUBLE, data={"why": words})
        with suppress(NotFound, StoreError):  # deleted meanwhile, or a disk that fails: it was said
            self.store.update(self.id, rule, actor="runner", event=event)
