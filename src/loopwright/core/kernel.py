"""The one loop: read → choose → do → fold → commit, until it rests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

from loopwright.core.errors import LoopwrightError
from loopwright.core.ports import Clock
from loopwright.core.protocol import Control

S = TypeVar("S")
C = TypeVar("C")
O = TypeVar("O")  # noqa: E741 - outcome, beside state and choice

WATCH_SECONDS = 0.2
"""How often the state is looked at while actions are under way."""


class Workflow(Protocol[S, C, O]):
    """What makes a workflow of the kernel: LOOP, CYCLE, and later TUNE, are declarations of this shape.

    Where several actions are under way, each is performed and finished by itself; what one awaits holds up no other.
    """

    def read(self) -> S:
        """The latest state."""
        ...

    def control(self, state: S) -> Control:
        """The signal that the state's status stands for."""
        ...

    def must_cancel(self, state: S) -> bool:
        """Whether what is under way shall be cancelled, not only not continued."""
        ...

    async def ready(self, state: S, running: tuple[C, ...]) -> tuple[C, ...]:
        """What can begin now, beside what is running. Empty with nothing running: the workflow rests.

        Asked again whenever an action has ended, and when the state has changed meanwhile.
        """
        ...

    def begin(self, choice: C) -> bool:
        """Commits that the action begins; False when the state has moved on and the choice no longer holds."""
        ...

    async def perform(self, choice: C) -> O:
        """The effects of one action. Cancelling it leaves no process behind."""
        ...

    def interrupted(self, choice: C) -> O:
        """The outcome of an action that was cancelled from outside."""
        ...

    async def finish(self, choice: C, outcome: O, elapsed: float) -> None:
        """Checkpoints the tree, folds the outcome, commits, and publishes what follows from it."""
        ...


class Kernel(Generic[S, C, O]):
    """Drives one workflow in this process; whoever calls holds the lease."""

    def __init__(self, workflow: Workflow[S, C, O], clock: Clock) -> None:
        self._flow = workflow
        self._clock = clock

    async def drive(self) -> S:
        """Runs until nothing is ready or the control signal says otherwise; returns the state it rests in."""
        running: dict[asyncio.Task[None], C] = {}
        async with _ungrouped(), asyncio.TaskGroup() as group:
            while True:
                state = self._flow.read()
                choices = await self._choices(state, tuple(running.values()))
                for choice in choices:
                    if self._flow.begin(choice):
                        running[group.create_task(self._step(choice))] = choice
                if not running and not choices:
                    return self._flow.read()
                for task in await self._ended(set(running), state):
                    del running[task]

    async def _choices(self, state: S, under_way: tuple[C, ...]) -> tuple[C, ...]:
        """What can begin now; nothing once a person has spoken."""
        if self._flow.control(state) is not Control.CONTINUE:
            return ()
        return await self._flow.ready(state, under_way)

    async def _step(self, choice: C) -> None:
        since = self._clock.monotonic()
        outcome = await self._attend(choice)
        await self._flow.finish(choice, outcome, self._clock.monotonic() - since)

    async def _attend(self, choice: C) -> O:
        """Performs the action, and cancels it when a person says now."""
        work = asyncio.ensure_future(self._flow.perform(choice))
        try:
            while not (await asyncio.wait({work}, timeout=WATCH_SECONDS))[0]:
                if self._flow.must_cancel(self._flow.read()):
                    break
        except asyncio.CancelledError:
            if not await _is_cancelled(work):
                work.result()  # what fails on the way out is told in the place of the cancelling
            raise
        finally:
            await _is_cancelled(work)
        return self._flow.interrupted(choice) if work.cancelled() else work.result()

    async def _ended(self, tasks: set[asyncio.Task[None]], chosen_in: S) -> set[asyncio.Task[None]]:
        """Waits until one of them has ended, or the state is another one; gives those that have ended."""
        while tasks:
            done, _ = await asyncio.wait(tasks, timeout=WATCH_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if done or self._flow.read() != chosen_in:
                return done
        return set()


async def _is_cancelled(work: "asyncio.Future[O]") -> bool:
    """Cancels it, and waits for its end: it may come to one all the same."""
    work.cancel()
    await asyncio.wait({work})
    return work.cancelled()


@asynccontextmanager
async def _ungrouped() -> AsyncIterator[None]:
    """An error of ours comes out as itself, not in the group of its task."""
    try:
        yield
    except BaseExceptionGroup as group:
        ours, other = group.split(LoopwrightError)
        if ours is not None and other is None:
            raise ours.exceptions[0] from group
        raise
