"""Stock of a small shop."""

from .delivery import DeliveryReport, read_delivery
from .errors import NotEnough, StockError, UnknownItem
from .item import Item, Lot
from .reorder import Proposal, proposals
from .store import Reservation, Store
from .units import convert, parse_quantity

__all__ = [
    "DeliveryReport",
    "Item",
    "Lot",
    "NotEnough",
    "Proposal",
    "Reservation",
    "StockError",
    "Store",
    "UnknownItem",
    "convert",
    "parse_quantity",
    "proposals",
    "read_delivery",
]
