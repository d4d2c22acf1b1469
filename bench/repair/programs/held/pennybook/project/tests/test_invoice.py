from datetime import date
from decimal import Decimal

import pytest

from pennybook import BookError, Invoice


def test_empty_invoice_is_zero(invoice):
    assert (invoice.net, invoice.tax, invoice.total) == (0, 0, 0)


def test_house_discount_applies(invoice):
    invoice.add("desk", 2, "100.00")
    assert invoice.net == Decimal("180.00")
    assert invoice.tax == Decimal("36.00")
    assert invoice.total == Decimal("216.00")


def test_own_discount_beats_house_discount(invoice):
    invoice.add("chair", 1, "100.00", discount=Decimal("0.25"))
    assert invoice.net == Decimal("75.00")


def test_line_without_any_discount(invoice):
    invoice.add("book at a fixed price", 1, "30.00", discount=Decimal(0))
    assert invoice.net == Decimal("30.00")


def test_tax_is_listed_per_rate(invoice):
    invoice.house_discount = Decimal(0)
    invoice.add("bread", 3, "2.00", tax_rate=Decimal("0.05"))
    invoice.add("oven", 1, "400.00")
    invoice.add("cake", 1, "10.00", tax_rate=Decimal("0.05"))
    assert list(invoice.tax_by_rate().items()) == [
        (Decimal("0.20"), Decimal("80.00")),
        (Decimal("0.05"), Decimal("0.80")),
    ]


def test_many_cheap_lines():
    invoice = Invoice("1", date(2024, 1, 1), "Bob")
    for _ in range(10):
        invoice.add("screw", 1, "0.02")
    assert invoice.net == Decimal("0.20")
    assert invoice.tax == Decimal("0.04")


def test_fractional_quantities():
    invoice = Invoice("1", date(2024, 1, 1), "Bob")
    invoice.add("cable", "0.5", "0.33")
    invoice.add("cable", "1.5", "0.33")
    assert invoice.net == Decimal("0.66")
    assert invoice.total == Decimal("0.79")


def test_zero_quantity_is_refused(invoice):
    with pytest.raises(BookError):
        invoice.add("nothing", 0, "1.00")


def test_due_date(invoice):
    assert invoice.due == date(2024, 2, 14)
    invoice.term_days = 0
    assert invoice.due == invoice.issued


def test_booking(invoice, ledger):
    invoice.add("desk", 1, "100.00")
    posted = invoice.book(ledger, "assets:receivable", "income:sales", "liabilities:tax")
    assert posted.text == "Invoice 2024-07"
    assert ledger.total("assets:receivable") == Decimal("108.00")
    assert ledger.total("liabilities:tax") == Decimal("-18.00")


def test_booking_without_tax(invoice, ledger):
    invoice.add("export", 1, "50.00", tax_rate=Decimal(0))
    posted = invoice.book(ledger, "assets:receivable", "income:sales", "liabilities:tax")
    assert len(posted.postings) == 2
