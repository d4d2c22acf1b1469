"""An inventory built on events."""

from .events import Event, EventError, Upcaster
from .items import Item, OutOfStock, PerishableItem
from .service import Stockroom, UnknownItem
from .store import EventStore, VersionConflict
from .views import Movements, StockTable, View

__all__ = [
    "Event",
    "EventError",
    "EventStore",
    "Item",
    "Movements",
    "OutOfStock",
    "PerishableItem",
    "StockTable",
    "Stockroom",
    "UnknownItem",
    "Upcaster",
    "VersionConflict",
    "View",
]
