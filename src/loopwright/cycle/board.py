"""The discovery board of a cycle: what agents report is checked, and appended once."""

from dataclasses import dataclass, field
from pathlib import Path

from loopwright.domain.conversation import Discovered
from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_board import BAD, BOARD, Bad, Finding, merged, read_bad, read_board, read_entry
from loopwright.domain.cycle_names import ROLES
from loopwright.domain.errors import Invalid, NotFound
from loopwright.engine.bus import Note
from loopwright.engine.progress_files import shown
from loopwright.ports import Clock, Store

FILE = "discoveries.ndjson"
"""In a role's own folder: where it writes a line for each, unless it has a tool for that."""

TOLD = 5
"""Bad lines of one reading that are told one by one."""


@dataclass
class Board:
    """`known` is what it says; lines that are no findings are kept aside, and told by the next `collect`."""

    store: Store[CycleState]
    id: str
    clock: Clock
    known: list[Finding] = field(default_factory=list)
    refused: set[tuple[str, str]] = field(default_factory=set)
    untold: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        folder = self.store.progress_path(self.id) / "coordination"
        self.known = list(read_board(_text(folder, Path(BOARD).name))[0])
        self.refused = {(bad.agent, bad.given) for bad in read_bad(_text(folder, Path(BAD).name))}

    def hear(self, note: Note) -> None:
        """What a role reports through the tool, at once."""
        event = note.event
        if not isinstance(event, Discovered) or event.type is None or note.role is None:
            return
        try:
            found = read_entry({"type": event.type, "data": event.data or {}}, ts=self._now(), agent=note.role)
        except Invalid as error:
            self._refuse([Bad(self._now(), note.role, str(error), event.title)])
        else:
            self._add([found])

    def collect(self) -> tuple[str, ...]:
        """Takes what the roles have written into their folders; words about what was set aside since the last time."""
        for role in ROLES:
            text = _text(self.store.progress_path(self.id) / role, FILE)
            found, bad = read_board(text, ts=self._now(), agent=role)
            self._add([one._replace(agent=role) for one in found])
            self._refuse([one for one in bad if (one.agent, one.given) not in self.refused])
        told, self.untold = tuple(self.untold), []
        return told

    def _add(self, found: list[Finding]) -> None:
        new = merged(self.known, found)
        if new:
            self.store.append_progress(self.id, BOARD, [one.line.encode(errors="replace") for one in new])
            self.known += new

    def _refuse(self, bad: list[Bad]) -> None:
        if not bad:
            return
        self.store.append_progress(self.id, BAD, [one.line.encode(errors="replace") for one in bad])
        self.refused |= {(one.agent, one.given) for one in bad}
        self.untold += [f"a discovery of {one.agent} was set aside: {one.error}" for one in bad[:TOLD]]

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")


def _text(folder: Path, name: str) -> str:
    try:
        return shown(folder, name).text
    except NotFound:
        return ""
