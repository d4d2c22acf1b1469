"""Invoices with discounts and several tax rates."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from .errors import BookError
from .money import to_cents


@dataclass(frozen=True)
class InvoiceLine:
    text: str
    quantity: Decimal
    unit_price: Decimal
    tax_rate: Decimal = Decimal("0.20")
    discount: Decimal | None = None

    def net(self, house_discount=Decimal(0)):
        """Unrounded net price; a line's own discount beats the house discount."""
        discount = house_discount if self.discount is None else self.discount
        gross = Decimal(self.quantity) * Decimal(self.unit_price)
        return gross * (1 - discount)


@dataclass
class Invoice:
    number: str
    issued: date
    customer: str
    house_discount: Decimal = Decimal(0)
    term_days: int = 30
    lines: list[InvoiceLine] = field(default_factory=list)

    def add(self, text, quantity, unit_price, **options):
        if Decimal(quantity) == 0:
            raise BookError("quantity must not be zero")
        line = InvoiceLine(text, Decimal(quantity), Decimal(unit_price), **options)
        self.lines.append(line)
        return line

    @property
    def due(self):
        return self.issued + timedelta(days=self.term_days)

    def net_by_rate(self):
        """Unrounded net sums per tax rate."""
        sums = {}
        for line in self.lines:
            rate = line.tax_rate
            sums[rate] = sums.get(rate, Decimal(0)) + line.net(self.house_discount)
        return sums

    def tax_by_rate(self):
        """Tax per rate, highest rate first; rounded once per rate."""
        sums = self.net_by_rate()
        taxes = {}
        for rate in sorted(sums, reverse=True):
            taxes[rate] = to_cents(sums[rate] * rate)
        return taxes

    @property
    def net(self):
        return to_cents(sum(self.net_by_rate().values(), Decimal(0)))

    @property
    def tax(self):
        return sum(self.tax_by_rate().values(), Decimal("0.00"))

    @property
    def total(self):
        return self.net + self.tax

    def book(self, ledger, receivable, income, tax_account):
        """Post the invoice; a line for tax only when there is any."""
        postings = [(receivable, self.total), (income, -self.net)]
        if self.tax:
            postings.append((tax_account, -self.tax))
        return ledger.post(self.issued, f"Invoice {self.number}", postings)
