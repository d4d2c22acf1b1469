"""How the queue hands out the jobs of an account, said once. Pure.

What DBOS does in SQL, for one look of one machine at the queue of one account: users in an order that chance gives, and
of each the first jobs, as far as the limits and the machine's slots go. tests/fleet/test_simulated_claims.py holds both
against each other.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Limits(NamedTuple):
    """How many runs of an account, and of one user of it, are driven at a time."""

    slots: int
    of_user: int


class Place(NamedTuple):
    """Of a run among those of its user: a lower priority comes first, then who was queued first."""

    priority: int
    since: float
    id: str


def share(
    waiting: Mapping[str, int], running: Mapping[str, int], limits: Limits, free: int, order: Sequence[str]
) -> list[tuple[str, int]]:
    """How many jobs of which users a machine with `free` slots takes; all mappings by user."""
    left = min(free, limits.slots - sum(running.values()))
    taken = []
    for user in order:
        n = min(left, waiting[user], limits.of_user - running.get(user, 0))
        if n > 0:
            taken.append((user, n))
            left -= n
    return taken
