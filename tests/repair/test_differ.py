"""Two patches that the tests cannot tell apart are told apart by a call, where there is one."""

import time
from collections.abc import Callable
from datetime import date
from types import FunctionType
from typing import NamedTuple

from loopwright.repair.executor import BehaviourTable
from loopwright.repair.screen import (
    Arguments,
    CallRecorder,
    compare_versions,
    render_call,
    run_call,
    run_calls,
    vary_calls,
)


def price(count: int, tags: list[str]) -> int:
    tags.append("seen")
    return count * 3


def doubled(count: int, tags: list[str]) -> int:
    tags.append("seen")
    return count + count + count


def clamped(count: int, tags: list[str]) -> int:
    tags.append("seen")
    return max(count, 0) * 3


def quiet(count: int, tags: list[str]) -> int:
    return count * 3


def endless(count: int, tags: list[str]) -> int:
    while count:
        count -= 1 if count > 5 else 0
    return count


def function(thing: object) -> FunctionType:
    assert isinstance(thing, FunctionType)
    return thing


def version(other: object) -> Callable[[], Callable[[], None]]:
    def swap() -> Callable[[], None]:
        before = function(price).__code__
        function(price).__code__ = function(other).__code__

        def undo() -> None:
            function(price).__code__ = before

        return undo

    return swap


def behaviours(*edits: object, calls: list[Arguments]) -> BehaviourTable:
    """What the engine makes of the versions of `price`, the patch first."""
    inputs, until = vary_calls(calls), time.monotonic() + 60
    told = list(compare_versions(function(price), [version(edit) for edit in edits], inputs, until))
    words = [render_call(function(price), call) for call in inputs]
    outcomes: list[list[tuple[int, str] | None] | None] = [
        None if one is None else [(hash(text), text) if text else None for text in one] for one in told
    ]
    return BehaviourTable(words, outcomes)


def difference(first: object, second: object, call: Arguments) -> object:
    """The call that tells them apart, and what comes of it with each; None where they do the same."""
    found = behaviours(first, second, calls=[call])
    calls = found.telling((0, 1))
    return tuple(found.words(n, calls) for n in (0, 1)) if calls else None


def test_calls_are_kept_as_they_were_made() -> None:
    calls = CallRecorder(function(price).__code__)
    tags = ["a"]
    calls.start()
    price(2, tags)
    calls.stop()
    assert calls.found == [{"count": 2, "tags": ["a"]}]


def test_a_value_beside_those_of_the_tests_tells_two_apart() -> None:
    assert difference(price, clamped, {"count": 2, "tags": []}) == (
        {"price(count=-2, tags=[])": "gives -6, and leaves count=-2, tags=['seen']"},
        {"price(count=-2, tags=[])": "gives 0, and leaves count=-2, tags=['seen']"},
    )


def test_what_is_left_in_the_arguments_tells_two_apart() -> None:
    assert difference(price, quiet, {"count": 0, "tags": []}) == (
        {"price(count=0, tags=[])": "gives 0, and leaves count=0, tags=['seen']"},
        {"price(count=0, tags=[])": "gives 0"},
    )


def test_the_same_written_otherwise_is_the_same() -> None:
    assert difference(price, doubled, {"count": 2, "tags": []}) is None


def test_an_endless_call_and_an_exception_are_outcomes() -> None:
    assert run_call(function(endless), {"count": 3, "tags": []}) == "does not end"
    assert run_call(function(price), {"count": 3, "tags": None}) == "raises AttributeError"


async def later(count: int, tags: list[str]) -> int:
    return count * 3


def test_what_has_to_be_awaited_is_awaited() -> None:
    assert run_call(function(later), {"count": 3, "tags": []}) == "gives 9"


def test_variants_are_few_and_begin_with_the_smallest() -> None:
    calls = [{"count": n, "tags": ["x"] * n} for n in range(200)]
    found = vary_calls(calls)
    assert len(found) <= 240
    assert found[0] == {"count": 0, "tags": []}


def test_edits_that_behave_alike_go_together_and_calls_tell_the_groups_apart() -> None:
    found = behaviours(price, doubled, quiet, clamped, clamped, calls=[{"count": 2, "tags": []}])
    assert found.groups == ((0, 1), (2,), (3, 4))
    assert found.compared == (1, 2, 3, 4)
    calls = found.telling((0, 2, 3))
    told = [tuple(found.words(n, calls).items()) for n in (0, 2, 3)]
    assert len({*told}) == 3
    assert len(calls) <= 2


TICKS = iter(range(1000))


def moody(count: int, tags: list[str]) -> int:
    return next(TICKS) if count else 0


def test_what_is_not_the_same_twice_tells_nothing() -> None:
    found = behaviours(moody, price, calls=[{"count": 2, "tags": []}])
    assert found.inputs == 1, "only the one with count 0"


def refusing(count: int, tags: list[str]) -> int:
    if count < 0:
        raise ValueError(count)
    return count * 3 if count != 4 else 0


def test_a_call_that_ends_well_tells_more_than_one_that_raises() -> None:
    assert difference(quiet, refusing, {"count": 2, "tags": []}) == (
        {"price(count=4, tags=[])": "gives 12"}, {"price(count=4, tags=[])": "gives 0"},
    )  # fmt: skip


def test_what_could_not_be_put_in_place_or_was_not_reached_is_not_compared() -> None:
    calls = vary_calls([{"count": 2, "tags": []}])
    assert run_calls(function(price), lambda: None, calls, time.monotonic() + 60) is None
    assert run_calls(function(price), version(quiet), calls, time.monotonic() - 1) is None
    assert price(2, []) == 6, "what was put in place is taken back"
    found = BehaviourTable([], [None, None])
    assert (found.compared, found.groups, found.inputs, found.words(0, ())) == ((), ((0,),), 0, {})


class Basket:
    def __init__(self, lots: list[int]) -> None:
        self.lots = lots


def test_what_an_object_holds_is_varied_too() -> None:
    basket = Basket([3, 1])
    found = [call["basket"] for call in vary_calls([{"basket": basket}])]
    assert sorted(one.lots for one in found if isinstance(one, Basket)) == [[], [1], [1, 3], [3, 1], [3, 1, 3]]
    assert basket.lots == [3, 1]


def test_after_some_calls_without_end_the_others_are_not_waited_for() -> None:
    calls: list[Arguments] = [{"count": number, "tags": []} for number in (1, 2, 3, 4, 5, 0)]
    told = run_calls(function(price), version(endless), calls, time.monotonic() + 60)
    assert told == [*["does not end"] * 3, *[""] * 3], "and nothing is said of these"


class Pair(NamedTuple):
    first: int
    second: int


def test_what_can_not_be_made_of_its_parts_is_left_as_it_is() -> None:
    calls = vary_calls([{"pair": Pair(1, 2), "day": date.max, "count": 1}])
    assert {call["pair"] for call in calls} == {Pair(1, 2)}
    assert {call["day"] for call in calls} == {date.max}
    assert {call["count"] for call in calls} == {1, 0, 2, -1}
