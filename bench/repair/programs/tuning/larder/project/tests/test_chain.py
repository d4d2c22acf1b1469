import pytest

from larder import Chain, dump, load


@pytest.fixture
def chain(make):
    return Chain(make(1), make(3))


def test_front_is_filled_from_the_back(chain):
    front, back = chain.levels
    back.put("a", 1)
    assert chain.get("a") == 1
    assert "a" in front
    assert chain.get("a") == 1
    assert back.stats.lookups == 1


def test_put_and_remove_reach_all_levels(chain):
    chain.put("a", 1)
    assert all("a" in level for level in chain.levels)
    chain.put("b", 2)
    assert [list(level) for level in chain.levels] == [["b"], ["a", "b"]]
    assert chain.remove("a") is True
    assert chain.remove("zzz") is False
    assert chain.get("a", "gone") == "gone"


def test_none_is_a_value(chain):
    assert chain.get_or_make("a", lambda: None) is None
    assert chain.get_or_make("a", lambda: 1 / 0) is None


def test_too_heavy_for_the_front(make):
    chain = Chain(make(2, weigh=len), make(9, weigh=len))
    chain.put("a", "xx")
    chain.put("a", "xxxx")
    assert chain.get("a") == "xxxx"
    assert "a" not in chain.levels[0]


def test_stats_are_added(chain):
    chain.get("a")
    chain.put("a", 1)
    chain.get("a")
    assert (chain.stats.hits, chain.stats.misses) == (1, 2)


def test_dump_and_load(make, clock):
    old = make(5, ttl=60)
    old.put("a", [1, 2], tags=["x"])
    clock.forward(20)
    old.put("b", None, ttl=10)
    text = dump(old)
    clock.now = 0.0
    new = make(5, ttl=1)
    assert load(new, text) == 2
    clock.forward(39)
    assert new.get("a") == [1, 2]
    assert "b" not in new
    clock.forward(1)
    assert "a" not in new


def test_dump_of_endless_entries(make, clock):
    old = make(5)
    old.put("a", 1)
    new = make(5, ttl=1)
    load(new, dump(old))
    clock.forward(10**6)
    assert new.get("a") == 1


@pytest.mark.parametrize("text", ["[]", "{}", '{"version": 2, "entries": []}'])
def test_load_refuses(make, text):
    with pytest.raises(ValueError):
        load(make(), text)


def test_dump_needs_text_keys(make):
    cache = make()
    cache.put(1, 1)
    with pytest.raises(TypeError, match="not 1"):
        dump(cache)
