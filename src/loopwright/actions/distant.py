"""A person who is not here: menu and questions are kept in the loop's state until somebody answers, at any door."""

from collections.abc import Sequence

from loopwright.domain import loop_choosing
from loopwright.domain.events import Event
from loopwright.domain.loop import LoopState
from loopwright.domain.menu import MenuEntry
from loopwright.ports import Clock, Rule, Store

LOOK_SECONDS = 0.2
"""How often the state is looked at for an answer."""

SHOWS = "status"
"""The entry that only shows something: whoever is elsewhere looks by other means."""


class DistantPerson:
    """Implements ports.Person. Who asks holds the lease, under `epoch`."""

    def __init__(self, loop_id: str, store: Store[LoopState], clock: Clock, epoch: int) -> None:
        self._loop_id, self._store, self._clock, self._epoch = loop_id, store, clock, epoch

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        """Opens the menu, or the part of it that has changed. The step that is begun closes it."""
        offered = tuple(entry for entry in menu if entry.name != SHOWS)
        names = ", ".join(entry.name for entry in offered if not entry.blocked)
        at = self._now()
        while True:
            known = self._made(lambda s: loop_choosing.opened(s, offered, at), "menu_opened", choices=names).engine.menu
            if known and known.choice in known.free:
                return known.choice
            await self._clock.sleep(LOOK_SECONDS)

    async def ask(self, question: str, options: Sequence[str]) -> str:
        """Waits with the question, as a paused loop would; `answer` answers it."""
        at = self._now()
        self._commit(lambda s: loop_choosing.asked_now(s, question, options, at), "question_asked", question=question)
        try:
            while True:
                rule = lambda s: loop_choosing.still_asked(s, question, options, at)  # noqa: E731
                given = self._made(rule, "question_asked", question=question).engine.answer
                if given is not None:
                    return given
                await self._clock.sleep(LOOK_SECONDS)
        finally:
            self._commit(loop_choosing.answer_taken, "question_taken")

    async def show(self, state: LoopState) -> None:
        """Nobody looks."""

    def _made(self, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
        """The latest state, which is as `rule` wants it: most looks find nothing to commit."""
        state = self._store.read(self._loop_id)
        return state if rule(state) is state else self._commit(rule, type, **data)

    def _commit(self, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
        event = Event(type=type, data=dict(data))
        return self._store.update(self._loop_id, rule, actor="runner", event=event, epoch=self._epoch)

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds")
