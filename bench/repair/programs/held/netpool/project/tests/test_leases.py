import pytest

from netpool import LeaseTable, PoolError, format_address, parse_address


@pytest.fixture
def table(block):
    return LeaseTable(block("10.0.0.0/29"), duration=100)


def address(table, client, now):
    return format_address(table.request(client, now).address)


def test_first_free_host(table):
    assert address(table, "aa", 0) == "10.0.0.1"
    assert address(table, "bb", 0) == "10.0.0.2"


def test_running_lease_gets_longer(table):
    assert table.request("aa", 0).until == 100
    assert address(table, "aa", 60) == "10.0.0.1"
    assert table.active(120) == [("aa", "10.0.0.1")]


def test_clients_are_one_in_any_spelling(table):
    table.request("AA-BB-01", 0)
    assert address(table, "aa:bb:01", 5) == "10.0.0.1"
    assert table.release(" Aa:bB:01 ")
    assert not table.release("aa:bb:01")


def test_lease_ends(table):
    table.request("aa", 0)
    table.request("bb", 50)
    assert table.active(99) == [("aa", "10.0.0.1"), ("bb", "10.0.0.2")]
    assert table.active(100) == [("bb", "10.0.0.2")]
    assert table.expire(100) == ["aa"]
    assert table.expire(100) == []


def test_same_address_after_a_pause(table):
    table.request("aa", 0)
    table.request("bb", 0)
    table.release("aa")
    table.release("bb")
    assert address(table, "bb", 10) == "10.0.0.2"
    assert address(table, "cc", 10) == "10.0.0.1"
    assert address(table, "aa", 10) == "10.0.0.3"


def test_full_block(table):
    for number in range(6):
        table.request(f"c{number}", 0)
    with pytest.raises(PoolError, match="full"):
        table.request("late", 50)
    assert address(table, "late", 100) == "10.0.0.1"


def test_static_addresses(block):
    table = LeaseTable(block("10.0.0.0/29"), static={"AA": parse_address("10.0.0.1")})
    assert address(table, "bb", 0) == "10.0.0.2"
    assert address(table, "aa", 0) == "10.0.0.1"


@pytest.mark.parametrize("text", ["10.0.0.0", "10.0.0.7", "10.0.0.9"])
def test_static_addresses_must_be_hosts(table, text):
    with pytest.raises(PoolError):
        table.fix("aa", parse_address(text))


def test_static_address_only_once(table):
    table.fix("aa", parse_address("10.0.0.3"))
    with pytest.raises(PoolError):
        table.fix("bb", parse_address("10.0.0.3"))


def test_tables_do_not_share(block):
    one = LeaseTable(block("10.0.0.0/29"))
    two = LeaseTable(block("10.0.0.0/29"))
    one.fix("aa", parse_address("10.0.0.1"))
    assert address(two, "bb", 0) == "10.0.0.1"
