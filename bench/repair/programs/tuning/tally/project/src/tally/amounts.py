"""Amounts of money: a decimal quantity together with its currency."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

DIGITS = {"EUR": 2, "USD": 2, "GBP": 2, "JPY": 0, "BTC": 8}
SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}

_NUMBER = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?|[+-]?\d+(\.\d+)?")
_CODE = re.compile(r"[A-Z]{3}")


class AmountError(ValueError):
    """An amount that cannot be read, or two that do not go together."""


@dataclass(frozen=True)
class Amount:
    quantity: Decimal
    currency: str

    def __add__(self, other: "Amount") -> "Amount":
        self._same(other)
        return Amount(self.quantity + other.quantity, self.currency)

    def __sub__(self, other: "Amount") -> "Amount":
        self._same(other)
        return Amount(self.quantity - other.quantity, self.currency)

    def __neg__(self) -> "Amount":
        return Amount(-self.quantity, self.currency)

    def _same(self, other: "Amount") -> None:
        if self.currency != other.currency:
            raise AmountError(f"cannot mix {self.currency} and {other.currency}")

    @property
    def is_zero(self) -> bool:
        return self.quantity == 0

    def rounded(self) -> "Amount":
        """The amount as it can be paid: to the smallest unit of its currency."""
        step = Decimal(1).scaleb(-DIGITS.get(self.currency, 2))
        return Amount(self.quantity.quantize(step, rounding=ROUND_HALF_UP), self.currency)

    def __str__(self) -> str:
        value = self.rounded().quantity
        return f"{value:,f} {self.currency}"


def zero(currency: str) -> Amount:
    return Amount(Decimal(0), currency)


def parse_number(text: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise AmountError(f"not a number: {text!r}")
    return Decimal(text.replace(",", ""))


def parse_amount(text: str) -> Amount:
    """Read ``12.50 EUR``, ``$12.50``, ``-$3`` or ``1,000 JPY``."""
    text = text.strip()
    sign = 1
    body = text
    if body[:1] == "-" and body[1:2] in SYMBOLS:
        sign, body = -1, body[1:]
    if body[:1] in SYMBOLS:
        return Amount(sign * parse_number(body[1:].strip()), SYMBOLS[body[0]])
    number, _, code = text.partition(" ")
    code = code.strip()
    if not _CODE.fullmatch(code):
        raise AmountError(f"no currency in {text!r}")
    return Amount(parse_number(number), code)
