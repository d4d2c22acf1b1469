"""`list` and `show` answered with what the same command printed before, and before anything else is loaded.

An answer is kept with all that it rests on: what was typed, where and how it is shown, settings and git, the files of
the states and who drives them. Where any of that is not as it was, the command itself answers.
"""

import json
import os
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from loopwright.store.kept_index import (
    ABSENT,
    FLEET_MARKS,
    JOURNAL,
    OLD_STATES,
    STATE,
    KeptIndex,
    find_ids,
    is_settled,
    kept_folder,
    read_kept,
    stamp_file,
    stamp_state,
    write_kept,
)
from loopwright.surfaces.cli.output import count_cells
from loopwright.surfaces.cli.text import fill_ages

if TYPE_CHECKING:
    from pathlib import Path

    from loopwright.core.run import Run

ANSWERS, LONGEST = 64, 1 << 22
"""How many are kept of each folder, and characters of one."""
ENVIRONMENT = ("LOOPWRIGHT_", "XDG_", "HOME", "TZ")
"""What the variables begin with that decide what is printed."""
SETTINGS = (
    *("loopwright.toml", "pyproject.toml", OLD_STATES, FLEET_MARKS),
    *(".git", ".git/HEAD", ".git/config", ".git/objects", ".git/refs"),
)
"""What in a folder, or in one above it, decides which project that is, and what holds there."""


class KeptAnswer(NamedTuple):
    """`text`: see `fill_ages`, unless it is JSON. `stamps` by path; `live` by the lease that says so.

    `listed`: of the index that a list rests on, name and digest, project, folder and homes of its states.
    """

    asked: str
    text: str
    is_json: bool
    stamps: dict[str, str | None]
    live: dict[str, bool]
    listed: tuple[str, int, str, str, str | None] | None

    def is_current(self) -> bool:
        if any(_stamp(path) != stamp for path, stamp in self.stamps.items()):
            return False
        if any(_is_live(lease) != live for lease, live in self.live.items()):
            return False
        if self.listed is None:
            return True
        name, digest, root, folder, homes = self.listed
        text = read_kept(kept_folder(root), name, root) or ""
        return zlib.crc32(text.encode()) == digest and KeptIndex.parse(text).is_current(folder, homes)


def answer_command() -> str | None:
    """What the command would print that was typed; None where only itself can say."""
    try:
        asked, here = _describe_command(), os.getcwd()
        text = read_kept(kept_folder(here), _name(asked), here)
        kept = KeptAnswer(*json.loads(text)) if text else None
        if kept is None or kept.asked != asked or not kept.is_current():
            return None
        return kept.text if kept.is_json else fill_ages(kept.text, datetime.now(UTC))
    except (OSError, ValueError, TypeError):  # what is kept was torn: the command itself will do
        return None


def _describe_command() -> str:
    zone = [os.path.realpath("/etc/localtime"), *time.tzname, time.timezone, time.altzone]
    given = sorted(item for item in os.environ.items() if item[0].startswith(ENVIRONMENT))
    return json.dumps([sys.argv[1:], os.getcwd(), count_cells(), zone, given])


def _name(asked: str) -> str:
    return f"answer.{zlib.crc32(asked.encode()):08x}"


def _is_live(lease: str) -> bool:
    try:
        if not os.stat(lease).st_size:
            return False
    except (FileNotFoundError, NotADirectoryError):
        return False
    from loopwright.store.disk import Disk
    from loopwright.store.lease import find_holder

    return find_holder(Disk(), lease) is not None


def _stamp(path: str) -> str | None:
    """None while it may still change unseen; a folder changes with every file in it, and only counts as one."""
    return "folder" if os.path.isdir(path) else stamp_file(path)


def _find_settings(folder: str) -> Iterator[str]:
    yield f"{os.environ.get('XDG_CONFIG_HOME') or os.path.expanduser('~/.config')}/loopwright/loopwright.toml"
    above = ""
    while folder != above:
        yield from (f"{folder}/{name}" for name in SETTINGS)
        folder, above = os.path.dirname(folder), folder


class AnswerKeeper:
    """Keeps what a command prints for the next time; made before the settings are read."""

    def __init__(self, project: "Path") -> None:
        self._stamps = {path: _stamp(path) for path in _find_settings(os.path.realpath(project))}
        self._found: Mapping[str, str | None] = {}

    def open(self, name: str, root: "Path", id: str | None = None) -> None:
        """To be called before the state, or without an `id` the list, is read. `name`: of the kind."""
        from loopwright.wiring.stores import CYCLES, LOOPS, TUNINGS

        kind = next(kind for kind in (LOOPS, CYCLES, TUNINGS) if kind.name == name)
        self._root, self._layout = str(root), kind.layout(root / kind.folder)
        if id is not None:
            self._base = self._layout.base(id)
            self._stamps |= {path: stamp_file(path) for path in (self._base + STATE, self._base + JOURNAL)}
            return
        stamps = {id: stamp_state(self._layout.base(id)) for id in find_ids(str(self._layout.folder), kind.homes) or ()}
        self._found = {id: stamp if is_settled(stamp) else None for id, stamp in stamps.items()}

    def keep_list(self, text: str, live: Mapping[str, bool], *, is_json: bool) -> None:
        """`live`: by id. To be called when the store is closed."""
        name, folder = f"{self._layout.name}.index", str(self._layout.folder)
        with suppress(OSError):
            index = read_kept(kept_folder(self._root), name, self._root)
            known = KeptIndex.parse(index) if index else None
            if index and known and known.whole and self._found == dict(zip(known.ids, known.stamps, strict=True)):
                leases = {f"{self._layout.base(id)}.lease": held for id, held in live.items()}
                listed = (name, zlib.crc32(index.encode()), self._root, folder, self._layout.homes)
                self._keep(KeptAnswer(_describe_command(), text, is_json, self._stamps, leases, listed))

    def keep_page(self, text: str, state: "Run", live: bool, *, is_json: bool) -> None:
        """Of a state of which its JSON file tells all."""
        from loopwright.store.projection import parse_projection

        with suppress(OSError), open(self._base + STATE, "rb") as file:
            found = parse_projection(file.read())
            end = os.stat(self._base + JOURNAL).st_size
            if found and found.genuine and found.rev == state.engine.rev and found.journal_bytes == end:
                leases = {f"{self._base}.lease": live}
                self._keep(KeptAnswer(_describe_command(), text, is_json, self._stamps, leases, None))

    def _keep(self, answer: KeptAnswer) -> None:
        absent = all(answer.stamps.get(f"{self._root}/{name}") == ABSENT for name in (OLD_STATES, FLEET_MARKS))
        if None in answer.stamps.values() or not absent or len(answer.text) > LONGEST:
            return
        folder, here = kept_folder(os.getcwd()), os.getcwd()
        write_kept(folder, _name(answer.asked), here, json.dumps(answer))
        with suppress(OSError):
            found = [f"{folder}/{name}" for name in os.listdir(folder) if name.startswith("answer.")]
            for path in sorted(found, key=os.path.getmtime)[:-ANSWERS]:
                os.unlink(path)
