"""Text wrapping and tables in plain text."""

from .cells import clip, display_width, pad, strip_codes
from .layout import Column, fit_widths
from .table import Table
from .wrap import dedent_list, paragraphs, wrap

__all__ = [
    "Column",
    "Table",
    "clip",
    "dedent_list",
    "display_width",
    "fit_widths",
    "pad",
    "paragraphs",
    "strip_codes",
    "wrap",
]
