"""Loops, as the store sees them."""

import os
from collections.abc import Mapping
from pathlib import Path

from loopwright.core.state import SCHEMA, Waiting
from loopwright.store.kind import Document, Kind
from loopwright.workflows.loop.documents import iterations_in, parse_lines, parse_progress, render_progress
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.reading import keep_own, read_loop, take_in

FOLDER = ".workflow/.loop"
OLD_FOLDER = ".loop"
TASKS = "tasks.jsonl"
LOST = "(lost: the state of this loop had to be rebuilt from its progress files)"
QUESTION = "What was this loop's task? Its title and description were lost; set them, then resume it."


def _read(document: Document) -> tuple[LoopState, tuple[str, ...]]:
    tasks = parse_lines(document.beside.get(TASKS, ""))
    return read_loop(document.raw, fallback_id=document.id, now=document.now, tasks=tasks)


def _rebuild(document: Document) -> LoopState | None:
    """A paused loop from its progress files and tasks; a person has to say what it was for."""
    skill = parse_progress(document.beside)
    tasks = parse_lines(document.beside.get(TASKS, ""))
    if skill is None and not tasks:
        return None
    known = {"skill_state": skill.model_dump(mode="json", exclude={"mode"})} if skill else {}
    used = iterations_in(document.beside, skill)
    raw = {
        "loop_id": document.id, "title": LOST, "description": LOST, "status": "paused", "current_iteration": used,
        "max_iterations": max(LoopState.model_fields["max_iterations"].default, used + 1), **known,
    }  # fmt: skip
    state, _ = read_loop(raw, fallback_id=document.id, now=document.now, tasks=tasks)
    return state.evolve(engine=state.engine.evolve(waiting=Waiting(question=QUESTION, since=document.now)))


def _legacy(root: Path) -> Mapping[Path, str]:
    flat = {path: path.stem for path in sorted((root / OLD_FOLDER).glob("*.json"))}
    sessions = {folder / "state.json": folder.name for folder in _folders(root / FOLDER)}
    return flat | {path: name for path, name in sessions.items() if path.is_file()}


def _folders(place: Path) -> list[Path]:
    """Folders of old sessions; progress folders are ours. A place may hold many thousand files."""
    try:
        with os.scandir(place) as entries:
            names = [e.name for e in entries if e.is_dir() and not e.name.endswith(".progress")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [place / name for name in sorted(names)]


LOOPS: Kind[LoopState] = Kind(
    name="loop",
    folder=FOLDER,
    schema=SCHEMA,
    model=LoopState,
    id_of=lambda state: state.loop_id,
    read=_read,
    take_in=take_in,
    keep_own=keep_own,
    side_files={TASKS: lambda state: state.engine.tasks},
    rebuild=_rebuild,
    progress=render_progress,
    legacy=_legacy,
    known_by=lambda state: (state.loop_id, state.title, state.description, *(state.tags or ())),
)
