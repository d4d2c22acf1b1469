"""Loops as text: the list, and one loop in full. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from loopwright.cli.ending import (
    LABEL,
    SHOWN,
    cause_lines,
    headline,
    next_lines,
    proof_lines,
    rivals_lines,
    some,
    tests_words,
)
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
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_rivals import applied_patches
from loopwright.domain.progress import progress, task_statuses
from loopwright.domain.words import plural

TABLE = Table(
    "loop", ("ID", "STATUS", "ITERATION", "PROGRESS", "TESTS", "AGE", "TITLE"),
    "{}, iteration {}, {}, tests {}, {} ago", 'no loops here; start one with: loopwright run "TASK" --auto',
)  # fmt: skip


def loop_status(state: LoopState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    return status_words(state, live=live, asks=state.engine.menu is not None)


def loop_table(
    loops: Sequence[tuple[LoopState, bool]], total: int, now: datetime, *,
    damaged: Sequence[Damaged] = (), cells: int = 160,
) -> str:  # fmt: skip
    """One line a loop; each comes with whether a runner holds it."""
    return listed(TABLE, [_row(state, live, now) for state, live in loops], total, damaged, cells)


def _row(state: LoopState, live: bool, now: datetime) -> tuple[str, ...]:
    return (
        state.loop_id, loop_status(state, live=live), f"{state.current_iteration}/{state.max_iterations}",
        f"{progress(state).overall:.0f} %", tests_words(state), age(state.updated_at, now),
        short(state.title, TITLE_CELLS),
    )  # fmt: skip


def loop_page(
    state: LoopState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one loop, its result first; long lists are cut unless `whole`.

    `elsewhere` ends each suggested command.
    """
    most = EVERYTHING if whole else SHOWN
    parts = [
        _result(state, live, most), _head(state, live, now), requests(state.engine, live, most), _menu(state, live),
        _tasks(state),
        _debugging(state, most),
        _validation(state, most), kept(state.engine, most),
    ]  # fmt: skip
    lines = [folded for part in parts for line in part for folded in fold(line, cells)]
    if _longest(state) > most:
        lines += ["", f"loopwright show {state.loop_id} --all{elsewhere} shows every line"]
    return "\n".join([*lines, "", *next_lines(state, live, elsewhere)])


def _result(state: LoopState, live: bool, most: int) -> Iterator[str]:
    """Where it stands; once it has ended, what it changed and what shows its goal."""
    yield f"{state.loop_id}  {clean(state.title)}"
    yield headline(state, live=live)
    summary = state.skill_state.summary if state.skill_state else None
    files = summary.develop.get("files_changed") if summary else None
    changed = some([str(file) for file in files], clean, most=most) if isinstance(files, (list, tuple)) else []
    skill = state.skill_state
    parts = (
        ("changed", changed), ("proof", proof_lines(state.engine.proof, most=most)),
        ("cause", cause_lines(skill.debug.hypotheses if skill else (), most=most)),
        ("rivals", rivals_lines(applied_patches(skill), most=most)),
    )  # fmt: skip
    for name, items in parts:
        yield from (LABEL.format("" if i else name, item) for i, item in enumerate(items))


def _longest(state: LoopState) -> int:
    """Items of the longest list on the page."""
    skill, engine = state.skill_state, state.engine
    told = (skill.debug.hypotheses, skill.validate_.failed_tests) if skill else ()
    return max(len(items) for items in (*told, engine.checkpoints, engine.incidents, engine.asked))


def restored(state: LoopState) -> str:
    """What a recovery has brought back, in a line."""
    counts = ((len(state.engine.tasks), "task"), (len(state.engine.checkpoints), "checkpoint"))
    known = ", ".join(plural(n, thing) for n, thing in counts)
    return f"{loop_status(state, live=False)}, iteration {state.current_iteration} of {state.max_iterations}, {known}"


def _head(state: LoopState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield ""
    yield LABEL.format("status", loop_status(state, live=live))
    if clean(state.description) != clean(state.title):
        yield LABEL.format("task", clean(state.description))
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("progress", f"{progress(state).overall:.0f} %")
    yield LABEL.format("agent", clean(settings.agent))
    yield LABEL.format("mode", settings.mode)
    none = "none found" if engine.tests_found is False else "not found yet"
    yield LABEL.format("tests by", clean(settings.test_command) if settings.test_command else none)
    yield LABEL.format("spent", spent_words(state.engine))
    yield LABEL.format("created", local(state.created_at))
    yield LABEL.format("updated", f"{local(state.updated_at)} ({age(state.updated_at, now)} ago)")
    for name, value in (("priority", state.priority), ("tags", ", ".join(state.tags or ())), ("notes", state.notes)):
        if value:
            yield LABEL.format(name, clean(value))
    if engine.answer and engine.waiting:
        yield LABEL.format("answer", clean(engine.answer))


def _menu(state: LoopState, live: bool) -> Iterator[str]:
    """What can be chosen, and what not and why."""
    menu = state.engine.menu if live else None
    if menu:
        yield from ("", f"Menu: {menu.choice} is chosen" if menu.choice else "Menu")
        yield from (f"  {e.name:<9} {f'not now: {e.blocked}' if e.blocked else e.words}" for e in menu.entries)


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
        ("proof", task.proof),
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
