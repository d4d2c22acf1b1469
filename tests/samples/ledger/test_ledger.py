from datetime import date

import pytest

from ledger import Entry, Ledger

MAY = [date(2024, 5, day) for day in range(1, 32)]


def ledger_of_may() -> Ledger:
    ledger = Ledger()
    ledger.move(MAY[0], "salary", "bank", 250_000)
    ledger.move(MAY[2], "bank", "rent", 90_000)
    ledger.move(MAY[2], "bank", "wallet", 10_000)
    ledger.move(MAY[9], "wallet", "food", 4_250)
    return ledger


def test_an_empty_ledger():
    assert Ledger().balance("bank") == 0
    assert Ledger().accounts() == []


def test_accounts_are_listed_once():
    assert ledger_of_may().accounts() == ["bank", "food", "rent", "salary", "wallet"]


def test_balances_of_the_month():
    ledger = ledger_of_may()
    assert ledger.balance("bank") == 150_000
    assert ledger.balance("wallet") == 5_750
    assert ledger.balance("salary") == -250_000


def test_all_balances_together_are_nothing():
    ledger = ledger_of_may()
    assert sum(ledger.balance(account) for account in ledger.accounts()) == 0


def test_the_balance_at_the_end_of_a_day():
    ledger = ledger_of_may()
    assert ledger.balance("bank", until=MAY[0]) == 250_000
    assert ledger.balance("bank", until=MAY[1]) == 250_000
    assert ledger.balance("bank", until=MAY[2]) == 150_000


def test_the_balance_before_the_first_entry():
    assert ledger_of_may().balance("bank", until=date(2024, 4, 30)) == 0


@pytest.mark.parametrize("cents", [0, -5])
def test_an_amount_is_positive(cents):
    ledger = Ledger()
    with pytest.raises(ValueError, match="positive"):
        ledger.move(MAY[0], "bank", "wallet", cents)
    assert ledger.entries == []


def test_money_does_not_move_in_circles():
    with pytest.raises(ValueError, match="two accounts"):
        Ledger().move(MAY[0], "bank", "bank", 100)


def test_an_entry_is_returned_as_written():
    assert Ledger().move(MAY[0], "bank", "wallet", 100) == Entry(MAY[0], "bank", "wallet", 100)
