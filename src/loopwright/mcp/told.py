"""What the tools answer about a loop: typed for programs. Pure."""

from typing import Literal

from loopwright.domain.engine_state import Budget, PermissionRequest, RunState
from loopwright.domain.glance import Glance, glance
from loopwright.domain.loop import LoopState
from loopwright.domain.permissions import request_words
from loopwright.domain.progress import task_statuses
from loopwright.domain.record import Items, Record
from loopwright.domain.words import clipped, whole
from loopwright.mcp.hints import headline, hint, needs

SHOWN = 10
"""Items of a list; the others are only counted."""
LINE = 400
"""Characters of what somebody wrote that are worth reading here."""


class Brief(Glance):
    """`live`: a process is at work on it. `needs`: what it waits for before anything goes on."""

    live: bool


class Failing(Record):
    name: str
    error: str | None


class OpenTask(Record):
    task_id: str
    status: Literal["pending", "in_progress", "failed"]
    description: str


class Request(Record):
    """Something the loop's agent may only do once a person allows it."""

    id: str
    words: str
    reason: str


class Cause(Record):
    """A suspected cause of what fails, and where."""

    place: str
    status: str
    description: str


class Spent(Record):
    minutes: float
    tokens: int | None
    cost: float | None


class Report(Brief):
    """`words` say where it stands, `next` what to do about it."""

    words: str
    next: str
    question: str | None
    options: Items[str]
    requests: Items[Request]
    failing: Items[Failing]
    open_tasks: Items[OpenTask]
    causes: Items[Cause]
    spent: Spent
    incidents: Items[str]


class Waited(Report):
    """`rested`: nothing goes on by itself any more; otherwise the time was over first."""

    rested: bool


class Added(Record):
    loop_id: str
    project: str
    task_id: str
    description: str
    tool: str
    next: str


def brief(state: LoopState, project: str, *, live: bool) -> Brief:
    return Brief.model_validate(_brief(state, project, live))


def report(state: LoopState, project: str, *, live: bool) -> Report:
    return Report.model_validate(_report(state, project, live))


def waited(state: LoopState, project: str, *, live: bool, rested: bool) -> Waited:
    return Waited.model_validate({**_report(state, project, live), "rested": rested})


def _brief(state: LoopState, project: str, live: bool) -> dict[str, object]:
    return {**dict(glance(state, project)), "live": live, "needs": needs(state, live=live)}


def _report(state: LoopState, project: str, live: bool) -> dict[str, object]:
    engine, skill = state.engine, state.skill_state
    waiting = engine.waiting
    ranked = sorted(skill.debug.hypotheses, key=lambda h: (h.status != "confirmed", h.likelihood)) if skill else []
    return {
        **_brief(state, project, live),
        "words": headline(state, live=live),
        "next": hint(state, live=live),
        "question": waiting.question if waiting else None,
        "options": waiting.options if waiting else (),
        "requests": requests(engine),
        "failing": _failing(state),
        "open_tasks": _open_tasks(state),
        "causes": tuple(
            Cause(place=h.logging_point, status=h.status, description=cut(h.description))
            for h in ranked[:SHOWN] if h.status != "rejected"
        ),
        "spent": spent(engine.budget),
        "incidents": tuple(cut(incident.message) for incident in engine.incidents[-SHOWN:]),
    }  # fmt: skip


def _failing(state: LoopState) -> tuple[Failing, ...]:
    results = state.skill_state.validate_.test_results if state.skill_state else ()
    failed = [result for result in results if result.status == "failed"]
    return tuple(
        Failing(name=result.key, error=cut(result.error_message) if result.error_message else None)
        for result in failed[:SHOWN]
    )


def _open_tasks(state: LoopState) -> tuple[OpenTask, ...]:
    statuses = task_statuses(state)
    left = [(task, status) for task in state.engine.tasks if (status := statuses[task.task_id]) != "completed"]
    return tuple(
        OpenTask(task_id=task.task_id, status=status, description=cut(task.description))
        for task, status in left[:SHOWN]
    )


def requests(engine: RunState) -> tuple[Request, ...]:
    """Those that nobody has answered."""
    return tuple(_request(asked) for asked in engine.asked if asked.answer is None)


def _request(asked: PermissionRequest) -> Request:
    return Request(id=asked.id, words=cut(request_words(asked)), reason=cut(asked.reason))


def spent(budget: Budget) -> Spent:
    return Spent(minutes=round(budget.spent_seconds / 60, 2), tokens=budget.tokens, cost=budget.cost)


def cut(text: str) -> str:
    """As much of what somebody wrote as is worth reading here."""
    return clipped(whole(text.strip()), LINE)
