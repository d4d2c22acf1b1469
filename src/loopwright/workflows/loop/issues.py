"""The plan of a tracked issue as tasks of a loop: which solution it is bound to, and what each of its steps says. Pure.

Reading is lenient: only what has to be known is looked at, and all the rest of a step is told to the agent as text.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from loopwright.core.errors import Invalid, NotFound
from loopwright.core.text import clip_text, plural
from loopwright.workflows.loop.commands import find_circle

MOST = 200
"""Tasks that are taken at once; a plan of more is none that one loop carries out."""

DETAILS, DESCRIPTION = 20_000, 2_000
"""Characters of a task's details and of its description."""

DEEPEST = 5
"""Levels of lists and objects within a step's details that are told."""

NAMED = 10
"""Ids that an error lists."""

FIRST = ("description", "scope", "action", "implementation", "acceptance")
"""Of a step's details, those that come first, in this order."""

ELSEWHERE = frozenset({"id", "title", "depends_on"})
"""Of a step, what has a place of its own."""

Json = dict[str, Any]  # Any: parsed JSON of another program


class IssueLines(NamedTuple):
    """A file with a JSON object a line; `broken` are the numbers of lines that hold none."""

    objects: tuple[Json, ...]
    broken: tuple[int, ...]


class SolutionStep(NamedTuple):
    """One task of a solution; `needs` are ids of others of the same solution."""

    id: str
    description: str
    details: str
    needs: tuple[str, ...]


def read_lines(text: str) -> IssueLines:
    found: list[Json] = []
    broken = []
    for n, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            found.append(value)
        else:
            broken.append(n)
    return IssueLines(tuple(found), tuple(broken))


def find_issue(lines: IssueLines, issue_id: str) -> Json:
    """The issue of that id, its latest line. NotFound names those there are."""
    found = _latest(lines, issue_id)
    if found is not None:
        return found
    raise NotFound(f"Issue not found: {issue_id} (available: {_ids(lines)}){_unread(lines, 'issues.jsonl')}")


def find_solution(issue: Json, lines: IssueLines) -> Json:
    """The solution that the issue is bound to, or that says so itself. Invalid where there is none."""
    file = f"solutions/{issue['id']}.jsonl"
    id = issue.get("bound_solution_id")
    if id:
        found = _latest(lines, str(id))
    else:
        found = next((line for line in reversed(lines.objects) if line.get("is_bound") is True), None)
    if found is not None:
        return found
    missing = f"is bound to {id}, which is not in {file}" if id else f"has no bound solution in {file}"
    raise Invalid(f"issue {issue['id']} {missing}; bind one of: {_ids(lines)}{_unread(lines, file)}")


def read_steps(solution: Json) -> tuple[SolutionStep, ...]:
    """The tasks of a solution, in order. Invalid where they are none, too many, or depend on what is not there."""
    name = f"solution {solution.get('id')}"
    given = solution.get("tasks")
    tasks = [task for task in given if isinstance(task, dict)] if isinstance(given, list) else []
    if not tasks:
        raise Invalid(f"{name} has no tasks")
    if len(tasks) > MOST:
        raise Invalid(f"{name} has {plural(len(tasks), 'task')}; at most {MOST} are accepted")
    steps = tuple(_step(task, n) for n, task in enumerate(tasks, 1))
    known = [step.id for step in steps]
    if len(set(known)) != len(known):
        raise Invalid(f"{name}: two tasks have the id {next(id for id in known if known.count(id) > 1)}")
    for step in steps:
        if missing := [id for id in step.needs if id not in known]:
            raise Invalid(f"{name}: {step.id} depends on {', '.join(missing)}, which it does not have")
    if waiting := find_circle({step.id: step.needs for step in steps}):
        raise Invalid(f"{name}: tasks depend on each other in a circle: {', '.join(waiting)}")
    return steps


def _step(task: Json, n: int) -> SolutionStep:
    id = str(task.get("id") or f"T{n}")
    words = next((str(task[key]).strip() for key in ("title", "description") if task.get(key)), "")
    if not words:
        raise Invalid(f"{id} has neither title nor description")
    needs = task.get("depends_on") or ()
    return SolutionStep(
        id, clip_text(words, DESCRIPTION), clip_text(_details(task, words), DETAILS),
        tuple(dict.fromkeys(map(str, needs if isinstance(needs, (list, tuple)) else (needs,)))),
    )  # fmt: skip


def _details(task: Json, description: str) -> str:
    """All that a step says of itself beside its description, a paragraph for each part."""
    names = [*(key for key in FIRST if key in task), *(key for key in task if key not in FIRST)]
    told = (
        (name, task[name]) for name in names if name not in ELSEWHERE and task[name] not in (description, *_NOTHING)
    )
    return "\n\n".join(_paragraph(name, value) for name, value in told)


_NOTHING: tuple[object, ...] = (None, "", [], {})


def _paragraph(name: str, value: object) -> str:
    heading = name.replace("_", " ").capitalize()
    if isinstance(value, dict):
        value = [f"{key}: {_inline(part)}" for key, part in value.items() if part not in _NOTHING]
    if isinstance(value, list):
        return "\n".join([f"{heading}:", *(f"- {_inline(part)}" for part in value)])
    return f"{heading}: {_inline(value)}"


def _inline(value: object, deep: int = 0) -> str:
    """On one line; what is nested more deeply than anybody reads is left out."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    if deep > DEEPEST:
        return "…"
    if isinstance(value, list):
        return "; ".join(_inline(part, deep + 1) for part in value)
    return ", ".join(f"{key}: {_inline(part, deep + 1)}" for key, part in value.items() if part not in _NOTHING)


def _latest(lines: IssueLines, id: str) -> Json | None:
    return next((line for line in reversed(lines.objects) if str(line.get("id")) == id), None)


def _ids(lines: IssueLines) -> str:
    known: Sequence[str] = list(dict.fromkeys(str(line["id"]) for line in lines.objects if line.get("id")))
    more = f", … ({len(known):,} in all)" if len(known) > NAMED else ""
    return f"{', '.join(known[:NAMED])}{more}" or "none"


def _unread(lines: IssueLines, file: str) -> str:
    if not lines.broken:
        return ""
    numbers = ", ".join(map(str, lines.broken[:NAMED]))
    return f"; {file}, line {numbers}: not a JSON object, fix it"
