"""Cell addresses: A1, $B$2 and what happens when a formula is moved."""

import re
from dataclasses import dataclass

_REF = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)([1-9][0-9]*)")


def column_number(name):
    """A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_name(number):
    if number < 1:
        raise ValueError(f"no column {number}")
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


@dataclass(frozen=True)
class Ref:
    column: int
    row: int
    fixed_column: bool = False
    fixed_row: bool = False

    @property
    def key(self):
        """The place alone, without the dollar signs."""
        return (self.column, self.row)

    def moved(self, columns, rows):
        """The reference after its formula was copied, None when off the grid."""
        column = self.column if self.fixed_column else self.column + columns
        row = self.row if self.fixed_row else self.row + rows
        if column < 1 or row < 1:
            return None
        return Ref(column, row, self.fixed_column, self.fixed_row)

    def __str__(self):
        left = "$" if self.fixed_column else ""
        middle = "$" if self.fixed_row else ""
        return f"{left}{column_name(self.column)}{middle}{self.row}"


def parse_ref(text):
    match = _REF.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a cell: {text!r}")
    left, letters, middle, digits = match.groups()
    return Ref(column_number(letters), int(digits), bool(left), bool(middle))


def name_of(key):
    column, row = key
    return f"{column_name(column)}{row}"


def expand(first, last):
    """All places of a rectangle, row by row; the corners in any order."""
    left, right = sorted((first.column, last.column))
    top, bottom = sorted((first.row, last.row))
    return [
        (column, row)
        for row in range(top, bottom + 1)
        for column in range(left, right + 1)
    ]
