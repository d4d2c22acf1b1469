"""A plan without a model: a task for each area of failing tests, and one for what else the goal asks. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from loopwright.domain.cycle import CycleState, Effort, PlanTask
from loopwright.domain.cycle_templates import Failure, named
from loopwright.domain.goals import GREEN_TESTS, asks_only_for_green_tests
from loopwright.domain.survey import Survey

_PATH = re.compile(r"[\w./-]{1,300}\.\w{1,5}")

NAMED = 10
MOST_AREAS = 20
FILES = 12
EFFORTS: tuple[tuple[int, Effort], ...] = ((3, "small"), (10, "medium"))
"""Up to so many failing tests a task is of that effort; more are large."""


def tasks_of(
    state: CycleState, failing: Sequence[Failure], survey: Survey, *, writes: bool
) -> tuple[PlanTask, ...]:  # fmt: skip
    """What is still to be done. `writes`: cd's agent can do more than to mend what tests show.

    In a later iteration the engine itself has planned for tests that fail; what the user adds is planned here.
    """
    first = state.plan is None
    mends = frozenset(state.engine.mends)
    known = state.plan.tasks if state.plan else ()
    tasks = [task for task in known if task.status != "completed" and task.id not in mends]
    number = _next_number(known)
    for area, failures in _areas(failing).items() if first else ():
        tasks.append(_mending(f"TASK-{number:03d}", area, failures, survey))
        number += 1
    goal = _goal(state)
    if (
        goal
        and _asks_for_more(goal, writes=writes, is_red=bool(failing))
        and goal not in {t.description for t in known}
    ):
        waits = tuple(task.id for task in tasks)
        tasks.append(PlanTask(id=f"TASK-{number:03d}", description=goal, effort="medium", depends_on=waits))
    return tuple(tasks)


def suspects(area: str, failing: Sequence[Failure], survey: Survey) -> tuple[str, ...]:
    """Files of the product in which the cause may be: those in the stack traces first, then what the tests import."""
    module = survey.module(area) if area else None
    imported = module.imports if module else ()
    product = {one.path for one in survey.product}
    traced = (path for failure in failing for word in _PATH.findall(failure.trace) for path in _tails(word))
    return tuple(dict.fromkeys(path for path in (*traced, *imported) if path in product))[:FILES]


def _goal(state: CycleState) -> str:
    """What the user asks for in this iteration; empty where that is nothing new."""
    if state.plan is None:
        return state.description or state.title
    record = state.iterations[-1] if state.iterations else None
    return (record.extension if record else None) or ""


def _asks_for_more(goal: str, *, writes: bool, is_red: bool) -> bool:
    """Whether there is work beside mending. An agent that only mends is trusted with a goal that begins with tests."""
    if asks_only_for_green_tests(goal):
        return False
    begins_with_tests = GREEN_TESTS.match(" ".join(goal.split())) is not None
    return writes or not (is_red and begins_with_tests)


def _areas(failing: Sequence[Failure]) -> dict[str, list[Failure]]:
    """By test file; what is too much lies in the last one."""
    areas: dict[str, list[Failure]] = defaultdict(list)
    for failure in failing:
        area = failure.file if failure.file in areas or len(areas) < MOST_AREAS - 1 else ""
        areas[area].append(failure)
    return areas


def _mending(id: str, area: str, failing: Sequence[Failure], survey: Survey) -> PlanTask:
    names = [failure.test for failure in failing]
    effort: Effort = next((effort for most, effort in EFFORTS if len(names) <= most), "large")
    return PlanTask(
        id=id, description=f"Make these tests pass: {named(names, NAMED)}", effort=effort,
        files=suspects(area, failing, survey),
    )  # fmt: skip


def _tails(path: str) -> Iterator[str]:
    """A path as it stands in a stack trace, and what is left of it without the folders in front."""
    parts = path.strip("/").split("/")
    yield from ("/".join(parts[n:]) for n in range(len(parts)))


def _next_number(known: Sequence[PlanTask]) -> int:
    return max(_numbers(known), default=0) + 1


def _numbers(known: Sequence[PlanTask]) -> Iterator[int]:
    for task in known:
        digits = task.id.removeprefix("TASK-")
        if digits.isdecimal() and len(digits) < 10:
            yield int(digits)
