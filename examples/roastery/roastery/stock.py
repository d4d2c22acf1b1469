"""The beans in store and what they are worth."""


class OutOfStock(Exception):
    """More beans were asked for than are in store."""


class Stock:
    """One kind of green coffee, used in the order in which it was delivered."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._kilos = 0
        self._worth = 0

    @property
    def kilos(self) -> int:
        return self._kilos

    @property
    def worth(self) -> int:
        """What the remaining beans cost when they were bought."""
        return self._worth

    def deliver(self, kilos: int, price: int) -> None:
        """Take in a delivery at a price per kilogram."""
        if kilos <= 0 or price < 0:
            raise ValueError(f"not a delivery: {kilos} kg at {price}")
        self._kilos += kilos
        self._worth += kilos * price

    def use(self, kilos: int) -> int:
        """Take beans out for roasting and return what they cost."""
        if kilos > self._kilos:
            raise OutOfStock(f"{self.name}: {kilos} kg wanted, {self._kilos} kg in store")
        if kilos == 0:
            return 0
        cost = self._worth * kilos // self._kilos
        self._kilos -= kilos
        self._worth -= cost
        return cost
