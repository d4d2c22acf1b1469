import pytest

from roastery.stock import OutOfStock, Stock


@pytest.fixture
def sidamo() -> Stock:
    return Stock("Sidamo")


def test_a_new_stock_is_empty(sidamo):
    assert (sidamo.kilos, sidamo.worth) == (0, 0)


def test_a_delivery_adds_weight_and_worth(sidamo):
    sidamo.deliver(60, price=550)
    sidamo.deliver(30, price=600)
    assert (sidamo.kilos, sidamo.worth) == (90, 51_000)


def test_used_beans_cost_what_was_paid_for_them(sidamo):
    sidamo.deliver(60, price=550)
    assert sidamo.use(20) == 11_000
    assert (sidamo.kilos, sidamo.worth) == (40, 22_000)


def test_the_oldest_beans_are_used_first(sidamo):
    sidamo.deliver(60, price=500)
    sidamo.deliver(60, price=700)
    assert sidamo.use(40) == 20_000
    assert (sidamo.kilos, sidamo.worth) == (80, 52_000)


def test_a_roast_may_need_beans_of_several_deliveries(sidamo):
    sidamo.deliver(10, price=500)
    sidamo.deliver(20, price=650)
    sidamo.deliver(30, price=620)
    assert sidamo.use(45) == 10 * 500 + 20 * 650 + 15 * 620
    assert (sidamo.kilos, sidamo.worth) == (15, 9_300)
    assert sidamo.use(15) == 9_300


def test_deliveries_between_roasts_wait_for_their_turn(sidamo):
    sidamo.deliver(30, price=480)
    assert sidamo.use(10) == 4_800
    sidamo.deliver(30, price=900)
    assert [sidamo.use(20), sidamo.use(5), sidamo.use(25)] == [9_600, 4_500, 22_500]
    assert sidamo.worth == 0


def test_all_beans_may_be_used(sidamo):
    sidamo.deliver(60, price=550)
    assert sidamo.use(60) == 33_000
    assert (sidamo.kilos, sidamo.worth) == (0, 0)
    assert sidamo.use(0) == 0


def test_no_more_than_all_beans(sidamo):
    sidamo.deliver(60, price=550)
    with pytest.raises(OutOfStock, match="Sidamo: 61 kg wanted, 60 kg in store"):
        sidamo.use(61)
    assert (sidamo.kilos, sidamo.worth) == (60, 33_000)


@pytest.mark.parametrize(("kilos", "price"), [(0, 500), (-5, 500), (10, -1)])
def test_nonsense_is_not_delivered(sidamo, kilos, price):
    with pytest.raises(ValueError):
        sidamo.deliver(kilos, price)
    assert sidamo.kilos == 0
