"""The folder through which an agent's reports reach its runner: the order goes in, reports come out."""

import contextlib
import os
import stat
from pathlib import Path

from pydantic import JsonValue, ValidationError

from loopwright.core.errors import Invalid
from loopwright.core.private_files import make_private_folder
from loopwright.core.record import Record
from loopwright.reports.tools import ReportOrder

FULL, MOST_LETTERS = 1_000_000, 1000
"""Bytes that one turn may report: so many are read of what stands there, whoever wrote it; and the last letters."""


class SpooledCall(Record):
    """One call of a tool, as the server took it."""

    turn: int
    tool: str
    arguments: dict[str, JsonValue]


class ReportSpool:
    """Both sides of the folder. The runner believes nothing of it: the agent can write there too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._order = folder / "order.json"
        self._ground = folder / "ground.json"
        self._letters = folder / "reports.ndjson"
        self._known = folder / "known"

    def begin(self, order: ReportOrder, ground: bytes | None = None) -> None:
        """A new order, with what the debugger works on; letters of before are gone. OSError."""
        make_private_folder(self._folder)
        _remove(self._letters)
        _remove(self._ground)
        if ground is not None:
            self._put_in(self._ground, ground)
        self._put_in(self._order, order.model_dump_json().encode())

    def _put_in(self, place: Path, data: bytes) -> None:
        new = self._folder / f"{place.stem}.{os.getpid()}"
        _remove(new)
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as written:
            written.write(data)
        if place.is_dir():
            _remove(place)
        _remove(place)  # what is renamed over an old file is flushed to the disk first (ext4): milliseconds
        new.replace(place)

    def order(self) -> ReportOrder | None:
        """The order of this turn; None where none can be read."""
        try:
            return ReportOrder.model_validate_json(_read(self._order))
        except (OSError, ValidationError):
            return None

    def ground(self) -> bytes:
        """What the debugger works on in this turn. OSError where there is nothing."""
        return _read(self._ground)

    def know(self) -> None:
        """The agent has asked which tools there are. OSError."""
        os.close(os.open(self._known, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600))

    def is_known(self) -> bool:
        return self._known.exists()

    def put(self, letter: SpooledCall) -> None:
        """Appends in one write. OSError; Invalid when the turn has reported too much."""
        # The line break in front keeps it whole behind one that a full disk has torn.
        line = b"\n" + letter.model_dump_json().encode() + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(self._letters, flags, 0o600)
        try:
            if os.fstat(file).st_size + len(line) > FULL:
                raise Invalid(f"This turn has already reported more than {FULL:,} bytes; put the rest in your answer.")
            if os.write(file, line) < len(line):
                raise OSError("only a part could be written")
        finally:
            os.close(file)

    def letters(self, turn: int) -> tuple[SpooledCall, ...]:
        """What was reported in that turn, in order; what is no letter is left out."""
        try:
            lines = _read(self._letters).splitlines()
        except OSError:
            return ()
        letters = []
        for line in [line for line in lines if line][-MOST_LETTERS:]:
            with contextlib.suppress(ValidationError):
                letters.append(SpooledCall.model_validate_json(line))
        return tuple(letter for letter in letters if letter.turn == turn)


def _read(path: Path) -> bytes:
    """The beginning of a plain file. OSError for anything else, and without waiting for it."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(f"{path} is not a file")
        return opened.read(FULL)


def _remove(path: Path) -> None:
    """Also where an agent has put a folder in its place."""
    try:
        path.unlink(missing_ok=True)
    except IsADirectoryError:
        aside = path.with_name(f"{path.name}.{os.urandom(4).hex()}")
        path.rename(aside)
