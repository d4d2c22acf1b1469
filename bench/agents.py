"""What driving an agent costs: our own share of a turn, and a session that is kept against a process for every prompt.

    python bench/agents.py [--json]

Our share is measured on a small agent that answers at once: the same turns, text only, by the bare ACP library and by
loopwright, in turns. The real agents talk with a scripted model that answers at once; they are left out, with the
reason, where they are not installed. Milliseconds, medians.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loopwright.agents.acp.session import AcpAgent
from loopwright.core.ports import AgentEnvironment
from loopwright.core.recording import Transcript
from loopwright.core.run_events import EventBus
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.service import LoopService
from tests.agents_real.agents import AGENTS, MARKER, RealAgent, real_agent
from tests.agents_real.fence import Fence, fenced
from tests.agents_real.installed import NotInstalled, node_modules
from tests.agents_real.talk import talking
from tests.fakes import CountingLauncher, NoProcesses
from tests.memory_workspace import FakeWorkspace
from tests.misbehaving.orders import command, order
from tests.model.script import Reply, steps
from tests.model.server import serving

LIMIT = 5.0
TURNS = 20
FRESH = 3
"""Processes that are started for a prompt each; they take seconds."""

PROMPT = "Say it."
HEADLESS: Mapping[str, tuple[str, ...]] = {
    "codex": ("codex", "exec", "--skip-git-repo-check", PROMPT),
    "qwen": ("qwen", "-p", PROMPT),
    "gemini": ("gemini", "-p", PROMPT),
    "opencode": ("opencode", "run", PROMPT),
}
"""How each agent is asked once, by a command of its own."""


async def milliseconds(turn: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await turn
    return (time.perf_counter() - begun) * 1000


@asynccontextmanager
async def driven(folder: Path) -> AsyncIterator[Callable[[], Awaitable[object]]]:
    """A turn by loopwright: the order, the mailbox, the transcript, and the wait for its end."""
    project = folder / "driven"
    project.mkdir()
    clock, said = SystemClock(), order(("say", "Done."))
    with FileStore(project, LOOPS, clock) as store:
        workspace = FakeWorkspace({}, project)
        service = LoopService(store, workspace, clock, CountingLauncher(), NoProcesses(), "bench")
        loop_id = service.create("Measure a turn", max_iterations=1).loop_id
        bus = EventBus(Transcript(store, clock, loop_id))
        around = AgentEnvironment(loop_id, bus.hear, lambda text: None, _nobody)
        agent = AcpAgent(command(), project, folder / "private", around)
        id = await agent.spawn_agent(said)

        async def turn() -> object:
            await agent.send_input(id, said)
            return await agent.wait([id], 10_000)

        try:
            await agent.wait([id], 10_000)
            yield turn
        finally:
            await agent.close_agent(id)
            bus.close()


async def _nobody(request: object) -> bool:
    return False


async def our_share(folder: Path) -> dict[str, float]:
    """The same turn of a small agent by the bare library and by us, one after the other."""
    bare_project, home = folder / "bare", folder / "home"
    bare_project.mkdir()
    home.mkdir()
    small = RealAgent("small", command().argv, {"PATH": os.defpath, MARKER: str(home)}, home, None)
    text = order(("say", "Done.")).text
    async with driven(folder) as turn, talking(small, bare_project, Fence()) as talk:
        pairs = [(await milliseconds(talk.prompt(text)), await milliseconds(turn())) for _ in range(TURNS + 1)]
    bare, whole = (statistics.median(each) for each in zip(*pairs[1:], strict=True))
    return {"added": whole - bare, "bare": bare, "ours": whole}


async def kept_or_fresh(name: str, modules: Path, fence: Fence, folder: Path) -> dict[str, float]:
    """A turn of a session that is kept, after its first one, and a whole process for the same prompt."""
    project = folder / "project"
    project.mkdir()
    with serving(steps(Reply(text="Done.")), fence.listen()) as model:
        agent = real_agent(name, modules, model.url, folder / "home")
        async with talking(agent, project, fence) as talk:
            turns = [await milliseconds(talk.prompt(PROMPT)) for _ in range(TURNS + 1)]
        words = [*fence.prefix, *HEADLESS[name]]
        fresh = [await milliseconds(_run(words, project, agent)) for _ in range(FRESH)]
    kept, one = statistics.median(turns[1:]), statistics.median(fresh)
    return {"ratio": one / kept, "kept": kept, "fresh": one}


async def _run(words: list[str], project: Path, agent: RealAgent) -> None:
    """A program from its start to its end. CalledProcessError."""
    nothing = subprocess.DEVNULL
    program = await asyncio.create_subprocess_exec(
        *words, cwd=project, env=agent.environment, stdin=nothing, stdout=nothing, stderr=nothing
    )
    if code := await program.wait():
        raise subprocess.CalledProcessError(code, words)


def real_agents() -> dict[str, dict[str, float]]:
    """By agent. NotInstalled."""
    modules = node_modules()
    figures = {}
    with fenced() as fence:
        for name in AGENTS:
            with tempfile.TemporaryDirectory(prefix="loopwright-bench-") as folder:
                figures[name] = asyncio.run(kept_or_fresh(name, modules, fence, Path(folder)))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loopwright-bench-") as folder:
        share = asyncio.run(our_share(Path(folder)))
    try:
        real, reason = real_agents(), None
    except NotInstalled as missing:
        real, reason = {}, str(missing)
    if given.json:
        print(json.dumps({"turn": share, **real}))
        return
    bare, ours = share["bare"], share["ours"]
    print(f"our share of a turn  {share['added']:5.2f} ms (at most {LIMIT})  bare {bare:.2f}  ours {ours:.2f}")
    for name, f in real.items():
        print(f"{name:20} {f['ratio']:5.0f} ×  a turn in a session {f['kept']:.0f}  a process for it {f['fresh']:.0f}")
    if reason:
        print(f"real agents left out: {reason}")


if __name__ == "__main__":
    main()
