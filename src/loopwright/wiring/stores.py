"""The kinds of runs as the store sees them: where each lies, and how its files are read."""

import os
from collections.abc import Mapping
from pathlib import Path

from loopwright.core.errors import NotFound
from loopwright.core.ids import TUNING, check_id
from loopwright.core.state import SCHEMA, Waiting
from loopwright.store.disk import Disk, DiskErrorTranslator
from loopwright.store.kind import ParsedDocument, StateKind
from loopwright.workflows.cycle import state_reader as cycle_reading
from loopwright.workflows.cycle.documents import render
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.rebuild import rebuild_cycle
from loopwright.workflows.loop import state_reader as loop_reading
from loopwright.workflows.loop.documents import iterations_in, parse_lines, parse_progress, render_progress
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.tuning import state_reader as tuning_reading
from loopwright.workflows.tuning.model import TuningState

LOOP_FOLDER = ".workflow/.loop"
OLD_LOOP_FOLDER = ".loop"
TASKS = "tasks.jsonl"
LOST = "(lost: the state of this loop had to be rebuilt from its progress files)"
QUESTION = "What was this loop's task? Its title and description were lost; set them, then resume it."


def _read_loop(document: ParsedDocument) -> tuple[LoopState, tuple[str, ...]]:
    tasks = parse_lines(document.beside.get(TASKS, ""))
    return loop_reading.read_loop(document.raw, fallback_id=document.id, now=document.now, tasks=tasks)


def _rebuild_loop(document: ParsedDocument) -> LoopState | None:
    """A paused loop from its progress files and tasks; a person has to say what it was for."""
    skill = parse_progress(document.beside)
    tasks = parse_lines(document.beside.get(TASKS, ""))
    if skill is None and not tasks:
        return None
    known = {"skill_state": skill.model_dump(mode="json", exclude={"mode"})} if skill else {}
    used = iterations_in(document.beside, skill)
    raw = {
        "loop_id": document.id,
        "title": LOST,
        "description": LOST,
        "status": "paused",
        "current_iteration": used,
        "max_iterations": max(LoopState.model_fields["max_iterations"].default, used + 1),
        **known,
    }
    state, _ = loop_reading.read_loop(raw, fallback_id=document.id, now=document.now, tasks=tasks)
    return state.evolve(engine=state.engine.evolve(waiting=Waiting(question=QUESTION, since=document.now)))


def _legacy_loop(root: Path) -> Mapping[Path, str]:
    flat = {path: path.stem for path in sorted((root / OLD_LOOP_FOLDER).glob("*.json"))}
    sessions = {folder / "state.json": folder.name for folder in _folders(root / LOOP_FOLDER)}
    return flat | {path: name for path, name in sessions.items() if path.is_file()}


def _folders(place: Path) -> list[Path]:
    """Folders of old sessions; progress folders are ours. A place may hold many thousand files."""
    try:
        with os.scandir(place) as entries:
            names = [e.name for e in entries if e.is_dir() and not e.name.endswith(".progress")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [place / name for name in sorted(names)]


LOOPS: StateKind[LoopState] = StateKind(
    name="loop",
    folder=LOOP_FOLDER,
    schema=SCHEMA,
    model=LoopState,
    id_of=lambda state: state.loop_id,
    read=_read_loop,
    take_in=loop_reading.take_in,
    keep_own=loop_reading.keep_own,
    side_files={TASKS: lambda state: state.engine.tasks},
    rebuild=_rebuild_loop,
    progress=render_progress,
    legacy=_legacy_loop,
    known_by=("loop_id", "title", "description", "tags"),
)


CYCLE_FOLDER = ".workflow/.cycle"


def _read_cycle(document: ParsedDocument) -> tuple[CycleState, tuple[str, ...]]:
    return cycle_reading.read_cycle(document.raw, fallback_id=document.id, now=document.now)


CYCLES: StateKind[CycleState] = StateKind(
    name="cycle",
    folder=CYCLE_FOLDER,
    schema=SCHEMA,
    model=CycleState,
    id_of=lambda state: state.cycle_id,
    read=_read_cycle,
    take_in=cycle_reading.take_in,
    keep_own=cycle_reading.keep_own,
    side_files={},
    rebuild=lambda document: rebuild_cycle(document.beside, document.id, document.now),
    progress=render,
    legacy=lambda root: {},
    known_by=("cycle_id", "title", "description"),
)


TUNING_FOLDER = ".workflow/.scratchpad"


def _read_tuning(document: ParsedDocument) -> tuple[TuningState, tuple[str, ...]]:
    return tuning_reading.read_tuning(document.raw, fallback_id=document.id, now=document.now)


def _lost(document: ParsedDocument) -> TuningState | None:
    """No document beside it holds the state: the report and the diffs tell of it, and a skill is tuned anew."""
    return None


TUNINGS: StateKind[TuningState] = StateKind(
    name="tuning session",
    folder=TUNING_FOLDER,
    schema=SCHEMA,
    model=TuningState,
    id_of=lambda state: state.tuning_id,
    read=_read_tuning,
    take_in=tuning_reading.take_in,
    keep_own=tuning_reading.keep_own,
    side_files={},
    rebuild=_lost,
    progress=lambda state: {},
    legacy=lambda root: {},
    known_by=("engine.id", "target_skill.name", "engine.path", "user_issue_description"),
    homes=TUNING,
)


ISSUES_FOLDER = Path(".workflow") / "issues"


class IssueFiles:
    """Implements ports.Issues on the files of the project `root`."""

    def __init__(self, root: Path) -> None:
        self._root, self._disk = root, Disk()

    def issues(self) -> str:
        return self._text(ISSUES_FOLDER / "issues.jsonl")

    def solutions(self, issue_id: str) -> str:
        return self._text(ISSUES_FOLDER / "solutions" / f"{check_id(issue_id, 'issue')}.jsonl")

    @DiskErrorTranslator()
    def _text(self, path: Path) -> str:
        found = self._disk.read(str(self._root / path))
        if found is None:
            raise NotFound(f"there is no {path.as_posix()} here")
        return found.decode(errors="replace")
