"""A fleet as a course of events: which loop gets which slot when, while machines die and accounts reach their limits.

The rule is bench/fleet/rule.py, its costs are measured; times are in seconds. The same scenario gives the same course.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, NamedTuple

from bench.fleet.rule import Limits, Place, share
from loopwright.fleet.queue import DEAD_SECONDS, LONGEST_POLL, POLL_SECONDS, POLL_SHARE
from loopwright.fleet.workers import BEAT_SECONDS

OVERHEAD = (1.1, 1.4)
"""Of each start of a loop on a machine: tests/fleet/real_fleet.py, without set-up."""

CLAIM, AT_ONCE = 0.016, 4
"""One machine after the other takes jobs of an account, for so long; where more than a few try at a time, those that
fail hold it up: 61 claims a second by one process, 55 by four, 29 by eight (bench.fleet.capacity, load 11)."""

WORKER_CORES, QUEUE_CORES = 0.002, 0.006
"""Of the database, for a worker that waits, and for each queue that it looks at: the same measurement."""


class UserClass(NamedTuple):
    """`part` of all loops come from its `users`, in batches of so many."""

    name: str
    users: int
    part: float
    batch: int


CLASSES = (UserClass("batches", 2, 0.4, 100), UserClass("daily", 40, 0.5, 3), UserClass("rare", 60, 0.1, 1))
LIMITS = Limits(120, 40)


@dataclass(frozen=True)
class Scenario:
    """Loops come within `span`, take `median` seconds of work (lognormal, `spread`) and commit each `action` seconds.

    Machines die, and accounts reach their agent's limit, at random, so often on average. `cores` has the database.
    """

    loops: int = 10_000
    machines: int = 200
    seed: int = 7
    slots: int = 2
    accounts: int = 4
    limits: Limits = LIMITS
    classes: tuple[UserClass, ...] = CLASSES
    span: float = 8 * 3600
    median: float = 600
    spread: float = 0.8
    action: float = 60
    between_deaths: float = 24 * 3600
    down: float = 300
    between_limits: float = 6 * 3600
    closed: float = 1800
    cores: float = 8

    @property
    def poll(self) -> float:
        """Between two looks of a worker at a queue: SET_PACE of the real one."""
        return min(max(POLL_SECONDS, POLL_SHARE * self.machines), LONGEST_POLL)

    @property
    def database_cores(self) -> float:
        """What workers ask of it by being there, if they may."""
        return self.machines * (WORKER_CORES + (self.accounts + 1) * QUEUE_CORES * POLL_SECONDS / self.poll)

    @property
    def stretched_poll(self) -> float:
        """Where the database has not the cores, all that is asked of it takes longer."""
        return self.poll * max(1.0, self.database_cores / self.cores)


@dataclass
class Loop:
    """`left` of its `work`; `turn` rises when it comes to a machine and when it leaves.

    It waits `since`, was `first` on a machine then, and `began` on this one; `broken`: when its machine died.
    """

    id: str
    account: int
    user: str
    group: str
    submitted: float
    work: float
    left: float
    since: float
    turn: int = 0
    first: float = math.inf
    began: float = 0.0
    machine: int = -1
    broken: float | None = None

    @property
    def wait(self) -> float:
        """From submission to the first claim."""
        return self.first - self.submitted


class Span(NamedTuple):
    """A loop was on a machine."""

    loop: Loop
    machine: int
    begin: float
    end: float


@dataclass
class Course:
    """What came of a scenario. `takeovers`: from a death to the work of the next machine."""

    scenario: Scenario
    loops: list[Loop]
    spans: list[Span] = field(default_factory=list)
    end: float = 0.0
    deaths: int = 0
    lost: float = 0.0
    takeovers: list[float] = field(default_factory=list)

    @property
    def utilisation(self) -> float:
        """Of all slots, until the last loop ended."""
        capacity = self.end * self.scenario.machines * self.scenario.slots
        return sum(span.end - span.begin for span in self.spans) / capacity

    def waits(self, group: str = "") -> list[float]:
        """Of a class of users, or of all; the shortest first."""
        return sorted(loop.wait for loop in self.loops if group in ("", loop.group))


def arrivals(scenario: Scenario) -> list[Loop]:
    """The same for each number of machines."""
    chance, loops = Random(f"{scenario.seed} loops"), list[Loop]()
    for name, users, part, batch in scenario.classes:
        for n in range(round(scenario.loops * part)):
            if n % batch == 0:
                at, user = chance.uniform(0, scenario.span), chance.randrange(users)
                account = chance.randrange(scenario.accounts)
            work = scenario.median * math.exp(chance.gauss(0, scenario.spread))
            loops.append(Loop(f"{name}-{n}", account, f"{name}-{user}", name, at, work, work, at))
    return loops


def simulate(scenario: Scenario) -> Course:
    return _Fleet(scenario).run()


class _Fleet:
    """`free` slots of machines that have any; jobs that are `running` count until their machine is known to be dead."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario, self._chance = scenario, Random(f"{scenario.seed} fleet")
        self._course = Course(scenario, arrivals(scenario))
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []  # Any: what these take
        self._n = count()
        self._accidents: dict[tuple[str, int], Random] = {}
        self._now = 0.0
        self._unfinished = len(self._course.loops)
        self._free = dict.fromkeys(range(scenario.machines), scenario.slots)
        self._at_work: list[dict[str, Loop]] = [{} for _ in range(scenario.machines)]
        self._loops = {loop.id: loop for loop in self._course.loops}
        self._waiting: list[dict[str, list[Place]]] = [{} for _ in range(scenario.accounts)]
        self._running = [Counter[str]() for _ in range(scenario.accounts)]
        self._looked, self._closed = set[int](), set[int]()

    def run(self) -> Course:
        for loop in self._course.loops:
            self._after(loop.submitted, self._queue, loop)
        for machine in range(self._scenario.machines):
            self._accident(self._scenario.between_deaths, self._die, machine)
        for account in range(self._scenario.accounts):
            self._accident(self._scenario.between_limits, self._close, account)
        while self._unfinished:
            self._now, _, do, what = heapq.heappop(self._events)
            do(*what)
        self._course.end = self._now
        return self._course

    def _accident(self, mean: float, do: Callable[[int], None], of: int) -> None:
        """Happens some time from now; when does not depend on anything else."""
        chance = self._accidents.setdefault((do.__name__, of), Random(f"{self._scenario.seed} {do.__name__} {of}"))
        self._after(chance.expovariate(1 / mean), do, of)

    def _after(self, seconds: float, do: Callable[..., None], *what: object) -> None:
        heapq.heappush(self._events, (self._now + seconds, next(self._n), do, what))

    def _queue(self, loop: Loop) -> None:
        heapq.heappush(self._waiting[loop.account].setdefault(loop.user, []), Place(0, loop.since, loop.id))
        self._wake(loop.account)

    def _wake(self, account: int) -> None:
        """Where a machine could get something, the first to look does so: each looks once within a poll."""
        limits, running = self._scenario.limits, self._running[account]
        if account in self._looked | self._closed or not self._free or running.total() >= limits.slots:
            return
        if any(running[user] < limits.of_user for user in self._waiting[account]):
            self._looked.add(account)
            first = self._scenario.stretched_poll * (1 - self._chance.random() ** (1 / len(self._free)))
            tries = CLAIM * len(self._free) * len(self._waiting[account]) / self._scenario.stretched_poll
            self._after(max(first, CLAIM * max(1.0, tries / AT_ONCE)), self._look, account)

    def _look(self, account: int) -> None:
        self._looked.discard(account)
        if account in self._closed or not self._free:
            return
        machine = self._chance.choice(list(self._free))
        waiting, running = self._waiting[account], self._running[account]
        order = self._chance.sample(list(waiting), len(waiting))
        counts = {user: len(places) for user, places in waiting.items()}
        for user, n in share(counts, running, self._scenario.limits, self._free[machine], order):
            for _ in range(n):
                self._begin(self._loops[heapq.heappop(waiting[user]).id], machine)
            if not waiting[user]:
                del waiting[user]
        self._wake(account)

    def _begin(self, loop: Loop, machine: int) -> None:
        self._free[machine] -= 1
        if not self._free[machine]:
            del self._free[machine]
        self._at_work[machine][loop.id] = loop
        self._running[loop.account][loop.user] += 1
        loop.turn, loop.machine = loop.turn + 1, machine
        loop.first, loop.began = min(loop.first, self._now), self._now
        ready = self._chance.uniform(*OVERHEAD)
        if loop.broken is not None:
            self._course.takeovers.append(self._now + ready - loop.broken)
            loop.broken = None
        self._after(ready + loop.left, self._finish, loop, loop.turn)

    def _finish(self, loop: Loop, turn: int) -> None:
        if turn == loop.turn:
            self._leave(loop, loop.left)
            self._release(loop)
            self._give_back(loop.machine)
            self._unfinished -= 1

    def _leave(self, loop: Loop, kept: float) -> None:
        """The machine has it no more; what it did there beyond `kept` is done again."""
        del self._at_work[loop.machine][loop.id]
        self._course.spans.append(Span(loop, loop.machine, loop.began, self._now))
        loop.left -= kept
        loop.turn += 1

    def _break_off(self, loop: Loop) -> None:
        worked = max(0.0, self._now - loop.began - OVERHEAD[1])
        kept = worked - worked % self._scenario.action
        self._course.lost += self._now - loop.began - kept
        self._leave(loop, kept)

    def _release(self, loop: Loop) -> None:
        self._running[loop.account][loop.user] -= 1
        self._wake(loop.account)

    def _give_back(self, machine: int) -> None:
        self._free[machine] = self._free.get(machine, 0) + 1
        for account in range(self._scenario.accounts):
            self._wake(account)

    def _die(self, machine: int) -> None:
        self._course.deaths += 1
        self._free.pop(machine, None)
        for loop in list(self._at_work[machine].values()):
            self._break_off(loop)
            loop.broken = self._now
            self._after(DEAD_SECONDS + self._chance.uniform(0, BEAT_SECONDS), self._hand_on, loop)
        self._after(self._scenario.down, self._return, machine)

    def _hand_on(self, loop: Loop) -> None:
        self._release(loop)
        self._queue(loop)

    def _return(self, machine: int) -> None:
        for _ in range(self._scenario.slots):
            self._give_back(machine)
        self._accident(self._scenario.between_deaths, self._die, machine)

    def _close(self, account: int) -> None:
        """All that is at work on it meets the limit, and has a new job once that has reset."""
        self._closed.add(account)
        self._after(self._scenario.closed, self._open, account)
        at_work = [loop for loops in self._at_work for loop in loops.values() if loop.account == account]
        for loop in at_work:
            self._break_off(loop)
            self._release(loop)
            self._give_back(loop.machine)
            loop.since = self._now
            self._after(self._scenario.closed, self._queue, loop)

    def _open(self, account: int) -> None:
        self._closed.discard(account)
        self._wake(account)
        self._accident(self._scenario.between_limits, self._close, account)


def at_a_time(spans: Iterable[tuple[float, float]], end: float, parts: int) -> list[float]:
    """How many of them there are on average in each part of the time until `end`."""
    width = end / parts
    found = [0.0] * parts
    for begin, until in spans:
        for part in range(int(begin / width), min(parts - 1, int(until / width)) + 1):
            found[part] += max(0.0, min(until, (part + 1) * width) - max(begin, part * width)) / width
    return found


def percentile(values: Sequence[float], part: float) -> float:
    """Of sorted values; 0 where there are none."""
    return values[min(len(values) - 1, int(len(values) * part))] if values else 0.0
