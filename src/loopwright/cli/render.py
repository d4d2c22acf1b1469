"""Loops as text: the list, one loop in full, and how a run ended. Pure."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from loopwright.cli.text import age, clean, columns, counted, duration, local, short
from loopwright.domain.engine_state import Outcome
from loopwright.domain.loop import LoopState, LoopStatus
from loopwright.domain.progress import progress

T = TypeVar("T")

TITLE_CELLS = 44
SHOWN = 8
"""Items of a list before the rest is only counted."""

LABEL = "  {:<11} {}"


def status_words(state: LoopState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    engine = state.engine
    beside = {
        "running": None if live else "no runner",
        "paused": "asks" if engine.waiting else "limit" if engine.parked else None,
        "completed": None if engine.outcome == "succeeded" else engine.outcome,
        "failed": engine.outcome,
    }.get(state.status)
    return f"{state.status} ({beside})" if beside else state.status


NO_LOOPS = 'no loops here; start one with: loopwright run "TASK" --auto'


def tests_words(state: LoopState) -> str:
    """`55/57`: passed of those that ran in the last validation."""
    results = state.skill_state.validate_.test_results if state.skill_state else ()
    ran = [r for r in results if r.status != "skipped"]
    return f"{sum(r.status == 'passed' for r in ran)}/{len(ran)}" if ran else "-"


def loop_table(loops: Sequence[tuple[LoopState, bool]], total: int, now: datetime) -> str:
    """One line a loop; each comes with whether a runner holds it."""
    if not loops:
        return f"no more loops; there are {total}" if total else NO_LOOPS
    head = ("ID", "STATUS", "ITERATION", "PROGRESS", "TESTS", "AGE", "TITLE")
    rows = [
        (
            state.loop_id, status_words(state, live=live), f"{state.current_iteration}/{state.max_iterations}",
            f"{progress(state).overall:.0f} %", tests_words(state), age(state.updated_at, now),
            short(state.title, TITLE_CELLS),
        )
        for state, live in loops
    ]  # fmt: skip
    rest = [f"{len(loops)} of {total} loops; see --limit and --offset"] if total > len(loops) else []
    return "\n".join([*columns([head, *rows]), *rest])


def loop_page(state: LoopState, *, live: bool, now: datetime, elsewhere: str) -> str:
    """Everything about one loop. `elsewhere` ends each suggested command."""
    parts = [_head(state, live, now), _tasks(state), _debugging(state), _validation(state), _history(state)]
    lines = [line for part in parts for line in part]
    return "\n".join([*lines, "", headline(state, live=live), *next_lines(state, live, elsewhere)])


def _head(state: LoopState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield f"{state.loop_id}  {clean(state.title)}"
    yield LABEL.format("status", status_words(state, live=live))
    if clean(state.description) != clean(state.title):
        yield LABEL.format("task", clean(state.description))
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("progress", f"{progress(state).overall:.0f} %")
    yield LABEL.format("agent", f"{clean(settings.agent)}, {settings.mode}")
    yield LABEL.format("tests by", clean(settings.test_command) if settings.test_command else "not found yet")
    yield LABEL.format("spent", _spent(state))
    yield LABEL.format("created", local(state.created_at))
    yield LABEL.format("updated", f"{local(state.updated_at)} ({age(state.updated_at, now)} ago)")
    for name, value in (("priority", state.priority), ("tags", ", ".join(state.tags or ())), ("notes", state.notes)):
        if value:
            yield LABEL.format(name, clean(value))
    if engine.answer and engine.waiting:
        yield LABEL.format("answer", clean(engine.answer))


def _spent(state: LoopState) -> str:
    budget = state.engine.budget
    limit = f" of {duration(budget.max_minutes * 60)}" if budget.max_minutes else ""
    return f"{duration(budget.spent_seconds)}{limit}"


def _tasks(state: LoopState) -> Iterator[str]:
    rows = task_rows(state)
    if rows:
        yield from ("", "Tasks", *(f"  {row}" for row in rows))


def task_rows(state: LoopState) -> list[str]:
    """A line for each task, in order: id, status, tool, what shall be done."""
    status = {task.id: task.status for task in (state.skill_state.develop.tasks if state.skill_state else ())}
    tasks = sorted(state.engine.tasks, key=lambda task: task.order)
    rows = [(t.task_id, status.get(t.task_id, "pending"), clean(t.tool), short(t.description, 70)) for t in tasks]
    return columns(rows) if rows else []


def _debugging(state: LoopState) -> Iterator[str]:
    debug = state.skill_state.debug if state.skill_state else None
    if debug is None or not debug.hypotheses:
        return
    yield from ("", f"Hypotheses{f' about {short(debug.active_bug, 70)}' if debug.active_bug else ''}")
    known = debug.hypotheses
    for h in some(known, lambda h: _hypothesis(h.id, h.status, h.logging_point, h.description, h.verdict_reason)):
        yield f"  {h}"


def _hypothesis(id: str, status: str, place: str, words: str, reason: str | None) -> str:
    because = f"; {short(reason, 90)}" if reason else ""
    return f"{id:<3} {status:<12} {clean(place)}: {short(words, 90)}{because}"


def _validation(state: LoopState) -> Iterator[str]:
    validate = state.skill_state.validate_ if state.skill_state else None
    if validate is None or validate.last_run_at is None:
        return
    covered = f", coverage {validate.coverage:g} %" if validate.coverage else ""
    verdict = "passed" if validate.passed else "failed"
    yield from ("", f"Validation {verdict} {local(validate.last_run_at)}: tests {tests_words(state)}{covered}")
    messages = {r.key: r.error_message or "" for r in validate.test_results if r.status == "failed"}
    for line in some(validate.failed_tests, lambda key: f"✗ {clean(key)}  {short(messages.get(key, ''), 60)}".rstrip()):
        yield f"  {line}"


def _history(state: LoopState) -> Iterator[str]:
    if state.engine.checkpoints:
        yield from ("", "Checkpoints")
        rows = [(f"  {c.n}", local(c.at, "%H:%M:%S"), clean(c.action)) for c in state.engine.checkpoints[-SHOWN:]]
        yield from columns(rows)
    if state.engine.incidents:
        yield from ("", "Incidents")
        for i in state.engine.incidents[-SHOWN:]:
            yield f"  {local(i.at)} {clean(i.kind)}: {clean(i.message)}"


def headline(state: LoopState, *, live: bool = False) -> str:
    """Where the loop rests, in a sentence."""
    waiting, parked = state.engine.waiting, state.engine.parked
    if waiting:
        options = f" ({' / '.join(clean(o) for o in waiting.options)})" if waiting.options else ""
        return f"Paused with a question: {clean(waiting.question)}{options}"
    if parked:
        return f"Paused until {local(parked.until)}: {clean(parked.reason)}"
    if state.status == "failed":
        return f"Not done, {state.engine.outcome}: {clean(state.failure_reason or '')}."
    if state.status == "completed":
        return _completed(state)
    return {
        "running": "Running." if live else "Interrupted: no runner is at work on it.",
        "created": "Created, not started yet.",
        "user_exit": "Left by choice; it can be resumed.",
    }.get(state.status, "Paused.")


def _completed(state: LoopState) -> str:
    if state.engine.outcome != "succeeded":
        return "Completed by choice, but unverified: no validation has passed."
    old = " (what failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    passed, _, ran = tests_words(state).partition("/")
    return f"Succeeded: {passed} of {counted(int(ran), 'test')} pass{old}." if ran else "Succeeded."


RESTART: dict[Outcome, str] = {
    "succeeded": "diff {id}",
    "unverified": "run --loop-id {id} --auto --test-command CMD",
    "exhausted": "run --loop-id {id} --auto --max-iterations {more}",
    "over_budget": "run --loop-id {id} --auto --max-minutes {minutes:g}",
    "stalled": "show {id}",
    "stopped": "run --loop-id {id} --auto",
    "failed": "show {id}",
}
CONTINUE: dict[LoopStatus, str] = {
    "created": "start {id}",
    "running": "resume {id}",
    "paused": "resume {id}",
    "user_exit": "resume {id}",
}
"""The command to type next: by outcome for a loop that has ended, else by status."""


def next_lines(state: LoopState, live: bool, elsewhere: str) -> list[str]:
    """What to type next, ready to be copied."""
    known = {
        "id": state.loop_id, "more": state.max_iterations + 10, "minutes": 2 * (state.engine.budget.max_minutes or 30),
    }  # fmt: skip
    outcome = state.engine.outcome
    pattern = RESTART[outcome] if outcome else CONTINUE[state.status]
    if state.status == "running" and live:
        pattern = "watch {id}"
    steps = [f"loopwright {pattern.format(**known)}{elsewhere}"]
    if state.engine.waiting and not state.engine.answer:
        steps.insert(0, f'loopwright answer {state.loop_id} "…"{elsewhere}')
    return [LABEL.format("next" if not i else "then", step) for i, step in enumerate(steps)]


def ending(state: LoopState, *, diff: str, summary: str | None, live: bool, elsewhere: str) -> str:
    """How a run came to rest: outcome, what was changed, what is left, and what to type next."""
    skill = state.skill_state
    lines = [headline(state, live=live)]
    confirmed = [h for h in (skill.debug.hypotheses if skill else ()) if h.status == "confirmed"]
    found = some(confirmed, lambda h: f"{clean(h.logging_point)}: {short(h.description, 90)}")
    changed = some(diff_stat(diff), lambda change: f"{clean(change[0])}  +{change[1]} -{change[2]}")
    failing = some(skill.validate_.failed_tests if skill else (), clean)
    tasks = [t for t in (skill.develop.tasks if skill else ()) if t.status != "completed"]
    open_tasks = some(tasks, lambda t: f"{t.id} ({t.status}): {short(t.description, 80)}")
    for name, items in (("cause", found), ("changed", changed), ("failing", failing), ("open", open_tasks)):
        lines += [LABEL.format("" if i else name, item) for i, item in enumerate(items)]
    if summary:
        lines.append(LABEL.format("summary", summary))
    return "\n".join([*lines, *next_lines(state, live, elsewhere)])


def some(items: Sequence[T], words: Callable[[T], str]) -> list[str]:
    """The first items in words, and how many more there are."""
    more = [f"… and {len(items) - SHOWN} more"] if len(items) > SHOWN else []
    return [words(item) for item in items[:SHOWN]] + more


def diff_stat(diff: str) -> list[tuple[str, int, int]]:
    """File, lines added, lines removed, for each file of a unified diff from git."""
    stat: list[tuple[str, int, int]] = []
    in_hunk = False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            stat.append((line.rpartition(" b/")[2], 0, 0))
            in_hunk = False
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line[:1] in ("+", "-"):
            file, added, removed = stat[-1]
            stat[-1] = (file, added + (line[0] == "+"), removed + (line[0] == "-"))
    return stat
