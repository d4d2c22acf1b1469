"""Text tables."""

from __future__ import annotations

from datetime import date

from .amounts import Amount, zero
from .ledger import Ledger


def _parents(account: str) -> list[str]:
    parts = account.split(":")
    return [":".join(parts[:size]) for size in range(1, len(parts) + 1)]


def balance_table(ledger: Ledger, end: date | None = None) -> str:
    """One line per account and currency, children indented below parents."""
    names = sorted({name for account in ledger.accounts() for name in _parents(account)})
    rows: list[tuple[str, str]] = []
    for name in names:
        label = "  " * name.count(":") + name.rsplit(":", 1)[-1]
        for amount in ledger.balance(name, end).values():
            rows.append((str(amount), label))
            label = ""
    if not rows:
        return ""
    width = max(len(text) for text, _ in rows)
    return "\n".join(f"{text:>{width}}  {label}".rstrip() for text, label in rows) + "\n"


def register(ledger: Ledger, parent: str, currency: str) -> list[str]:
    """Each movement of an account with the running total after it."""
    running: Amount = zero(currency)
    lines = []
    for transaction, posting in ledger.postings(parent):
        if posting.amount.currency != currency:
            continue
        running = running + posting.amount
        flag = "*" if transaction.cleared else " "
        lines.append(
            f"{transaction.day} {flag} {transaction.payee:<12.12} {posting.amount} = {running}"
        )
    return lines
