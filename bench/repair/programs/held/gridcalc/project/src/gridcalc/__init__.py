"""A small spreadsheet kernel."""

from .errors import CellError, FormulaError
from .refs import Ref, column_name, column_number, expand, parse_ref
from .sheet import Sheet

__all__ = [
    "CellError",
    "FormulaError",
    "Ref",
    "Sheet",
    "column_name",
    "column_number",
    "expand",
    "parse_ref",
]
