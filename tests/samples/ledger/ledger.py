"""A household ledger: entries move cents from one account to another."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    day: date
    source: str
    target: str
    cents: int


class Ledger:
    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def move(self, day: date, source: str, target: str, cents: int) -> Entry:
        if cents <= 0:
            raise ValueError("an entry needs a positive amount")
        if source == target:
            raise ValueError("an entry needs two accounts")
        entry = Entry(day, source, target, cents)
        self.entries.append(entry)
        return entry

    def accounts(self) -> list[str]:
        return sorted({name for entry in self.entries for name in (entry.source, entry.target)})

    def balance(self, account: str, until: date = date.max) -> int:
        """Cents on the account at the end of a day."""
        total = 0
        for entry in self.entries:
            if entry.day >= until:
                continue
            if entry.target == account:
                total += entry.cents
            if entry.source == account:
                total -= entry.cents
        return total
