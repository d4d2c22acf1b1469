"""Recipes in other sizes and other units."""

from dataclasses import dataclass, replace

GRAMS = {"g": 1.0, "kg": 1000.0, "oz": 28.35, "lb": 453.6}


@dataclass(frozen=True)
class Ingredient:
    name: str
    amount: float
    unit: str = "g"


@dataclass(frozen=True)
class Recipe:
    title: str
    servings: int
    ingredients: tuple[Ingredient, ...]


def convert(ingredient: Ingredient, unit: str) -> Ingredient:
    for known in (ingredient.unit, unit):
        if known not in GRAMS:
            raise ValueError(f"unknown unit {known}")
    amount = ingredient.amount * GRAMS[ingredient.unit] / GRAMS[unit]
    return replace(ingredient, amount=round(amount, 2), unit=unit)


def scale(recipe: Recipe, servings: int) -> Recipe:
    if servings < 1:
        raise ValueError("nobody is hungry")
    factor = servings / recipe.servings
    ingredients = tuple(replace(item, amount=round(item.amount * factor, 2)) for item in recipe.ingredients)
    return replace(recipe, servings=servings, ingredients=ingredients)


def shopping_list(*recipes: Recipe) -> dict[str, float]:
    """Grams of everything, by name."""
    grams: dict[str, float] = {}
    for recipe in recipes:
        for item in recipe.ingredients:
            grams[item.name] = grams.get(item.name, 0) + convert(item, "g").amount
    return dict(sorted(grams.items()))
