"""Loops as text: the list, and one loop in full. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from loopwright.cli.ending import LABEL, SHOWN, headline, next_lines, some, tests_words
from loopwright.cli.text import age, clean, columns, cut, duration, fold, local, short, width
from loopwright.domain.engine_state import LoopTask, PermissionRequest
from loopwright.domain.loop import LoopState
from loopwright.domain.permissions import request_words
from loopwright.domain.progress import progress, task_statuses
from loopwright.domain.words import agreeing, plural

TITLE_CELLS = 44
WORDS_CELLS = 300
"""What an agent wrote is cut there: nobody reads on, and it must not push the rest off the screen."""
EVERYTHING = 1_000_000


class Damaged(NamedTuple):
    """A loop that can not be read: why, and the command that helps, if there is one."""

    loop_id: str
    reason: str
    remedy: str | None


def status_words(state: LoopState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    engine = state.engine
    beside = {
        "running": ("asks" if engine.asked or engine.waiting or engine.menu else None) if live else "no runner",
        "paused": "asks" if engine.waiting else "limit" if engine.parked else None,
        "completed": None if engine.outcome == "succeeded" else engine.outcome,
        "failed": None if engine.outcome == "failed" else engine.outcome,
    }.get(state.status)
    return f"{state.status} ({beside})" if beside else state.status


NO_LOOPS = 'no loops here; start one with: loopwright run "TASK" --auto'
HEAD = ("ID", "STATUS", "ITERATION", "PROGRESS", "TESTS", "AGE", "TITLE")


def loop_table(
    loops: Sequence[tuple[LoopState, bool]], total: int, now: datetime, *,
    damaged: Sequence[Damaged] = (), cells: int = 160,
) -> str:  # fmt: skip
    """One line a loop; each comes with whether a runner holds it. What is damaged stands below, with what helps."""
    if not loops and not damaged:
        return f"no more loops; {agreeing(total, 'there is')} {total:,}" if total else NO_LOOPS
    rows = [_row(state, live, now) for state, live in loops]
    rows += [(d.loop_id, "damaged", "-", "-", "-", "-", "can not be read, see below") for d in damaged]
    lines = [line for row in rows for line in _stacked(row, cells)] if _too_wide(rows, cells) else _table(rows, cells)
    if total > len(loops):
        lines.append(f"{len(loops):,} of {plural(total, 'loop')}; see --limit and --offset")
    for d in damaged:
        lines += ["", *fold(f"{d.loop_id} is damaged: {clean(d.reason)}", cells)]
        lines += [LABEL.format("next", d.remedy)] if d.remedy else []
    return "\n".join(lines)


def _row(state: LoopState, live: bool, now: datetime) -> tuple[str, ...]:
    return (
        state.loop_id, status_words(state, live=live), f"{state.current_iteration}/{state.max_iterations}",
        f"{progress(state).overall:.0f} %", tests_words(state), age(state.updated_at, now),
        short(state.title, TITLE_CELLS),
    )  # fmt: skip


def _too_wide(rows: Sequence[Sequence[str]], cells: int) -> bool:
    """Not even the beginning of a title would fit on the line."""
    return width(columns([HEAD, *[(*row[:-1], "TITLE") for row in rows]])[0]) > cells


def _table(rows: Sequence[Sequence[str]], cells: int) -> list[str]:
    return [cut(line, cells) for line in columns([HEAD, *rows])]


def _stacked(row: Sequence[str], cells: int) -> list[str]:
    """For narrow terminals: a loop's id, below it what is known."""
    id, status, iteration, percent, tests, old, title = row
    facts = status if status == "damaged" else f"{status}, iteration {iteration}, {percent}, tests {tests}, {old} ago"
    return [id, *fold(f"  {facts}", cells), *fold(f"  {title}", cells)]


def loop_page(
    state: LoopState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one loop; long lists are cut unless `whole`. `elsewhere` ends each suggested command."""
    most = EVERYTHING if whole else SHOWN
    parts = [
        _head(state, live, now), _requests(state, live, most), _menu(state, live), _tasks(state),
        _debugging(state, most),
        _validation(state, most), _history(state, most),
    ]  # fmt: skip
    lines = [folded for part in parts for line in part for folded in fold(line, cells)]
    if _longest(state) > most:
        lines += ["", f"loopwright show {state.loop_id} --all{elsewhere} shows every line"]
    told = fold(headline(state, live=live), cells)
    return "\n".join([*lines, "", *told, *next_lines(state, live, elsewhere)])


def _longest(state: LoopState) -> int:
    """Items of the longest list on the page."""
    skill, engine = state.skill_state, state.engine
    told = (skill.debug.hypotheses, skill.validate_.failed_tests) if skill else ()
    return max(len(items) for items in (*told, engine.checkpoints, engine.incidents, engine.asked))


def recovery_page(state: LoopState, repairs: Sequence[str], kept: Sequence[Path], elsewhere: str) -> str:
    """What was brought back and from where, and which damaged files were put aside."""
    if not repairs:
        lines = [f"{state.loop_id} is not damaged; nothing was changed"]
    else:
        lines = [f"{state.loop_id} can be read again"]
        lines += [LABEL.format("from" if not i else "", words) for i, words in enumerate(repairs)]
        lines.append(LABEL.format("restored", _restored(state)))
    lines += [LABEL.format("put aside" if not i else "", path) for i, path in enumerate(kept)]
    return "\n".join([*lines, LABEL.format("next", f"loopwright show {state.loop_id}{elsewhere}")])


def _restored(state: LoopState) -> str:
    counts = ((len(state.engine.tasks), "task"), (len(state.engine.checkpoints), "checkpoint"))
    known = ", ".join(plural(n, thing) for n, thing in counts)
    return f"{status_words(state, live=False)}, iteration {state.current_iteration} of {state.max_iterations}, {known}"


def _head(state: LoopState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield f"{state.loop_id}  {clean(state.title)}"
    yield LABEL.format("status", status_words(state, live=live))
    if clean(state.description) != clean(state.title):
        yield LABEL.format("task", clean(state.description))
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("progress", f"{progress(state).overall:.0f} %")
    yield LABEL.format("agent", clean(settings.agent))
    yield LABEL.format("mode", settings.mode)
    none = "none found" if engine.tests_found is False else "not found yet"
    yield LABEL.format("tests by", clean(settings.test_command) if settings.test_command else none)
    yield LABEL.format("spent", _spent(state))
    yield LABEL.format("created", local(state.created_at))
    yield LABEL.format("updated", f"{local(state.updated_at)} ({age(state.updated_at, now)} ago)")
    for name, value in (("priority", state.priority), ("tags", ", ".join(state.tags or ())), ("notes", state.notes)):
        if value:
            yield LABEL.format(name, clean(value))
    if engine.answer and engine.waiting:
        yield LABEL.format("answer", clean(engine.answer))


def _requests(state: LoopState, live: bool, most: int) -> Iterator[str]:
    """What an agent waits for; what a dead runner has asked nobody waits for."""
    asked = state.engine.asked if live else ()
    if asked:
        yield from ("", "Asks for permission")
        yield from (f"  {line}" for line in some(asked, _request, most=most))


def _menu(state: LoopState, live: bool) -> Iterator[str]:
    """What can be chosen, and what not and why."""
    menu = state.engine.menu if live else None
    if menu:
        yield from ("", f"Menu: {menu.choice} is chosen" if menu.choice else "Menu")
        yield from (f"  {e.name:<9} {f'not now: {e.blocked}' if e.blocked else e.words}" for e in menu.entries)


def _request(request: PermissionRequest) -> str:
    answered = f" ({request.answer})" if request.answer else ""
    because = f"; {short(request.reason, WORDS_CELLS)}" if request.reason else ""
    return f"{request.id}{answered}  {short(request_words(request), WORDS_CELLS)}{because}"


def _spent(state: LoopState) -> str:
    """`3 min of 10 min, 1,200 of 5,000 tokens, 0.2 of 1 US dollars`, as far as it is known or limited."""
    budget = state.engine.budget
    spent = [
        duration(budget.spent_seconds) + (f" of {duration(budget.max_minutes * 60)}" if budget.max_minutes else "")
    ]
    if budget.tokens is not None or budget.max_tokens:
        limit = f" of {budget.max_tokens:,}" if budget.max_tokens else ""
        spent.append(f"{budget.tokens or 0:,}{limit} tokens")
    if budget.cost is not None or budget.max_cost:
        limit = f" of {budget.max_cost:g}" if budget.max_cost else ""
        spent.append(f"{budget.cost or 0:g}{limit} US dollars")
    return ", ".join(spent)


def _tasks(state: LoopState) -> Iterator[str]:
    rows = task_rows(state)
    if rows:
        yield from ("", "Tasks", *(f"  {row}" for row in rows))


def task_rows(state: LoopState) -> list[str]:
    """A line for each task, in order: id, status, tool, what shall be done; below it what is special about it."""
    statuses = task_statuses(state)
    tasks = sorted(state.engine.tasks, key=lambda task: task.order)
    if not tasks:
        return []
    lines = columns([(t.task_id, statuses[t.task_id], clean(t.tool), short(t.description, WORDS_CELLS)) for t in tasks])
    return [line for first, task in zip(lines, tasks, strict=True) for line in (first, *_task_details(task))]


def _task_details(task: LoopTask) -> Iterator[str]:
    named = (
        ("command", task.command), ("mode", task.mode if task.mode != "write" else None), ("on error", task.on_error),
        ("after", ", ".join(task.depends_on or ())), ("hints", task.prompt_template),
        ("tests", {None: None, True: "may be changed", False: "must not be changed"}[task.allow_test_changes]),
    )  # fmt: skip
    for name, value in named:
        if value:
            yield f"    {name:<9} {short(value, WORDS_CELLS)}"


def _debugging(state: LoopState, most: int) -> Iterator[str]:
    debug = state.skill_state.debug if state.skill_state else None
    if debug is None or not debug.hypotheses:
        return
    about = f" about {short(debug.active_bug, WORDS_CELLS)}" if debug.active_bug else ""
    yield from ("", f"Hypotheses{about}")
    known = debug.hypotheses
    for h in some(
        known, lambda h: _hypothesis(h.id, h.status, h.logging_point, h.description, h.verdict_reason), most=most
    ):
        yield f"  {h}"


def _hypothesis(id: str, status: str, place: str, words: str, reason: str | None) -> str:
    because = f"; {short(reason, WORDS_CELLS)}" if reason else ""
    return f"{id:<3} {status:<12} {clean(place)}: {short(words, WORDS_CELLS)}{because}"


def _validation(state: LoopState, most: int) -> Iterator[str]:
    validate = state.skill_state.validate_ if state.skill_state else None
    if validate is None or validate.last_run_at is None:
        return
    covered = f", coverage {validate.coverage:g} %" if validate.coverage else ""
    verdict = "passed" if validate.passed else "failed"
    yield from ("", f"Validation {verdict} {local(validate.last_run_at)}: tests {tests_words(state)}{covered}")
    messages = {r.key: r.error_message or "" for r in validate.test_results if r.status == "failed"}
    failed = validate.failed_tests
    for line in some(failed, lambda k: f"✗ {clean(k)}  {short(messages.get(k, ''), 90)}".rstrip(), most=most):
        yield f"  {line}"


def _history(state: LoopState, most: int) -> Iterator[str]:
    checkpoints, incidents = state.engine.checkpoints, state.engine.incidents
    if checkpoints:
        yield from ("", "Checkpoints", *_earlier(len(checkpoints), most))
        yield from columns([(f"  {c.n}", local(c.at, "%H:%M:%S"), clean(c.action)) for c in checkpoints[-most:]])
    if incidents:
        yield from ("", "Incidents", *_earlier(len(incidents), most))
        for i in incidents[-most:]:
            yield f"  {local(i.at)} {clean(i.kind)}: {clean(i.message)}"


def _earlier(count: int, most: int) -> tuple[str, ...]:
    """How many are left out before the latest."""
    return (f"  … and {count - most:,} earlier",) if count > most else ()
