"""What an order costs, in cents."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from cinema.programme import Screening

THREE_D_SURCHARGE = 150
MATINEE_ENDS_AT_HOUR = 17
MATINEE_PERCENT_OFF = 20
GROUP_SIZE = 8
ONLINE_FEE = 100


class Kind(Enum):
    ADULT = 1200
    STUDENT = 950
    SENIOR = 900
    CHILD = 800


@dataclass(frozen=True)
class Quote:
    tickets: int
    group_discount: int
    fee: int

    @property
    def total(self) -> int:
        return self.tickets - self.group_discount + self.fee


def is_matinee(screening: Screening) -> bool:
    """Weekday afternoons are cheaper."""
    weekday = screening.starts_at.weekday() < 5
    return weekday and screening.starts_at.hour < MATINEE_ENDS_AT_HOUR


def ticket_price(kind: Kind, screening: Screening) -> int:
    price = kind.value
    if is_matinee(screening):
        price -= price * MATINEE_PERCENT_OFF // 100
    if screening.film.three_d:
        price += THREE_D_SURCHARGE
    return price


def quote(kinds: Sequence[Kind], screening: Screening, *, online: bool = False) -> Quote:
    """Price an order: in every group of eight the cheapest ticket is free."""
    prices = sorted(ticket_price(kind, screening) for kind in kinds)
    free_tickets = len(prices) // GROUP_SIZE
    return Quote(
        tickets=sum(prices),
        group_discount=sum(prices[:free_tickets]),
        fee=ONLINE_FEE if online else 0,
    )


def format_euros(cents: int) -> str:
    return f"€{cents // 100}.{cents % 100:02d}"
