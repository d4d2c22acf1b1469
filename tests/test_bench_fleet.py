"""The simulated fleet of `bench/fleet` keeps its own rules, whatever the scenario."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import astuple, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.fleet.rule import Limits, share
from bench.fleet.simulation import Course, Scenario, Span, UserClass, at_a_time, percentile, simulate
from tests.tiers import examples

STORM = Scenario(
    loops=150, machines=8, slots=3, accounts=2, limits=Limits(10, 4), span=1800, median=120, between_deaths=900,
    between_limits=1200, closed=300,
)  # fmt: skip
"""Machines die about every two minutes, and limits bite."""

USERS = st.sampled_from("abcde")


def most_at_once(course: Course, key: Callable[[Span], Hashable]) -> int:
    """Of one key's spans."""
    steps = sorted((at, by, key(span)) for span in course.spans for at, by in ((span.begin, 1), (span.end, -1)))
    counts, most = Counter[Hashable](), 0
    for _, by, of in steps:
        counts[of] += by
        most = max(most, counts[of])
    return most


@settings(max_examples=examples(30))
@given(st.integers(0, 10**6))
def test_limits_hold_all_loops_end_and_none_is_driven_twice_at_a_time(seed: int) -> None:
    course = simulate(replace(STORM, seed=seed))
    assert course.deaths
    assert len(course.spans) > len(course.loops) == STORM.loops
    assert {span.loop.id for span in course.spans} == {loop.id for loop in course.loops}
    assert all(abs(loop.left) < 1e-6 and loop.first >= loop.submitted for loop in course.loops)
    assert most_at_once(course, lambda span: str(span.machine)) <= STORM.slots
    assert most_at_once(course, lambda span: str(span.loop.account)) <= STORM.limits.slots
    assert most_at_once(course, lambda span: f"{span.loop.account} {span.loop.user}") == STORM.limits.of_user
    assert most_at_once(course, lambda span: span.loop.id) == 1
    assert min(course.takeovers, default=10) >= 10, "before anybody took the machine for dead"
    slots = STORM.machines * STORM.slots
    busy = at_a_time(((span.begin, span.end) for span in course.spans), course.end, 20)
    assert 0 < course.utilisation <= 1
    assert max(busy) <= slots
    assert abs(sum(busy) / 20 / slots - course.utilisation) < 1e-9


def test_the_same_seed_gives_the_same_course() -> None:
    first, again, other = (simulate(replace(STORM, seed=seed)) for seed in (7, 7, 8))
    assert astuple(first) == astuple(again)
    assert astuple(first) != astuple(other)


def test_who_brings_nine_of_ten_loops_keeps_nobody_waiting_for_more_than_twice_their_share() -> None:
    crowd = Scenario(
        loops=600, machines=10, slots=1, accounts=1, limits=Limits(10, 10), span=1.0, median=10, spread=0.3,
        between_deaths=1e9, between_limits=1e9,
        classes=(UserClass("one", 1, 0.9, 540), UserClass("others", 4, 0.1, 15)),
    )  # fmt: skip
    alone = replace(crowd, loops=60, machines=8, limits=Limits(8, 8), classes=(UserClass("others", 4, 1.0, 15),))
    waits, share_of_four = (percentile(simulate(one).waits("others"), 0.95) for one in (crowd, alone))
    assert share_of_four > 30
    assert waits <= 2 * share_of_four


@given(
    st.dictionaries(USERS, st.integers(1, 9)), st.dictionaries(USERS, st.integers(0, 4)), st.integers(1, 12),
    st.integers(1, 6), st.integers(0, 8), st.randoms(use_true_random=False),
)  # fmt: skip
def test_a_share_keeps_all_limits_and_leaves_nothing_that_fits(waiting, running, slots, of_user, free, chance) -> None:  # type: ignore[no-untyped-def]  # what hypothesis gives
    order = chance.sample(sorted(waiting), len(waiting))
    taken = dict(share(waiting, running, Limits(slots, of_user), free, order))
    room = min(free, slots - sum(running.values())) - sum(taken.values())
    left = {user: min(waiting[user] - n, of_user - running.get(user, 0) - n) for user, n in _all(waiting, taken)}
    assert all(n > 0 for n in taken.values())
    assert not taken or min(room, *(left[user] for user in taken)) >= 0
    assert room <= 0 or all(n <= 0 for n in left.values())


def _all(waiting: dict[str, int], taken: dict[str, int]) -> list[tuple[str, int]]:
    return [(user, taken.get(user, 0)) for user in waiting]
