import pytest

from flowgate import AllOf, Decision, KeyedLimiter, SlidingWindow, TokenBucket


@pytest.fixture
def both(clock):
    return AllOf([TokenBucket(4, 1, clock), SlidingWindow(2, 10, clock)])


def test_all_limits_must_allow(both):
    assert both.hit() == Decision(True, 1)
    assert both.hit() == Decision(True, 0)
    assert both.hit() == Decision(False, 0, 10)


def test_refused_hit_uses_nothing_up(both):
    both.hit(2)
    both.hit()
    assert [limit.check(0).remaining for limit in both.limits] == [2, 0]


def test_longest_wait_counts(both, clock):
    both.hit(2)
    clock.tick(1)
    assert both.check(2).retry_after == 9


def test_all_give_back(both):
    both.hit(2)
    both.give_back()
    assert both.check().remaining == 1


def test_all_of_nothing():
    with pytest.raises(ValueError):
        AllOf([])


def test_keys_are_counted_on_their_own(clock):
    limiter = KeyedLimiter("1/s", clock)
    assert limiter.hit("a")
    assert limiter.hit("b")
    assert not limiter.hit("a")


def test_keys_ignore_case_and_blanks(clock):
    limiter = KeyedLimiter("1/s", clock, exempt=["Admin "])
    assert limiter.hit("Alice")
    assert not limiter.hit(" alice")
    assert "ALICE" in limiter
    assert [bool(limiter.hit("admin")) for _ in range(3)] == [True] * 3


def test_exempt_keys_in_any_spelling(clock):
    limiter = KeyedLimiter("1/m", clock, exempt=("ROOT", "Web App"))
    for key in ("root", "Root ", "web app", "WEB APP"):
        assert [bool(limiter.hit(key)) for _ in range(2)] == [True, True]
    assert len(limiter) == 0


def test_oldest_key_is_forgotten(clock):
    limiter = KeyedLimiter("1/s", clock, max_keys=2)
    for key in ("a", "b", "a", "c"):
        limiter.hit(key)
    assert len(limiter) == 2
    assert "a" in limiter
    assert "b" not in limiter


def test_check_uses_nothing_up(clock):
    limiter = KeyedLimiter("1/s", clock)
    assert limiter.check("a")
    assert "a" not in limiter
    limiter.hit("a")
    assert not limiter.check("a")


def test_reset_one_and_all(clock):
    limiter = KeyedLimiter("1/m", clock)
    limiter.hit("a")
    limiter.hit("b")
    limiter.reset("A")
    limiter.reset("unknown")
    assert limiter.check("a")
    assert not limiter.check("b")
    limiter.reset()
    assert limiter.check("b")


def test_headers(clock):
    limiter = KeyedLimiter("2/10s", clock)
    assert limiter.headers("a") == {"X-RateLimit-Remaining": "1"}
    limiter.hit("a")
    clock.tick(0.5)
    assert limiter.headers("a") == {
        "X-RateLimit-Remaining": "0",
        "Retry-After": "10",
    }


def test_retry_header_is_never_zero(clock):
    limiter = KeyedLimiter("1/10s", clock)
    limiter.hit("a")
    clock.tick(9.75)
    assert limiter.headers("a")["Retry-After"] == "1"


def test_two_rules(clock):
    limiter = KeyedLimiter("2/s burst 2; 3/m", clock)
    limiter.hit("a", 2)
    clock.tick(1)
    assert limiter.hit("a") == Decision(True, 0)
    clock.tick(1)
    assert limiter.hit("a") == Decision(False, 0, 58)
