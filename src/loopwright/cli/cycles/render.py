"""Cycles as text: the list, and one cycle in full. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from loopwright.cli.cycles.ending import headline, next_lines, tests_words
from loopwright.cli.ending import LABEL, SHOWN, patches_lines, proof_lines, some
from loopwright.cli.parts import (
    EVERYTHING,
    TITLE_CELLS,
    WORDS_CELLS,
    Damaged,
    Table,
    kept,
    listed,
    requests,
    spent_words,
    status_words,
)
from loopwright.cli.text import age, clean, columns, fold, local, short
from loopwright.domain.cycle import CycleState, IterationRecord, PlanTask
from loopwright.domain.cycle_glance import agent_of, cycle_need
from loopwright.domain.cycle_names import ROLES, TITLES
from loopwright.domain.words import plural

FURTHER = "\n\n--- ITERATION "
"""In a description, what an extension has added begins so."""

TABLE = Table(
    "cycle", ("ID", "STATUS", "PHASE", "ITERATION", "TASKS", "TESTS", "AGE", "TITLE"),
    "{}, {}, iteration {}, tasks {}, tests {}, {} ago",
    'no cycles here; start one with: loopwright cycle run "TASK" --auto',
)  # fmt: skip


def cycle_status(state: CycleState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    return status_words(state, live=live, asks=cycle_need(state) in ("decision", "blocker"))


def cycle_table(
    cycles: Sequence[tuple[CycleState, bool]], total: int, now: datetime, *,
    damaged: Sequence[Damaged] = (), cells: int = 160,
) -> str:  # fmt: skip
    """One line a cycle; each comes with whether a runner holds it."""
    return listed(TABLE, [_row(state, live, now) for state, live in cycles], total, damaged, cells)


def _row(state: CycleState, live: bool, now: datetime) -> tuple[str, ...]:
    return (
        state.cycle_id, cycle_status(state, live=live), state.current_phase, iteration_words(state),
        tasks_words(state), _tests(state), age(state.updated_at, now), short(state.title, TITLE_CELLS),
    )  # fmt: skip


def iteration_words(state: CycleState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def tasks_words(state: CycleState) -> str:
    """`2/5`: completed tasks of the plan."""
    tasks = state.plan.tasks if state.plan else ()
    return f"{sum(task.status == 'completed' for task in tasks)}/{len(tasks)}" if tasks else "-"


def _tests(state: CycleState) -> str:
    found = state.test_results
    return f"{found.total_tests - len(found.failed_tests)}/{found.total_tests}" if found else "-"


def restored(state: CycleState) -> str:
    """What a recovery has brought back, in a line."""
    counts = ((len(state.plan.tasks) if state.plan else 0, "task"), (len(state.engine.checkpoints), "checkpoint"))
    known = ", ".join(plural(n, thing) for n, thing in counts)
    return f"{cycle_status(state, live=False)}, iteration {state.current_iteration} of {state.max_iterations}, {known}"


def cycle_page(
    state: CycleState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one cycle, its result first; long lists are cut unless `whole`.

    `elsewhere` ends each suggested command.
    """
    most = EVERYTHING if whole else SHOWN
    parts = [
        _result(state, live, most), _head(state, live, now), _roles(state), requests(state.engine, live, most),
        _decisions(state, most), _blockers(state, most), _plan(state, most), _tests_part(state, most),
        _iterations(state, most), _documents(state), kept(state.engine, most),
    ]  # fmt: skip
    lines = [folded for part in parts for line in part for folded in fold(line, cells)]
    if _longest(state) > most:
        lines += ["", f"loopwright cycle show {state.cycle_id} --all{elsewhere} shows every line"]
    return "\n".join([*lines, "", *next_lines(state, live, elsewhere)])


def _result(state: CycleState, live: bool, most: int) -> Iterator[str]:
    """Where it stands, and once it has ended what shows its goal."""
    yield f"{state.cycle_id}  {clean(state.title)}"
    yield headline(state, live=live)
    files = dict.fromkeys(change.file for change in state.changes.changes) if state.changes else {}
    changed = some(list(files), clean, most=most) if state.engine.outcome else []
    patches = patches_lines(state.engine.patches or (), most=most)
    proof = proof_lines(state.engine.proof, most=most)
    for name, items in (("changed", changed), ("proof", proof), ("patches", patches)):
        yield from (LABEL.format("" if i else name, item) for i, item in enumerate(items))


def _longest(state: CycleState) -> int:
    """Items of the longest list on the page."""
    engine, coordination = state.engine, state.coordination
    plan, results = state.plan, state.test_results
    known = (
        engine.checkpoints, engine.incidents, engine.asked, coordination.pending_decisions, coordination.blockers,
        plan.tasks if plan else (), results.failed_tests if results else (), state.iterations,
    )  # fmt: skip
    return max(len(items) for items in known)


def _head(state: CycleState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield ""
    yield LABEL.format("status", cycle_status(state, live=live))
    task = state.description.partition(FURTHER)[0]
    if clean(task) != clean(state.title):
        yield LABEL.format("task", clean(task))
    yield from (LABEL.format("extension", clean(text)) for text in state.task_history[1:])
    yield from (LABEL.format("to come", clean(text)) for text in engine.queue)
    yield LABEL.format("phase", state.current_phase)
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("mode", f"{settings.mode}, {plural(engine.parallel, 'agent')} at once")
    none = "none found" if engine.tests_found is False else "not found yet"
    yield LABEL.format("tests by", clean(settings.test_command) if settings.test_command else none)
    yield LABEL.format("spent", spent_words(engine))
    yield LABEL.format("created", local(state.created_at))
    yield LABEL.format("updated", f"{local(state.updated_at)} ({age(state.updated_at, now)} ago)")


def _roles(state: CycleState) -> Iterator[str]:
    rows = [(f"  {role}", TITLES[role], clean(agent_of(state, role)), *_standing(state, role)) for role in ROLES]
    yield from ("", "Roles", *columns(rows))


def _standing(state: CycleState, role: str) -> tuple[str, str]:
    """A role's status, and what it is at or what it said last."""
    agent = next(state.agents.of(known) for known in ROLES if known == role)
    doing = ", ".join(one.step for one in state.engine.under_way if one.step.startswith(f"{role}."))
    return agent.status, short(doing or agent.error or agent.last_message or "", WORDS_CELLS)


def _decisions(state: CycleState, most: int) -> Iterator[str]:
    decisions = state.coordination.pending_decisions
    if decisions:
        yield from ("", "Decisions")
    yield from some(
        decisions,
        lambda d: (
            f"  {clean(d.id)}  {_decided(d.chosen_option, d.made_by, d.options)}  {short(d.description, WORDS_CELLS)}"
        ),
        most=most,
    )


def _decided(chosen: str | None, by: str | None, options: tuple[str, ...]) -> str:
    if chosen is not None:
        return f"{clean(chosen)} (by {clean(by or '')})"
    return f"to be decided: {' | '.join(clean(option) for option in options) or 'any text'}"


def _blockers(state: CycleState, most: int) -> Iterator[str]:
    blockers = state.coordination.blockers
    if blockers:
        yield from ("", "Blockers")
    yield from some(
        blockers,
        lambda b: (
            f"  {clean(b.id)}  {b.status} ({clean(b.reported_by)})  {short(b.description, WORDS_CELLS)}"
            + (f"; {short(b.resolution, WORDS_CELLS)}" if b.resolution else "")
        ),
        most=most,
    )


def _plan(state: CycleState, most: int) -> Iterator[str]:
    plan = state.plan
    if plan is None:
        return
    yield from ("", f"Plan {plan.version}: {clean(plan.total_estimated_effort)}")
    shown = plan.tasks[:most]
    rows = [(f"  {clean(t.id)}", t.status, t.effort, _after(t), short(t.description, WORDS_CELLS)) for t in shown]
    yield from columns(rows) if rows else ()
    if len(plan.tasks) > most:
        yield f"  … and {len(plan.tasks) - most:,} more"
    if len(plan.critical_path) > 1:
        yield f"  critical path: {clean(' → '.join(plan.critical_path))}"


def _after(task: PlanTask) -> str:
    return f"after {clean(', '.join(task.depends_on))}" if task.depends_on else ""


def _tests_part(state: CycleState, most: int) -> Iterator[str]:
    found = state.test_results
    if found is None:
        return
    yield from ("", f"Validation {found.version} {local(found.last_run)}: {tests_words(state)}")
    yield from (f"  {line}" for line in some(found.failed_tests, lambda key: f"✗ {clean(key)}", most=most))


def _iterations(state: CycleState, most: int) -> Iterator[str]:
    if state.iterations:
        yield from ("", "Iterations")
    for record in state.iterations[-most:]:
        yield f"  {record.number}  {_iteration(record)}"
        yield from (f"     {line}" for line in some(record.issues_found, lambda i: short(i, WORDS_CELLS), most=most))


def _iteration(record: IterationRecord) -> str:
    ended = f"until {local(record.completed_at, '%H:%M:%S')}" if record.completed_at else "under way"
    results = ", ".join(f"{role} {result.status}" for role, result in record.agent_results.items())
    extension = f"; extension: {short(record.extension, WORDS_CELLS)}" if record.extension else ""
    return f"{local(record.started_at)} {ended}: {results or 'nothing yet'}{extension}"


def _documents(state: CycleState) -> Iterator[str]:
    if state.iterations:
        yield from ("", f"Documents: loopwright cycle documents {state.cycle_id}")
