"""The menu of a loop whose steps a person chooses, as it is kept in the state for whoever answers from elsewhere."""

from pydantic import Field

from loopwright.domain.record import Items, Record, Timestamp, absent


class MenuEntry(Record):
    """`blocked`: why it can not be chosen now. One entry is `preselected`."""

    name: str
    words: str
    blocked: str | None = None
    preselected: bool = False


class Menu(Record):
    """Open until a choice is taken. `choice` is what somebody chose and the runner has yet to take."""

    since: Timestamp
    entries: Items[MenuEntry]
    choice: str | None = Field(default=None, exclude_if=absent)

    @property
    def free(self) -> tuple[str, ...]:
        """The names that can be chosen."""
        return tuple(entry.name for entry in self.entries if not entry.blocked)
