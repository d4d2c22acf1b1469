import pytest

from flowgate import CostTooHigh, Decision, SlidingWindow, TokenBucket


@pytest.fixture
def bucket(clock):
    return TokenBucket(5, 2, clock)


@pytest.fixture
def window(clock):
    return SlidingWindow(3, 10, clock)


def test_bucket_starts_full(bucket):
    assert [bucket.hit().remaining for _ in range(5)] == [4, 3, 2, 1, 0]


def test_empty_bucket_refuses(bucket):
    bucket.hit(5)
    assert bucket.hit() == Decision(False, 0, 0.5)


def test_refused_hit_takes_nothing(bucket):
    bucket.hit(3)
    assert not bucket.hit(4)
    assert bucket.hit(2)


def test_bucket_refills(bucket, clock):
    bucket.hit(5)
    clock.tick(1)
    assert bucket.check().remaining == 2


def test_bucket_does_not_overflow(bucket, clock):
    clock.tick(100)
    assert bucket.check().remaining == 5


def test_parts_of_tokens_add_up(bucket, clock):
    bucket.hit(5)
    for _ in range(4):
        clock.tick(0.25)
        bucket.check()
    assert bucket.check().remaining == 2


def test_clock_that_goes_back_takes_no_tokens(bucket, clock):
    bucket.hit(2)
    clock.tick(-50)
    assert bucket.check().remaining == 3
    clock.tick(50)
    assert bucket.check().remaining == 3


def test_retry_after_is_enough(bucket, clock):
    bucket.hit(5)
    wait = bucket.check(3).retry_after
    assert wait == 1.5
    clock.tick(wait)
    assert bucket.hit(3)


def test_cost_zero_is_free(bucket):
    bucket.hit(5)
    assert bucket.hit(0).allowed


def test_cost_above_capacity(bucket):
    with pytest.raises(CostTooHigh, match="cost 6 is above capacity 5"):
        bucket.hit(6)


def test_negative_cost(bucket):
    with pytest.raises(ValueError):
        bucket.hit(-1)


def test_give_back(bucket):
    bucket.hit(3)
    bucket.give_back(2)
    assert bucket.check().remaining == 4
    bucket.give_back(9)
    assert bucket.check().remaining == 5


def test_reset_bucket(bucket, clock):
    bucket.hit(5)
    clock.tick(-10)
    bucket.reset()
    assert bucket.check().remaining == 5


def test_window_counts(window):
    assert [window.hit().allowed for _ in range(4)] == [True, True, True, False]


def test_window_opens_when_the_span_is_over(window, clock):
    window.hit(3)
    clock.tick(9.5)
    assert window.hit() == Decision(False, 0, 0.5)
    clock.tick(0.5)
    assert window.hit() == Decision(True, 2)


def test_window_frees_hit_by_hit(window, clock):
    window.hit()
    clock.tick(4)
    window.hit(2)
    clock.tick(6)
    assert window.check().remaining == 1


def test_window_wait_for_higher_cost(window, clock):
    window.hit()
    clock.tick(4)
    window.hit(2)
    assert window.check(1).retry_after == 6
    assert window.check(2).retry_after == 10


def test_window_with_a_clock_that_goes_back(window, clock):
    window.hit(3)
    clock.tick(-5)
    assert window.check().retry_after == 10


def test_window_give_back(window):
    window.hit(2)
    window.give_back()
    assert window.check().remaining == 2
    window.give_back(5)
    assert window.check().remaining == 3


def test_reset_window(window):
    window.hit(3)
    window.reset()
    assert window.check().remaining == 3


@pytest.mark.parametrize("args", [(0, 1), (1, 0), (1, -1)])
def test_bad_settings(clock, args):
    with pytest.raises(ValueError):
        TokenBucket(*args, clock)
    with pytest.raises(ValueError):
        SlidingWindow(*args, clock)
