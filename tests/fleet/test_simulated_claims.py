"""What the real queue hands out is what the rule of the simulation says: the same jobs, after each that ends."""

import random
import threading
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import dbos._queue
import pytest

from bench.fleet.rule import Limits, Place, share
from loopwright.core.fleet import Job
from tests.chance import SEED
from tests.fleet.backlog import ask
from tests.fleet.fleets import RUN, postgres_fleet
from tests.fleet.real_fleet import until

USERS = ("ada", "bob", "cyd")
RUNS = 14


class Chance:
    """In the place of DBOS's: users come in the order of their names. Only a look that is `allowed` takes anything."""

    def __init__(self) -> None:
        self.allowed = self.looks = False

    def uniform(self, low: float, high: float) -> float:
        return low

    def shuffle(self, keys: list[Any]) -> None:  # Any: users, or DBOS's own scopes
        if keys != [None]:
            keys.sort()
            self.looks = self.allowed


def expected(places: dict[str, list[Place]], running: Counter[str], limits: Limits, slots: int) -> set[str]:
    """What the rule gives a machine that has these at work."""
    counts = {user: len(of_user) for user, of_user in places.items()}
    taken = share(counts, running, limits, slots - running.total(), USERS)
    return {place.id for user, n in taken for place in sorted(places[user])[:n]}


@pytest.mark.parametrize(
    ("slots", "limits"), [(3, Limits(9, 9)), (9, Limits(4, 4)), (6, Limits(5, 2))], ids=["machine", "account", "user"]
)
def test_the_same_jobs(queue_url: str, monkeypatch: pytest.MonkeyPatch, slots: int, limits: Limits) -> None:
    order, chance, ends, allowed = Chance(), random.Random(SEED), dict[str, threading.Event](), list[str]()
    monkeypatch.setattr(dbos._queue, "random", order)
    with ExitStack() as kept:
        machine = postgres_fleet(queue_url, kept).machine("one")
        machine.set_account("team", *limits)
        ask(queue_url, "UPDATE dbos.queues SET polling_interval_sec = 0.05")
        places = {user: list[Place]() for user in USERS}
        for n in range(RUNS):
            user, place = chance.choice(USERS), Place(chance.randrange(2), n, f"loop-{n:02d}")
            machine.submit([replace(RUN, id=place.id, user=user, priority=place.priority)])
            places[user].append(place)
            ends[place.id] = threading.Event()
        user_of = {place.id: user for user, of_user in places.items() for place in of_user}
        for end in ends.values():
            kept.callback(end.set)

        def work(job: Job) -> None:
            ends[job.id].wait(60)

        queue = kept.enter_context(machine.serving(slots, work, lambda account: order.looks, lambda id: None))
        running = set[str]()
        while user_of.keys() - set(allowed) or running:
            more = expected(places, Counter(user_of[id] for id in running), limits, slots)
            order.allowed = True
            until(lambda: {f"{id}/1" for id in running | more} == set(queue.taken), 10)  # noqa: B023
            order.allowed = order.looks = False
            allowed += more
            running |= more
            places = {user: [place for place in of if place.id not in more] for user, of in places.items()}
            ended = chance.choice(sorted(running))
            ends[ended].set()
            done = "SELECT status FROM dbos.workflow_status WHERE workflow_uuid = %(id)s"
            until(lambda: ask(queue_url, done, {"id": f"{ended}/1"}) == [("SUCCESS",)], 10)  # noqa: B023
            running.remove(ended)
