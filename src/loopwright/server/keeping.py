"""While the server runs, loops that a runner has left behind are taken up, and parked ones once their time has come."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import structlog

from loopwright.domain.errors import LoopwrightError
from loopwright.domain.loop import LoopState
from loopwright.engine.supervisor import Taken, left_behind, taken_up
from loopwright.projects import Project, Projects

log = structlog.get_logger("loopwright.server")

SECONDS = 15.0
"""Between two looks; more where a look takes long, so that it takes no more than a fiftieth of the time."""
SHARE = 50
TRIES = 3
"""Times that a loop is taken up without getting any further in between."""
AT_ONCE, SOON = 8, 2.0
"""Loops that one look takes up, and seconds until the next where there may be more: many runners start one by one."""

Seen = dict[tuple[str, str], int]
"""The commit a loop was seen at, by project and id."""

Beside = Callable[[Callable[[], tuple[Taken, ...]]], Awaitable[tuple[Taken, ...]]]


@dataclass
class Keeper:
    """Looks again and again. A loop is taken up once it was seen left behind twice: its runner may just be starting.

    At the first look of a server nothing is: what is left then was left by whoever is gone.
    """

    projects: Projects
    _seen: Seen = field(default_factory=dict)
    _tries: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    _pause: float = SECONDS

    async def keep(self, beside: Beside) -> None:
        """Until it is cancelled."""
        taken = await beside(partial(self.look, first=True))
        while True:
            await asyncio.sleep(SOON if len(taken) == AT_ONCE else self._pause)
            taken = await beside(self.look)

    def look(self, *, first: bool = False) -> tuple[Taken, ...]:
        """One look at every project; what was taken up."""
        began = time.monotonic()
        before, self._seen = self._seen, {}
        due = [found for project in self.projects.known.values() for found in self._due(project, before, first=first)]
        due.sort(key=lambda found: self._tried(*found))
        taken = tuple(self._take(project, state) for project, state in due[:AT_ONCE])
        self._pause = max(SECONDS, SHARE * (time.monotonic() - began))
        return taken

    def _due(self, project: Project, before: Seen, *, first: bool) -> Iterator[tuple[Project, LoopState]]:
        service = project.engine.service
        try:
            for state in left_behind(service, service.clock.now()):
                if self._is_due(project, state, before, first=first):
                    yield project, state
        except (LoopwrightError, OSError) as error:  # looked at again the next time
            log.warning("can not look after a project", project=project.name, error=str(error))

    def _is_due(self, project: Project, state: LoopState, before: Seen, *, first: bool) -> bool:
        key = (project.name, state.loop_id)
        self._seen[key] = state.engine.rev
        if state.status == "running" and not first and before.get(key) != state.engine.rev:
            return False
        return self._tried(project, state) < TRIES

    def _tried(self, project: Project, state: LoopState) -> int:
        at, tries = self._tries.get((project.name, state.loop_id), (-1, 0))
        return tries if at == state.current_iteration else 0

    def _take(self, project: Project, state: LoopState) -> Taken:
        self._tries[project.name, state.loop_id] = (state.current_iteration, self._tried(project, state) + 1)
        taken = taken_up(project.engine.service, state)
        log.info("taken up", project=project.name, loop=taken.id, problem=taken.problem)
        return taken
