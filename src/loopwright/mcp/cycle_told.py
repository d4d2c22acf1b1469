"""What the tools answer about a cycle: typed for programs. Pure."""

from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_glance import CycleGlance, cycle_glance
from loopwright.domain.record import Items, Record
from loopwright.mcp.cycle_hints import cycle_headline, cycle_hint, cycle_needs
from loopwright.mcp.told import SHOWN, Request, Spent, cut, requests, spent


class CycleBrief(CycleGlance):
    """`live`: a process is at work on it. `needs`: what it waits for before anything goes on."""

    live: bool


class OpenDecision(Record):
    """`options`: what it can be decided as; any text where there are none."""

    id: str
    description: str
    options: Items[str]


class OpenBlocker(Record):
    id: str
    description: str
    reported_by: str


class OpenPlanTask(Record):
    id: str
    status: str
    description: str


class CycleReport(CycleBrief):
    """`words` say where it stands, `next` what to do about it. `issues`: what its last iteration was not clean of."""

    words: str
    next: str
    pending: Items[OpenDecision]
    open_blockers: Items[OpenBlocker]
    requests: Items[Request]
    failing: Items[str]
    issues: Items[str]
    open_tasks: Items[OpenPlanTask]
    spent: Spent
    incidents: Items[str]


class CycleWaited(CycleReport):
    """`rested`: nothing goes on by itself any more; otherwise the time was over first."""

    rested: bool


class Document(Record):
    """`versions`, oldest first, end with the present one; a log has none."""

    name: str
    version: str | None
    versions: Items[str]


class Documents(Record):
    """The list; or, where one was named, its text. `truncated`: there is more of it."""

    cycle_id: str
    project: str
    documents: Items[Document]
    name: str | None
    version: str | None
    text: str | None
    truncated: bool


def cycle_brief(state: CycleState, project: str, *, live: bool) -> CycleBrief:
    return CycleBrief.model_validate(_brief(state, project, live))


def cycle_report(state: CycleState, project: str, *, live: bool) -> CycleReport:
    return CycleReport.model_validate(_report(state, project, live))


def cycle_waited(state: CycleState, project: str, *, live: bool, rested: bool) -> CycleWaited:
    return CycleWaited.model_validate({**_report(state, project, live), "rested": rested})


def _brief(state: CycleState, project: str, live: bool) -> dict[str, object]:
    return {**dict(cycle_glance(state, project)), "live": live, "needs": cycle_needs(state, live=live)}


def _report(state: CycleState, project: str, live: bool) -> dict[str, object]:
    engine, coordination = state.engine, state.coordination
    failing = state.test_results.failed_tests if state.test_results else ()
    last = next((one for one in reversed(state.iterations) if one.completed_at), None)
    return {
        **_brief(state, project, live),
        "words": cycle_headline(state, live=live),
        "next": cycle_hint(state, live=live),
        "pending": tuple(
            OpenDecision(id=one.id, description=cut(one.description), options=tuple(map(cut, one.options)))
            for one in coordination.undecided[:SHOWN]
        ),
        "open_blockers": tuple(
            OpenBlocker(id=one.id, description=cut(one.description), reported_by=one.reported_by)
            for one in coordination.open_blockers[:SHOWN]
        ),
        "requests": requests(engine),
        "failing": tuple(map(cut, failing[:SHOWN])),
        "issues": tuple(map(cut, last.issues_found[:SHOWN])) if last else (),
        "open_tasks": _open_tasks(state),
        "spent": spent(engine.budget),
        "incidents": tuple(cut(incident.message) for incident in engine.incidents[-SHOWN:]),
    }


def _open_tasks(state: CycleState) -> tuple[OpenPlanTask, ...]:
    left = [task for task in state.plan.tasks if task.status != "completed"] if state.plan else []
    return tuple(
        OpenPlanTask(id=task.id, status=task.status, description=cut(task.description)) for task in left[:SHOWN]
    )
