"""Plans: what must be done again, and who does it when."""

from dataclasses import dataclass

from .errors import UnknownTask
from .order import topological


@dataclass(frozen=True)
class Slot:
    """One task in a schedule."""

    name: str
    worker: int
    start: int
    end: int


def stale(graph, changed, done=None):
    """Tasks that must be done again after a change, in order.

    These are the changed tasks, all that need them, and, where done is given,
    all tasks that are not in it.
    """
    again = set()
    for name in changed:
        if name not in graph:
            raise UnknownTask(name)
        again.add(name)
        again.update(graph.all_users(name))
    if done is not None:
        for name in graph:
            if name not in done:
                again.add(name)
                again.update(graph.all_users(name))
    return [name for name in topological(graph) if name in again]


def finish_times(graph):
    """Earliest end of each task with any number of workers."""
    ends = {}
    for name in topological(graph):
        start = max((ends[need] for need in graph.needs(name)), default=0)
        ends[name] = start + graph.duration(name)
    return ends


def critical_path(graph):
    """The chain of tasks that decides how long everything takes.

    Where several chains last equally long, the first by name counts.
    """
    ends = finish_times(graph)
    if not ends:
        return []
    name = min(ends, key=lambda task: (-ends[task], task))
    path = [name]
    while graph.needs(name):
        name = min(graph.needs(name), key=lambda task: (-ends[task], task))
        path.append(name)
    path.reverse()
    return path


def _weight(graph):
    """For each task, the longest time from its start to the very end."""
    weight = {}
    for name in reversed(topological(graph)):
        after = max((weight[user] for user in graph.needed_by(name)), default=0)
        weight[name] = after + graph.duration(name)
    return weight


def schedule(graph, workers):
    """Slots for a number of workers, sorted by start and worker.

    A free worker takes the task with the longest chain behind it among those
    whose needs are ready.
    """
    if workers < 1:
        raise ValueError("at least one worker is needed")
    weight = _weight(graph)
    free_at = [0] * workers
    ends = {}
    slots = []
    waiting = set(graph)
    while waiting:
        ready = [
            name
            for name in waiting
            if all(need in ends for need in graph.needs(name))
        ]
        worker = free_at.index(min(free_at))
        now = free_at[worker]
        begin = {}
        for name in ready:
            latest = max((ends[need] for need in graph.needs(name)), default=0)
            begin[name] = max(now, latest)
        name = min(ready, key=lambda task: (begin[task], -weight[task], task))
        end = begin[name] + graph.duration(name)
        slots.append(Slot(name, worker, begin[name], end))
        free_at[worker] = end
        ends[name] = end
        waiting.discard(name)
    return sorted(slots, key=lambda slot: (slot.start, slot.worker, slot.end))
