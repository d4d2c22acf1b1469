"""Account statements in pages."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .errors import BookError
from .money import format_amount


@dataclass(frozen=True)
class StatementRow:
    day: date
    text: str
    amount: Decimal
    balance: Decimal


@dataclass(frozen=True)
class Page:
    number: int
    count: int
    opening: Decimal
    rows: tuple[StatementRow, ...]

    @property
    def closing(self):
        return self.rows[-1].balance if self.rows else self.opening

    def render(self, width=24):
        """Plain text; long texts are cut to ``width`` with three dots."""
        lines = [f"Page {self.number}/{self.count}"]
        lines.append(f"{'brought forward':<{width + 11}}{format_amount(self.opening):>12}")
        for row in self.rows:
            text = row.text
            if len(text) > width:
                text = text[: width - 3] + "..."
            amount = format_amount(row.amount, parens=True)
            balance = format_amount(row.balance)
            lines.append(f"{row.day.isoformat()} {text:<{width}}{amount:>12}{balance:>12}")
        return "\n".join(line.rstrip() for line in lines)


def statement(ledger, account, start, end):
    """Yield one row per posting on the account's family, oldest first."""
    if end < start:
        raise BookError("the period ends before it starts")
    members = ledger.family(account)
    balance = ledger.balance_at(account, start - timedelta(days=1))
    for transaction in ledger.transactions(start, end):
        for entry in transaction.postings:
            if entry.account in members:
                balance += entry.amount
                yield StatementRow(transaction.day, transaction.text, entry.amount, balance)


def pages(ledger, account, start, end, size=20):
    """Split a statement into pages; an empty statement has one empty page."""
    if size < 1:
        raise BookError("page size must be positive")
    rows = list(statement(ledger, account, start, end))
    opening = ledger.balance_at(account, start - timedelta(days=1))
    count = max(1, -(-len(rows) // size))
    result = []
    for index in range(count):
        chunk = tuple(rows[index * size : (index + 1) * size])
        page = Page(index + 1, count, opening, chunk)
        result.append(page)
        opening = page.closing
    return result
