"""What drives runs of each kind in this process, with all that it works with."""

import sys
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from loopwright.core.config import Config
from loopwright.core.state import RunBranch
from loopwright.policy.secrets import SecretFilter
from loopwright.wiring.agents import Agents
from loopwright.wiring.places import (
    checkpoints_folder,
    make_branches,
    read_cycle_prompts,
    read_prompts,
    read_tuning_prompts,
)
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.loop.service import LoopService
from loopwright.workflows.tuning.service import TuningService
from loopwright.workspace.worktrees import GitWorktrees

if TYPE_CHECKING:
    from loopwright.core.ports import Notifier, ResultCache
    from loopwright.evidence.run import ProjectTests
    from loopwright.evidence.secret_results import ResultFilter
    from loopwright.workflows.cycle.runner import CycleRunner
    from loopwright.workflows.loop.runner import LoopRunner
    from loopwright.workflows.tuning.runner import TuningRunner


_LAUNCHER = (sys.executable, "-m", "loopwright.repair.overlay")


def project_tests(root: Path, project: Path | None = None, results: "ResultFilter | None" = None) -> "ProjectTests":
    """Those below `root`, which is the `project` or a copy of it."""
    from loopwright.evidence.run import ProjectTests

    return ProjectTests(root, project, _LAUNCHER, results)


@dataclass(frozen=True)
class Runners:
    """One of each kind. They are imported only when they are asked for: most commands drive nothing, and start fast."""

    project: Path
    config: Config
    service: LoopService
    cycles: CycleService
    tunings: TuningService
    agents: Agents

    @cached_property
    def loop(self) -> "LoopRunner":
        """Imported only when it is asked for: most commands never drive a loop, and shall start fast."""
        from loopwright.agents.presets import estimate_price
        from loopwright.repair.debugger import PythonDebugger
        from loopwright.workflows.loop.runner import LoopRunner

        service, root = self.service, self.project
        return LoopRunner(
            project=str(root),
            store=service.store,
            workspace=service.workspace,
            tests=project_tests(root, results=self.agents.results),
            clock=service.clock,
            processes=service.processes,
            agents=self.agents.make,
            debugger=lambda loop_id, bus: PythonDebugger(
                loop_id, partial(bus.publish, "output"), kept=self.agents.measured, results=self.agents.results
            ),
            price=estimate_price,
            prompts=read_prompts(root, self.config.settings),
            secrets=SecretFilter(self.known_secrets()),
            notifiers=self._notifiers,
            notify_on=frozenset(self.config.settings.notify_on),
            branches=service.branches,
            placed=self._in_worktree,
        )

    def _in_worktree(self, branch: RunBranch) -> "LoopRunner":
        """The runner of loops, at work in that worktree."""
        from loopwright.repair.debugger import PythonDebugger

        path, root = Path(branch.path), self.project
        return replace(
            self.loop,
            project=str(path),
            workspace=make_branches(self.project, self.config.settings).workspace(branch),
            tests=project_tests(path, root, self.agents.results),
            agents=partial(self.agents.make, at=path),
            debugger=lambda loop_id, bus: PythonDebugger(
                loop_id, partial(bus.publish, "output"), root, self.agents.measured, self.agents.results
            ),
        )

    @cached_property
    def cycle(self) -> "CycleRunner":
        """The same for cycles."""
        from loopwright.agents.presets import estimate_price
        from loopwright.repair.debugger import PythonDebugger
        from loopwright.survey.project import ProjectSurveyor
        from loopwright.workflows.cycle.runner import CycleRunner

        service, root, loops = self.cycles, self.project, self.loop
        return CycleRunner(
            project=str(root),
            store=service.store,
            workspace=service.workspace,
            worktrees=GitWorktrees(root, checkpoints_folder(self.config.settings)),
            surveyor=ProjectSurveyor(root, service.workspace.listed),
            tests=project_tests(root, results=self.agents.results),
            clock=service.clock,
            processes=service.processes,
            agents=self.agents.make,
            debugger=lambda id, bus, folder: PythonDebugger(
                id, partial(bus.publish, "output"), root, self.agents.measured, self.agents.results
            ),
            price=estimate_price,
            prompts=read_cycle_prompts(root, self.config.settings),
            secrets=loops.secrets,
            notifiers=loops.notifiers,
            notify_on=loops.notify_on,
            branches=service.branches,
            placed=self._cycle_in_worktree,
        )

    def _cycle_in_worktree(self, branch: RunBranch) -> "CycleRunner":
        """The runner of cycles, at work in that worktree. Its lanes lie where those of other cycles do."""
        from loopwright.survey.project import ProjectSurveyor

        path, workspace = Path(branch.path), make_branches(self.project, self.config.settings).workspace(branch)
        home = checkpoints_folder(self.config.settings)
        return replace(
            self.cycle,
            project=str(path),
            workspace=workspace,
            worktrees=GitWorktrees(path, home, of=self.project),
            surveyor=ProjectSurveyor(path, workspace.listed),
            tests=project_tests(path, self.project, self.agents.results),
            agents=lambda name, around, at=None: self.agents.make(name, around, at or path),
        )

    @cached_property
    def tuning(self) -> "TuningRunner":
        """The same for tuning sessions."""
        from loopwright.agents.presets import estimate_price
        from loopwright.workflows.tuning.runner import TuningRunner

        service, loops = self.tunings, self.loop
        return TuningRunner(
            project=str(self.project),
            store=service.store,
            skills=service.folders,
            clock=service.clock,
            processes=service.processes,
            agents=self.agents.make,
            price=estimate_price,
            prompts=read_tuning_prompts(self.project, self.config.settings),
            secrets=loops.secrets,
            notifiers=loops.notifiers,
            notify_on=loops.notify_on,
            answers=self.found_before,
        )

    @cached_property
    def found_before(self) -> "ResultCache":
        """What was found in skills before, for this user; another version of loopwright finds other things."""
        from loopwright.skills.disk.cache import FindingsCache, code_digest

        package = Path(__file__).parent.parent
        folder = Path(platformdirs.user_cache_dir("loopwright")) / "findings"
        code = (package / name for name in ("core", "policy", "reports", "skills", "workflows"))
        return FindingsCache(folder, code_digest(*code))

    @property
    def _notifiers(self) -> "tuple[Notifier, ...]":
        """Whoever shall be told of news."""
        from loopwright.notify import CommandNotifier, WebhookNotifier

        command, hosts = self.config.settings.notify_command, self.config.settings.notify_hosts
        return (
            *([CommandNotifier(command, self.project)] if command else []),
            *(WebhookNotifier(url, self.service.clock, hosts=hosts) for url in self._url),
        )

    def known_secrets(self) -> tuple[str, ...]:
        """Those that are in the settings and in the environment."""
        return (*self._url, *self.agents.known_secrets())

    @property
    def _url(self) -> tuple[str, ...]:
        url = self.config.settings.notify_url
        return (url.get_secret_value(),) if url else ()
