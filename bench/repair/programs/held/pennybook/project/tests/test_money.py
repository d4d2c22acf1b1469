from decimal import Decimal

import pytest

from pennybook import BookError, allocate, format_amount, parse_amount, to_cents


@pytest.mark.parametrize(
    "text, value",
    [
        ("12", "12.00"),
        (" 1,234.5 ", "1234.50"),
        ("-3.005", "-3.01"),
        ("(12.00)", "-12.00"),
        ("5.00-", "-5.00"),
        ("1 000", "1000.00"),
    ],
)
def test_parse_amount(text, value):
    assert parse_amount(text) == Decimal(value)


@pytest.mark.parametrize("text", ["", "abc", "1.2.3", "()", "NaN"])
def test_parse_amount_refuses(text):
    with pytest.raises(BookError):
        parse_amount(text)


def test_halves_round_away_from_zero():
    assert to_cents("0.125") == Decimal("0.13")
    assert to_cents("-0.125") == Decimal("-0.13")


def test_format_amount():
    assert format_amount(Decimal("1234567.8")) == "1,234,567.80"
    assert format_amount(Decimal("-5")) == "-5.00"
    assert format_amount(Decimal("-1234.5"), parens=True) == "(1,234.50)"


def test_allocate_keeps_every_cent():
    assert allocate("100", [1, 1, 1]) == [Decimal("33.34"), Decimal("33.33"), Decimal("33.33")]
    assert sum(allocate("0.05", [3, 7])) == Decimal("0.05")


def test_allocate_prefers_the_largest_fraction():
    assert allocate("0.10", [1, 2, 4]) == [Decimal("0.01"), Decimal("0.03"), Decimal("0.06")]


def test_allocate_negative_and_zero_weights():
    assert allocate("-1", [1, 0, 1]) == [Decimal("-0.50"), Decimal("0.00"), Decimal("-0.50")]


@pytest.mark.parametrize("weights", [[], [0, 0], [2, -1]])
def test_allocate_refuses_bad_weights(weights):
    with pytest.raises(BookError):
        allocate("1", weights)
