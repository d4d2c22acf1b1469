import pytest

from gridcalc import Ref, column_name, column_number, expand, parse_ref


@pytest.mark.parametrize(
    "name, number",
    [("A", 1), ("B", 2), ("Z", 26), ("AA", 27), ("AZ", 52), ("BA", 53), ("ZZ", 702), ("AAA", 703)],
)
def test_columns_both_ways(name, number):
    assert column_number(name) == number
    assert column_name(number) == name


def test_column_zero_does_not_exist():
    with pytest.raises(ValueError):
        column_name(0)


def test_parse_ref_keeps_dollars():
    ref = parse_ref("$c$12")
    assert ref == Ref(3, 12, True, True)
    assert str(ref) == "$C$12"


@pytest.mark.parametrize("bad", ["", "A", "A0", "1A", "A1B", "ABCD1"])
def test_bad_refs(bad):
    with pytest.raises(ValueError):
        parse_ref(bad)


def test_moved_respects_dollars():
    assert str(parse_ref("A1").moved(1, 2)) == "B3"
    assert str(parse_ref("$A1").moved(1, 2)) == "$A3"
    assert str(parse_ref("A$1").moved(1, 2)) == "B$1"
    assert str(parse_ref("$A$1").moved(1, 2)) == "$A$1"


def test_moved_off_the_grid():
    assert parse_ref("A1").moved(-1, 0) is None
    assert parse_ref("A$1").moved(0, -4) == parse_ref("A$1")


def test_expand_takes_corners_in_any_order():
    whole = expand(parse_ref("A1"), parse_ref("B2"))
    assert whole == [(1, 1), (2, 1), (1, 2), (2, 2)]
    assert expand(parse_ref("B1"), parse_ref("A2")) == whole
