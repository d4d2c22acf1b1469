"""While the server runs, loops that a runner has left behind are taken up, and parked ones once their time has come."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from loopwright.domain.errors import LoopwrightError
from loopwright.domain.loop import LoopState
from loopwright.engine.service import LoopService
from loopwright.engine.supervisor import Taken, left_behind, taken_up
from loopwright.projects import Project, Projects

log = structlog.get_logger("loopwright.server")

SECONDS = 15.0
"""Between two looks; more where a look takes long, so that it takes no more than a fiftieth of the time."""
SHARE = 50
TRIES = 3
"""Times that a loop is taken up without getting any further in between."""

Beside = Callable[[Callable[[], tuple[Taken, ...]]], Awaitable[tuple[Taken, ...]]]


@dataclass
class Keeper:
    """Looks again and again. A loop is taken up once it was seen left behind twice: its runner may just be starting."""

    projects: Projects
    _seen: dict[tuple[str, str], int] = field(default_factory=dict)
    _tries: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    async def keep(self, beside: Beside) -> None:
        """Until it is cancelled."""
        pause = SECONDS
        while True:
            await asyncio.sleep(pause)
            began = time.monotonic()
            await beside(self.look)
            pause = max(SECONDS, SHARE * (time.monotonic() - began))

    def look(self) -> tuple[Taken, ...]:
        """One look at every project; what was taken up."""
        before, self._seen = self._seen, {}
        return tuple(taken for project in self.projects.known.values() for taken in self._in(project, before))

    def _in(self, project: Project, before: dict[tuple[str, str], int]) -> list[Taken]:
        service = project.engine.service
        try:
            found = left_behind(service, service.clock.now())
            return [self._take(project, service, state) for state in found if self._is_due(project, state, before)]
        except (LoopwrightError, OSError) as error:  # looked at again the next time
            log.warning("can not look after a project", project=project.name, error=str(error))
            return []

    def _is_due(self, project: Project, state: LoopState, before: dict[tuple[str, str], int]) -> bool:
        key = (project.name, state.loop_id)
        self._seen[key] = state.engine.rev
        if state.status == "running" and before.get(key) != state.engine.rev:
            return False
        at, tries = self._tries.get(key, (-1, 0))
        tries = tries + 1 if at == state.current_iteration else 1
        self._tries[key] = (state.current_iteration, tries)
        return tries <= TRIES

    def _take(self, project: Project, service: LoopService, state: LoopState) -> Taken:
        taken = taken_up(service, state)
        log.info("taken up", project=project.name, loop=taken.loop_id, problem=taken.problem)
        return taken
