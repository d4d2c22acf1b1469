from decimal import Decimal

import pytest

from tally import Amount, AmountError, parse_amount


@pytest.mark.parametrize(
    "text, expected",
    [
        ("12.50 EUR", Amount(Decimal("12.50"), "EUR")),
        ("$12.50", Amount(Decimal("12.50"), "USD")),
        ("-$3", Amount(Decimal(-3), "USD")),
        ("1,000 JPY", Amount(Decimal(1000), "JPY")),
        ("  -0.5   GBP ", Amount(Decimal("-0.5"), "GBP")),
    ],
)
def test_parse(text, expected):
    assert parse_amount(text) == expected


@pytest.mark.parametrize("text", ["", "12", "EUR", "1,00 EUR", "12.5eur", "$", "1.2.3 EUR", "5 euro"])
def test_parse_refuses(text):
    with pytest.raises(AmountError):
        parse_amount(text)


def test_rounding_is_half_up_and_by_currency():
    assert str(parse_amount("2.345 EUR")) == "2.35 EUR"
    assert str(parse_amount("2.5 JPY")) == "3 JPY"
    assert str(parse_amount("-1234567.891 USD")) == "-1,234,567.89 USD"


def test_currencies_do_not_mix():
    with pytest.raises(AmountError, match="cannot mix EUR and USD"):
        parse_amount("1 EUR") + parse_amount("$1")
