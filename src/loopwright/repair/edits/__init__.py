"""The kinds of edits: one file per family, one line here."""

from collections.abc import Callable, Iterator

from . import (
    arguments,
    attribute,
    comparison,
    condition,
    constant,
    copyline,
    defaults,
    exception,
    guard,
    layout,
    lookup,
    offbyone,
    operator,
    slicing,
    term,
    variable,
    wrap,
)
from .place import Edit, Place

FAMILIES: dict[str, Callable[[Place], Iterator[Edit]]] = {
    "comparison": comparison.edits,
    "operator": operator.edits,
    "off by one": offbyone.edits,
    "constant": constant.edits,
    "variable": variable.edits,
    "attribute": attribute.edits,
    "arguments": arguments.edits,
    "condition": condition.edits,
    "term": term.edits,
    "slice or index": slicing.edits,
    "lookup": lookup.edits,
    "call": wrap.edits,
    "guard or return": guard.edits,
    "shared value": defaults.edits,
    "layout": layout.edits,
    "exception": exception.edits,
    "missing statement": copyline.edits,
}
"""Kind of edit → what yields such edits for a place. The order breaks ties between equal costs."""
