"""Questions about a journal: balances, values at a date, activity."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from .amounts import Amount, zero
from .parser import Journal, Posting, Transaction


class LedgerError(LookupError):
    """A question the journal has no answer to."""


def within(account: str, parent: str) -> bool:
    """Is ``account`` the account ``parent`` or one below it?"""
    return account == parent or account.startswith(parent + ":")


class Ledger:
    def __init__(self, journal: Journal):
        self.transactions = sorted(journal.transactions, key=lambda t: t.day)
        self._rates: dict[tuple[str, str], list[tuple[date, Decimal]]] = {}
        for price in sorted(journal.prices, key=lambda p: p.day):
            self._rates.setdefault((price.currency, price.target), []).append(
                (price.day, price.rate)
            )

    def postings(
        self,
        parent: str | None = None,
        start: date | None = None,
        end: date | None = None,
    ) -> Iterator[tuple[Transaction, Posting]]:
        """Postings in order of date; ``start`` is included, ``end`` is not."""
        for transaction in self.transactions:
            if start is not None and transaction.day < start:
                continue
            if end is not None and transaction.day >= end:
                break
            for posting in transaction.postings:
                if parent is None or within(posting.account, parent):
                    yield transaction, posting

    def accounts(self) -> list[str]:
        return sorted({posting.account for _, posting in self.postings()})

    def balance(self, parent: str, end: date | None = None) -> dict[str, Amount]:
        """What an account and those below it hold, by currency, without zeros."""
        totals: dict[str, Amount] = {}
        for _, posting in self.postings(parent, end=end):
            code = posting.amount.currency
            totals[code] = totals.get(code, zero(code)) + posting.amount
        return {code: totals[code] for code in sorted(totals) if not totals[code].is_zero}

    def rate(self, currency: str, target: str, day: date) -> Decimal:
        """The latest rate known on that day, straight or turned round."""
        if currency == target:
            return Decimal(1)
        straight = self._lookup(currency, target, day)
        if straight is not None:
            return straight
        inverse = self._lookup(target, currency, day)
        if inverse is not None and inverse != 0:
            return Decimal(1) / inverse
        raise LedgerError(f"no price for {currency} in {target} on {day}")

    def _lookup(self, currency: str, target: str, day: date) -> Decimal | None:
        known = self._rates.get((currency, target), [])
        place = bisect_right([when for when, _ in known], day)
        return known[place - 1][1] if place else None

    def value(self, parent: str, target: str, day: date) -> Amount:
        """All that an account holds at the start of ``day``, in one currency."""
        total = zero(target)
        for amount in self.balance(parent, end=day).values():
            rate = self.rate(amount.currency, target, day)
            total = total + Amount(amount.quantity * rate, target)
        return total.rounded()

    def by_tag(self, tag: str) -> list[Transaction]:
        return [t for t in self.transactions if tag.lower() in map(str.lower, t.tags)]

    def monthly(self, parent: str, currency: str) -> dict[str, Amount]:
        """Movement of one account per month, months without movement left out."""
        months: dict[str, Amount] = {}
        for transaction, posting in self.postings(parent):
            if posting.amount.currency != currency:
                continue
            month = f"{transaction.day:%Y-%m}"
            months[month] = months.get(month, zero(currency)) + posting.amount
        return months
