"""Read the text of a journal into transactions and prices."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from .amounts import Amount, AmountError, parse_amount, parse_number, zero

_HEAD = re.compile(r"(\d{4}-\d{2}-\d{2})\s+(?:([*!])\s+)?(.*)")
_POSTING = re.compile(r"(\S+(?: \S+)*?)(?:\s{2,}|\t)\s*(\S.*)")
_TAG = re.compile(r"(?:^|\s)#([\w-]+)")


class JournalError(ValueError):
    def __init__(self, line: int, message: str):
        super().__init__(f"line {line}: {message}")
        self.line = line


@dataclass
class Posting:
    account: str
    amount: Amount | None
    note: str = ""


@dataclass
class Transaction:
    day: date
    payee: str
    memo: str = ""
    cleared: bool = False
    tags: list[str] = field(default_factory=list)
    postings: list[Posting] = field(default_factory=list)
    line: int = 0


@dataclass(frozen=True)
class Price:
    day: date
    currency: str
    rate: Decimal
    target: str


@dataclass
class Journal:
    transactions: list[Transaction] = field(default_factory=list)
    prices: list[Price] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)


def parse_journal(text: str) -> Journal:
    """Parse a whole journal; blank lines and ``;`` comments are skipped."""
    journal = Journal()
    current: Transaction | None = None
    text = text.removeprefix("\ufeff")
    for number, raw in enumerate(text.splitlines(), start=1):
        line, note = _split_comment(raw)
        if not line.strip():
            if current is not None and not raw.strip():
                _finish(journal, current)
                current = None
            continue
        if line[0] in " \t":
            if current is None:
                raise JournalError(number, "posting outside a transaction")
            current.postings.append(_posting(line, note, number, journal))
            continue
        if current is not None:
            _finish(journal, current)
            current = None
        word = line.split(None, 1)[0]
        if word == "alias":
            _alias(line, number, journal)
        elif word == "price":
            journal.prices.append(_price(line, number))
        else:
            current = _head(line, number)
    if current is not None:
        _finish(journal, current)
    return journal


def _split_comment(raw: str) -> tuple[str, str]:
    line, _, note = raw.partition(";")
    return line.rstrip(), note.strip()


def _day(text: str, number: int) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise JournalError(number, f"bad date {text!r}") from None


def _head(line: str, number: int) -> Transaction:
    match = _HEAD.fullmatch(line)
    if not match:
        raise JournalError(number, f"cannot read {line!r}")
    day, flag, rest = match.groups()
    tags = _TAG.findall(rest)
    rest = _TAG.sub("", rest).strip()
    payee, _, memo = rest.partition("|")
    return Transaction(
        _day(day, number), payee.strip(), memo.strip(), flag == "*", tags, line=number
    )


def _posting(line: str, note: str, number: int, journal: Journal) -> Posting:
    body = line.strip()
    match = _POSTING.fullmatch(body)
    account, text = match.groups() if match else (body, None)
    account = journal.aliases.get(account, account)
    if text is None:
        return Posting(account, None, note)
    try:
        return Posting(account, parse_amount(text), note)
    except AmountError as error:
        raise JournalError(number, str(error)) from None


def _alias(line: str, number: int, journal: Journal) -> None:
    name, equals, account = line[len("alias"):].partition("=")
    if not equals or not name.strip() or not account.strip():
        raise JournalError(number, "alias needs NAME = ACCOUNT")
    journal.aliases[name.strip()] = account.strip()


def _price(line: str, number: int) -> Price:
    parts = line.split()
    if len(parts) != 5:
        raise JournalError(number, "price needs DATE CURRENCY RATE CURRENCY")
    try:
        rate = parse_number(parts[3])
    except AmountError as error:
        raise JournalError(number, str(error)) from None
    return Price(_day(parts[1], number), parts[2], rate, parts[4])


def _finish(journal: Journal, transaction: Transaction) -> None:
    """Check that a transaction balances; fill in the posting left open."""
    if not transaction.postings:
        raise JournalError(transaction.line, "transaction without postings")
    rest: dict[str, Amount] = {}
    for posting in transaction.postings:
        if posting.amount is not None:
            code = posting.amount.currency
            rest[code] = rest.get(code, zero(code)) + posting.amount
    left = [rest[code] for code in sorted(rest) if not rest[code].is_zero]
    open_postings = [p for p in transaction.postings if p.amount is None]
    if len(open_postings) > 1:
        raise JournalError(transaction.line, "more than one posting without an amount")
    if open_postings:
        blank = open_postings[0]
        transaction.postings.remove(blank)
        for amount in left:
            transaction.postings.append(Posting(blank.account, -amount, blank.note))
    elif left:
        listed = ", ".join(str(amount) for amount in left)
        raise JournalError(transaction.line, f"does not balance: {listed} left")
    journal.transactions.append(transaction)
