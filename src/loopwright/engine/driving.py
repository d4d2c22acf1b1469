"""Driving a run to rest, whatever its workflow: once, and once more where somebody resumed it in the last moment."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from loopwright.domain.errors import LoopwrightError, NotFound
from loopwright.domain.run import R, Run
from loopwright.engine.kernel import Kernel, Workflow
from loopwright.ports import Clock, Rule, Store

C = TypeVar("C")
O = TypeVar("O")  # noqa: E741 - outcome, as in the kernel


async def driven(workflow: Workflow[R, C, O], clock: Clock) -> R:
    """The state it rests in; an error of ours comes out as itself."""
    try:
        return await Kernel(workflow, clock).drive()
    except BaseExceptionGroup as group:
        ours, other = group.split(LoopwrightError)
        if ours is not None and other is None:
            raise ours.exceptions[0] from group
        raise


def never(state: Run) -> bool:
    """What says running shall run."""
    return False


async def held_until_it_rests(
    store: Store[R], id: str, first: Rule[R], hold: Callable[[Rule[R]], Awaitable[R]],
    awaits: Callable[[R], bool] = never,
) -> R:  # fmt: skip
    """What `hold` comes to, which drives under the lease from a rule on.

    Who resumes it while the lease is being let go sees a runner and starts none, so this one looks once more.
    `awaits`: whether one that says running waits for a person.
    """
    state = await hold(first)
    while _is_abandoned(store, id, awaits):
        state = await hold(_as_it_is)
    return state


def _is_abandoned(store: Store[R], id: str, awaits: Callable[[R], bool]) -> bool:
    """Whether it shall run on, and nobody is there to drive it."""
    try:
        state = store.read(id)
        return state.status == "running" and not awaits(state) and store.holder(id) is None
    except NotFound:
        return False


def _as_it_is(state: R) -> R:
    return state
