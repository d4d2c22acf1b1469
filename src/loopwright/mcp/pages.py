"""What the tools answer, in words for people and for callers that read only text. Pure."""

from collections.abc import Iterator
from typing import assert_never

from loopwright.domain.words import clean
from loopwright.mcp.told import Added, Brief, Changed, Listed, Report, Waited

Answered = Report | Waited | Listed | Added | Changed


def page(told: Answered) -> str:
    match told:
        case Report():
            return "\n".join(_report(told))
        case Listed():
            return "\n".join(_list(told))
        case Added():
            return f"{told.task_id} added to {told.loop_id}, for {told.tool}; {told.next}"
        case Changed():
            return _changed(told)
        case _:
            assert_never(told)


def _changed(told: Changed) -> str:
    if not told.diff:
        return "nothing was changed so far"
    return f"{told.diff}\n[… there is more; max_chars shows it]" if told.truncated else told.diff


def _list(told: Listed) -> Iterator[str]:
    if not told.loops:
        yield f"no loops here; start_loop makes one (projects: {', '.join(told.projects)})"
    yield from (_line(loop) for loop in told.loops)
    if told.total > len(told.loops):
        yield f"{len(told.loops)} of {told.total}; see limit and offset"
    yield from (f"{damaged.loop_id} can not be read: {damaged.reason}" for damaged in told.damaged)


def _line(loop: Brief) -> str:
    beside = loop.outcome or (f"needs {loop.needs}" if loop.needs else None)
    counts = f"{loop.current_iteration}/{loop.max_iterations}"
    status = f"{loop.status} ({beside})" if beside else loop.status
    return f"{loop.loop_id} [{loop.project}] {status} {counts}: {clean(loop.title)}"


def _report(told: Report) -> Iterator[str]:
    yield _line(told)
    yield f"{told.words}."
    if told.options:
        yield f"options: {' / '.join(clean(option) for option in told.options)}"
    if told.tests:
        yield f"tests: {told.tests.passed} passed, {told.tests.failed} failed, {told.tests.skipped} skipped"
    yield from (f"fails: {test.name}{f': {clean(test.error)}' if test.error else ''}" for test in told.failing)
    yield from (f"cause ({cause.status}): {cause.place}: {clean(cause.description)}" for cause in told.causes)
    yield from (f"task {task.task_id} ({task.status}): {clean(task.description)}" for task in told.open_tasks)
    yield from (f"asks, {asked.id}: {clean(asked.words)} ({clean(asked.reason)})" for asked in told.requests)
    yield from (f"note: {clean(incident)}" for incident in told.incidents)
    if isinstance(told, Waited) and not told.rested:
        yield "The time is over, and it still runs: `wait` again."
    yield f"next: {told.next}"
