from datetime import date
from decimal import Decimal

import pytest

from pennybook import BookError, ClosedPeriod, Ledger, Unbalanced, UnknownAccount

DAY = date(2024, 5, 1)


@pytest.mark.parametrize("name", ["", "a::b", ":a", "a: "])
def test_bad_account_names(name):
    with pytest.raises(BookError):
        Ledger().open_account(name)


def test_account_opens_once(ledger):
    with pytest.raises(BookError):
        ledger.open_account("assets:bank")


def test_post_numbers_transactions(busy):
    assert [t.number for t in busy.transactions()] == [1, 2, 3, 4, 5]


def test_unbalanced_is_refused(ledger):
    with pytest.raises(Unbalanced) as caught:
        ledger.post(DAY, "oops", [("assets:bank", 10), ("income:sales", "-9.99")])
    assert caught.value.difference == Decimal("0.01")


def test_single_posting_is_refused(ledger):
    with pytest.raises(BookError):
        ledger.post(DAY, "nothing", [("assets:bank", 0)])


def test_refused_transaction_changes_nothing(ledger):
    with pytest.raises(UnknownAccount):
        ledger.post(DAY, "typo", [("assets:bank", 10), ("income:sale", -10)])
    assert ledger.total("assets:bank") == 0
    assert ledger.transactions() == []


def test_total_includes_accounts_below(busy):
    assert busy.total("assets:bank:savings") == Decimal("150.00")
    assert busy.total("assets:bank") == Decimal("200.00")
    assert busy.total("income") == Decimal("-1075.50")


def test_total_of_unknown_account(busy):
    with pytest.raises(UnknownAccount):
        busy.total("equity")


def test_family(ledger):
    assert ledger.family("assets:bank") == ["assets:bank", "assets:bank:savings"]
    assert ledger.family("income") == ["income:sales"]
    assert ledger.family("nothing") == []


def test_balance_at_includes_the_day(busy):
    assert busy.balance_at("assets:bank", date(2024, 1, 30)) == Decimal("1000.00")
    assert busy.balance_at("assets:bank", date(2024, 1, 31)) == Decimal("600.00")


def test_transactions_are_sorted_by_day(ledger):
    pair = [("assets:bank", 1), ("income:sales", -1)]
    ledger.post(date(2024, 2, 1), "b", pair)
    ledger.post(date(2024, 1, 1), "a", pair)
    ledger.post(date(2024, 2, 1), "c", pair)
    assert [t.text for t in ledger.transactions()] == ["a", "b", "c"]
    assert [t.text for t in ledger.transactions(end=date(2024, 1, 31))] == ["a"]


def test_closed_period(busy):
    busy.close_until(date(2024, 1, 31))
    with pytest.raises(ClosedPeriod):
        busy.post(date(2024, 1, 31), "late", [("assets:bank", 1), ("income:sales", -1)])
    busy.close_until(date(2023, 12, 31))
    with pytest.raises(ClosedPeriod):
        busy.post(date(2024, 1, 2), "late", [("assets:bank", 1), ("income:sales", -1)])
    busy.post(date(2024, 2, 1), "in time", [("assets:bank", 1), ("income:sales", -1)])


def test_reverse(busy):
    back = busy.reverse(2, date(2024, 3, 2))
    assert back.reverses == 2
    assert back.text == "Reversal of Rent January"
    assert busy.total("expenses:rent") == Decimal("400.00")


def test_reverse_only_once(busy):
    busy.reverse(2, date(2024, 3, 2))
    with pytest.raises(BookError, match="already reversed"):
        busy.reverse(2, date(2024, 3, 3))
    assert busy.total("expenses:rent") == Decimal("400.00")


def test_refused_reversal_can_be_tried_again(busy):
    busy.close_until(date(2024, 3, 31))
    with pytest.raises(ClosedPeriod):
        busy.reverse(2, date(2024, 3, 2))
    assert busy.reverse(2, date(2024, 4, 1)).reverses == 2


def test_trial_balance(busy):
    rows = busy.trial_balance()
    assert ("expenses:rent", Decimal("800.00"), Decimal("0.00")) in rows
    assert ("income:sales", Decimal("0.00"), Decimal("1075.50")) in rows
    assert sum(row[1] for row in rows) == sum(row[2] for row in rows)
    assert "assets:receivable" not in [row[0] for row in rows]
