"""Halls, their seats, and the best place for people who come together."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Seat:
    row: str
    number: int

    def __str__(self) -> str:
        return f"{self.row}{self.number}"

    @classmethod
    def parse(cls, label: str) -> "Seat":
        """Read a label as printed on a ticket, such as ``C7``."""
        row, number = label[:1].upper(), label[1:]
        if not row.isalpha() or not number.isdigit():
            raise ValueError(f"not a seat: {label!r}")
        return cls(row, int(number))


@dataclass(frozen=True)
class Hall:
    name: str
    rows: str
    seats_per_row: int

    @property
    def capacity(self) -> int:
        return len(self.rows) * self.seats_per_row

    def seats(self) -> Iterator[Seat]:
        for row in self.rows:
            for number in range(1, self.seats_per_row + 1):
                yield Seat(row, number)

    def __contains__(self, seat: Seat) -> bool:
        return seat.row in self.rows and 1 <= seat.number <= self.seats_per_row


def best_block(hall: Hall, free: set[Seat], count: int) -> tuple[Seat, ...] | None:
    """Neighbouring free seats in one row, as near to the middle of the hall as possible."""
    blocks = []
    for row in hall.rows:
        for first in range(1, hall.seats_per_row - count + 2):
            block = tuple(Seat(row, first + step) for step in range(count))
            if free.issuperset(block):
                blocks.append(block)
    return min(blocks, key=lambda block: _distance_from_middle(hall, block), default=None)


def _distance_from_middle(hall: Hall, block: tuple[Seat, ...]) -> float:
    middle_row = (len(hall.rows) - 1) / 2
    middle_seat = (hall.seats_per_row + 1) / 2
    rows_away = abs(hall.rows.index(block[0].row) - middle_row)
    seats_away = abs((block[0].number + block[-1].number) / 2 - middle_seat)
    return rows_away * 2 + seats_away
