"""Single limits."""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass


class CostTooHigh(ValueError):
    """A cost that no waiting can make possible."""


@dataclass(frozen=True)
class Decision:
    """Answer to one request."""

    allowed: bool
    remaining: int
    retry_after: float = 0.0

    def __bool__(self):
        return self.allowed


class Limit(ABC):
    """A limit that a clock drives."""

    def __init__(self, capacity, clock):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self.clock = clock

    def hit(self, cost=1):
        """Take cost out of the limit if it is there."""
        decision = self.check(cost)
        if decision.allowed:
            self._take(cost)
            decision = Decision(True, decision.remaining - cost)
        return decision

    def check(self, cost=1):
        """Whether a hit would be allowed now; remaining is that before it."""
        if cost < 0:
            raise ValueError("negative cost")
        if cost > self.capacity:
            raise CostTooHigh(f"cost {cost} is above capacity {self.capacity}")
        self._refresh(self.clock())
        wait = self._wait(cost)
        return Decision(wait <= 0, self._remaining(), max(wait, 0.0))

    @abstractmethod
    def _refresh(self, now):
        """Bring the state up to now."""

    @abstractmethod
    def _remaining(self):
        """Whole units that are left."""

    @abstractmethod
    def _wait(self, cost):
        """Seconds until cost units are left."""

    @abstractmethod
    def _take(self, cost):
        """Use units up."""

    @abstractmethod
    def give_back(self, cost=1):
        """Undo a hit of this cost that was made just now."""

    @abstractmethod
    def reset(self):
        """Forget all hits."""


class TokenBucket(Limit):
    """Tokens that come in at a steady rate up to a capacity."""

    def __init__(self, capacity, rate, clock):
        super().__init__(capacity, clock)
        if rate <= 0:
            raise ValueError("rate must be above 0")
        self.rate = rate
        self.reset()

    def reset(self):
        self.tokens = float(self.capacity)
        self.updated = self.clock()

    def _refresh(self, now):
        passed = now - self.updated
        if passed <= 0:
            return
        self.tokens = min(self.capacity, self.tokens + passed * self.rate)
        self.updated = now

    def _remaining(self):
        return int(self.tokens + 1e-9)

    def _wait(self, cost):
        lacking = cost - self.tokens
        if lacking <= 1e-9:
            return 0.0
        return lacking / self.rate

    def _take(self, cost):
        self.tokens = max(0.0, self.tokens - cost)

    def give_back(self, cost=1):
        self.tokens = min(self.capacity, self.tokens + cost)


class SlidingWindow(Limit):
    """At most capacity units within any span of time."""

    def __init__(self, capacity, span, clock):
        super().__init__(capacity, clock)
        if span <= 0:
            raise ValueError("span must be above 0")
        self.span = span
        self.reset()

    def reset(self):
        self.hits = deque()
        self.used = 0
        self.now = self.clock()

    def _refresh(self, now):
        self.now = max(self.now, now)
        while self.hits and self.hits[0][0] <= self.now - self.span:
            _, cost = self.hits.popleft()
            self.used -= cost

    def _remaining(self):
        return self.capacity - self.used

    def _wait(self, cost):
        lacking = cost - self._remaining()
        if lacking <= 0:
            return 0.0
        for moment, units in self.hits:
            lacking -= units
            if lacking <= 0:
                return moment + self.span - self.now
        return float(self.span)

    def _take(self, cost):
        if cost:
            self.hits.append((self.now, cost))
            self.used += cost

    def give_back(self, cost=1):
        while cost > 0 and self.hits:
            moment, units = self.hits.pop()
            returned = min(units, cost)
            if units > returned:
                self.hits.append((moment, units - returned))
            self.used -= returned
            cost -= returned
