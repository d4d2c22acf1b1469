"""Views: tables that follow the events of a store."""

from __future__ import annotations

from .events import Event
from .store import EventStore


class View:
    """Base of views. ``rebuild`` starts from nothing."""

    def __init__(self, store: EventStore):
        self.store = store
        self.position = 0
        self.reset()
        store.follow(self.see, replay=True)

    def reset(self) -> None:
        raise NotImplementedError

    def handle(self, event: Event) -> None:
        raise NotImplementedError

    def see(self, event: Event) -> None:
        """Handle an event unless it was handled before."""
        if event.position <= self.position:
            return
        self.handle(event)
        self.position = event.position

    def rebuild(self) -> None:
        self.reset()
        self.position = 0
        for event in self.store.read_all():
            self.see(event)


class StockTable(View):
    """Quantity received less quantity gone, per item; counts set it where there are no lots."""

    def reset(self) -> None:
        self.quantities: dict[str, int] = {}

    def handle(self, event: Event) -> None:
        quantity = event.data["quantity"]
        known = self.quantities.get(event.stream, 0)
        if event.kind == "received":
            self.quantities[event.stream] = known + quantity
        elif event.kind in ("picked", "discarded"):
            self.quantities[event.stream] = known - quantity
        elif event.kind == "counted" and "lot" not in event.data:
            self.quantities[event.stream] = quantity

    def low(self, level: int) -> list[str]:
        """Items of which there are fewer than ``level``, the scarcest first."""
        scarce = [name for name, quantity in self.quantities.items() if quantity < level]
        return sorted(scarce, key=lambda name: (self.quantities[name], name))


class Movements(View):
    """How often and how much of each item went out."""

    def reset(self) -> None:
        self.times: dict[str, int] = {}
        self.total: dict[str, int] = {}

    def handle(self, event: Event) -> None:
        if event.kind != "picked":
            return
        name = event.stream
        self.times[name] = self.times.get(name, 0) + 1
        self.total[name] = self.total.get(name, 0) + event.data["quantity"]

    def top(self, count: int) -> list[tuple[str, int]]:
        ranked = sorted(self.total.items(), key=lambda pair: (-pair[1], pair[0]))
        return ranked[:count]
