import pytest

from netpool import AddressError, Block, format_address, parse_address, parse_block, summarize


@pytest.mark.parametrize(
    "text, number",
    [("0.0.0.0", 0), ("0.0.1.0", 256), ("10.0.0.1", 167772161), ("255.255.255.255", 2**32 - 1)],
)
def test_addresses_both_ways(text, number):
    assert parse_address(text) == number
    assert format_address(number) == text


@pytest.mark.parametrize(
    "bad", ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.x", "1.2.3.-4", "1.2.3.04", "1..2.3", "1.2.3.4 ", "1.2.3.²"]
)
def test_bad_addresses(bad):
    with pytest.raises(AddressError):
        parse_address(bad)


@pytest.mark.parametrize("number", [-1, 2**32])
def test_numbers_outside(number):
    with pytest.raises(AddressError):
        format_address(number)


def test_block_properties(block):
    net = block("192.168.4.0/22")
    assert net.size == 1024
    assert format_address(net.last) == "192.168.7.255"
    assert net.mask == "255.255.252.0"
    assert str(net) == "192.168.4.0/22"


def test_block_of_everything(block):
    everything = block("0.0.0.0/0")
    assert everything.mask == "0.0.0.0"
    assert everything.contains(block("255.255.255.255"))


@pytest.mark.parametrize("bad", ["10.0.0.1/24", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "/8"])
def test_bad_blocks(bad):
    with pytest.raises(AddressError):
        parse_block(bad)


def test_host_bits_are_cut_when_not_strict():
    assert str(parse_block("10.1.2.3/8", strict=False)) == "10.0.0.0/8"
    with pytest.raises(AddressError):
        parse_block("10.1.2.3/40", strict=False)


@pytest.mark.parametrize("text, count", [("10.0.0.0/24", 254), ("10.0.0.0/30", 2), ("10.0.0.0/31", 2), ("10.0.0.7", 1)])
def test_hosts(block, text, count):
    assert len(block(text).hosts()) == count


def test_hosts_leave_out_the_ends(block):
    hosts = block("10.0.0.8/29").hosts()
    assert format_address(hosts[0]) == "10.0.0.9"
    assert format_address(hosts[-1]) == "10.0.0.14"


@pytest.mark.parametrize(
    "one, two, expected",
    [
        ("10.0.0.0/24", "10.0.0.128/25", True),
        ("10.0.0.128/25", "10.0.0.0/24", True),
        ("10.0.0.0/25", "10.0.0.128/25", False),
        ("10.0.0.4", "10.0.0.4", True),
    ],
)
def test_overlaps(block, one, two, expected):
    assert block(one).overlaps(block(two)) is expected


def test_contains(block):
    net = block("10.0.0.0/24")
    assert net.contains(parse_address("10.0.0.255"))
    assert not net.contains(parse_address("10.0.1.0"))
    assert net.contains(net)
    assert not net.contains(block("10.0.0.0/23"))


def test_buddies(block):
    low, high = block("10.0.0.0/24").halves()
    assert low.buddy == high and high.buddy == low
    assert low.parent == high.parent == block("10.0.0.0/24")


@pytest.mark.parametrize(
    "texts, expected",
    [
        ([], []),
        (["10.0.0.0/25", "10.0.0.128/25"], ["10.0.0.0/24"]),
        (["10.0.0.128/25", "10.0.1.0/25"], ["10.0.0.128/25", "10.0.1.0/25"]),
        (["10.0.0.0/26", "10.0.0.64/26", "10.0.0.128/25", "10.0.1.0/24"], ["10.0.0.0/23"]),
        (["10.0.0.0/24", "10.0.0.7", "10.0.0.0/24"], ["10.0.0.0/24"]),
        (["9.0.0.0/8", "10.0.0.0/8"], ["9.0.0.0/8", "10.0.0.0/8"]),
    ],
)
def test_summarize(block, texts, expected):
    assert [str(item) for item in summarize([block(text) for text in texts])] == expected


def test_blocks_sort_by_address():
    assert sorted([Block(256, 24), Block(0, 25), Block(0, 24)]) == [Block(0, 24), Block(0, 25), Block(256, 24)]
