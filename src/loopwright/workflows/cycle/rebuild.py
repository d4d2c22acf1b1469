"""A cycle from its documents, when its journal and its file are gone: paused, with a question to a person. Pure.

See the seed's "State Rebuild". Requirements, plan, changes and test results come back exactly as they were shown.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from pydantic import ValidationError

from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.record import Record, parse_timestamp
from loopwright.core.state import Waiting
from loopwright.core.text import decode_word, drop_surrogates
from loopwright.workflows.cycle.documents import (
    EDGE_CASES,
    EXPLORATION,
    MAIN,
    POINTS,
    RISKS,
    edge_cases_in,
    section_items,
    updated_in,
    version_in,
    without_header,
)
from loopwright.workflows.cycle.logs import (
    CHANGES,
    DECISIONS,
    FEEDBACK,
    TIMELINE,
    Timeline,
    blockers_in,
    changes_in,
    decisions_in,
    feedback_in,
    read_timeline,
)
from loopwright.workflows.cycle.model import (
    CHANGES_KEPT,
    ERRORS_KEPT,
    FEEDBACK_KEPT,
    TITLE_LENGTH,
    AgentState,
    ChangeLog,
    Changes,
    Coordination,
    CycleEngine,
    CycleState,
    Exploration,
    FeedbackEntry,
    IterationRecord,
    PhaseError,
    Plan,
    PlanTask,
    Requirements,
    TestResults,
    iteration_of,
    version_of,
)
from loopwright.workflows.cycle.standing import derive_standing, implement_step
from loopwright.workflows.cycle.state_reader import read_cycle
from loopwright.workflows.cycle.summary import FAILED_STEPS

ISSUES = "cd/issues.md"
_ERROR = re.compile(r"- (\S+) (\S+): (.*)")


def phase_errors(beside: Mapping[str, str]) -> tuple[PhaseError, ...]:
    """The failed steps that issues.md lists."""
    section = beside.get(ISSUES, "").partition(f"\n## {FAILED_STEPS}\n")[2].partition("\n## ")[0]
    return tuple(_errors(section))[-ERRORS_KEPT:]


def _errors(section: str) -> Iterator[PhaseError]:
    for line in section.split("\n"):
        if found := _ERROR.fullmatch(line):
            try:
                yield PhaseError(timestamp=found[1], phase=found[2], error=decode_word(found[3]))
            except ValidationError:
                continue


def restore_roles(state: CycleState, beside: Mapping[str, str], timeline: Timeline) -> CycleState:
    """The state with its roles as they were; where they stand in the iteration that is open follows from it."""
    over = state.iterations[:-1]
    completed = (role for record in over for role in ROLES if _status(record, role) == "completed")
    done = tuple(_done(state, timeline))
    agents = {role: _agent(state, beside, timeline, role) for role in ROLES}
    wrote = {role: agents[role].output_files for role in ("ra", "ep") if any(key.startswith(role) for key in done)}
    changed = _changed(state, state.current_iteration)
    return state.evolve(
        agents=state.agents.evolve(**agents),
        completed_phases=tuple(completed),
        engine=state.engine.evolve(done=done, wrote={**wrote, "cd": changed} if changed else wrote),
    )


def _agent(state: CycleState, beside: Mapping[str, str], timeline: Timeline, role: Role) -> AgentState:
    """What it wrote, the iterations that it was in, and what it said last in the one that is open."""
    written = tuple(name for name in MAIN if name in beside and name.startswith(f"{role}/"))
    return AgentState(
        output_files=_changed(state) if role == "cd" else written,
        last_message=timeline.said.get((state.current_iteration, role)),
        iterations_completed=sum(_status(record, role) not in (None, "failed") for record in state.iterations[:-1]),
    )


def _done(state: CycleState, timeline: Timeline) -> Iterator[str]:
    """Steps of the iteration that is open; the tests and what vas says of them are always done again."""
    here, engine = state.current_iteration, state.engine
    record = next((record for record in timeline.records if record.number == here), None)
    settled = (
        ("ra.analyse", "ra", engine.analysed),
        ("ep.explore", "ep", engine.explored),
        ("ep.plan", "ep", engine.planned),
    )
    worked = {role for role in ROLES if record is None or _status(record, role) in ("completed", "partial")}
    yield from (key for key, role, last in settled if last == here and role in worked and role not in engine.called)
    if "cd" in worked and state.plan:
        changed = _changed(state, here)
        yield from (implement_step(task).key for task in state.plan.tasks if _is_of(task, here, changed))


def _is_of(task: PlanTask, here: int, changed: tuple[str, ...]) -> bool:
    """Whether it was completed in this iteration: the first one, or one that changed its files."""
    return task.status == "completed" and (here == 1 or not set(changed).isdisjoint(task.files))


def _changed(state: CycleState, iteration: int | None = None) -> tuple[str, ...]:
    lines = state.changes.changes if state.changes else ()
    return tuple(dict.fromkeys(line.file for line in lines if iteration in (None, line.iteration)))


def _status(record: IterationRecord, role: Role) -> str | None:
    result = record.agent_results.get(role)
    return result.status if result else None


LOST = "(lost: the state of this cycle had to be rebuilt from its documents)"
QUESTION = (
    "The state of this cycle was lost and rebuilt from its documents. Look at its task and its documents; what is"
    " missing can be added with an extension. Then resume it."
)
REQUIREMENTS, ARCHITECTURE, PLAN, RESULTS = (
    "ra/requirements.md",
    "ep/architecture.md",
    "ep/plan.json",
    "vas/test-results.json",
)

R = TypeVar("R", bound=Record)


def rebuild_cycle(beside: Mapping[str, str], id: str, now: str) -> CycleState | None:
    """`beside` holds the texts of the progress files by name. None where there is nothing to go by."""
    beside = {name: drop_surrogates(text) for name, text in beside.items()}
    timeline = read_timeline(beside.get(TIMELINE, ""))
    requirements, exploration = _requirements(beside, now), _exploration(beside, now)
    plan, results = _read(Plan, beside.get(PLAN, "")), _read(TestResults, beside.get(RESULTS, ""))
    changes = _changes(changes_in(beside.get(CHANGES, "")))
    versioned = [part.version for part in (requirements, exploration, plan, results) if part]
    known: dict[str, Record | None] = {
        "requirements": requirements,
        "exploration": exploration,
        "plan": plan,
        "test_results": results,
        "changes": changes,
    }
    if not any(known.values()) and not timeline.task and not timeline.records:
        return None
    coordination = _coordination(beside)
    added = _added_since(timeline, coordination)
    over = [record.number for record in timeline.records]
    changed = [line.iteration for line in changes.changes] if changes else []
    begun = [max(over, default=0) + 1] if added else []
    records = _records(timeline, max([*map(iteration_of, versioned), *changed, *over, *begun], default=0), added, now)
    raw = {
        "cycle_id": id,
        **_task(timeline, records),
        "status": "paused",
        "created_at": parse_timestamp(timeline.created) or now,
        "updated_at": now,
        "iterations": [record.model_dump(mode="json") for record in records],
        "current_iteration": len(records),
        "max_iterations": max(CycleState.model_fields["max_iterations"].default, len(records) + 1),
        "phase_errors": [error.model_dump(mode="json") for error in phase_errors(beside)],
        "coordination": coordination.model_dump(mode="json"),
        **{name: part.model_dump(mode="json") for name, part in known.items() if part},
    }
    state, _ = read_cycle(raw, fallback_id=id, now=now)
    waiting = Waiting(question=QUESTION, since=now, by_resuming=True)
    state = state.evolve(engine=_engine(state).evolve(waiting=waiting, holds=_holds(state)))
    return derive_standing(restore_roles(state, beside, timeline))


def _requirements(beside: Mapping[str, str], now: str) -> Requirements | None:
    text = beside.get(REQUIREMENTS, "")
    if not text.strip():
        return None
    return Requirements(
        version=version_in(REQUIREMENTS, text) or version_of(1),
        specification=without_header(text),
        edge_cases=edge_cases_in(beside.get(EDGE_CASES, "")),
        last_updated=parse_timestamp(updated_in(text)) or now,
    )


def _exploration(beside: Mapping[str, str], now: str) -> Exploration | None:
    page, text = beside.get(ARCHITECTURE, ""), beside.get(EXPLORATION, "")
    if not page.strip() and not text.strip():
        return None
    name, headed = (ARCHITECTURE, page) if page.strip() else (EXPLORATION, text)
    return Exploration(
        version=version_in(name, headed) or version_of(1),
        architecture_summary=without_header(headed),
        integration_points=tuple(section_items(text, *POINTS)),
        identified_risks=tuple(section_items(text, *RISKS)),
        last_updated=parse_timestamp(updated_in(headed)) or now,
    )


def _changes(lines: Sequence[ChangeLog]) -> Changes | None:
    if not lines:
        return None
    return Changes(
        total_files=len({line.file for line in lines}),
        changes=tuple(lines[-CHANGES_KEPT:]),
        iteration_markers={str(line.iteration): line.timestamp for line in lines},
    )


def _coordination(beside: Mapping[str, str]) -> Coordination:
    log = beside.get(DECISIONS, "")
    return Coordination(
        feedback_log=feedback_in(beside.get(FEEDBACK, ""))[-FEEDBACK_KEPT:],
        pending_decisions=decisions_in(log),
        blockers=blockers_in(log),
    )


def _added_since(timeline: Timeline, coordination: Coordination) -> FeedbackEntry | None:
    """What the user has asked for last, when no iteration is over that was to answer it."""
    answered = {record.extension for record in timeline.records}
    asked = [
        entry
        for entry in coordination.feedback_log
        if (entry.source, entry.type) == ("user", "requirement_update") and entry.content not in answered
    ]
    return asked[-1] if asked else None


def _records(timeline: Timeline, last: int, added: FeedbackEntry | None, now: str) -> list[IterationRecord]:
    """As the timeline tells of them. The last one is open: what is there has to prove itself again."""
    by_number = {record.number: record for record in timeline.records}
    began = parse_timestamp(timeline.created) or now
    records = [
        by_number.get(n) or IterationRecord(number=n, started_at=began, completed_at=began) for n in range(1, last + 1)
    ]
    opened = [record.evolve(completed_at=None, resolved=False) for record in records[-1:]]
    if added is not None and last not in by_number:
        opened = [record.evolve(extension=added.content, started_at=added.timestamp) for record in opened]
    return [*records[:-1], *opened]


def _task(timeline: Timeline, records: Sequence[IterationRecord]) -> dict[str, object]:
    """Title, description and what was asked for; with extensions that came after the timeline was begun."""
    description, asked = timeline.task or LOST, timeline.tasks
    for record in records:
        block = f"\n\n--- ITERATION {record.number} ---\n{record.extension}"
        if record.extension is not None and block not in description:
            description += block
            asked = (*asked, record.extension)
    return {"title": timeline.title or description[:TITLE_LENGTH], "description": description, "task_history": [*asked]}


def _engine(state: CycleState) -> CycleEngine:
    """What has to be done again in an iteration under way: whatever has no document."""
    here = state.current_iteration
    of = {
        name: iteration_of(part.version) if part else 0
        for name, part in (
            ("analysed", state.requirements),
            ("explored", state.exploration),
            ("planned", state.plan),
        )
    }
    unanswered = state.iteration is not None and state.iteration.extension is not None and of["analysed"] < here
    called: tuple[Role, ...] = (
        *(("ra",) if state.requirements is None or unanswered else ()),
        *(("ep",) if state.exploration is None else ()),
    )
    return state.engine.evolve(**of, called=called if state.iteration is not None and here else ())


def _holds(state: CycleState) -> dict[str, tuple[str, ...]]:
    """What waits for what is open, as far as its words name a task; what no words name waits for the first of it."""
    tasks = state.plan.tasks if state.plan else ()
    open_ones = [(one.id, one.description) for one in state.coordination.open_blockers]
    open_ones += [(one.id, one.description) for one in state.coordination.undecided]
    holds: dict[str, tuple[str, ...]] = {}
    for task in tasks:
        if task.status == "blocked" and open_ones:
            id = next((id for id, words in open_ones if task.id in words), open_ones[0][0])
            holds[id] = (*holds.get(id, ()), implement_step(task).key)
    return holds


def _read(model: type[R], text: str) -> R | None:
    try:
        return model.model_validate(json.loads(text))
    except (ValueError, RecursionError, ValidationError):
        return None
