"""Two patches that the tests can not tell apart are told apart by a call, where there is one."""

from collections.abc import Callable
from datetime import date
from types import FunctionType
from typing import NamedTuple

from loopwright.repair.differ import Arguments, Calls, first_difference, outcome, outcomes, varied


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


def difference(first: object, second: object, *calls: Arguments) -> object:
    return first_difference(function(price), version(first), [version(second)], varied(calls))


def test_calls_are_kept_as_they_were_made() -> None:
    calls = Calls(function(price).__code__)
    tags = ["a"]
    calls.start()
    price(2, tags)
    calls.stop()
    assert calls.found == [{"count": 2, "tags": ["a"]}]


def test_a_value_beside_those_of_the_tests_tells_two_apart() -> None:
    told = difference(price, clamped, {"count": 2, "tags": []})
    assert told == {
        "rival": 0, "call": "price(count=-2, tags=[])", "first": "-6, and leaves count=-2, tags=['seen']",
        "second": "0, and leaves count=-2, tags=['seen']",
    }  # fmt: skip


def test_what_is_left_in_the_arguments_tells_two_apart() -> None:
    assert difference(price, quiet, {"count": 0, "tags": []}) == {
        "rival": 0, "call": "price(count=0, tags=[])", "first": "0, and leaves count=0, tags=['seen']", "second": "0",
    }  # fmt: skip


def test_the_same_written_otherwise_is_the_same() -> None:
    assert difference(price, doubled, {"count": 2, "tags": []}) is None


def test_an_endless_call_and_an_exception_are_outcomes() -> None:
    assert outcome(function(endless), {"count": 3, "tags": []}) == "no end"
    assert outcome(function(price), {"count": 3, "tags": None}) == "AttributeError"


def test_variants_are_few_and_begin_with_the_smallest() -> None:
    calls = [{"count": n, "tags": ["x"] * n} for n in range(200)]
    found = varied(calls)
    assert len(found) <= 240
    assert found[0] == {"count": 0, "tags": []}


def test_of_several_the_first_that_does_otherwise_is_told() -> None:
    calls = varied([{"count": 2, "tags": []}])
    told = first_difference(
        function(price), version(price), [version(doubled), version(quiet), version(clamped)], calls
    )
    assert told is not None
    assert told["rival"] == 1


class Basket:
    def __init__(self, lots: list[int]) -> None:
        self.lots = lots


def test_what_an_object_holds_is_varied_too() -> None:
    basket = Basket([3, 1])
    found = [call["basket"] for call in varied([{"basket": basket}])]
    assert sorted(one.lots for one in found if isinstance(one, Basket)) == [[], [1], [1, 3], [3, 1], [3, 1, 3]]
    assert basket.lots == [3, 1]


def test_after_some_calls_without_end_the_others_are_not_waited_for() -> None:
    calls: list[Arguments] = [{"count": number, "tags": []} for number in (1, 2, 3, 4, 5, 0)]
    assert outcomes(function(price), version(endless), calls) == ["no end"] * 6


class Pair(NamedTuple):
    first: int
    second: int


def test_what_can_not_be_made_of_its_parts_is_left_as_it_is() -> None:
    calls = varied([{"pair": Pair(1, 2), "day": date.max, "count": 1}])
    assert {call["pair"] for call in calls} == {Pair(1, 2)}
    assert {call["day"] for call in calls} == {date.max}
    assert {call["count"] for call in calls} == {1, 0, 2, -1}
