"""The store: items by number, and reservations."""

from .errors import NotEnough, StockError, UnknownItem


class Reservation:
    """Quantities that are promised to a customer until a day, that day included."""

    def __init__(self, number, customer, wanted, until):
        self.number = number
        self.customer = customer
        self.wanted = dict(wanted)
        self.until = until
        self.state = "open"

    def holds(self, sku, day):
        """How much of an item is kept back on a day."""
        if self.state != "open" or day > self.until:
            return 0
        return self.wanted.get(sku, 0)


class Store:
    def __init__(self, items=()):
        self._items = {}
        self._reservations = {}
        self._sold = {}
        for item in items:
            self.add(item)

    def add(self, item):
        key = item.sku.upper()
        if key in self._items:
            raise StockError(f"item exists: {item.sku}")
        self._items[key] = item
        return item

    def item(self, sku):
        try:
            return self._items[sku.strip().upper()]
        except KeyError:
            raise UnknownItem(sku) from None

    def items(self, tag=None):
        """Items by name, without regard to case; only those with the tag if given."""
        chosen = [item for item in self._items.values() if tag is None or tag in item.tags]
        return sorted(chosen, key=lambda item: (item.name.casefold(), item.sku))

    # -- reservations

    def reserved(self, sku, day):
        key = self.item(sku).sku
        return sum(reservation.holds(key, day) for reservation in self._reservations.values())

    def available(self, sku, day):
        """What may be sold or promised on a day."""
        return max(0, self.item(sku).on_hand(day) - self.reserved(sku, day))

    def reserve(self, customer, wanted, day, until):
        """Keep goods back; all of them or, with an error, nothing."""
        if until < day:
            raise StockError("the reservation ends before it begins")
        merged = {}
        for sku, quantity in wanted:
            if quantity <= 0:
                raise StockError("nothing to reserve")
            key = self.item(sku).sku
            merged[key] = merged.get(key, 0) + quantity
        for sku, quantity in merged.items():
            available = self.available(sku, day)
            if quantity > available:
                raise NotEnough(sku, quantity, available)
        reservation = Reservation(len(self._reservations) + 1, customer, merged, until)
        self._reservations[reservation.number] = reservation
        return reservation

    def _open(self, number, day):
        reservation = self._reservations.get(number)
        if reservation is None:
            raise StockError(f"no reservation {number}")
        if reservation.state != "open":
            raise StockError(f"reservation {number} is {reservation.state}")
        if day > reservation.until:
            raise StockError(f"reservation {number} has run out")
        return reservation

    def cancel(self, number, day):
        self._open(number, day).state = "cancelled"

    def collect(self, number, day):
        """Hand out reserved goods; returns what was taken by item number."""
        reservation = self._open(number, day)
        for sku, quantity in reservation.wanted.items():
            on_hand = self.item(sku).on_hand(day)
            if quantity > on_hand:
                raise NotEnough(sku, quantity, on_hand)
        reservation.state = "collected"
        return {sku: self._take(sku, quantity, day) for sku, quantity in reservation.wanted.items()}

    # -- sales

    def sell(self, sku, quantity, day):
        """Sell from what is not reserved."""
        available = self.available(sku, day)
        if quantity > available:
            raise NotEnough(self.item(sku).sku, quantity, available)
        return self._take(sku, quantity, day)

    def _take(self, sku, quantity, day):
        item = self.item(sku)
        taken = item.take(quantity, day)
        sales = self._sold.setdefault(item.sku, [])
        sales.append((day, quantity))
        return taken

    def sold(self, sku, start, end):
        """Quantity sold from ``start`` to ``end``, both days included."""
        sales = self._sold.get(self.item(sku).sku, [])
        return sum(quantity for day, quantity in sales if start <= day <= end)
