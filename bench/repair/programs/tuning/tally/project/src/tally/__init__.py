"""Plain-text double-entry bookkeeping."""

from .amounts import Amount, AmountError, parse_amount
from .ledger import Ledger, LedgerError
from .parser import JournalError, Posting, Transaction, parse_journal
from .report import balance_table, register

__all__ = [
    "Amount",
    "AmountError",
    "JournalError",
    "Ledger",
    "LedgerError",
    "Posting",
    "Transaction",
    "balance_table",
    "parse_amount",
    "parse_journal",
    "register",
]
