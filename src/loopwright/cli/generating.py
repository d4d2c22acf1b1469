"""`tasks ID generate`: an agent proposes tasks for a loop, in this process."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, Project
from loopwright.cli.output import Told, answer, refuse, remark
from loopwright.cli.text import clean
from loopwright.domain.errors import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from loopwright.domain.engine_state import LoopTask
    from loopwright.engine.bus import Note
    from loopwright.wiring import Engine


def generate(
    context: typer.Context,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="Who proposes; else the loop's own agent.")
    ] = None,
    count: Annotated[int, typer.Option("--count", metavar="N", help="Tasks at most, up to 7.")] = 5,
    for_actor: Annotated[str | None, typer.Option("--for", hidden=True)] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Let an agent propose tasks, and add them."""
    import asyncio

    from loopwright.cli.tasks import loop_of

    with _engine(project, for_actor) as engine:
        try:
            added = asyncio.run(_generated(engine, loop_of(context), tool, count, tied=for_actor is not None))
        except (KeyboardInterrupt, asyncio.CancelledError):
            refuse(json, "interrupted; no task was added")
            raise Told(Exit.INTERRUPTED) from None
    answer(json, added, "\n".join(f"{task.task_id} added: {clean(task.description)}" for task in added))


@contextmanager
def _engine(project: "Path", for_actor: str | None) -> "Iterator[Engine]":
    """For another surface under its name."""
    from loopwright.wiring import open_engine

    with open_engine(project, {}, actor=for_actor or "cli") as engine:
        yield engine


async def _generated(
    engine: "Engine", loop_id: str, tool: str | None, count: int, *, tied: bool
) -> "tuple[LoopTask, ...]":
    from loopwright.actions.generate import proposed_tasks
    from loopwright.cli.driving import end_on_signals
    from loopwright.domain.proposals import check_count
    from loopwright.engine.bus import Bus

    check_count(count)
    agent = engine.agents.chosen(tool or engine.service.read(loop_id).engine.settings.agent)
    engine.agents.check(agent)
    end_on_signals()
    if tied:
        _end_with_input()
    bus = Bus(_tell, secrets=engine.runner.secrets)
    found = await proposed_tasks(engine.runner, loop_id, agent=agent, count=count, bus=bus)
    return engine.service.tasks.add_proposed(loop_id, found, agent)


def _tell(note: "Note") -> None:
    if note.kind == "activity":
        remark(clean(note.text))


def _end_with_input() -> None:
    """Whoever started this holds our input open; when it is gone, even by a kill, nobody waits for us any more."""
    import asyncio

    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    end = task.cancel

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 1024):
            loop.remove_reader(sys.stdin.fileno())
            end()

    loop.add_reader(sys.stdin.fileno(), read)
