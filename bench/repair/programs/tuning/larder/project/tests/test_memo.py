import pytest

from larder import Larder, make_key, memoize


@pytest.fixture
def calls():
    return []


@pytest.fixture
def area(make, calls):
    @memoize(make(10, ttl=60))
    def area(width, height=1, *, unit="m"):
        """Area of a floor."""
        calls.append((width, height, unit))
        return f"{width * height} {unit}2"

    return area


def test_second_call_is_remembered(area, calls):
    assert area(2, 3) == "6 m2"
    assert area(2, 3) == "6 m2"
    assert calls == [(2, 3, "m")]
    assert area.__doc__ == "Area of a floor."


def test_keyword_arguments_tell_calls_apart(area):
    assert area(2, 3) == "6 m2"
    assert area(2, 3, unit="cm") == "6 cm2"
    assert area(2, height=5) == "10 m2"


def test_order_of_keyword_arguments(area, calls):
    area(height=2, width=3)
    area(width=3, height=2)
    assert len(calls) == 1


def test_results_expire(area, calls, clock):
    area(1)
    clock.forward(60)
    area(1)
    assert len(calls) == 2


def test_forget(area, calls):
    area(1, unit="ft")
    assert area.forget(1, unit="ft") is True
    assert area.forget(1) is False
    area(1, unit="ft")
    assert len(calls) == 2


def test_nothing_is_a_result_too():
    calls = []

    @memoize(Larder(5))
    def find(name):
        calls.append(name)
        return None

    assert find("x") is None and find("x") is None
    assert calls == ["x"]


def test_functions_share_a_cache():
    cache = Larder(5)

    @memoize(cache)
    def double(x):
        return x * 2

    @memoize(cache)
    def square(x):
        return x * x

    assert (double(3), square(3)) == (6, 9)
    assert len(cache) == 2


def test_failure_is_not_remembered(make):
    answers = iter([ValueError("no"), 5])

    @memoize(make())
    def shaky():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ValueError):
        shaky()
    assert shaky() == 5


@pytest.mark.parametrize("typed, same", [(False, True), (True, False)])
def test_typed_keys(typed, same):
    assert (make_key((1,), {}, typed) == make_key((1.0,), {}, typed)) is same
