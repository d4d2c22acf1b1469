"""How many functions of ours lie between what a person asks for and what is done about it: the fewer, the clearer.

Where a function begins a task or gives work to a thread, what runs there goes on with its chain.
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import loopwright
from loopwright.agents.acp.session import AcpAgent
from loopwright.core.errors import ExitCode, Invalid
from loopwright.core.kernel import Kernel
from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.processes.conversation import TalkingProgram
from loopwright.store.writer import StateWriter
from loopwright.surfaces.cli.main import main
from tests.misbehaving.orders import command
from tests.server.office import LOOPS, TOKEN, opened_office
from tests.stage import MakeStage

CEILINGS = {"run to kernel": 10, "step to agent": 10, "pause to journal": 12}
"""Both ends counted. They may only fall; the goals are 6, 6 and 8."""

SOURCE = Path(loopwright.__file__).parent
Chain = tuple[str, ...]
"""Functions, each once, the outermost first: `file: name`."""

BEFORE: ContextVar[Chain] = ContextVar("BEFORE", default=())
"""What has begun the task or the thread that runs."""


def told(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(SOURCE)}: {code.co_qualname}"


def chain() -> Chain:
    """Everything of ours that waits for its caller."""
    found, frame = [], sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]  # None at the outermost
        if Path(frame.f_code.co_filename).is_relative_to(SOURCE):
            found.append(told(frame.f_code))
    return tuple(dict.fromkeys((*BEFORE.get(), *reversed(found))))


def carrying() -> Context:
    """For what is begun here."""
    context = copy_context()
    context.run(BEFORE.set, chain())
    return context


def linked_task(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], *, context: Context | None = None, **more: Any
) -> "asyncio.Task[Any]":  # Any: of whatever is begun
    """A task factory."""
    return asyncio.Task(work, loop=loop, context=context or carrying(), **more)


def link_threads(patch: pytest.MonkeyPatch) -> None:
    submit = ThreadPoolExecutor.submit

    def linked(self: ThreadPoolExecutor, work: Callable[..., Any], *given: Any, **named: Any) -> "Future[Any]":
        return submit(self, carrying().run, work, *given, **named)  # whatever work takes

    patch.setattr(ThreadPoolExecutor, "submit", linked)


def recorded(
    patch: pytest.MonkeyPatch, place: type, name: str, *, only: bytes = b"", instead: Exception | None = None
) -> list[Chain]:
    """The chains to each call of it, while the patch lasts; `only` where it is given these bytes, or some with them in.

    `instead`: what the call then comes to.
    """
    function, chains = getattr(place, name), list[Chain]()

    def record(*given: Any, **named: Any) -> Any:  # Any: whatever it takes and gives
        if not only or any(isinstance(each, bytes) and only in each for each in given):
            chains.append((*chain(), told(function.__code__)))
            if instead:
                raise instead
        return function(*given, **named)

    patch.setattr(place, name, record)
    return chains


def hold(name: str, found: Chain, first: str) -> None:
    """That what lies from `first` on is not more than it may be."""
    assert first in found, f"{first} is not among\n" + "\n".join(found)
    between = found[found.index(first) :]
    lines = "\n".join(f"{n:3} {each}" for n, each in enumerate(between, 1))
    assert len(between) <= CEILINGS[name], f"{name}: {len(between)}, and at most {CEILINGS[name]}:\n{lines}"


def test_from_the_command_line_to_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "shop").mkdir()
    chains = recorded(monkeypatch, Kernel, "drive", instead=Invalid("far enough"))
    code = main(["run", "Mend it", "--auto", "--agent", "bash", "--project", str(tmp_path / "shop")])
    assert (code, len(chains)) == (ExitCode.USAGE, 1)
    hold("run to kernel", chains[0], "surfaces/cli/main.py: main")


async def test_from_a_step_to_the_agent(stage: MakeStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stage()

    def agent(name: str, around: AgentEnvironment) -> Agent:
        return AcpAgent(command(), made.project, tmp_path / "agent", around)

    monkeypatch.setattr(made, "make_agent", agent)
    id = made.create(max_iterations=1)
    made.service.tasks.add(id, {"description": "Write it", "tool": "scripted"})  # else INIT asks for tasks first
    chains = recorded(monkeypatch, TalkingProgram, "say", only=b"session/prompt")
    asyncio.get_running_loop().set_task_factory(linked_task)  # type: ignore[arg-type]  # a factory by its protocol
    try:
        await made.drive(id, on_note=lambda note: made.pause_after(note, id, "DEVELOP"))
    finally:
        asyncio.get_running_loop().set_task_factory(None)
    hold("step to agent", chains[0], "workflows/loop/steps/develop.py: run_develop")


def test_from_a_request_to_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "shop").mkdir()
    with opened_office(tmp_path / "shop") as office:
        id = office.service().create("Mend it").loop_id
        office.service().start(id)
        link_threads(monkeypatch)
        chains = recorded(monkeypatch, StateWriter, "append")
        asked = office.client.post(f"{LOOPS}/{id}/pause", headers={"authorization": f"Bearer {TOKEN}"})
    assert (asked.status_code, len(chains)) == (200, 1)
    hold("pause to journal", chains[0], "surfaces/server/derived_routes.py: run_command")
