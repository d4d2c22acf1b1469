"""The kinds of edits: one file per family, one line here."""

from collections.abc import Callable, Iterator

from . import calls, conditions, names, statements, values
from .site import Edit, EditSite

FAMILIES: dict[str, tuple[float, Callable[[EditSite], Iterator[Edit]]]] = {
    "comparison": (1.0, conditions.comparison_edits),
    "operator": (1.2, values.operator_edits),
    "off by one": (1.1, values.offbyone_edits),
    "constant": (1.0, values.constant_edits),
    "variable": (1.4, values.variable_edits),
    "attribute": (1.4, names.attribute_edits),
    "arguments": (1.6, calls.arguments_edits),
    "condition": (1.9, conditions.condition_edits),
    "presence": (1.5, conditions.presence_edits),
    "term": (2.9, values.term_edits),
    "slice or index": (1.6, names.slicing_edits),
    "lookup": (1.8, names.lookup_edits),
    "element": (2.2, values.element_edits),
    "text": (2.0, statements.text_edits),
    "call": (1.5, statements.wrap_edits),
    "library call": (1.5, calls.library_edits),
    "extreme": (2.1, values.extreme_edits),
    "every element": (2.0, statements.every_element_edits),
    "expression": (2.9, calls.expression_edits),
    "guard or return": (1.5, conditions.guard_edits),
    "missing branch": (2.7, conditions.otherwise_edits),
    "shared value": (1.6, calls.defaults_edits),
    "layout": (1.7, statements.layout_edits),
    "repetition": (2.0, statements.repetition_edits),
    "order of statements": (2.4, statements.statement_order_edits),
    "order of calls": (2.2, names.chain_edits),
    "any case": (1.9, statements.any_case_edits),
    "pattern": (1.9, calls.pattern_edits),
    "exception": (1.4, conditions.exception_edits),
    "awaited result": (2.3, calls.awaited_edits),
    "unknown name": (1.2, values.unknown_edits),
    "type": (1.6, calls.type_edits),
    "one more": (1.9, calls.extra_argument_edits),
    "sort key": (1.8, statements.sort_key_edits),
    "order of arrival": (2.2, statements.arrival_order_edits),
    "plain value": (2.4, values.plain_edits),
    "only sometimes": (2.3, conditions.onlyif_edits),
    "shape": (1.0, statements.shape_edits),
    "copied guard": (2.6, statements.copied_guard_edits),
    "missing call": (2.2, calls.call_missing_edits),
    "never filled": (2.3, names.unfilled_edits),
    "several places": (1.9, values.repeated_edits),
    "forgotten reset": (1.6, statements.reset_edits),
    "missing statement": (2.2, statements.copyline_edits),
}
"""Kind of edit → below what no such edit costs, and what yields them for a place. The order breaks ties of cost."""
