"""Asking a person whether an agent may do something: at this terminal, or through any other door."""

import asyncio
from typing import Generic, Literal, NamedTuple

from loopwright.core import pause
from loopwright.core.ports import Clock, Prompter, Rule, Store
from loopwright.core.record import JournalEvent
from loopwright.core.run import R
from loopwright.core.run_events import EventBus
from loopwright.core.state import PermissionRequest
from loopwright.policy.permissions import TABLE, request_words
from loopwright.policy.secrets import SecretFilter

LOOK_SECONDS = 0.2
"""How often the state is looked at for an answer."""

AT_ONCE = 20
"""Requests that are open at the same time; further ones wait their turn."""

MOST = 100
"""Requests that wait altogether; whatever an agent asks beyond is denied at once."""

KEPT_TEXT, KEPT_PATHS = 4000, 50
"""Characters of a title or command, and paths, that are shown and kept."""


class _Given(NamedTuple):
    """`how`: answered at this terminal, taken from the state where another door put it, or withdrawn."""

    allowed: bool
    how: Literal["answered", "taken", "withdrawn"]


class PermissionQueue(Generic[R]):
    """Keeps each request in the state until somebody answers, however long that takes. A cancelled one is withdrawn.

    Ids are given here: short, and never used again. `secrets` are shown to nobody.
    """

    def __init__(
        self,
        id: str,
        store: Store[R],
        clock: Clock,
        bus: EventBus,
        *,
        epoch: int,
        person: Prompter | None,
        secrets: SecretFilter,
    ) -> None:
        self._id, self._store, self._clock, self._bus = id, store, clock, bus
        self._epoch, self._person, self._secrets = epoch, person, secrets
        self._places, self._terminal = asyncio.Semaphore(AT_ONCE), asyncio.Lock()
        self._asking = 0
        self._always: set[str] = set()

    def forget_old(self) -> None:
        """Clears what a runner that is gone has asked."""
        self._commit(pause.clear_permission_requests, "permissions_forgotten", actor="runner")

    async def __call__(self, request: PermissionRequest) -> bool:
        if self._asking >= MOST:
            self._bus.publish("activity", f"{request.agent} asks too much at once; denied: {request.title[:200]}")
            return False
        if self._asking == AT_ONCE:
            self._bus.publish("activity", f"{request.agent} has more than {AT_ONCE} requests; the others wait")
        self._asking += 1
        try:
            async with self._places:
                return await self._ask(self._readable(request))
        finally:
            self._asking -= 1

    async def _ask(self, request: PermissionRequest) -> bool:
        if request.kind in self._always:
            return True
        words = request_words(request)
        self._commit(
            lambda state: pause.add_permission_request(state, request),
            "permission_asked",
            request=request.id,
            words=words,
            reason=request.reason,
        )
        self._bus.publish("activity", f"{words}; it waits for an answer to {request.id}")
        given = _Given(False, "withdrawn")
        try:
            given = await self._given(request)
        finally:
            self._commit(
                lambda state: pause.remove_permission_request(state, request.id),
                f"permission_{given.how}",
                actor="person" if given.how == "answered" else "runner",
                request=request.id,
                answer="allow" if given.allowed else "deny",
            )
        return given.allowed

    def _readable(self, request: PermissionRequest) -> PermissionRequest:
        """As a person can read it, and a file can hold it; what is cut says so."""

        def told(text: str) -> str:
            return _cut(self._secrets.masked(text))

        return request.evolve(
            id=f"ask-{self._clock.token()[:8]}",
            kind=request.kind if request.kind in TABLE else "other",
            title=told(request.title),
            command=told(request.command) if request.command is not None else None,
            paths=tuple(map(told, request.paths[:KEPT_PATHS])),
            reason=told(request.reason),
        )

    async def _given(self, request: PermissionRequest) -> _Given:
        """The first answer, from whichever door."""
        doors = {asyncio.ensure_future(self._through_the_state(request.id))}
        if self._person is not None:
            doors.add(asyncio.ensure_future(self._at_terminal(self._person, request)))
        try:
            done, _ = await asyncio.wait(doors, return_when=asyncio.FIRST_COMPLETED)
            return done.pop().result()
        finally:
            for door in doors:
                door.cancel()
            await asyncio.wait(doors)

    async def _through_the_state(self, id: str) -> _Given:
        while True:
            known = next((r for r in self._store.read(self._id).engine.asked if r.id == id), None)
            if known is None:
                return _Given(False, "withdrawn")
            if known.answer is not None:
                return _Given(known.answer == "allow", "taken")
            await self._clock.sleep(LOOK_SECONDS)

    async def _at_terminal(self, person: Prompter, request: PermissionRequest) -> _Given:
        """One question at a time; an answer for the whole kind spares the others theirs."""
        always = f"allow everything of this kind ({request.kind}) for this run"
        async with self._terminal:
            if request.kind in self._always:
                return _Given(True, "answered")
            question = f"{request_words(request)}; {request.reason}" if request.reason else request_words(request)
            answer = await person.ask(question, ("allow", "deny", always))
        if answer == always:
            self._always.add(request.kind)
        return _Given(answer != "deny", "answered")

    def _commit(self, rule: Rule[R], type: str, *, actor: str = "runner", **data: str) -> None:
        self._store.update(
            self._id, rule, actor=actor, event=JournalEvent(type=type, data=dict(data)), epoch=self._epoch
        )


def _cut(text: str) -> str:
    text = text.encode(errors="replace").decode()
    return text if len(text) <= KEPT_TEXT else f"{text[:KEPT_TEXT]} [… {len(text) - KEPT_TEXT:,} more characters]"
