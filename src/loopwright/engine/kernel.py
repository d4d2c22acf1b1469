"""The one loop: read → choose → do → fold → commit, until it rests."""

import asyncio
from typing import Generic, Protocol, TypeVar

from loopwright.domain.protocol import Control
from loopwright.ports import Clock

S = TypeVar("S")
C = TypeVar("C")
O = TypeVar("O")  # noqa: E741 - outcome, beside state and choice

WATCH_SECONDS = 0.2
"""How often a running action is checked against the control signal."""


class Workflow(Protocol[S, C, O]):
    """What makes a workflow of the kernel: LOOP, and later CYCLE and TUNE, are declarations of this shape."""

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
        """What can begin now, beside what is running. Empty with nothing running: the workflow rests."""
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
        running: dict[asyncio.Task[O], tuple[C, float]] = {}
        async with asyncio.TaskGroup() as group:
            while True:
                state = self._flow.read()
                choices = await self._choices(state, tuple(choice for choice, _ in running.values()))
                for choice in choices:
                    if self._flow.begin(choice):
                        running[group.create_task(self._attend(choice))] = (choice, self._clock.monotonic())
                if not running and not choices:
                    return self._flow.read()
                for task in await self._first_done(set(running)):
                    choice, since = running.pop(task)
                    await self._flow.finish(choice, task.result(), self._clock.monotonic() - since)

    async def _choices(self, state: S, under_way: tuple[C, ...]) -> tuple[C, ...]:
        """What can begin now; nothing once a person has spoken."""
        if self._flow.control(state) is not Control.CONTINUE:
            return ()
        return await self._flow.ready(state, under_way)

    async def _attend(self, choice: C) -> O:
        """Performs the action, and cancels it when a person says now."""
        work = asyncio.ensure_future(self._flow.perform(choice))
        try:
            while not (await asyncio.wait({work}, timeout=WATCH_SECONDS))[0]:
                if self._flow.must_cancel(self._flow.read()):
                    break
        finally:
            work.cancel()
            await asyncio.wait({work})
        return self._flow.interrupted(choice) if work.cancelled() else work.result()

    async def _first_done(self, tasks: set[asyncio.Task[O]]) -> set[asyncio.Task[O]]:
        if not tasks:
            return set()
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done
