"""Every file truncated at every length, emptied, deleted, replaced: rebuilt, equal to what a stranger reads.

The stranger is `tests.store.stranger`: it knows the documented format of the journal and nothing of the product.
"""

import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from loopwright.core.errors import LoopwrightError
from loopwright.workflows.loop.commands import OTHER_FIELDS, TEXT_FIELDS
from loopwright.workflows.loop.documents import render_progress
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.state_reader import read_loop
from tests.store.making import EDITED, ID, files_at, loop, retitle, tagging
from tests.store.stranger import independent_replay
from tests.store.tampering import Files, instead, remove

TASK = {"task_id": "t", "description": "d", "created_at": "2026-01-22T10:00:00+08:00"}
DONE = {"id": "t", "description": "d", "created_at": TASK["created_at"], "status": "completed"}
FIELDS: dict[str, Any] = {  # fields as they come from a file
    "skill_state": {"completed_actions": ["INIT"], "develop": {"total": 1, "completed": 1, "tasks": [DONE]}},
    "engine": {"tasks": [{**TASK, "updated_at": TASK["created_at"]}]},
}
EDITABLE = TEXT_FIELDS | OTHER_FIELDS
FLIPPED = "json with one flipped bit"


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 every fourth length of every file and all else; below, that share of them at random."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made"
        made.mkdir()
        _make(made)
        state = independent_replay(Files(made, ID).journal.read_bytes())
        damages = list(_damages(made, chance))
        for n, (kind, damage) in enumerate(chance.sample(damages, min(len(damages), ceil(len(damages) * scale)))):
            root = Path(folder) / str(n)
            shutil.copytree(made, root, symlinks=True)
            damage(root)
            try:
                _check(root, kind, state, counts)
            except Exception as error:
                error.add_note(f"after {damage}")
                raise
            shutil.rmtree(root)
    return counts


def _make(root: Path) -> None:
    """A loop with some history, an older copy of each of its files, and another loop."""
    with files_at(root) as store:
        store.create(loop(**FIELDS), actor="user")
        store.create(loop("loop-2", title="Another"), actor="user")
        retitle(store, "Another, later", "loop-2")
        retitle(store, "Older")
        files = Files(root, ID)
        for path in _files(files):
            if path.exists():
                (root / f"older-{path.name}").write_bytes(path.read_bytes())
        for n in range(4):
            store.update(ID, tagging(f"tag-{n}"), actor="user", event=EDITED)
        with store.lease(ID):
            state = retitle(store, "The last one")
        store.write_progress(ID, render_progress(state))
        store.append_progress(ID, "changes.log", [b'{"iteration":1,"n":1}'])


def _files(files: Files) -> list[Path]:
    progress = sorted(files.progress.iterdir()) if files.progress.is_dir() else []
    return [files.json, files.journal, files.tasks, files.lease, files.lock, *progress]


def _damages(made: Path, chance: random.Random) -> Iterator[tuple[str, Callable[[Path], object]]]:
    for path in _files(Files(made, ID)):
        kind, place, size = path.name.removeprefix(f"{ID}."), path.relative_to(made), path.stat().st_size
        for length in range(chance.randrange(4), size, 4):
            yield kind, partial(_truncate, place=place, length=length)
        for _ in range(30):
            yield kind, partial(_garbage, place=place, data=chance.randbytes(chance.randint(1, 2 * size + 9)))
            if size:
                flip = partial(_flip, place=place, at=chance.randrange(size), bit=1 << chance.randrange(8))
                yield FLIPPED if kind == "json" else kind, flip
        yield kind, partial(_truncate, place=place, length=0)
        yield kind, partial(_instead, place=place, what="nothing")
        older = made / f"older-{path.name}"
        if older.exists():
            yield kind, partial(_garbage, place=place, data=older.read_bytes())
        other = Files(made, "loop-2").folder / path.name.replace(ID, "loop-2")
        if other.exists() and other != path:
            yield kind, partial(_garbage, place=place, data=other.read_bytes())
        for what in ("folder", "pipe", "link", "dangling link"):
            yield kind, partial(_instead, place=place, what=what)


def _truncate(root: Path, place: Path, length: int) -> None:
    (root / place).write_bytes((root / place).read_bytes()[:length])


def _garbage(root: Path, place: Path, data: bytes) -> None:
    (root / place).write_bytes(data)


def _flip(root: Path, place: Path, at: int, bit: int) -> None:
    data = bytearray((root / place).read_bytes())
    data[at] ^= bit
    (root / place).write_bytes(data)


def _instead(root: Path, place: Path, what: str) -> None:
    if what == "nothing":
        remove(root / place)
    else:
        instead(root / place, what)


def _check(root: Path, kind: str, state: Any, counts: Counter[str]) -> None:  # Any: parsed JSON
    files = Files(root, ID)
    _same_lines_or_less(root, _edited(files.json, state) if kind == FLIPPED else state, counts)
    shown = json.loads(files.json.read_bytes())
    assert independent_replay(files.journal.read_bytes()) == shown
    assert [json.loads(line)["task_id"] for line in files.tasks.read_text().splitlines()] == ["t"]
    precious = root / "precious.txt"
    assert not precious.exists() or precious.read_text() == "precious"
    with files_at(root) as store:
        assert store.read("loop-2").title == "Another, later"
    counts["damages"] += 1


def _edited(json_file: Path, state: Any) -> Any:  # Any: parsed JSON
    """The state with what one flipped bit has edited, where the file still is one: nobody can tell that from a person.

    A key that it made somebody else's is kept too; what it was before is read as missing.
    """
    try:
        shown = json.loads(json_file.read_bytes())
        read, _ = read_loop(shown, fallback_id=ID, now=state["updated_at"])
    except (ValueError, LoopwrightError):
        return state
    edited = {key: value for key, value in dict(read).items() if key in EDITABLE and key in state}
    known = LoopState.model_fields.keys() | state.keys()
    return state | edited | {key: value for key, value in shown.items() if key not in known}


def _same_lines_or_less(root: Path, state: Any, counts: Counter[str]) -> None:  # Any: parsed JSON
    """After one write, or a recovery where reading says it is needed, everything is as it was."""
    with files_at(root) as store:
        try:
            seen: LoopState | None = store.read(ID)
        except LoopwrightError:
            seen = None
        if seen is None:
            counts["needed recover"] += 1
            after = store.recover(ID, actor="user")
        else:
            after = store.update(ID, lambda s: s.evolve(notes="written"), actor="user", event=EDITED)
        assert store.damaged() == {}
        with store.lease(ID):
            after = store.update(ID, tagging("after"), actor="user", event=EDITED)
        assert store.read(ID) == after
        assert store.list().total == 2
    _assert_rebuilt(after, state)


def _assert_rebuilt(after: LoopState, state: Any) -> None:  # Any: parsed JSON
    """Everything but what was written just now, and the engine's own books."""
    doc = after.model_dump(mode="json")
    loose = ("tags", "notes", "updated_at", "engine")
    mine, theirs = ({k: v for k, v in d.items() if k not in loose} for d in (doc, state))
    assert mine == theirs
    assert doc["tags"][:-1] == list(state["tags"] or ())
    books = ("rev", "digest", "journal_bytes", "incidents", "epoch")
    mine, theirs = ({k: v for k, v in d["engine"].items() if k not in books} for d in (doc, state))
    assert mine == theirs
