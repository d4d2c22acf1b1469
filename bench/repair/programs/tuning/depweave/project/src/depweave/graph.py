"""The graph of tasks."""

from .errors import UnknownTask


class TaskGraph:
    """Tasks with a duration, and what each of them needs."""

    def __init__(self):
        self._needs = {}
        self._needed_by = {}
        self._durations = {}

    def __contains__(self, name):
        return name in self._needs

    def __len__(self):
        return len(self._needs)

    def __iter__(self):
        return iter(self._needs)

    def __eq__(self, other):
        if not isinstance(other, TaskGraph):
            return NotImplemented
        return (
            self._needs == other._needs and self._durations == other._durations
        )

    __hash__ = None

    def add(self, name, needs=(), duration=None):
        """Add a task, or more needs to a task that is there already.

        The duration of a known task stays unless a new one is given; a new
        task lasts 1. Needs that are not in the graph yet are added to it.
        """
        self._ensure(name)
        if duration is not None:
            if duration < 0:
                raise ValueError("negative duration")
            self._durations[name] = duration
        for need in needs:
            self._ensure(need)
            self._needs[name].add(need)
            self._needed_by[need].add(name)

    def _ensure(self, name):
        if name not in self._needs:
            self._needs[name] = set()
            self._needed_by[name] = set()
            self._durations[name] = 1

    def _check(self, name):
        if name not in self._needs:
            raise UnknownTask(name)

    def remove(self, name):
        """Remove a task; what needed it then needs what it had needed."""
        self._check(name)
        needs = self._needs.pop(name) - {name}
        users = self._needed_by.pop(name) - {name}
        del self._durations[name]
        for need in needs:
            self._needed_by[need].discard(name)
            self._needed_by[need].update(users)
        for user in users:
            self._needs[user].discard(name)
            self._needs[user].update(needs)

    def needs(self, name):
        """Names that a task needs directly, sorted."""
        self._check(name)
        return sorted(self._needs[name])

    def needed_by(self, name):
        """Names of the tasks that need a task directly, sorted."""
        self._check(name)
        return sorted(self._needed_by[name])

    def duration(self, name):
        """How long a task lasts."""
        self._check(name)
        return self._durations[name]

    def all_needs(self, name):
        """Names that a task needs directly or through others, sorted."""
        return self._reach(name, self._needs)

    def all_users(self, name):
        """Names of the tasks that need a task, also through others, sorted."""
        return self._reach(name, self._needed_by)

    def _reach(self, name, links):
        self._check(name)
        seen = set()
        waiting = list(links[name])
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            waiting.extend(links[current])
        return sorted(seen)

    def copy(self):
        """An independent copy."""
        twin = TaskGraph()
        twin._needs = {name: set(links) for name, links in self._needs.items()}
        twin._needed_by = {
            name: set(links) for name, links in self._needed_by.items()
        }
        twin._durations = dict(self._durations)
        return twin

    def subgraph(self, names):
        """A new graph of the given tasks and all that they need."""
        keep = set()
        for name in names:
            keep.add(name)
            keep.update(self.all_needs(name))
        part = TaskGraph()
        for name in self._needs:
            if name in keep:
                part.add(name, self._needs[name], self._durations[name])
        return part

    def reduce(self):
        """Drop direct needs that also hold through another need."""
        dropped = []
        for name in sorted(self._needs):
            for need in sorted(self._needs[name]):
                others = self._needs[name] - {need}
                if any(need in self.all_needs(other) for other in others):
                    self._needs[name].discard(need)
                    self._needed_by[need].discard(name)
                    dropped.append((name, need))
        return dropped
