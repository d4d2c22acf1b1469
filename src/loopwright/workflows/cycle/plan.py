"""The plan of a cycle: read from what the planner wrote, merged with what is known, and measured. Pure.

Lenient about the dress (a fence, a list alone, other words for an effort), strict about the meaning: what cannot be
carried out is Invalid, with one sentence that the planner can act on.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from graphlib import TopologicalSorter
from typing import Any, get_args

from loopwright.core.errors import Invalid
from loopwright.core.text import clip_text, drop_surrogates, plural
from loopwright.workflows.cycle.model import Effort, Plan, PlanTask, circle_in

MOST = 200
"""Tasks of one plan; more is none that a cycle carries out."""

DESCRIPTION = 4_000
"""Characters of a task's description."""

WEIGHTS: dict[Effort, int] = {"small": 1, "medium": 3, "large": 8}
"""How long a task of an effort takes, compared with others."""

_EFFORTS: dict[str, Effort] = {
    "small": "small", "s": "small", "xs": "small", "low": "small", "easy": "small", "trivial": "small",
    "小": "small", "小型": "small", "低": "small",
    "medium": "medium", "m": "medium", "mid": "medium", "moderate": "medium", "normal": "medium",
    "中": "medium", "中等": "medium", "中型": "medium",
    "large": "large", "l": "large", "xl": "large", "high": "large", "big": "large", "hard": "large",
    "大": "large", "大型": "large", "高": "large",
}  # fmt: skip
_DESCRIBED = ("description", "title", "name", "task", "summary")
_WAITS = ("depends_on", "dependencies", "dependsOn")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_FENCED = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_OPENED = re.compile(r"[\[{]")
_DRIVE = re.compile(r"[A-Za-z]:")
_NOT_OURS = frozenset({".git", ".workflow"})
_LOOKS = 20
"""Places in a text where JSON might begin, that are tried."""

Json = dict[str, Any]  # Any: parsed JSON of a planner


def read_plan(text: str, known: Collection[str] = ()) -> tuple[PlanTask, ...]:
    """The tasks in a planner's text, all pending: what it says of their status is for the engine to know.

    `known`: ids that the plan has already and keeps (see `staying`); a task may depend on them too.
    """
    found = _listed(text)
    if not found:
        raise Invalid("the plan has no tasks; list every task, also those that are done")
    if len(found) > MOST:
        raise Invalid(f"the plan has {plural(len(found), 'task')}; at most {MOST} are accepted, so make larger steps")
    taken = {_id(task) for task in found if "id" in task or "task_id" in task}
    tasks = tuple(_task(task, n, taken) for n, task in enumerate(found, 1))
    _fit_together(tasks, known)
    return tasks


def keep_tasks(before: Plan | None, mends: Collection[str]) -> tuple[PlanTask, ...]:
    """What stays in the plan whatever a planner writes: completed tasks, and those that the engine made."""
    return tuple(task for task in (before.tasks if before else ()) if task.status == "completed" or task.id in mends)


def make_plan(before: Plan | None, tasks: Sequence[PlanTask], mends: Collection[str], version: str, at: str) -> Plan:
    """The plan that follows from what the planner wants done now.

    A task of the same id keeps its status and who does it. One that stays waits only for others that stay, so no circle
    can come of it.
    """
    kept = {task.id: task for task in keep_tasks(before, mends)}
    kept = {id: _waiting_for(task, kept) for id, task in kept.items()}
    merged = {id: task for id, task in kept.items() if id not in {task.id for task in tasks}}
    for task in tasks:
        was = before.task(task.id) if before else None
        merged[task.id] = kept.get(task.id) or (
            task.evolve(status=was.status, assigned_to=was.assigned_to) if was else task
        )
    return compose_plan([_waiting_for(task, merged) for task in merged.values()], version, at)


def compose_plan(tasks: Iterable[PlanTask], version: str, at: str) -> Plan:
    """The plan of these tasks, measured."""
    tasks = tuple(tasks)
    return Plan(
        version=version,
        tasks=tasks,
        total_estimated_effort=effort_words(tasks),
        critical_path=critical_path(tasks),
        last_updated=at,
    )


def effort_words(tasks: Sequence[PlanTask]) -> str:
    """`3 small, 1 large`."""
    counted = ((sum(task.effort == effort for task in tasks), effort) for effort in get_args(Effort))
    return ", ".join(f"{count} {effort}" for count, effort in counted if count) or "none"


def critical_path(tasks: Sequence[PlanTask]) -> tuple[str, ...]:
    """The chain of tasks that takes longest; of several the one that the plan names first."""
    place = {task.id: n for n, task in enumerate(tasks)}
    by_id = {task.id: task for task in tasks}
    length: dict[str, int] = {}
    through: dict[str, str | None] = {}
    for id in TopologicalSorter({task.id: task.depends_on for task in tasks}).static_order():
        longest = min(by_id[id].depends_on, key=lambda one: (-length[one], place[one]), default=None)
        through[id] = longest
        length[id] = WEIGHTS[by_id[id].effort] + (length[longest] if longest else 0)
    path: list[str] = []
    at = min(length, key=lambda id: (-length[id], place[id]), default=None)
    while at is not None:
        path.append(at)
        at = through[at]
    return tuple(reversed(path))


def _waiting_for(task: PlanTask, known: Collection[str]) -> PlanTask:
    waits = tuple(id for id in task.depends_on if id in known)
    return task if waits == task.depends_on else task.evolve(depends_on=waits)


def _listed(text: str) -> list[Json]:
    """The objects of the first list of tasks in it."""
    for value in _values(text):
        tasks = _tasks_in(value)
        if tasks is not None:
            if strange := [n for n, task in enumerate(tasks, 1) if not isinstance(task, dict)]:
                raise Invalid(f"task {strange[0]} of the plan is not a JSON object with id, description, effort, …")
            return tasks
    raise Invalid(f'the plan is not readable JSON{_why(text)}; write {{"tasks": [{{"id": "TASK-001", …}}, …]}}')


def _tasks_in(value: object) -> list[Any] | None:  # Any: parsed JSON
    if isinstance(value, list):
        return value if value and all(isinstance(task, dict) for task in value) else None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("tasks"), list):
        return list(value["tasks"])
    return _tasks_in(value["plan"]) if isinstance(value.get("plan"), dict) else None


def _values(text: str) -> Iterator[object]:
    """The whole as JSON, else what is fenced, else whatever begins with a brace somewhere in the text."""
    for part in (text, *(found[1] for found in _FENCED.finditer(text))):
        try:
            yield json.loads(part.strip().removeprefix("\ufeff"))
        except (ValueError, RecursionError):
            continue
    decoder = json.JSONDecoder()
    at, looks = 0, 0
    while (found := _OPENED.search(text, at)) and looks < _LOOKS:
        looks += 1
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at = found.start() + 1
        else:
            yield value


def _why(text: str) -> str:
    """Where the JSON goes wrong, where it was meant to be nothing but JSON."""
    if not text.strip().startswith(("{", "[")):
        return ""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f" (line {error.lineno}, column {error.colno}: {error.msg})"
    except (ValueError, RecursionError) as error:
        return f" ({error})"
    return " (there is no list of tasks in it)"


def _id(task: Json) -> str:
    given = task.get("id") or task.get("task_id")
    return given.strip() if isinstance(given, str) else str(given) if isinstance(given, int) else ""


def _task(task: Json, n: int, taken: Collection[str]) -> PlanTask:
    id = _id(task) or next(name for k in range(n, n + MOST + 1) if (name := f"TASK-{k:03d}") not in taken)
    if not _ID.fullmatch(id):
        raise Invalid(f"the id {clip_text(id, 60)!r} of task {n} is invalid: use letters, digits and '._-', at most 64")
    words = next((drop_surrogates(value).strip() for key in _DESCRIBED if isinstance(value := task.get(key), str)), "")
    if not words:
        raise Invalid(f"{id} has no description; say what to do")
    waits = next((task[key] for key in _WAITS if task.get(key)), ())
    return PlanTask(
        id=id,
        description=clip_text(words, DESCRIPTION),
        effort=_effort(id, task.get("effort")),
        depends_on=_texts(id, "depends_on", waits),
        files=_files(id, task.get("files")),
    )


def _effort(id: str, given: object) -> Effort:
    if given in (None, ""):
        return "small"
    effort = _EFFORTS.get(str(given).strip().lower())
    if effort is None:
        raise Invalid(f"{id} has the effort {clip_text(str(given), 40)!r}; it is small, medium or large")
    return effort


def _texts(id: str, key: str, given: object) -> tuple[str, ...]:
    """Each once, in order; one alone needs no list."""
    values = given if isinstance(given, list) else [given] if given else []
    if not all(isinstance(value, (str, int)) for value in values):
        raise Invalid(f"{id}: {key} is a list of texts")
    return tuple(dict.fromkeys(text for value in values if (text := drop_surrogates(str(value)).strip())))


def _files(id: str, given: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_file(id, path) for path in _texts(id, "files", given)))


def _file(id: str, path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith(("/", "~", "\\")) or _DRIVE.match(path) or ".." in parts or "\0" in path or not parts:
        raise Invalid(
            f"{id} names the file {clip_text(path, 80)!r}; files must be relative to the project and inside it"
        )
    if parts[0] in _NOT_OURS:
        raise Invalid(f"{id} would change {clip_text(path, 80)!r}, which belongs to git or to the engine")
    return "/".join(parts)


def _fit_together(tasks: Sequence[PlanTask], known: Collection[str]) -> None:
    ids = [task.id for task in tasks]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise Invalid(f"two tasks of the plan have the id {twice}; give each its own")
    for task in tasks:
        if missing := [id for id in task.depends_on if id not in ids and id not in known]:
            raise Invalid(f"{task.id} depends on {', '.join(missing[:5])}, which the plan does not have")
    if circle := circle_in({task.id: task.depends_on for task in tasks}):
        raise Invalid(f"the tasks of the plan depend on each other: {' → '.join(circle)}; remove one dependency")
