"""Tables with wrapped cells."""

from .cells import pad
from .layout import Column, fit_widths, natural_width
from .wrap import wrap

_ALIGNMENTS = {"l": "left", "r": "right", "c": "center"}


class Table:
    """Rows under titled columns, printed as plain text or Markdown."""

    def __init__(self, titles, align=None, gap="  "):
        self.columns = []
        for index, title in enumerate(titles):
            if isinstance(title, Column):
                self.columns.append(title)
                continue
            letter = align[index] if align else "l"
            if letter not in _ALIGNMENTS:
                raise ValueError(f"unknown alignment: {letter!r}")
            self.columns.append(Column(title, letter))
        self.gap = gap
        self.rows = []
        self.footer = None

    def add_row(self, *values):
        """Add one row; missing values at its end stay empty."""
        self.rows.append(self._complete(values))

    def set_footer(self, *values):
        """Set the row that is printed below a second rule."""
        self.footer = self._complete(values)

    def _complete(self, values):
        if len(values) > len(self.columns):
            raise ValueError(
                f"{len(values)} values for {len(self.columns)} columns"
            )
        return list(values) + [None] * (len(self.columns) - len(values))

    def sort(self, title, reverse=False):
        """Sort the rows by one column; rows without a value come last."""
        index = self._index(title)
        filled = [row for row in self.rows if row[index] is not None]
        empty = [row for row in self.rows if row[index] is None]
        filled.sort(key=lambda row: row[index], reverse=reverse)
        self.rows = filled + empty

    def _index(self, title):
        for index, column in enumerate(self.columns):
            if column.title == title:
                return index
        raise KeyError(title)

    def total(self, title):
        """Sum of the numbers in one column."""
        index = self._index(title)
        return sum(row[index] for row in self.rows if row[index] is not None)

    def _shown(self, row):
        return [column.show(value) for column, value in zip(self.columns, row)]

    def _body(self):
        shown = [self._shown(row) for row in self.rows]
        if self.footer is not None:
            shown.append(self._shown(self.footer))
        return shown

    def widths(self, width=None):
        """Width of each column, at most width cells in all with the gaps."""
        body = self._body()
        natural = []
        for index, column in enumerate(self.columns):
            natural.append(natural_width(column, [row[index] for row in body]))
        if width is None:
            return natural
        gaps = len(self.gap) * (len(self.columns) - 1)
        return fit_widths(natural, width - gaps)

    def _lines(self, texts, widths):
        """Physical lines of one row."""
        cells = []
        for text, width in zip(texts, widths):
            lines = []
            for line in text.splitlines():
                lines.extend(wrap(line, width) or [""])
            cells.append(lines)
        height = max((len(lines) for lines in cells), default=0) or 1
        for number in range(height):
            parts = []
            for column, lines, width in zip(self.columns, cells, widths):
                text = lines[number] if number < len(lines) else ""
                parts.append(pad(text, width, column.align))
            yield self.gap.join(parts).rstrip()

    def render(self, width=None):
        """The table as plain text."""
        widths = self.widths(width)
        rule = self.gap.join("-" * size for size in widths)
        out = list(self._lines([c.title for c in self.columns], widths))
        out.append(rule)
        for row in self.rows:
            out.extend(self._lines(self._shown(row), widths))
        if self.footer is not None:
            out.append(rule)
            out.extend(self._lines(self._shown(self.footer), widths))
        return "\n".join(out)

    def markdown(self):
        """The table as a Markdown table."""
        marks = {"l": ":--", "r": "--:", "c": ":-:"}
        out = [_pipe_row([column.title for column in self.columns])]
        out.append("| " + " | ".join(marks[c.align] for c in self.columns) + " |")
        for row in self._body():
            out.append(_pipe_row(row))
        return "\n".join(out)


def _pipe_row(texts):
    return "| " + " | ".join(_escape(text) for text in texts) + " |"


def _escape(text):
    text = text.replace("\\", "\\\\")
    text = text.replace("|", "\\|")
    return "<br>".join(text.splitlines())
