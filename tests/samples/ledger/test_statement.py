from datetime import date

from ledger import Ledger
from statement import entries_between, statement


def small_ledger() -> Ledger:
    ledger = Ledger()
    ledger.move(date(2024, 1, 31), "salary", "bank", 900)
    ledger.move(date(2024, 2, 29), "bank", "rent", 500)
    ledger.move(date(2024, 2, 1), "bank", "wallet", 100)
    ledger.move(date(2024, 3, 1), "salary", "bank", 950)
    return ledger


def test_entries_come_in_order_of_time():
    found = entries_between(small_ledger(), "bank", date(2024, 2, 1), date(2024, 2, 29))
    assert [entry.cents for entry in found] == [100, 500]


def test_entries_of_other_accounts_stay_out():
    assert entries_between(small_ledger(), "wallet", date(2024, 2, 2), date(2024, 12, 31)) == []


def test_the_statement_of_february():
    assert statement(small_ledger(), "bank", date(2024, 2, 1), date(2024, 2, 29)) == [
        "opening 900",
        "2024-02-01 -100 wallet",
        "2024-02-29 -500 rent",
        "closing 300",
    ]


def test_the_statement_of_a_single_day():
    assert statement(small_ledger(), "bank", date(2024, 3, 1), date(2024, 3, 1)) == [
        "opening 300",
        "2024-03-01 +950 salary",
        "closing 1250",
    ]
