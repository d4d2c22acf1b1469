"""Settings → engine: the only place that joins concrete classes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from loopwright.clock import SystemClock
from loopwright.config import Config, Settings, load
from loopwright.domain.agents import BUILT_IN, SCRIPTED
from loopwright.domain.engine_state import Budget, PermissionRequest, RunSettings
from loopwright.domain.errors import AgentError, NotFound
from loopwright.domain.loop import LoopState
from loopwright.engine.service import LoopService
from loopwright.ports import Agent, Store, Surroundings
from loopwright.store.files import FileStore
from loopwright.store.loops import LOOPS
from loopwright.workspace.git import GitWorkspace, private_directory, project_root
from loopwright.workspace.own import OwnProcesses, RunnerLauncher

if TYPE_CHECKING:
    from loopwright.actions.runner import LoopRunner


@dataclass(frozen=True)
class Engine:
    """One project's engine: the commands, and the means to drive a loop in this process."""

    project: Path
    config: Config
    service: LoopService

    @cached_property
    def runner(self) -> "LoopRunner":
        """Imported only when it is asked for: most commands never drive a loop, and shall start fast."""
        from loopwright.actions.runner import LoopRunner
        from loopwright.repair.debugger import PythonDebugger
        from loopwright.validation.run import ProjectTests

        service, root = self.service, self.project
        return LoopRunner(
            str(root), service.store, service.workspace, ProjectTests(root), service.clock, service.processes,
            agents=lambda name, around: make_agent(name, root, around),
            debugger=lambda loop_id, bus: PythonDebugger(loop_id, partial(bus.publish, "output")),
        )  # fmt: skip

    def check_agent(self, name: str) -> None:
        """AgentError when the agent of that name can not be started here."""
        make_agent(name, self.project, _NOWHERE)


@contextmanager
def open_engine(project: Path, flags: dict[str, object], *, actor: str = "cli") -> Iterator[Engine]:
    """The engine of the project that `project` lies in. NotFound, Invalid."""
    root = _root(project)
    config = load(root, flags)
    clock = SystemClock(config.settings.timezone)
    workspace = GitWorkspace(root, _checkpoints(config.settings))
    processes = OwnProcesses(root, private_directory(_checkpoints(config.settings), root).with_suffix(".processes"))
    with FileStore(root, LOOPS, clock, unsafe_fs=config.settings.unsafe_fs) as store:
        loops: Store[LoopState] = store
        yield Engine(root, config, LoopService(loops, workspace, clock, RunnerLauncher(root), processes, actor))


def read_config(project: Path, flags: dict[str, object]) -> Config:
    """The settings of the project that `project` lies in. NotFound, Invalid."""
    return load(_root(project), flags)


def _root(project: Path) -> Path:
    if not project.is_dir():
        raise NotFound(f"no such project folder: {project}")
    return project_root(project)


def make_agent(name: str, project: Path, around: Surroundings) -> Agent:
    """The agent of that name. AgentError when nothing of that name is known."""
    if name in ("auto", "builtin"):
        from loopwright.agents.builtin import BuiltinAgent
        from loopwright.repair.debugger import PythonDebugger

        return BuiltinAgent(PythonDebugger(around.loop_id, around.output))
    if name == "bash":
        from loopwright.agents.command import CommandAgent

        return CommandAgent(project, around.loop_id)
    if name.startswith(SCRIPTED):
        from loopwright.agents.scripted import ScriptedAgent, read_script

        return ScriptedAgent(read_script(Path(name.removeprefix(SCRIPTED))), project)
    raise AgentError("refused", f"no agent named {name!r} is known here (known: {', '.join(BUILT_IN)}, {SCRIPTED}FILE)")


def run_settings(settings: Settings, *, interactive: bool) -> RunSettings:
    """What a new loop keeps of the settings, so that it goes on the same way after a resume."""
    return RunSettings(
        mode="interactive" if interactive else "auto",
        agent=settings.agent,
        test_command=settings.test_command,
        test_timeout=settings.test_timeout,
        action_timeout=settings.timeout_per_action,
        silence_timeout=settings.silence_timeout,
        require=settings.require,
        min_pass_rate=settings.min_pass_rate,
        min_coverage=settings.min_coverage,
    )


def budget(settings: Settings) -> Budget:
    return Budget(max_minutes=settings.max_minutes, max_tokens=settings.max_tokens, max_cost=settings.max_cost)


async def _refused(request: PermissionRequest) -> bool:
    return False


_NOWHERE = Surroundings("", lambda event: None, lambda text: None, _refused)


def _checkpoints(settings: Settings) -> Path:
    """The folder of the private repositories, outside every project."""
    if settings.checkpoints:
        return Path(settings.checkpoints).expanduser()
    home = os.environ.get("XDG_STATE_HOME")
    return Path(home) / "loopwright" if home else Path(platformdirs.user_state_dir("loopwright"))
