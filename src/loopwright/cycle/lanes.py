"""The agents' sessions of a cycle: one for each role, and for cd one in each of its lanes."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from loopwright.domain.cycle_names import Role
from loopwright.engine.turns import Turns

Opener = Callable[[Role, int | None, Path | None], Turns]
"""The turns of a role in a lane (None: in the project itself), whose agent works in that folder."""


def lane_name(role: Role, lane: int | None) -> str:
    """Under which a session is kept: `ra`, `cd`, `cd-2`."""
    return role if lane is None else f"{role}-{lane}"


class Lanes:
    """Opens turns when they are first asked for; `async with` closes every session."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._open: dict[str, Turns] = {}

    async def __aenter__(self) -> "Lanes":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.rest()

    def of(self, role: Role, lane: int | None = None, at: Path | None = None) -> Turns:
        """A lane's folder is the same every time."""
        name = lane_name(role, lane)
        if name not in self._open:
            self._open[name] = self._opener(role, lane, at)
        return self._open[name]

    def opened(self, role: Role, lane: int | None = None) -> Turns | None:
        """None where nobody has been asked anything there."""
        return self._open.get(lane_name(role, lane))

    async def rest(self) -> None:
        """Closes every session; the next message goes on with the one that was there."""
        async with AsyncExitStack() as closing:
            for turns in self._open.values():
                closing.push_async_callback(turns.rest)
