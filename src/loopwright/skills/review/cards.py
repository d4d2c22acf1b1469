"""The questions that a reviewer is asked: a card each, as data."""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from loopwright.skills.findings import DIMENSIONS, Dimension, FixStrategy


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """`text`: what goes wrong, what that does to a model at work, what is not a fault, and an example."""

    id: str
    dimension: Dimension
    strategy: FixStrategy
    title: str
    text: str


@cache
def list_cards() -> tuple[ReviewCard, ...]:
    """All of them, by their dimensions."""
    files = resources.files(__package__) / "cards"
    found = [_card(file.read_text("utf-8")) for file in files.iterdir() if file.name.endswith(".md")]
    return tuple(sorted(found, key=lambda card: (DIMENSIONS.index(card.dimension), card.id)))


def cards_of(dimension: Dimension) -> tuple[ReviewCard, ...]:
    return tuple(card for card in list_cards() if card.dimension == dimension)


def _card(text: str) -> ReviewCard:
    _, head, body = text.split("---\n", 2)
    values: dict[str, Any] = yaml.safe_load(head)
    return ReviewCard(**values, text=body.strip())
