"""What a view shows of something that runs, whatever its kind: lines that are drawn anew with every look and note."""

from typing import Literal, NamedTuple, Protocol, Self

from loopwright.domain.events import Entry
from loopwright.engine.bus import Note

Style = Literal["head", "completed", "in_progress", "pending", "fact", "doing", "output"]


class Line(NamedTuple):
    text: str
    kind: Style


class Picture(Protocol):
    """How it stands at one moment, and what was heard of it since. Frozen: every change is another picture."""

    def after(self, last: Self) -> Self:
        """The same, with what was heard before it."""
        ...

    def aged(self, seconds: float) -> Self:
        """The same so much later."""
        ...

    def noted(self, note: Note) -> Self:
        """The same with what is heard now."""
        ...

    def lines(self, cells: int) -> list[Line]:
        """Each at most so many cells wide."""
        ...

    def about(self, entry: Entry) -> str:
        """What a line for this entry has to say beside its own words, or nothing."""
        ...
