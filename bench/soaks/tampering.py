"""Random edits of the files of a loop whose journal has MACs: each is found, none is believed; crashes are neither."""

import contextlib
import json
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from loopwright.core.errors import LoopwrightError
from loopwright.store.files import FileStore
from loopwright.store.mac_chain import SealFolder
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.store.making import EDITED, ID, HandClock, journal_of, json_of, loop, tagging
from tests.store.tampering import Files, genuine, opened, put, sealed, succeed, succeed_everywhere

AT_FULL_SCALE = 10_000

Edit = Callable[[Files, random.Random], object]


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 ten thousand edits, and a thousand honest crashes among them."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        good, older = _history(root, chance)
        kept = Path(folder) / "kept"
        shutil.copytree(root / ".workflow", kept)
        for n in range(max(20, round(AT_FULL_SCALE * scale))):
            name = chance.choice([*EDITS])
            files = Files(root, ID)
            before = files.journal.read_bytes(), files.json.read_bytes()
            EDITS[name](files, chance)
            if n % 7 == 0:
                older(files)
                name = f"{name}, an older copy put back"
            after = [path.read_bytes() if path.exists() else b"" for path in (files.journal, files.json)]
            if tuple(after) != before:
                _judge(root, good, name)
                counts["edits found"] += 1
            shutil.rmtree(root / ".workflow")
            shutil.copytree(kept, root / ".workflow")
            if n % 10 == 0:
                _crash(Path(folder) / f"crash-{n}", chance)
                counts["crashes believed"] += 1
    return counts


def _store(root: Path) -> FileStore[LoopState]:
    return FileStore(root, LOOPS, HandClock(), seals=SealFolder(root.parent / f"{root.name}-state"))


def _history(root: Path, chance: random.Random) -> tuple[LoopState, Callable[[Files], object]]:
    with _store(root) as store:
        store.create(loop(), actor="user")
        for n in range(chance.randint(3, 6)):
            store.update(ID, tagging(f"old-{n}"), actor="user", event=EDITED)
        old = journal_of(root).read_bytes(), json_of(root).read_bytes()
        for n in range(chance.randint(2, 5)):
            store.update(ID, tagging(f"new-{n}"), actor="user", event=EDITED)
        good = store.read(ID)
    return good, lambda files: (files.journal.write_bytes(old[0]), files.json.write_bytes(old[1]))


def _judge(root: Path, good: LoopState, name: str) -> None:
    """Found by `check`, and what is shown is of what was committed."""
    with _store(root) as store:
        found = store.check(ID).troubles
        assert found, f"not found: {name}"
        with contextlib.suppress(LoopwrightError):
            seen = store.read(ID)
            assert (seen.status, seen.engine.settings) == (good.status, good.engine.settings), name
            assert seen.engine.outcome is None, name
            if not name.startswith("a bit of the JSON file"):  # whose title, tags and notes are anybody's
                assert set(seen.tags or ()) <= set(good.tags or ()), name


def _crash(root: Path, chance: random.Random) -> None:
    """Killed at any byte of an append; the JSON file of any commit before, and an anchor that lags or is lost."""
    root.mkdir()
    good, older = _history(root, chance)
    (anchor,) = (root.parent / f"{root.name}-state" / "anchors").iterdir()
    held = anchor.read_bytes()
    with _store(root) as store:
        store.update(ID, tagging("last"), actor="user", event=EDITED)
    size = len(b"".join(Files(root, ID).lines()[:-1]))
    os.truncate(journal_of(root), chance.randint(size, journal_of(root).stat().st_size - 1))
    if (left := chance.randrange(3)) == 0:
        json_of(root).unlink()
    elif left == 1:
        older_json(root, older)
    anchor.write_bytes(chance.choice([held, held[:40], b""]))
    with _store(root) as store:
        found = store.check(ID).troubles
        assert not [one for one in found if one.startswith("its journal")], found
        with store.lease(ID):
            assert "journal_forged" not in [one.kind for one in store.read(ID).engine.incidents]
        assert set(good.tags or ()) <= set(store.read(ID).tags or ())
    shutil.rmtree(root)


def older_json(root: Path, older: Callable[[Files], object]) -> None:
    journal = journal_of(root).read_bytes()
    older(Files(root, ID))
    journal_of(root).write_bytes(journal)


def _flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _lines(change: Callable[[list[bytes], random.Random], object]) -> Edit:
    def edit(files: Files, chance: random.Random) -> None:
        lines = files.lines()
        change(lines, chance)
        files.journal.write_bytes(b"".join(lines))

    return edit


def _swap(lines: list[bytes], chance: random.Random) -> None:
    one, other = chance.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]


def _rewrite(lines: list[bytes], chance: random.Random) -> None:
    """With a checksum that is right, and the MAC that stood there, another one, or none."""
    at = chance.randrange(len(lines))
    line = opened(lines[at])
    line[chance.choice(["actor", "ts", "digest"])] = chance.choice(["agent", "2026-01-22T10:00:00+08:00", "0" * 32])
    if chance.random() < 0.3:
        line["mac"] = f"{chance.getrandbits(128):032x}"
    elif chance.random() < 0.3:
        line.pop("mac")
    lines[at] = sealed(line)


def _strip(lines: list[bytes], chance: random.Random) -> None:
    lines[:] = [sealed({key: value for key, value in opened(text).items() if key != "mac"}) for text in lines]


def _edit_json(files: Files, chance: random.Random) -> None:
    doc = files.doc()
    doc["engine"][chance.choice(["outcome", "allow_test_changes", "answer"])] = chance.choice(
        ["succeeded", True, "yes"]
    )
    files.json.write_bytes(genuine(doc) if chance.random() < 0.5 else json.dumps(doc).encode())


def in_turn(files: Files, chance: random.Random, *edits: Edit) -> None:
    for edit in edits:
        edit(files, chance)


EDITS: dict[str, Edit] = {
    "a bit of the journal": lambda f, c: _flip(f.journal, c),
    "a bit of the JSON file": lambda f, c: _flip(f.json, c),
    "lines swapped": _lines(_swap),
    "a line removed": _lines(lambda lines, c: lines.pop(c.randrange(len(lines)))),
    "a line twice": _lines(lambda lines, c: lines.insert(c.randrange(len(lines) + 1), c.choice(lines))),
    "lines shuffled": _lines(lambda lines, c: c.shuffle(lines)),
    "a line rewritten": _lines(_rewrite),
    "without MACs": _lines(_strip),
    "cut": lambda f, c: os.truncate(f.journal, c.randrange(f.journal.stat().st_size)),
    "a line more": lambda f, c: succeed(f),
    "a line more, and a file that agrees": lambda f, c: succeed_everywhere(f),
    "a whole state more": lambda f, c: f.append(state={**f.doc(), "status": "completed"}),
    "an answer": lambda f, c: f.append(put("/engine/answer", "yes")),
    "settings": lambda f, c: f.append(put("/engine/settings/permissions", "all")),
    "the JSON file": _edit_json,
    "the JSON file alone": lambda f, c: in_turn(f, c, _edit_json, lambda f, c: f.journal.unlink()),
    "a line rewritten, no JSON file": lambda f, c: in_turn(f, c, _lines(_rewrite), lambda f, c: f.json.unlink()),
}
