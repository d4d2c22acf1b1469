import pytest

from roastery.roasts import Roast, batches, roast
from roastery.stock import OutOfStock, Stock


@pytest.fixture
def stocks() -> dict[str, Stock]:
    stocks = {name: Stock(name) for name in ("Sidamo", "Santos")}
    stocks["Sidamo"].deliver(60, price=600)
    stocks["Santos"].deliver(120, price=400)
    return stocks


@pytest.mark.parametrize(("kilos", "expected"), [(1, 1), (12, 1), (13, 2), (24, 2), (25, 3)])
def test_the_drum_holds_twelve_kilos(kilos, expected):
    assert batches(kilos) == expected


def test_coffee_loses_weight_in_the_drum(stocks):
    coffee = roast({"Santos": 25}, stocks)
    assert coffee == Roast(kilos=21, beans_cost=10_000, gas_cost=1_350)
    assert coffee.cost_per_kilo == 541


def test_a_blend_takes_from_every_stock(stocks):
    coffee = roast({"Sidamo": 10, "Santos": 40}, stocks)
    assert (coffee.kilos, coffee.beans_cost) == (42, 22_000)
    assert (stocks["Sidamo"].kilos, stocks["Santos"].kilos) == (50, 80)


def test_a_blend_is_charged_the_price_of_its_own_beans(stocks):
    stocks["Santos"].deliver(60, price=520)
    first, second = (roast({"Sidamo": 20, "Santos": 90}, stocks) for _ in range(2))
    assert first.beans_cost == 20 * 600 + 90 * 400
    assert second.beans_cost == 20 * 600 + 30 * 400 + 60 * 520


def test_a_blend_needs_enough_beans(stocks):
    with pytest.raises(OutOfStock, match="Sidamo"):
        roast({"Sidamo": 61}, stocks)
