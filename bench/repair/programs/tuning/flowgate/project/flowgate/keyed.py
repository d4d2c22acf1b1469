"""Several limits at once, and limits for each key."""

from collections import OrderedDict

from .buckets import Decision
from .rules import parse_rules


class AllOf:
    """Limits that must all allow a hit; a refused hit uses nothing up."""

    def __init__(self, limits):
        self.limits = list(limits)
        if not self.limits:
            raise ValueError("no limits")

    @property
    def capacity(self):
        return min(limit.capacity for limit in self.limits)

    def check(self, cost=1):
        decisions = [limit.check(cost) for limit in self.limits]
        return Decision(
            all(decision.allowed for decision in decisions),
            min(decision.remaining for decision in decisions),
            max(decision.retry_after for decision in decisions),
        )

    def hit(self, cost=1):
        decision = self.check(cost)
        if not decision.allowed:
            return decision
        taken = [limit.hit(cost) for limit in self.limits]
        return Decision(True, min(one.remaining for one in taken))

    def give_back(self, cost=1):
        for limit in self.limits:
            limit.give_back(cost)

    def reset(self):
        for limit in self.limits:
            limit.reset()


class KeyedLimiter:
    """The same rules for every key, each key counted on its own.

    At most max_keys keys are remembered; the one not used for longest goes
    first. Keys in exempt are never limited.
    """

    def __init__(self, rules, clock, max_keys=1000, exempt=()):
        self.rules = parse_rules(rules) if isinstance(rules, str) else list(rules)
        self.clock = clock
        self.max_keys = max_keys
        self.exempt = {self._fold(key) for key in exempt}
        self._limits = OrderedDict()

    @staticmethod
    def _fold(key):
        return key.strip().casefold()

    def __len__(self):
        return len(self._limits)

    def __contains__(self, key):
        return self._fold(key) in self._limits

    def _limit(self, key):
        if key in self._limits:
            self._limits.move_to_end(key)
            return self._limits[key]
        limit = AllOf(rule.build(self.clock) for rule in self.rules)
        self._limits[key] = limit
        while len(self._limits) > self.max_keys:
            self._limits.popitem(last=False)
        return limit

    def hit(self, key, cost=1):
        """Count a hit for a key."""
        key = self._fold(key)
        if key in self.exempt:
            return Decision(True, cost)
        return self._limit(key).hit(cost)

    def check(self, key, cost=1):
        """Whether a hit would be allowed; unknown keys are not remembered."""
        key = self._fold(key)
        if key in self.exempt:
            return Decision(True, cost)
        if key not in self._limits:
            return AllOf(rule.build(self.clock) for rule in self.rules).check(cost)
        return self._limits[key].check(cost)

    def reset(self, key=None):
        """Forget one key, or all of them."""
        if key is None:
            self._limits.clear()
        else:
            self._limits.pop(self._fold(key), None)

    def headers(self, key, cost=1):
        """Count a hit and describe the answer as response headers."""
        decision = self.hit(key, cost)
        found = {"X-RateLimit-Remaining": str(decision.remaining)}
        if not decision.allowed:
            seconds = -int(-decision.retry_after // 1)
            found["Retry-After"] = str(max(1, seconds))
        return found
