import pytest
from kitchen import Ingredient, Recipe, convert, scale, shopping_list

PANCAKES = Recipe("Pancakes", 4, (Ingredient("flour", 250), Ingredient("milk", 0.5, "kg")))
BREAD = Recipe("Bread", 8, (Ingredient("flour", 1, "kg"), Ingredient("salt", 20)))


@pytest.mark.parametrize(
    ("amount", "unit", "target", "expected"),
    [(1, "kg", "g", 1000), (500, "g", "kg", 0.5), (2, "oz", "g", 56.7), (1, "lb", "oz", 16), (3, "g", "g", 3)],
)
def test_units_are_converted(amount, unit, target, expected):
    assert convert(Ingredient("flour", amount, unit), target) == Ingredient("flour", expected, target)


@pytest.mark.parametrize(("unit", "target"), [("cup", "g"), ("g", "cup")])
def test_a_cup_is_no_unit(unit, target):
    with pytest.raises(ValueError, match="unknown unit cup"):
        convert(Ingredient("flour", 1, unit), target)


def test_more_guests_need_more():
    assert scale(PANCAKES, 6).ingredients == (Ingredient("flour", 375), Ingredient("milk", 0.75, "kg"))
    assert scale(PANCAKES, 6).servings == 6


def test_fewer_guests_need_less():
    assert scale(PANCAKES, 1).ingredients[0].amount == 62.5


def test_the_same_guests_need_the_same():
    assert scale(PANCAKES, 4) == PANCAKES


def test_someone_must_be_hungry():
    with pytest.raises(ValueError, match="hungry"):
        scale(PANCAKES, 0)


def test_the_shopping_list_adds_up():
    assert shopping_list(PANCAKES, BREAD) == {"flour": 1250, "milk": 500, "salt": 20}


def test_an_empty_shopping_list():
    assert shopping_list() == {}
