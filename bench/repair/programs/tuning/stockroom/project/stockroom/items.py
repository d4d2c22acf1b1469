"""Items: what the events of one stream add up to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .events import Event


class OutOfStock(Exception):
    def __init__(self, name: str, wanted: int, there: int):
        super().__init__(f"{name}: {wanted} wanted, {there} there")


class Item:
    """Something of which there is a quantity."""

    def __init__(self, name: str):
        self.name = name
        self.version = 0
        self.on_hand = 0
        self.reserved: dict[str, int] = {}

    @property
    def available(self) -> int:
        return self.on_hand - sum(self.reserved.values())

    def replay(self, events: Iterable[Event]) -> "Item":
        for event in events:
            self.apply(event)
        return self

    def apply(self, event: Event) -> None:
        handler = getattr(self, f"on_{event.kind}", None)
        if handler is not None:
            handler(event.data)
        self.version = event.version or self.version + 1

    def on_received(self, data: dict[str, Any]) -> None:
        self.on_hand += data["quantity"]

    def on_picked(self, data: dict[str, Any]) -> None:
        self.on_hand -= data["quantity"]
        if data.get("order"):
            self._less_reserved(data["order"], data["quantity"])

    def on_discarded(self, data: dict[str, Any]) -> None:
        self.on_hand -= data["quantity"]

    def on_counted(self, data: dict[str, Any]) -> None:
        self.on_hand = data["quantity"]

    def on_reserved(self, data: dict[str, Any]) -> None:
        order = data["order"]
        self.reserved[order] = self.reserved.get(order, 0) + data["quantity"]

    def on_released(self, data: dict[str, Any]) -> None:
        self._less_reserved(data["order"], data["quantity"])

    def _less_reserved(self, order: str, quantity: int) -> None:
        left = self.reserved.get(order, 0) - quantity
        if left > 0:
            self.reserved[order] = left
        else:
            self.reserved.pop(order, None)

    def plan(self, quantity: int, order: str | None = None, today: int = 0) -> list[Event]:
        """The events that picking this quantity comes down to."""
        there = self.available + self.reserved.get(order or "", 0)
        if quantity > there:
            raise OutOfStock(self.name, quantity, there)
        data: dict[str, Any] = {"quantity": quantity}
        if order:
            data["order"] = order
        return [Event("picked", data)]

    def state(self) -> dict[str, Any]:
        return {"on_hand": self.on_hand, "reserved": self.reserved}

    def load(self, state: dict[str, Any]) -> None:
        self.on_hand = state["on_hand"]
        self.reserved = state["reserved"]


class PerishableItem(Item):
    """An item that comes in lots which expire; what expires first is picked first."""

    def __init__(self, name: str):
        super().__init__(name)
        self.lots: dict[str, dict[str, int]] = {}

    def on_received(self, data: dict[str, Any]) -> None:
        super().on_received(data)
        lot = self.lots.setdefault(data["lot"], {"quantity": 0, "expires": data["expires"]})
        lot["quantity"] += data["quantity"]

    def on_picked(self, data: dict[str, Any]) -> None:
        super().on_picked(data)
        self._take(data["lot"], data["quantity"])

    def on_discarded(self, data: dict[str, Any]) -> None:
        super().on_discarded(data)
        self._take(data["lot"], data["quantity"])

    def on_counted(self, data: dict[str, Any]) -> None:
        """Only single lots are counted."""
        lot = self.lots[data["lot"]]
        self.on_hand += data["quantity"] - lot["quantity"]
        self._take(data["lot"], lot["quantity"] - data["quantity"])

    def _take(self, name: str, quantity: int) -> None:
        lot = self.lots[name]
        lot["quantity"] -= quantity
        if lot["quantity"] == 0:
            del self.lots[name]

    def good(self, today: int) -> list[tuple[str, int]]:
        """Lots that have not expired, the one that expires first in front."""
        names = sorted(self.lots, key=lambda name: (self.lots[name]["expires"], name))
        return [(n, self.lots[n]["quantity"]) for n in names if self.lots[n]["expires"] >= today]

    def plan(self, quantity: int, order: str | None = None, today: int = 0) -> list[Event]:
        good = self.good(today)
        held = sum(self.reserved.values()) - self.reserved.get(order or "", 0)
        there = max(sum(size for _, size in good) - held, 0)
        if quantity > there:
            raise OutOfStock(self.name, quantity, there)
        events = []
        for lot, size in good:
            part = min(size, quantity)
            if part == 0:
                break
            data: dict[str, Any] = {"quantity": part, "lot": lot}
            if order:
                data["order"] = order
            events.append(Event("picked", data))
            quantity -= part
        return events

    def spoiled(self, today: int) -> list[Event]:
        """The events that throw away what has expired."""
        return [
            Event("discarded", {"quantity": lot["quantity"], "lot": name})
            for name, lot in sorted(self.lots.items())
            if lot["expires"] < today
        ]

    def state(self) -> dict[str, Any]:
        return {**super().state(), "lots": self.lots}

    def load(self, state: dict[str, Any]) -> None:
        super().load(state)
        self.lots = state["lots"]
