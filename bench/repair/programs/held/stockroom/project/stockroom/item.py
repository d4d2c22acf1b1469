"""Items and their lots."""

from .errors import NotEnough, StockError


class Lot:
    """Some quantity with one expiry date; no date means it keeps for ever."""

    def __init__(self, quantity, expires=None, code=""):
        if quantity <= 0:
            raise StockError("a lot cannot be empty")
        self.quantity = quantity
        self.expires = expires
        self.code = code

    def usable(self, day):
        """Goods may still be used on the day on which they expire."""
        return self.expires is None or day <= self.expires

    def __repr__(self):
        until = self.expires.isoformat() if self.expires else "-"
        return f"Lot({self.quantity}, {until}, {self.code!r})"


class Item:
    """One article with its lots, in the base unit g, ml or pc."""

    def __init__(self, sku, name, base="pc", minimum=0, pack=1, tags=None, lots=None):
        if base not in ("g", "ml", "pc"):
            raise StockError(f"not a base unit: {base!r}")
        if pack < 1:
            raise StockError("a pack holds at least one")
        self.sku = sku
        self.name = name
        self.base = base
        self.minimum = minimum
        self.pack = pack
        self.tags = set(tags or ())
        self.lots = list(lots or ())

    def receive(self, quantity, expires=None, code=""):
        """Add a lot; the same code and date as an earlier lot are put together."""
        for known in self.lots:
            if code and known.code == code and known.expires == expires:
                if quantity <= 0:
                    raise StockError("a lot cannot be empty")
                known.quantity += quantity
                return known
        lot = Lot(quantity, expires, code)
        self.lots.append(lot)
        return lot

    def on_hand(self, day):
        return sum(lot.quantity for lot in self.lots if lot.usable(day))

    def _by_expiry(self, day):
        """Usable lots, the first to expire first, those without a date last."""
        usable = [lot for lot in self.lots if lot.usable(day)]
        return sorted(usable, key=lambda lot: (lot.expires is None, lot.expires))

    def take(self, quantity, day):
        """Take stock out; returns pairs of lot code and quantity."""
        if quantity <= 0:
            raise StockError("nothing to take")
        available = self.on_hand(day)
        if quantity > available:
            raise NotEnough(self.sku, quantity, available)
        taken = []
        for lot in self._by_expiry(day):
            part = min(lot.quantity, quantity)
            lot.quantity -= part
            quantity -= part
            taken.append((lot.code, part))
            if lot.quantity == 0:
                self.lots.remove(lot)
            if quantity == 0:
                break
        return taken

    def discard_expired(self, day):
        """Throw away what has expired; returns the lots, oldest arrival first."""
        gone = []
        for lot in list(self.lots):
            if not lot.usable(day):
                self.lots.remove(lot)
                gone.append(lot)
        return gone
