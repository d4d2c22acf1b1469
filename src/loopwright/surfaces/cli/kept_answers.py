"""`list` and `show` answered from what was kept, before anything else is loaded; wherever that may differ, not at all.

What is kept of a run is its row and its page, with the stamps of its files, the settings' files and the folder's git.
All of it is made by the commands themselves: see `keep_rows` and `keep_page`.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from loopwright.core.text import json_line
from loopwright.store.kept_index import (
    ABSENT,
    OWN,
    STATE,
    KeptIndex,
    is_settled,
    kept_folder,
    read_kept,
    stamp_file,
    stamp_state,
    write_kept,
)
from loopwright.surfaces.cli.output import count_cells
from loopwright.surfaces.cli.text import LABEL, TableWords, draw_table, format_age, format_time, measure_width

if TYPE_CHECKING:
    from pathlib import Path

    from loopwright.core.run import Run
    from loopwright.surfaces.cli.run_rendering import RunRendering

ROWS_KEPT, PAGES_KEPT = 1000, 64
LONGEST_AGE = len("99999 days")
"""Characters; a page that is too narrow for them is not kept."""


class KindPlace(NamedTuple):
    """Where runs of a kind lie in a project, as `StateKind` has it; `key` is what JSON calls an id."""

    name: str
    key: str
    folder: str
    homes: str | None


LOOP = KindPlace("loop", "loop_id", ".workflow/.loop", None)
CYCLE = KindPlace("cycle", "cycle_id", ".workflow/.cycle", None)
TUNING = KindPlace("tuning session", "tuning_id", ".workflow/.scratchpad", "skill-tuning-")
PLACES = {place.name: place for place in (LOOP, CYCLE, TUNING)}
GROUPS = {"cycle": CYCLE, "tunings": TUNING}
VALUED = ("--project", "--status", "--limit", "--offset")


class KeptRow(NamedTuple):
    """`live`, `dead`: the status with and without a runner; `alone`: it is no attempt among others.

    `whole_numbers`: where the JSON file has a whole number for a float; None where it is not what JSON output shows.
    """

    stamp: str
    whole_numbers: list[list[Any]] | None  # Any: keys and places
    alone: bool
    changed_at: str | None
    live: str
    dead: str
    cells: list[str]
    title: str


class KeptPage(NamedTuple):
    """What of a page stands before and after the age of the run; `view`: how it was looked at."""

    stamp: str
    view: list[Any]  # Any: JSON
    changed_at: str | None
    before: str
    after: str


def answer_command(words: Sequence[str]) -> str | None:
    """What the command prints; None where only the command itself can say."""
    place = GROUPS.get(words[0], LOOP)
    command, *rest = [*(words[1:] if words[0] in GROUPS else words), ""]
    options = _read_options(rest[:-1])
    if command not in ("list", "show") or options is None:
        return None
    try:
        named = str(options.pop("--project", "."))
        project = KeptProject.find(place, named) if named == os.path.normpath(named) else None
        if project is None or (rows := project.read(f"{place.name}.rows")) is None:
            return None
        return _list(project, rows, options) if command == "list" else _show(project, rows, options)
    except (OSError, ValueError, KeyError, TypeError):  # what is kept was torn: the command itself will do
        return None


def _read_options(words: Sequence[str]) -> dict[str, Any] | None:  # Any: as typed
    """By name, what is no option under an empty one; None where a thing is not understood or said twice."""
    found: dict[str, Any] = {}
    waiting = iter(words)
    for word in waiting:
        name, given, value = word.partition("=")
        if name in VALUED:
            value = value if given else next(waiting, "")
            if not value or value.startswith("-") or (name in VALUED[2:] and not value.isdecimal()):
                return None
        elif word.startswith("-") and word not in ("--json", "--all"):
            return None
        elif not word.startswith("-"):
            name, value = "", word
        if name in found or not (name or value):
            return None
        found[name] = value
    return found


class KeptProject(NamedTuple):
    """A project as far as it is known without loading anything; `elsewhere`: as it was named."""

    place: KindPlace
    root: str
    elsewhere: str
    settings: str
    cache: str

    @classmethod
    def find(cls, place: KindPlace, elsewhere: str) -> "KeptProject | None":
        """None where git would have to be asked, or what it depends on is being changed."""
        root = os.path.realpath(elsewhere)
        if not os.path.isdir(root) or (settings := stamp_settings(root)) is None:
            return None
        return cls(place, root, elsewhere, settings, kept_folder(root))

    def read(self, name: str) -> Any:  # Any: JSON
        text = read_kept(self.cache, name, self.root)
        known = json.loads(text) if text else None
        return known["kept"] if known and known["settings"] == self.settings else None

    def write(self, name: str, kept: Any) -> None:  # Any: JSON
        write_kept(self.cache, name, self.root, json.dumps({"settings": self.settings, "kept": kept}))

    @property
    def folder(self) -> str:
        return f"{self.root}/{self.place.folder}"

    def base(self, id: str) -> str:
        return f"{self.folder}/{id}" if self.place.homes is None else f"{self.folder}/{id}/{OWN}"

    def is_live(self, id: str) -> bool:
        lease = f"{self.base(id)}.lease"
        try:
            if not os.stat(lease).st_size:
                return False
        except (FileNotFoundError, NotADirectoryError):
            return False
        from loopwright.store.disk import Disk
        from loopwright.store.lease import find_holder

        return find_holder(Disk(), lease) is not None

    def document(self, id: str, whole_numbers: list[list[Any]]) -> Any:  # Any: JSON
        with open(self.base(id) + STATE, encoding="utf-8") as file:
            document = json.load(file)
        for *way, last in whole_numbers:
            place = document
            for key in way:
                place = place[key]
            place[last] = float(place[last])
        return document


def stamp_settings(root: str) -> str | None:
    """What else decides what a command prints: settings, and what git takes for the project that `root` lies in.

    None while one of these files may still change unseen.
    """
    user = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    gits = [git for folder in _folders_to_top(root) if os.path.lexists(git := f"{folder}/.git")]
    looked = [f"{user}/loopwright/loopwright.toml", f"{root}/pyproject.toml", f"{root}/loopwright.toml"]
    looked += [f"{git}/config" if os.path.isdir(git) else git for git in gits]  # a folder changes with every commit
    parts = [(git, [os.path.exists(f"{git}/{part}") for part in ("HEAD", "objects", "refs")]) for git in gits]
    stamps = [stamp_file(path) for path in looked]
    given = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("LOOPWRIGHT_"))
    return None if None in stamps else json.dumps([looked, stamps, parts, given])


def _folders_to_top(root: str) -> Iterator[str]:
    """As git looks for a repository: up to the top of the file system that holds `root`."""
    device, path = os.stat(root).st_dev, root
    while os.stat(path).st_dev == device:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _list(project: KeptProject, kept: Any, options: dict[str, Any]) -> str | None:  # Any: JSON, as typed
    place, as_json, status = project.place, "--json" in options, options.get("--status")
    limit, offset = int(options.get("--limit", 50)), int(options.get("--offset", 0))
    text = read_kept(project.cache, f"{place.name}.index", project.root)
    if text is None or limit < 1 or options.keys() - {"--json", *VALUED}:
        return None
    index = KeptIndex.parse(text)
    at = [n for n, one in enumerate(index.statuses) if status in (None, one)]
    page = [(index.ids[n], index.stamps[n], index.statuses[n]) for n in at[offset : offset + limit]]
    rows = [KeptRow(*kept["rows"][id]) for id, _, _ in page]
    if not page or any(row.stamp != stamp for row, (_, stamp, _) in zip(rows, page, strict=True)):
        return None
    if as_json and any(row.whole_numbers is None for row in rows):
        return None
    data = (
        [project.document(row_id, row.whole_numbers or []) for (row_id, *_), row in zip(page, rows, strict=True)]
        if as_json
        else []
    )
    live = [status == "running" and project.is_live(id) for id, _, status in page]
    if not index.is_current(project.folder, place.homes) or os.path.lexists(f"{project.root}/.loop"):
        return None
    if as_json:
        more = {"total": len(at), "limit": limit, "offset": offset, "hasMore": offset + len(page) < len(at)}
        return json_line({"success": True, "data": data, **more, "damaged": []})
    now = datetime.now(UTC)
    table = [
        (
            id,
            row.live if is_live else row.dead,
            *row.cells,
            format_age(row.changed_at or now.isoformat(), now),
            row.title,
        )
        for (id, _, _), row, is_live in zip(page, rows, live, strict=True)
    ]
    name, head, facts, none = kept["words"]
    return "\n".join(draw_table(TableWords(name, tuple(head), facts, none), table, len(at), count_cells()))


def _show(project: KeptProject, kept: Any, options: dict[str, Any]) -> str | None:  # Any: JSON, as typed
    id = options.pop("", "")
    if not id or options.keys() - {"--json", "--all"} or id not in kept["rows"]:
        return None
    row, live = KeptRow(*kept["rows"][id]), project.is_live(id)
    if "--json" in options:
        data = project.document(id, row.whole_numbers) if row.whole_numbers is not None and row.alone else None
        current = stamp_state(project.base(id)) == row.stamp
        return json_line({"success": True, "data": data, "live": live}) if data and current else None
    pages = project.read(f"{project.place.name}.pages") or {}
    page = KeptPage(*pages[id])
    if page.view != _view(project, live, "--all" in options) or stamp_state(project.base(id)) != page.stamp:
        return None
    age = format_age(page.changed_at, datetime.now(UTC)) if page.changed_at else ""
    return page.before + age + page.after if len(age) <= LONGEST_AGE else None


def _view(project: KeptProject, live: bool, whole: bool) -> list[Any]:  # Any: JSON
    """All that a page of a state depends on, but the time."""
    zone = [os.environ.get("TZ"), os.path.realpath("/etc/localtime"), *time.tzname, time.timezone, time.altzone]
    return [project.elsewhere, live, whole, count_cells(), zone]


class AnswerKeeper:
    """What a command has found and shows, for the next one; made before the settings are read."""

    def __init__(self, kind: str, project: "Path") -> None:
        self._project = KeptProject.find(PLACES[kind], str(project))

    def stamp(self, id: str) -> str | None:
        """To be taken before a state is read that is kept."""
        if self._project is None:
            return None
        stamp = stamp_state(self._project.base(id))
        return stamp if is_settled(stamp) else None

    def keep_rows(
        self, root: "Path", rendering: "RunRendering[Any]", ids: Sequence[str], read: "Callable[[str], Run]"
    ) -> dict[str, str]:
        """Rows of the states that their JSON files tell of; the stamps of those that are kept, by id.

        `root`: of the project, as git has it.
        """
        project = self._project
        if project is None or project.root != str(root):
            return {}
        from contextlib import suppress

        from loopwright.core.errors import LoopwrightError

        kept = project.read(f"{project.place.name}.rows")
        words = json.loads(json.dumps(rendering.table_words))
        rows: dict[str, Any] = kept["rows"] if kept and kept["words"] == words else {}  # Any: JSON
        fresh = dict[str, Any]()
        for id in ids:
            stamp = self.stamp(id)
            if stamp is None or stamp == rows.get(id, [""])[0]:
                continue
            with suppress(LoopwrightError, OSError):  # it may be gone by now
                row = self._row(rendering, read(id), stamp)
                if row and self.stamp(id) == stamp:
                    fresh[id] = list(row)
        if fresh:
            rows = dict([*rows.items(), *fresh.items()][-ROWS_KEPT:]) if rows.keys() - fresh else fresh
            project.write(f"{project.place.name}.rows", {"words": words, "rows": {**rows, **fresh}})
        return {id: row[0] for id, row in {**rows, **fresh}.items() if id in ids}

    def _row(self, rendering: "RunRendering[Any]", state: "Run", stamp: str) -> KeptRow | None:
        from loopwright.store.projection import parse_projection

        assert self._project is not None
        id = rendering.id_of(state)
        with open(self._project.base(id) + STATE, "rb") as file:
            data = file.read()
        found = parse_projection(data)
        if (
            found is None
            or not found.genuine
            or found.rev != state.engine.rev
            or found.journal_bytes != _journal(stamp)
        ):
            return None
        shown = json.loads(json_line(state, lambda model: model.model_dump(mode="json", by_alias=True)))
        now = datetime.now(UTC)
        _, dead, *cells, _, title = rendering.row(state, False, now)
        return KeptRow(
            stamp,
            _find_whole_numbers(json.loads(data), shown),
            getattr(state.engine, "family", None) is None,
            rendering.changed_at(state),
            rendering.row(state, True, now)[1],
            dead,
            cells,
            title,
        )

    def keep_page(self, id: str, page: str, state: "Run", *, stamp: str | None, live: bool, whole: bool) -> None:
        """`stamp`: see `stamp`; a page that is folded around its age is not kept."""
        project, changed_at = self._project, state.updated_at
        if project is None or stamp is None or self.stamp(id) != stamp:
            return
        before, after = page, ""
        if changed_at:
            line = LABEL.format("updated", f"{format_time(changed_at)} (")
            before, found, after = page.partition(f"\n{line}")
            before, after = before + found, after.partition(" ago)\n")[2]
            if not found or line in after or measure_width(line) + LONGEST_AGE + len(" ago)") > count_cells():
                return
            after = f" ago)\n{after}"
        name = f"{project.place.name}.pages"
        pages = project.read(name) or {}
        pages.pop(id, None)
        kept = KeptPage(stamp, _view(project, live, whole), changed_at, before, after)
        project.write(name, dict([*pages.items(), (id, kept)][-PAGES_KEPT:]))


def _find_whole_numbers(found: Any, shown: Any) -> list[list[Any]] | None:  # Any: JSON, keys and places
    """The ways to all that has to become a float for `found` to be `shown`; None where more is different."""
    if isinstance(found, dict) and isinstance(shown, dict):
        keys = list(found)
        inner = keys if keys == list(shown) else None
    elif isinstance(found, list) and isinstance(shown, list):
        inner = list(range(len(found))) if len(found) == len(shown) else None
    elif found == shown and type(found) is int and type(shown) is float:
        return [[]]
    else:
        return [] if found == shown and type(found) is type(shown) else None
    ways = list[list[Any]]()
    for key in inner or ():
        below = _find_whole_numbers(found[key], shown[key])
        if below is None:
            return None
        ways += [[key, *way] for way in below]
    return ways if inner is not None else None


def _journal(stamp: str) -> int:
    """Bytes of the journal at that stamp."""
    parts = stamp.split(".")
    return int(parts[-2]) if parts[-1] != ABSENT else 0
