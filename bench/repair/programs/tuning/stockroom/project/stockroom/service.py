"""What people do in the stockroom."""

from __future__ import annotations

from .events import Event
from .items import Item, OutOfStock, PerishableItem
from .store import EventStore


class UnknownItem(LookupError):
    """Nothing was ever received under that name."""


class Stockroom:
    """Items of the names in ``perishables`` come in lots, all others do not."""

    def __init__(self, store: EventStore, perishables: tuple[str, ...] = (), snapshot_every: int = 0):
        self.store = store
        self.perishables = perishables
        self.snapshot_every = snapshot_every

    def item(self, name: str, version: int | None = None) -> Item:
        """An item as it is, or as it was at some version."""
        item = PerishableItem(name) if name in self.perishables else Item(name)
        after = 0
        saved = self.store.snapshot(name, version)
        if saved is not None:
            after, state = saved
            item.load(state)
            item.version = after
        item.replay(self.store.read(name, after, version))
        return item

    def _known(self, name: str) -> Item:
        item = self.item(name)
        if not item.version:
            raise UnknownItem(name)
        return item

    def _write(self, item: Item, events: list[Event]) -> None:
        before = item.version
        version = self.store.append(item.name, events, expected=before)
        every = self.snapshot_every
        if every and version // every > before // every:
            self.store.save_snapshot(item.name, version, item.replay(events).state())

    def receive(self, name: str, quantity: int, lot: str = "", expires: int = 0) -> None:
        data: dict = {"quantity": quantity}
        if name in self.perishables:
            data.update(lot=lot or f"{name}-{expires}", expires=expires)
        self._write(self.item(name), [Event("received", data)])

    def pick(self, name: str, quantity: int, order: str | None = None, today: int = 0) -> list[str]:
        """Take a quantity; tells the lots it came from."""
        item = self._known(name)
        events = item.plan(quantity, order, today)
        self._write(item, events)
        return [event.data["lot"] for event in events if "lot" in event.data]

    def reserve(self, name: str, quantity: int, order: str) -> None:
        item = self._known(name)
        if quantity > item.available:
            raise OutOfStock(name, quantity, item.available)
        self._write(item, [Event("reserved", {"quantity": quantity, "order": order})])

    def release(self, name: str, order: str) -> int:
        """Give up what is reserved for an order; tells how much it was."""
        item = self._known(name)
        quantity = item.reserved.get(order, 0)
        if quantity:
            self._write(item, [Event("released", {"quantity": quantity, "order": order})])
        return quantity

    def count(self, name: str, quantity: int, lot: str | None = None) -> None:
        item = self._known(name)
        data: dict = {"quantity": quantity}
        if isinstance(item, PerishableItem):
            if lot not in item.lots:
                raise UnknownItem(f"{name} {lot}")
            data["lot"] = lot
        self._write(item, [Event("counted", data)])

    def clean(self, today: int) -> dict[str, int]:
        """Throw away what has expired; tells how much of which item."""
        gone: dict[str, int] = {}
        for name in self.store.streams():
            item = self.item(name)
            if isinstance(item, PerishableItem):
                events = item.spoiled(today)
                if events:
                    self._write(item, events)
                    gone[name] = sum(event.data["quantity"] for event in events)
        return gone
