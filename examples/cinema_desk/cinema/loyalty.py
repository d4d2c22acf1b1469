"""Points for regulars: one for every whole euro, more with a higher tier."""

from dataclasses import dataclass
from enum import Enum

POINTS_PER_FREE_TICKET = 100


class Tier(Enum):
    """A tier and the points it takes to reach it."""

    BASIC = 0
    SILVER = 200
    GOLD = 500

    @classmethod
    def reached_with(cls, points: int) -> "Tier":
        return max((tier for tier in cls if points >= tier.value), key=lambda tier: tier.value)


MULTIPLIER = {Tier.BASIC: 1, Tier.SILVER: 2, Tier.GOLD: 3}


@dataclass
class Member:
    """Points are collected for life; the balance is what is left to spend."""

    name: str
    collected: int = 0
    balance: int = 0

    @property
    def tier(self) -> Tier:
        return Tier.reached_with(self.balance)

    def earn(self, cents_paid: int) -> int:
        points = cents_paid // 100 * MULTIPLIER[self.tier]
        self.collected += points
        self.balance += points
        return points

    def redeem_free_ticket(self) -> None:
        if self.balance < POINTS_PER_FREE_TICKET:
            raise ValueError(f"{self.name} has only {self.balance} points")
        self.balance -= POINTS_PER_FREE_TICKET

    def points_to_next_tier(self) -> int | None:
        """Points still missing, or None at the top."""
        higher = [tier.value for tier in Tier if tier.value > self.collected]
        return min(higher) - self.collected if higher else None
