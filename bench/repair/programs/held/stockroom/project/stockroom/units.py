"""Quantities in grams, millilitres or pieces."""

import re

from .errors import StockError

# name -> (base unit, how many of it)
UNITS = {
    "g": ("g", 1),
    "kg": ("g", 1000),
    "t": ("g", 1000 * 1000),
    "ml": ("ml", 1),
    "cl": ("ml", 10),
    "l": ("ml", 1000),
    "pc": ("pc", 1),
    "dozen": ("pc", 12),
}
_QUANTITY = re.compile(r"(\d+)(?:[.,](\d{1,3}))?\s*([a-z]*)")


def _unit(name):
    try:
        return UNITS[name.strip().lower()]
    except KeyError:
        raise StockError(f"unknown unit {name!r}") from None


def convert(amount, source, target):
    """Convert between units of one kind; whole numbers stay whole where they can."""
    source_base, source_size = _unit(source)
    target_base, target_size = _unit(target)
    if source_base != target_base:
        raise StockError(f"cannot convert {source} to {target}")
    total = amount * source_size
    if total % target_size == 0:
        return int(total // target_size)
    return total / target_size


def parse_quantity(text, base):
    """Read ``1.5 kg`` as 1500 when ``base`` is g; no unit means the base unit."""
    match = _QUANTITY.fullmatch(text.strip().lower())
    if match is None:
        raise StockError(f"not a quantity: {text!r}")
    whole, fraction, unit = match.groups()
    unit_base, size = _unit(unit or base)
    if unit_base != base:
        raise StockError(f"{text.strip()!r} is not in {base}")
    thousandths = int(whole) * 1000 + int((fraction or "").ljust(3, "0"))
    amount, rest = divmod(thousandths * size, 1000)
    if rest:
        raise StockError(f"{text.strip()!r} is not a whole number of {base}")
    return amount
