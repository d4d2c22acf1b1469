"""The kinds of edits: one file per family, one line here."""

from collections.abc import Callable, Iterator

from . import comparison, offbyone, operator
from .place import Edit, Place

FAMILIES: dict[str, Callable[[Place], Iterator[Edit]]] = {
    "comparison": comparison.edits,
    "operator": operator.edits,
    "off by one": offbyone.edits,
}
"""Kind of edit → what yields such edits for a place. The order breaks ties between equal costs."""
