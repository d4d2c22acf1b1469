import pytest
from postage import postage, total


@pytest.mark.parametrize(("grams", "cents"), [(1, 85), (20, 85), (21, 100), (50, 100), (500, 160), (1000, 275)])
def test_the_heavier_the_dearer(grams, cents):
    assert postage(grams) == cents


@pytest.mark.parametrize("grams", [0, -1])
def test_a_letter_weighs_something(grams):
    with pytest.raises(ValueError, match="weighs something"):
        postage(grams)


def test_too_heavy():
    with pytest.raises(ValueError, match="too heavy"):
        postage(1001)


def test_a_registered_letter_costs_more():
    assert postage(20, registered=True) == 350


def test_a_pile_of_letters():
    assert total([20, 50, 20]) == 270
    assert total([]) == 0
