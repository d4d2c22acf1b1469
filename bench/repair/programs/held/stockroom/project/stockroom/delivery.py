"""Deliveries in CSV text."""

import csv
import io
from dataclasses import dataclass, field
from datetime import date

from .errors import StockError
from .units import parse_quantity

REQUIRED = ("sku", "quantity")


@dataclass
class DeliveryReport:
    """Accepted lots and refused rows of a delivery."""

    accepted: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    @property
    def ok(self):
        return bool(self.accepted) and not self.problems


def _expiry(text):
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise StockError(f"not a date: {text!r}") from None


def _rows(text, delimiter):
    """Yield pairs of line number and row; header names ignore case and spaces."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    header = None
    for cells in reader:
        cells = [cell.strip() for cell in cells]
        if not any(cells):
            continue
        if header is None:
            header = [cell.lower() for cell in cells]
            missing = [name for name in REQUIRED if name not in header]
            if missing:
                raise StockError("missing column: " + ", ".join(missing))
            continue
        yield reader.line_num, dict(zip(header, cells))


def read_delivery(store, text, delimiter=",", report=None):
    """Receive every row that is in order; the others are listed as problems.

    Give an earlier report to go on with it, for a delivery in several parts.
    """
    if report is None:
        report = DeliveryReport()
    for line, row in _rows(text, delimiter):
        try:
            item = store.item(row.get("sku", ""))
            quantity = parse_quantity(row.get("quantity", ""), item.base)
            expires = _expiry(row.get("expires", ""))
            lot = item.receive(quantity, expires, row.get("code", ""))
        except StockError as error:
            report.problems.append((line, str(error)))
            continue
        report.accepted.append((item.sku, quantity, lot.code))
    return report
