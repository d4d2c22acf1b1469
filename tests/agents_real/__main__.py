"""What the agents cost in time, on a model that answers at once: python -m tests.agents_real [NAME ...]"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from tests.agents_real.agents import AGENTS, real_agent
from tests.agents_real.fence import Fence, fenced
from tests.agents_real.installed import node_modules
from tests.agents_real.talk import talking
from tests.model.script import Reply, ShellCall, steps
from tests.model.server import serving

TURNS = 20


async def measure(name: str, fence: Fence, folder: Path) -> str:
    """One line: seconds to a session, and for turns; the second request of a turn carries the command's result."""
    project = folder / "project"
    project.mkdir()
    with serving(steps(Reply(calls=(ShellCall("true"),)), Reply(text="Done.")), fence.listen()) as model:
        started = time.monotonic()
        async with talking(real_agent(name, node_modules(), model.url, folder / "home"), project, fence) as talk:
            ready = time.monotonic() - started
            commands = [await _timed(talk.prompt("Run it.")) for _ in range(TURNS)]
            model.script = steps(Reply(text="Done."))
            texts = [await _timed(talk.prompt("Say it.")) for _ in range(TURNS)]
            ending = time.monotonic()
        ended = time.monotonic() - ending
    return (
        f"{name:9} session {ready:5.2f} s   first turn {commands[0]:5.2f} s   turn with a command "
        f"{statistics.median(commands[1:]):6.3f} s   text only {statistics.median(texts):6.3f} s   end {ended:5.2f} s"
    )


async def _timed(turn: Awaitable[object]) -> float:
    started = time.monotonic()
    await turn
    return time.monotonic() - started


def main(names: list[str]) -> None:
    with fenced() as fence:
        print("fenced in" if fence.prefix else "not fenced in", f"median of {TURNS} turns", sep=", ")
        for name in names or AGENTS:
            with tempfile.TemporaryDirectory() as folder:
                print(asyncio.run(measure(name, fence, Path(folder))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
