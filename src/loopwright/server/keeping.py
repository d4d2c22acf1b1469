"""While the server runs, what a runner has left behind is taken up, and what is parked once its time has come."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from loopwright.domain.errors import LoopwrightError
from loopwright.engine.supervisor import LAUNCH, Taken, is_launched, left_behind, taken_up
from loopwright.projects import Projects
from loopwright.server.kinds import Source, sources

log = structlog.get_logger("loopwright.server")

SECONDS = 2.0
"""Between two looks; more where a look takes long, so that it takes no more than a fiftieth of the time."""
SHARE = 50
TRIES = 3
"""Times that one is taken up without getting any further in between."""
AT_ONCE = 8
"""Runs that one look takes up: many runners start one by one."""

Key = tuple[str, str]
"""A run: its source and its id."""
Due = tuple[Source, Any]  # Any: a state of the source's kind

Beside = Callable[[Callable[[], tuple[Taken, ...]]], Awaitable[tuple[Taken, ...]]]


@dataclass
class Keeper:
    """Looks again and again. A run is taken up once its runner can not be on the way any more, see `is_launched`.

    At the first look of a server none is: what is left then was left by whoever is gone.
    """

    projects: Projects
    patience: timedelta = LAUNCH
    _tries: dict[Key, tuple[Hashable, int]] = field(default_factory=dict)
    _pause: float = SECONDS

    async def keep(self, beside: Beside) -> None:
        """Until it is cancelled."""
        await beside(partial(self.look, first=True))
        while True:
            await asyncio.sleep(self._pause)
            await beside(self.look)

    def look(self, *, first: bool = False) -> tuple[Taken, ...]:
        """One look at every project; what was taken up."""
        began = time.monotonic()
        due = [found for source in sources(self.projects) for found in self._due(source, first=first)]
        due.sort(key=lambda found: self._tried(*found))
        taken = tuple(self._take(source, state) for source, state in due[:AT_ONCE])
        self._pause = max(SECONDS, SHARE * (time.monotonic() - began))
        return taken

    def _due(self, source: Source, *, first: bool) -> Iterator[Due]:
        service = source.service
        try:
            now = service.clock.now()
            for state in left_behind(service, now):
                coming = not first and is_launched(state, now, self.patience)
                if not coming and self._tried(source, state) < TRIES:
                    yield source, state
        except (LoopwrightError, OSError) as error:  # looked at again the next time
            log.warning("can not look after a project", project=source.project.name, error=str(error))

    def _tried(self, source: Source, state: Any) -> int:  # Any: as Due
        at, tries = self._tries.get(_key(source, state), (None, 0))
        return tries if at == source.kind.progress(state) else 0

    def _take(self, source: Source, state: Any) -> Taken:  # Any: as Due
        self._tries[_key(source, state)] = (source.kind.progress(state), self._tried(source, state) + 1)
        taken = taken_up(source.service, state)
        log.info("taken up", project=source.project.name, run=taken.id, problem=taken.problem)
        return taken


def _key(source: Source, state: Any) -> Key:  # Any: as Due
    return source.name, source.service.rules.id_of(state)
