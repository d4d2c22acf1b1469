from datetime import date
from decimal import Decimal

import pytest

from pennybook import Invoice, Ledger


@pytest.fixture
def ledger():
    book = Ledger()
    for name in (
        "assets",
        "assets:bank",
        "assets:bank:savings",
        "assets:banknotes",
        "assets:receivable",
        "income:sales",
        "liabilities:tax",
        "expenses:rent",
    ):
        book.open_account(name)
    return book


@pytest.fixture
def busy(ledger):
    ledger.post(date(2024, 1, 5), "Opening", [("assets:bank", 1000), ("income:sales", -1000)])
    ledger.post(date(2024, 1, 31), "Rent January", [("expenses:rent", 400), ("assets:bank", -400)])
    ledger.post(date(2024, 2, 10), "To savings", [("assets:bank:savings", 150), ("assets:bank", -150)])
    ledger.post(date(2024, 2, 29), "Rent February", [("expenses:rent", 400), ("assets:bank", -400)])
    ledger.post(date(2024, 3, 1), "Cash sale", [("assets:banknotes", "75.50"), ("income:sales", "-75.50")])
    return ledger


@pytest.fixture
def invoice():
    return Invoice("2024-07", date(2024, 1, 15), "Ada", house_discount=Decimal("0.10"))
