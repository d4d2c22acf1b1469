import pytest

from larder import CacheFull, Larder


def test_put_and_get(cache):
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b") is None
    assert cache.get("b", "none") == "none"
    assert "a" in cache and "b" not in cache


@pytest.mark.parametrize("capacity", [0, -1])
def test_capacity_must_be_positive(capacity):
    with pytest.raises(ValueError):
        Larder(capacity)


@pytest.mark.parametrize("passed, found", [(0, True), (59.9, True), (60, False), (100, False)])
def test_time_to_live(cache, clock, passed, found):
    cache.put("a", 1)
    clock.forward(passed)
    assert ("a" in cache) is found
    assert len(cache) == int(found)


@pytest.mark.parametrize("ttl, found", [(None, True), (5, False), (10, False), (11, True), (0, False)])
def test_entry_with_its_own_time(cache, clock, ttl, found):
    cache.put("a", 1, ttl=ttl)
    clock.forward(10)
    assert (cache.get("a") == 1) is found


def test_zero_time_to_live_means_gone_at_once(cache):
    cache.put("a", 1, ttl=0)
    assert cache.get("a") is None


def test_without_time_to_live_entries_stay(make, clock):
    cache = make(2)
    cache.put("a", 1)
    clock.forward(10**9)
    assert cache.get("a") == 1


def test_the_entry_unused_for_longest_goes(cache, drops):
    for key in "abc":
        cache.put(key, key.upper())
    cache.get("a")
    cache.peek("b")
    cache.put("d", "D")
    assert list(cache) == ["c", "a", "d"]
    assert drops == [("b", "B", "evicted")]


def test_expired_entries_make_room_first(cache, clock, drops):
    cache.put("long", 1, ttl=100)
    cache.put("short", 2, ttl=5)
    cache.put("mid", 3, ttl=50)
    clock.forward(10)
    cache.put("new", 4)
    assert list(cache) == ["long", "mid", "new"]
    assert drops == [("short", 2, "expired")]
    assert cache.stats.evicted == 0


def test_replacing_evicts_nothing(cache, drops):
    for key in "abc":
        cache.put(key, 1)
    cache.put("b", 2)
    assert list(cache) == ["a", "c", "b"]
    assert drops == [("b", 1, "replaced")]


def test_weights(make, drops):
    cache = make(10, weigh=len)
    cache.put("a", "xxxx")
    cache.put("b", "yyyy")
    cache.put("c", "zzzz")
    assert cache.weight == 8
    assert list(cache) == ["b", "c"]
    with pytest.raises(CacheFull, match="'d' weighs 11 of 10"):
        cache.put("d", "x" * 11)
    assert list(cache) == ["b", "c"]


def test_weight_follows_replacement(make):
    cache = make(10, weigh=len)
    for text in ("xxxx", "xx", "xxxxxxxx"):
        cache.put("a", text)
    assert cache.weight == 8
    cache.put("b", "yy")
    assert list(cache) == ["a", "b"]


def test_remove(cache, clock, drops):
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.remove("a") is True
    assert cache.remove("a") is False
    clock.forward(61)
    assert cache.remove("b") is False
    assert drops == [("a", 1, "removed"), ("b", 2, "expired")]
    assert cache.weight == 0


def test_drop_tag(cache):
    cache.put("a", 1, tags=["user", "page"])
    cache.put("b", 2, tags=["page"])
    cache.put("c", 3)
    assert cache.drop_tag("user") == 1
    assert cache.drop_tag("nothing") == 0
    assert cache.drop_tag("page") == 1
    assert list(cache) == ["c"]


def test_touch_starts_anew(cache, clock):
    cache.put("a", 1)
    clock.forward(50)
    assert cache.touch("a")
    clock.forward(50)
    assert "a" in cache
    assert cache.touch("a", 5)
    clock.forward(5)
    assert "a" not in cache
    assert not cache.touch("a")


def test_get_or_make(cache, clock):
    made = []

    def make():
        made.append(clock.now)
        return len(made)

    assert [cache.get_or_make("a", make) for _ in range(3)] == [1, 1, 1]
    clock.forward(60)
    assert cache.get_or_make("a", make) == 2


def test_statistics(cache, clock):
    assert cache.stats.ratio == 0.0
    cache.put("a", 1)
    cache.get("a"), cache.get("a"), cache.get("b")
    clock.forward(60)
    cache.get("a")
    assert cache.stats.line() == "2 hits, 2 misses (50%), 0 evicted, 1 expired"
    cache.clear()
    assert cache.stats.lookups == 0


def test_purge_counts(cache, clock):
    cache.put("a", 1, ttl=1)
    cache.put("b", 1, ttl=2)
    cache.put("c", 1, ttl=9)
    clock.forward(2)
    assert cache.purge() == 2
    assert cache.weight == 1
