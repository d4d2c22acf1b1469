from datetime import date
from decimal import Decimal

import pytest

from tally import LedgerError, balance_table, parse_amount, register


def test_accounts(household):
    assert household.accounts() == [
        "Assets:Bank",
        "Assets:Bank:Dollars",
        "Assets:Bankers Club",
        "Equity:Opening",
        "Expenses:Books",
        "Expenses:Food",
    ]


def test_balance_counts_children_only(household):
    assert household.balance("Assets:Bank") == {
        "EUR": parse_amount("957.50 EUR"),
        "USD": parse_amount("-$30"),
    }


def test_balance_before_a_day(household):
    assert household.balance("Expenses", date(2024, 2, 10)) == {"USD": parse_amount("$30")}


def test_balance_of_nothing(household):
    assert household.balance("Income") == {}


@pytest.mark.parametrize(
    "day, expected",
    [(date(2024, 1, 1), "0.90"), (date(2024, 2, 29), "0.90"), (date(2024, 3, 1), "0.95"), (date(2025, 1, 1), "0.95")],
)
def test_rate_is_the_latest_known(household, day, expected):
    assert household.rate("USD", "EUR", day) == Decimal(expected)


def test_rate_turned_round(household):
    assert household.rate("EUR", "USD", date(2024, 1, 1)) == 1 / Decimal("0.90")


def test_rate_before_the_first_price(household):
    with pytest.raises(LedgerError, match="no price for USD in EUR on 2023-12-31"):
        household.rate("USD", "EUR", date(2023, 12, 31))


def test_value_in_one_currency(household):
    assert str(household.value("Assets:Bank", "EUR", date(2024, 3, 5))) == "929.00 EUR"


def test_value_of_many_small_holdings(ledger_of):
    ledger = ledger_of(
        """\
        price 2024-01-01 USD 0.333 EUR
        price 2024-01-01 GBP 0.333 EUR

        2024-01-02 Found
            Assets:Jar    $0.04
            Assets:Jar    0.04 GBP
            Income:Luck
        """
    )
    assert str(ledger.value("Assets", "EUR", date(2024, 1, 3))) == "0.03 EUR"


def test_tags_ignore_case(household):
    assert [t.payee for t in household.by_tag("home")] == ["Bookshop", "Grocer"]


def test_monthly(ledger_of):
    ledger = ledger_of(
        """\
        2024-02-03 A
            Food    3 EUR
            Cash
        2024-01-31 B
            Food    5 EUR
            Cash
        2024-02-01 C
            Food    4 EUR
            Cash
        """
    )
    months = ledger.monthly("Food", "EUR")
    assert {month: str(amount) for month, amount in months.items()} == {
        "2024-01": "5.00 EUR",
        "2024-02": "7.00 EUR",
    }


def test_balance_table(ledger_of):
    ledger = ledger_of(
        """\
        2024-01-02 Pay
            Assets:Bank    1,200 EUR
            Assets:Cash    50 EUR
            Income
        2024-01-03 Swap
            Assets:Cash    $5
            Income:Luck
        """
    )
    assert balance_table(ledger) == (
        " 1,250.00 EUR  Assets\n"
        "     5.00 USD\n"
        " 1,200.00 EUR    Bank\n"
        "    50.00 EUR    Cash\n"
        "     5.00 USD\n"
        "-1,250.00 EUR  Income\n"
        "    -5.00 USD\n"
        "    -5.00 USD    Luck\n"
    )


def test_register_runs(household):
    assert register(household, "Assets:Bank", "EUR") == [
        "2024-01-02 * Opening      1,000.00 EUR = 1,000.00 EUR",
        "2024-02-10   Grocer       -42.50 EUR = 957.50 EUR",
    ]


def test_same_day_keeps_the_order_of_the_file(ledger_of):
    ledger = ledger_of("2024-01-02 Z\n  A  1 EUR\n  B\n2024-01-02 Y\n  A  1 EUR\n  B\n")
    assert [t.payee for t in ledger.transactions] == ["Z", "Y"]
