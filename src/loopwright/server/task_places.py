"""Which loop a task belongs to, for requests that only name the task."""

import threading
from collections.abc import Iterable, Iterator

from loopwright.domain.engine_state import LoopTask
from loopwright.domain.errors import LoopwrightError, NotFound
from loopwright.domain.loop import LoopState
from loopwright.projects import Project, Projects

PAGE = 200
REMEMBERED = 100_000


class TaskPlaces:
    """Remembers where tasks were seen, and looks again: they are never moved, but can be removed.

    A task that was seen costs the reading of its loop. Any other costs reading the loops, the latest change first, up
    to the one that has it, and all of them where none has: about 0.1 ms for each.
    """

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._known: dict[str, tuple[Project, str]] = {}
        self._mutex = threading.Lock()

    def note(self, project: Project, loop_id: str, tasks: Iterable[LoopTask]) -> None:
        """They were seen there."""
        with self._mutex:
            if len(self._known) > REMEMBERED:
                self._known.clear()
            self._known.update((task.task_id, (project, loop_id)) for task in tasks)

    def find(self, task_id: str, project: Project | None) -> tuple[Project, LoopState, LoopTask]:
        """NotFound where no loop has it."""
        known = self._known.get(task_id)
        if known is not None and project in (None, known[0]) and (found := _in_loop(*known, task_id)):
            return found
        for place in [project] if project else self._projects.known.values():
            for state in _loops(place):
                self.note(place, state.loop_id, state.engine.tasks)
                if task := state.engine.task(task_id):
                    return place, state, task
        raise NotFound(f"Task not found: {task_id}")


def _in_loop(project: Project, loop_id: str, task_id: str) -> tuple[Project, LoopState, LoopTask] | None:
    try:
        state = project.engine.service.read(loop_id)
    except LoopwrightError:  # deleted, or damaged: then it is looked for like any other
        return None
    task = state.engine.task(task_id)
    return (project, state, task) if task else None


def _loops(project: Project) -> Iterator[LoopState]:
    offset = 0
    while items := project.engine.service.list(limit=PAGE, offset=offset).items:
        yield from items
        offset += PAGE
