"""One candidate's tests in the order that tells soonest what it is worth."""

from collections.abc import Mapping
from contextlib import nullcontext

import pytest

from .budget import HANG, life, lifetime
from .forks import Answer
from .session import Driver, tear_down

_WAITED_FOR = HANG / 4  # seconds: a test that had more, and did not come to its end, seldom would with more
_GUARDS = 8  # passing tests that a candidate must not break before it is tried further


def carried_out(driver: Driver, items: Mapping[int, pytest.Item], job: Answer) -> Answer:
    """Failing tests first: leaves when none of the first `quick` turns, and at the first passing one that breaks.

    So does one that makes a test endless that was not; of those that were, one that still is speaks for the others.
    With more time a candidate that is `late` may fare better, the more so if all went well `so_far`.
    `ordered` keeps the project's own order instead, for tests that depend on it.
    """
    guards = {number for number, _ in job["guards"]}
    order = _order(job)
    turned: list[int] = []
    census: list[tuple[int, str, str, float]] = []
    endless, ran = False, 0
    for n, (number, seconds) in enumerate(order):
        if number not in items:
            if job["census"]:
                continue
            return {"turned": [], "broke": number}
        if n == job["quick"] and not (turned or job["ordered"] or job["census"]):
            break
        if endless and number in job["endless"]:
            tear_down(items[number])
            continue
        following = items.get(order[n + 1][0]) if n + 1 < len(order) else None
        with nullcontext() if job["census"] else life(lifetime(seconds)):
            outcome = driver.run(items[number], following, seconds)
        census.append((number, outcome.status, outcome.error, outcome.seconds))
        if job["census"]:
            continue
        if number in guards and outcome.status != "passed":
            return {"turned": turned, "broke": number}
        if number not in guards and outcome.status == "passed":
            turned.append(number)
        ran += number not in guards and outcome.error != "TimeUp"
        if outcome.error == "TimeUp":
            if number not in job["endless"]:
                late = number not in guards and seconds < _WAITED_FOR
                return {"turned": turned, "broke": number, "late": late, "so_far": late and len(turned) == ran}
            endless = True
    broke = None if turned else -1
    return {"turned": turned, "broke": broke, "late": endless, "census": census if job["census"] else []}


def brief(job: Answer) -> Answer:
    """The job's first tests: what breaks or turns none of these needs no more."""
    return {**job, "targets": job["targets"][: job["quick"]], "guards": job["guards"][:_GUARDS]}


def _order(job: Answer) -> list[tuple[int, float]]:
    targets, guards = job["targets"], job["guards"]
    if job["ordered"]:
        return sorted([*targets, *guards])
    if job.get("backwards"):
        return sorted([*targets, *guards], reverse=True)
    return [*targets[: job["quick"]], *guards, *targets[job["quick"] :]]
