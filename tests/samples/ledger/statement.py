"""The bank statement of one account."""

from datetime import date, timedelta

from ledger import Entry, Ledger


def entries_between(ledger: Ledger, account: str, first: date, last: date) -> list[Entry]:
    """Entries of an account from the first to the last day, both included, in order of time."""
    found = [
        entry for entry in ledger.entries if account in (entry.source, entry.target) and first <= entry.day <= last
    ]
    return sorted(found, key=lambda entry: entry.day)


def statement(ledger: Ledger, account: str, first: date, last: date) -> list[str]:
    opening = ledger.balance(account, first - timedelta(days=1))
    lines = [f"opening {opening}"]
    for entry in entries_between(ledger, account, first, last):
        if entry.target == account:
            lines.append(f"{entry.day} +{entry.cents} {entry.source}")
        else:
            lines.append(f"{entry.day} -{entry.cents} {entry.target}")
    lines.append(f"closing {ledger.balance(account, last)}")
    return lines
