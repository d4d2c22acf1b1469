"""A small double-entry ledger."""

from .errors import BookError, ClosedPeriod, Unbalanced, UnknownAccount
from .invoice import Invoice, InvoiceLine
from .ledger import Ledger, Posting, Transaction
from .money import allocate, format_amount, parse_amount, to_cents
from .statement import Page, StatementRow, pages, statement

__all__ = [
    "BookError",
    "ClosedPeriod",
    "Invoice",
    "InvoiceLine",
    "Ledger",
    "Page",
    "Posting",
    "StatementRow",
    "Transaction",
    "Unbalanced",
    "UnknownAccount",
    "allocate",
    "format_amount",
    "pages",
    "parse_amount",
    "statement",
    "to_cents",
]
