"""Two kinds of trouble: a formula nobody can read, and a value gone wrong."""


class FormulaError(ValueError):
    """The text of a formula cannot be parsed."""


class CellError(Exception):
    """An error as the value of a cell, such as #DIV/0!."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code

    def __eq__(self, other):
        return isinstance(other, CellError) and other.code == self.code

    def __hash__(self):
        return hash(self.code)

    def __repr__(self):
        return f"CellError({self.code!r})"


DIV0 = "#DIV/0!"
NAME = "#NAME?"
VALUE = "#VALUE!"
REF = "#REF!"
CYCLE = "#CYCLE!"
