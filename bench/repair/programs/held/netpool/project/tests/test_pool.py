import pytest

from netpool import Pool, PoolError, parse_address, report


def test_lowest_block_first(pool, free_texts):
    assert str(pool.allocate("a", 26)) == "10.0.0.0/26"
    assert free_texts() == ["10.0.0.64/26", "10.0.0.128/25"]


def test_tightest_space_first(pool):
    pool.allocate("a", 26)
    pool.allocate("b", 25)
    pool.release("a")
    pool.allocate("c", 28)
    assert str(pool.allocate("d", 28)) == "10.0.0.16/28"
    pool.release("c")
    assert str(pool.allocate("e", 27)) == "10.0.0.32/27"
    assert str(pool.allocate("f", 28)) == "10.0.0.0/28"


def test_whole_network(pool, free_texts):
    pool.allocate("all", 24)
    assert free_texts() == []
    with pytest.raises(PoolError, match="no room for a /30"):
        pool.allocate("more", 30)


@pytest.mark.parametrize("prefix", [23, 31])
def test_sizes_outside_of_the_pool(pool, prefix):
    with pytest.raises(PoolError):
        pool.allocate("a", prefix)


def test_names_are_unique(pool):
    pool.allocate("a", 26)
    with pytest.raises(PoolError):
        pool.allocate("a", 26)
    with pytest.raises(PoolError):
        pool.release("b")


def test_release_melts_all_the_way(pool, free_texts):
    for name in "abcd":
        pool.allocate(name, 28)
    for name in "bdca":
        pool.release(name)
    assert free_texts() == ["10.0.0.0/24"]
    assert str(pool.allocate("all", 24)) == "10.0.0.0/24"


def test_release_leaves_used_buddies_alone(pool, free_texts):
    pool.allocate("a", 26)
    pool.allocate("b", 26)
    pool.release("a")
    assert free_texts() == ["10.0.0.0/26", "10.0.0.128/25"]


def test_no_melting_beyond_the_network(block):
    pool = Pool(block("10.0.1.0/24"))
    pool.allocate("a", 24)
    pool.release("a")
    assert pool.free_blocks() == [block("10.0.1.0/24")]


@pytest.mark.parametrize("hosts, prefix", [(1, 30), (2, 30), (3, 29), (6, 29), (7, 28), (254, 24)])
def test_prefix_for(pool, hosts, prefix):
    assert pool.prefix_for(hosts) == prefix


@pytest.mark.parametrize("hosts", [0, -3, 255])
def test_prefix_for_nobody_and_too_many(pool, hosts):
    with pytest.raises(PoolError):
        pool.prefix_for(hosts)


def test_pairs_and_singles(block):
    pool = Pool(block("10.0.0.0/29"), smallest=32)
    assert pool.prefix_for(1) == 32
    assert pool.prefix_for(2) == 31
    assert str(pool.allocate_hosts("loop", 1)) == "10.0.0.0/32"
    assert str(pool.allocate_hosts("link", 2)) == "10.0.0.2/31"


def test_allocate_all_largest_first(pool):
    done = pool.allocate_all({"small": 2, "large": 100, "middle": 20})
    assert {name: str(item) for name, item in done.items()} == {
        "small": "10.0.0.160/30",
        "large": "10.0.0.0/25",
        "middle": "10.0.0.128/27",
    }


def test_allocate_all_or_nothing(pool, free_texts):
    pool.allocate("old", 25)
    with pytest.raises(PoolError):
        pool.allocate_all({"a": 60, "b": 60, "c": 2})
    assert pool.names() == ["old"]
    assert free_texts() == ["10.0.0.128/25"]
    pool.allocate_all({"a": 60, "b": 60})
    assert free_texts() == []


def test_reserve_in_the_middle(pool, block, free_texts):
    pool.reserve("web", block("10.0.0.64/27"))
    assert free_texts() == ["10.0.0.0/26", "10.0.0.96/27", "10.0.0.128/25"]
    with pytest.raises(PoolError, match="not free"):
        pool.reserve("web2", block("10.0.0.64/28"))
    with pytest.raises(PoolError, match="not in"):
        pool.reserve("web3", block("10.0.1.0/28"))


def test_resize(pool):
    pool.allocate("a", 26)
    pool.allocate("b", 26)
    assert str(pool.resize("a", 25)) == "10.0.0.128/25"
    assert str(pool.resize("b", 26)) == "10.0.0.64/26"


def test_resize_without_room_changes_nothing(pool):
    pool.allocate("a", 25)
    pool.allocate("b", 25)
    with pytest.raises(PoolError):
        pool.resize("a", 24)
    assert str(pool.block_of("a")) == "10.0.0.0/25"
    assert pool.free_blocks() == []


def test_owner_of(pool):
    pool.allocate("a", 26)
    assert pool.owner_of(parse_address("10.0.0.63")) == "a"
    assert pool.owner_of(parse_address("10.0.0.64")) is None


def test_report(pool):
    pool.allocate("web", 25)
    pool.allocate("Lab", 26)
    assert report(pool).splitlines() == [
        "10.0.0.0/25    10.0.0.127            126  web",
        "10.0.0.128/26  10.0.0.191             62  Lab",
        "10.0.0.192/26  10.0.0.255             62  (free)",
        "75.0% used",
    ]


def test_report_by_name(pool):
    pool.allocate("web", 25)
    pool.allocate("Lab", 26)
    names = [line.split()[-1] for line in report(pool, by="name").splitlines()]
    assert names == ["Lab", "web", "(free)", "used"]
    with pytest.raises(ValueError):
        report(pool, by="size")


def test_report_sorts_by_number(block):
    pool = Pool(block("10.0.0.0/16"))
    pool.reserve("nine", block("10.0.9.0/24"))
    pool.reserve("ten", block("10.0.10.0/24"))
    names = [line.split()[-1] for line in report(pool).splitlines()]
    assert names.index("nine") < names.index("ten")
