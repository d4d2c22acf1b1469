"""Columns and the share of width that each one gets."""

from dataclasses import dataclass

from .cells import display_width


@dataclass
class Column:
    """How one column is shown."""

    title: str
    align: str = "l"
    max_width: int | None = None
    decimals: int | None = None
    missing: str = ""

    def show(self, value):
        """Text of a value in this column."""
        if value is None:
            return self.missing
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float) and self.decimals is not None:
            text = f"{value:.{self.decimals}f}"
            if float(text) == 0:
                text = text.lstrip("-")
            return text
        return str(value)


def natural_width(column, texts):
    """Width of a column whose texts are shown without wrapping."""
    widest = display_width(column.title)
    for text in texts:
        for line in text.splitlines():
            widest = max(widest, display_width(line))
    if column.max_width is not None:
        widest = min(widest, column.max_width)
    return max(widest, 1)


def fit_widths(widths, total):
    """Shrink widths until they sum up to at most total, widest first.

    No column becomes narrower than one cell.
    """
    widths = list(widths)
    if total < len(widths):
        raise ValueError("not enough room for the columns")
    while sum(widths) > total:
        widest = max(range(len(widths)), key=lambda index: widths[index])
        widths[widest] -= 1
    return widths
