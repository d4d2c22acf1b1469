"""Accounts, transactions and balances."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from .errors import BookError, ClosedPeriod, Unbalanced, UnknownAccount
from .money import to_cents

SEPARATOR = ":"


@dataclass(frozen=True)
class Posting:
    account: str
    amount: Decimal


@dataclass(frozen=True)
class Transaction:
    number: int
    day: date
    text: str
    postings: tuple[Posting, ...]
    reverses: int | None = None


class Ledger:
    """Balanced transactions over a tree of accounts such as ``assets:bank``."""

    def __init__(self):
        self._accounts = {}
        self._transactions = []
        self._reversed = set()
        self._closed_until = None

    def open_account(self, name, note=""):
        parts = name.split(SEPARATOR)
        if not all(part.strip() for part in parts):
            raise BookError(f"bad account name: {name!r}")
        if name in self._accounts:
            raise BookError(f"account exists: {name}")
        self._accounts[name] = {"note": note, "total": Decimal("0.00")}

    @property
    def accounts(self):
        return sorted(self._accounts)

    def close_until(self, day):
        """Refuse transactions on or before ``day`` from now on."""
        if self._closed_until is None or day > self._closed_until:
            self._closed_until = day

    def post(self, day, text, postings, reverses=None):
        """Store a transaction; nothing changes when it is refused."""
        if self._closed_until is not None and day <= self._closed_until:
            raise ClosedPeriod(day)
        entries = []
        for account, amount in postings:
            if account not in self._accounts:
                raise UnknownAccount(account)
            entries.append(Posting(account, to_cents(amount)))
        difference = sum((entry.amount for entry in entries), Decimal(0))
        if difference:
            raise Unbalanced(difference)
        if len(entries) < 2:
            raise BookError("a transaction needs two postings")
        for entry in entries:
            self._accounts[entry.account]["total"] += entry.amount
        transaction = Transaction(
            len(self._transactions) + 1, day, text, tuple(entries), reverses
        )
        self._transactions.append(transaction)
        return transaction

    def get(self, number):
        if not 1 <= number <= len(self._transactions):
            raise BookError(f"no transaction {number}")
        return self._transactions[number - 1]

    def reverse(self, number, day):
        """Post the opposite of a transaction, once."""
        original = self.get(number)
        if number in self._reversed:
            raise BookError(f"transaction {number} is already reversed")
        opposite = [(entry.account, -entry.amount) for entry in original.postings]
        result = self.post(day, f"Reversal of {original.text}", opposite, number)
        self._reversed.add(number)
        return result

    def family(self, name):
        """The account itself, if it is open, and everything below it."""
        below = name + SEPARATOR
        return [
            account
            for account in self.accounts
            if account == name or account.startswith(below)
        ]

    def total(self, name):
        """Current balance of an account with all accounts below it."""
        members = self.family(name)
        if not members:
            raise UnknownAccount(name)
        return sum((self._accounts[member]["total"] for member in members), Decimal(0))

    def transactions(self, start=None, end=None):
        """Transactions from ``start`` to ``end``, both days included."""
        chosen = [
            transaction
            for transaction in self._transactions
            if (start is None or transaction.day >= start)
            and (end is None or transaction.day <= end)
        ]
        return sorted(chosen, key=lambda t: (t.day, t.number))

    def balance_at(self, name, day):
        """Balance of an account and its family at the end of ``day``."""
        members = self.family(name)
        if not members:
            raise UnknownAccount(name)
        return sum(
            (
                entry.amount
                for transaction in self.transactions(end=day)
                for entry in transaction.postings
                if entry.account in members
            ),
            Decimal("0.00"),
        )

    def trial_balance(self):
        """Rows of (account, debit, credit) for accounts that are not zero."""
        rows = []
        for name in self.accounts:
            total = self._accounts[name]["total"]
            if total > 0:
                rows.append((name, total, Decimal("0.00")))
            elif total < 0:
                rows.append((name, Decimal("0.00"), -total))
        return rows
