"""What a hostile program can do to the files of a loop, knowing all of their formats. No import of the product."""

import json
import os
import random
import shutil
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

Json = Any  # parsed JSON
NOW = "2026-01-22T11:00:00+08:00"


def sealed(line: Json) -> bytes:
    """A journal line with a right checksum."""
    body = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
    return body + f',"check":"{len(body):08x}-{zlib.crc32(body):08x}"}}\n'.encode()


def opened(text: bytes) -> Json:
    """A journal line without its checksum."""
    return {key: value for key, value in json.loads(text).items() if key != "check"}


def genuine(doc: Json) -> bytes:
    """A JSON file whose digest is right."""
    doc["engine"]["digest"] = "0" * 32
    blank = json.dumps(doc, indent=2, ensure_ascii=False).encode() + b"\n"
    return blank.replace(b'"digest": "' + b"0" * 32, b'"digest": "' + sha256(blank).hexdigest()[:32].encode(), 1)


class Files:
    """The files of one loop, below `root`."""

    def __init__(self, root: Path, id: str) -> None:
        self.root, self.id = root, id
        self.top = root / ".workflow"
        self.folder = self.top / ".loop"
        self.json, self.journal, self.lease, self.lock, self.tasks, self.progress = (
            self.folder / f"{id}.{suffix}"
            for suffix in ("json", "events.ndjson", "lease", "lock", "tasks.jsonl", "progress")
        )

    def doc(self) -> Json:
        return json.loads(self.json.read_bytes())

    def lines(self) -> list[bytes]:
        return self.journal.read_bytes().splitlines(keepends=True)

    def append(self, *patch: Json, type: str = "edited", seq: int | None = None, **more: Json) -> bytes:
        """Forges a line behind the last one."""
        last = opened(self.lines()[-1])
        line = {"seq": seq if seq is not None else last["seq"] + 1, "digest": "f" * 32, "ts": NOW, "actor": "runner"}
        text = sealed(
            {**line, "event": {"type": type, "data": {}}, **({"patch": list(patch)} if patch else {}), **more}
        )
        with self.journal.open("ab") as journal:
            journal.write(text)
        return text


def put(path: str, value: Json) -> Json:
    return {"op": "replace", "path": path, "value": value}


VALIDATED = {"tree": "t", "left": "t", "passed": True, "at": NOW}
SUCCESS = (put("/status", "completed"), {"op": "add", "path": "/completed_at", "value": NOW})


def succeed(files: Files) -> bytes:
    return files.append(*SUCCESS, put("/engine/outcome", "succeeded"), type="action_finished")


def succeed_everywhere(files: Files) -> None:
    """A forged line, and a JSON file that agrees with it to the last digit."""
    doc = files.doc()
    doc |= {"status": "completed", "completed_at": NOW}
    last = opened(files.lines()[-1])
    doc["engine"] |= {"outcome": "succeeded", "rev": last["seq"] + 1, "journal_bytes": 0}
    line = {**last, "seq": last["seq"] + 1, "patch": [*SUCCESS, put("/engine/outcome", "succeeded")]}
    line.pop("state", None)
    size = files.journal.stat().st_size + len(sealed(line))
    doc["engine"]["journal_bytes"] = size
    text = genuine(doc)
    line["digest"] = json.loads(text)["engine"]["digest"]
    with files.journal.open("ab") as journal:
        journal.write(sealed(line))
    files.json.write_bytes(text)


def rewrite_a_line(files: Files, chance: random.Random) -> None:
    """In place, same size, right checksum: what was committed becomes something else."""
    lines = files.lines()
    at = chance.randrange(len(lines))
    line = opened(lines[at])
    if "state" in line:
        line["state"]["title"] = line["state"]["title"].swapcase()
    for op in line.get("patch", ()):
        if isinstance(op.get("value"), str) and op["path"].startswith(("/tags", "/title")):
            op["value"] = op["value"].swapcase()
    lines[at] = sealed(line)
    with files.journal.open("r+b") as journal:
        journal.write(b"".join(lines))


def a_link_elsewhere(files: Files) -> None:
    """The whole folder, forged, somewhere else."""
    elsewhere = files.root.parent / f"elsewhere-{files.root.name}"
    shutil.rmtree(elsewhere, ignore_errors=True)
    shutil.copytree(files.top, elsewhere)
    shutil.rmtree(files.top)
    files.top.symlink_to(elsewhere)
    doc = files.doc()
    doc |= {"status": "completed", "completed_at": NOW}
    doc["engine"]["outcome"] = "succeeded"
    files.json.write_text(json.dumps(doc))


def instead(path: Path, what: str) -> None:
    """Something that is no file in the place of `path`."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if what == "folder":
        path.mkdir()
        (path / "inside").write_text("x")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "dangling link":
        path.symlink_to(path.parent / "nowhere")
    else:
        target = path.parent.parent.parent / "precious.txt"
        target.write_text("precious")
        path.symlink_to(target)


def remove(*paths: Path) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def replace_by_a_file(path: Path) -> None:
    if path.exists():
        remove(path)
        path.write_bytes(b"x")


def move_and_link(files: "Files") -> None:
    """The same files by another way."""
    if not files.top.is_symlink():
        files.top.rename(files.root / "moved")
        files.top.symlink_to(files.root / "moved")


Attack = Callable[[Files, random.Random], object]

ATTACKS: dict[str, Attack] = {
    "nothing": lambda f, c: None,
    "rm -rf .workflow": lambda f, c: remove(f.top),
    "rm -rf .loop": lambda f, c: remove(f.folder),
    "everything emptied": lambda f, c: [p.write_bytes(b"") for p in f.folder.iterdir() if p.is_file()],
    "json removed": lambda f, c: remove(f.json),
    "journal removed": lambda f, c: remove(f.journal),
    "lease removed": lambda f, c: remove(f.lease),
    "lock removed": lambda f, c: remove(f.lock),
    "json and journal removed": lambda f, c: remove(f.json, f.journal),
    "journal truncated": lambda f, c: os.truncate(f.journal, c.randrange(f.journal.stat().st_size)),
    "journal emptied": lambda f, c: f.journal.write_bytes(b""),
    "journal garbage": lambda f, c: f.journal.write_bytes(c.randbytes(900)),
    "journal rewritten": rewrite_a_line,
    "journal shorter by lines": lambda f, c: f.journal.write_bytes(b"".join(f.lines()[: c.randint(1, 3)])),
    "bytes flipped": lambda f, c: flip(f.journal, c),
    "tail of garbage": lambda f, c: add(f.journal, c.randbytes(c.randint(1, 400))),
    "tail of lines": lambda f, c: add(f.journal, b"\n" + c.randbytes(40) + b"\n{}\n"),
    "line duplicated": lambda f, c: add(f.journal, c.choice(f.lines())),
    "lines swapped": lambda f, c: f.journal.write_bytes(b"".join(reversed(f.lines()))),
    "line with a wrong checksum": lambda f, c: add(f.journal, f.lines()[-1].replace(b'"check":"0', b'"check":"1')),
    "gap": lambda f, c: f.append(put("/status", "completed"), seq=opened(f.lines()[-1])["seq"] + 2),
    "endless number": lambda f, c: f.append(state=f.doc(), seq=2**64 - 1),
    "succeeded": lambda f, c: succeed(f),
    "succeeded everywhere": lambda f, c: succeed_everywhere(f),
    "whole state": lambda f, c: f.append(state={**f.doc(), "status": "completed", "completed_at": NOW}),
    "state of another": lambda f, c: f.append(state={**f.doc(), "loop_id": "loop-2"}),
    "skill state": lambda f, c: f.append(put("/skill_state", {"completed_actions": ["COMPLETE"]})),
    "iteration": lambda f, c: f.append(put("/current_iteration", 0), put("/max_iterations", 1)),
    "epoch": lambda f, c: f.append(put("/engine/epoch", 99)),
    "settings": lambda f, c: f.append(put("/engine/settings/require", "no_new_failures")),
    "test changes": lambda f, c: f.append(put("/engine/allow_test_changes", True)),
    "incidents": lambda f, c: f.append(put("/engine/incidents", [])),
    "validation": lambda f, c: f.append(put("/engine/last_validation", VALIDATED)),
    "tombstone": lambda f, c: f.append(put("/title", "x"), type="deleted"),
    "patch that does not fit": lambda f, c: f.append(put("/no/such/place", 1)),
    "patch of nonsense": lambda f, c: f.append({"op": "replace", "path": 7}),
    "engine gone": lambda f, c: f.append({"op": "remove", "path": "/engine"}),
    "deep": lambda f, c: f.append(put("/title", nested(400))),
    "json garbage": lambda f, c: f.json.write_bytes(c.randbytes(300)),
    "json folder": lambda f, c: instead(f.json, "folder"),
    "json link": lambda f, c: instead(f.json, "link"),
    "json pipe": lambda f, c: instead(f.json, "pipe"),
    "journal folder": lambda f, c: instead(f.journal, "folder"),
    "journal link": lambda f, c: instead(f.journal, "link"),
    "journal dangling": lambda f, c: instead(f.journal, "dangling link"),
    "lease folder": lambda f, c: instead(f.lease, "folder"),
    "lease link": lambda f, c: instead(f.lease, "link"),
    "lock folder": lambda f, c: instead(f.lock, "folder"),
    "lock link": lambda f, c: instead(f.lock, "link"),
    "tasks folder": lambda f, c: instead(f.tasks, "folder"),
    "tasks garbage": lambda f, c: f.tasks.write_bytes(b"garbage"),
    "progress a file": lambda f, c: replace_by_a_file(f.progress),
    ".workflow a file": lambda f, c: replace_by_a_file(f.top),
    ".workflow a link elsewhere": lambda f, c: a_link_elsewhere(f),
    ".workflow moved and linked": lambda f, c: move_and_link(f),
    ".loop a dangling link": lambda f, c: instead(f.folder, "dangling link"),
}  # fmt: skip


def nested(depth: int) -> Json:
    return [nested(depth - 1)] if depth else 1


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    with path.open("r+b") as file:
        file.write(data)
