"""Roasting: which beans go in, how much coffee comes out, and what it costs."""

from collections.abc import Mapping
from dataclasses import dataclass

from roastery.stock import Stock

WEIGHT_LOST_PERCENT = 16
GAS_PER_BATCH = 450
BATCH_KILOS = 12


@dataclass(frozen=True)
class Roast:
    kilos: int
    beans_cost: int
    gas_cost: int

    @property
    def cost_per_kilo(self) -> int:
        """Cents for a kilogram of roasted coffee, rounded up."""
        return -(-(self.beans_cost + self.gas_cost) // self.kilos)


def batches(kilos: int) -> int:
    return -(-kilos // BATCH_KILOS)


def roast(blend: Mapping[str, int], stocks: Mapping[str, Stock]) -> Roast:
    """Roast a blend, given as kilograms of green beans for each kind."""
    green = sum(blend.values())
    cost = sum(stocks[name].use(kilos) for name, kilos in blend.items())
    return Roast(
        kilos=green * (100 - WEIGHT_LOST_PERCENT) // 100,
        beans_cost=cost,
        gas_cost=batches(green) * GAS_PER_BATCH,
    )
