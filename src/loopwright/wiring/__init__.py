"""Settings → engine: this package is the only place that joins concrete classes."""

import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import cached_property, partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.core.agent_names import AgentChoice, read_choice
from loopwright.core.attempts import AttemptOptions, take_attempts
from loopwright.core.command_rules import COMMIT_NEEDS
from loopwright.core.config import Config, CycleSettings, Settings, drop_choice, load_config, read_catalogues
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.errors import AgentError, Conflict, Invalid, NotFound
from loopwright.core.ids import new_loop_id
from loopwright.core.ports import Clock, Workspace
from loopwright.core.private_files import close_to_others
from loopwright.core.state import Budget, Family, FamilyMember, RunSettings, SandboxName
from loopwright.processes.confinement import resolve_sandbox
from loopwright.processes.runner_processes import OwnProcesses, RunnerLauncher
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.findings import DIMENSIONS, Dimension
from loopwright.store.files import FileStore
from loopwright.store.group_commit import refuse_group
from loopwright.store.kept_index import forget_gone_projects
from loopwright.store.mac_chain import SealFolder
from loopwright.wiring.agents import Agents as Agents
from loopwright.wiring.fleet.forwarder import Forwarder
from loopwright.wiring.fleet.replicas import RunReplicas
from loopwright.wiring.places import (
    FLEET_MARKS,
    check_inside,
    checkpoints_folder,
    make_branches,
    read_cycle_prompts,
    read_prompts,
    read_tuning_prompts,
    seals_folder,
    state_folder,
)
from loopwright.wiring.runners import Runners
from loopwright.wiring.stores import CYCLES, LOOPS, TUNINGS, IssueFiles
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from loopwright.workflows.tuning.model import MAX_ITERATIONS as TUNING_ITERATIONS
from loopwright.workflows.tuning.model import Level, TuningState
from loopwright.workflows.tuning.service import TuningService
from loopwright.workspace.branches import GitBranches
from loopwright.workspace.checkpoints import GitWorkspace, private_directory, project_root, take_over_snapshots
from loopwright.workspace.private_git import PrivateGit
from loopwright.workspace.pruning import PruneResult, prune_snapshots
from loopwright.workspace.worktrees import GitWorktrees

if TYPE_CHECKING:
    from loopwright.core.prompts import Prompts
    from loopwright.wiring.fleet.mirror import FleetMirror
    from loopwright.workflows.loop.runner import AgentFactory, LoopRunner
    from loopwright.workflows.tuning.report.skill_check import SkillCheck


class SystemClock:
    """The machine's time, written in a fixed offset such as +08:00."""

    def __init__(self, offset: str = "+08:00") -> None:
        self._zone = _zone(offset)

    def now(self) -> datetime:
        return datetime.now(self._zone)

    def monotonic(self) -> float:
        return time.monotonic()

    def token(self) -> str:
        return secrets.token_hex(16)

    async def sleep(self, seconds: float) -> None:
        import asyncio  # slow to load, and most commands of the command line never sleep

        await asyncio.sleep(seconds)


def _zone(offset: str) -> timezone:
    try:
        parsed = datetime.fromisoformat(f"2000-01-01T00:00:00{offset}").utcoffset()
    except ValueError as error:
        raise Invalid(f"timezone: {offset!r} is not an offset; write it like +08:00 or Z") from error
    return timezone(parsed or timedelta(0))


def run_settings(settings: Settings, *, interactive: bool) -> RunSettings:
    """What a new loop keeps of the settings, so that it goes on the same way after a resume."""
    return RunSettings(
        mode="interactive" if interactive else "auto",
        agent=settings.agent,
        fallback=settings.fallback,
        test_command=settings.test_command,
        test_timeout=settings.test_timeout,
        per_test_timeout=settings.per_test_timeout,
        test_parallel=settings.test_parallel,
        action_timeout=settings.timeout_per_action,
        silence_timeout=settings.silence_timeout,
        proof=settings.proof,
        allow_environment_changes=settings.allow_environment_changes,
        baseline=settings.baseline,
        require=settings.require,
        min_pass_rate=settings.min_pass_rate,
        min_coverage=settings.min_coverage,
        min_mutation_score=settings.min_mutation_score,
        min_diff_coverage=settings.min_diff_coverage,
        permissions=settings.permissions,
        grace_timeout=settings.grace_timeout,
        park=settings.park,
        worktree=settings.worktree,
        commit=settings.commit,
        sandbox=settings.sandbox,
        sandbox_paths=settings.sandbox_paths,
        sandbox_hosts=settings.sandbox_hosts,
    )


def cycle_settings(settings: Settings, cycle: CycleSettings, *, interactive: bool) -> RunSettings:
    """The same of a cycle, whose turns have limits of their own."""
    times = {"action_timeout": cycle.timeout_per_turn, "grace_timeout": cycle.grace_timeout}
    return run_settings(settings, interactive=interactive).evolve(**times)


def work_by(choice: AgentChoice) -> dict[str, str | None]:
    """Who works, as a run's settings have it."""
    return {"agent": choice.name, "model": choice.model, "effort": choice.effort}


def make_budget(settings: Settings) -> Budget:
    return Budget(max_minutes=settings.max_minutes, max_tokens=settings.max_tokens, max_cost=settings.max_cost)


READY_SECONDS = 1.0
"""For which the programs that a new loop needs are taken to be there, once they were seen."""


@dataclass(frozen=True)
class Engine:
    """One project's engine: the commands, and the means to drive a run of any kind in this process."""

    project: Path
    config: Config
    service: LoopService
    cycles: CycleService
    tunings: TuningService
    agents: Agents
    mirror: "Callable[[], FleetMirror | None]"
    """Of those of its runs that are driven elsewhere in the fleet; None where there are none."""

    @cached_property
    def runners(self) -> Runners:
        return Runners(self.project, self.config, self.service, self.cycles, self.tunings, self.agents)

    def load_prompts(self) -> "Prompts":
        """The prompts of loops that hold in this project. Invalid names a file that cannot be used."""
        return read_prompts(self.project, self.config.settings)

    def load_cycle_prompts(self) -> "Prompts":
        """Those of cycles."""
        return read_cycle_prompts(self.project, self.config.settings)

    def load_tuning_prompts(self) -> "Prompts":
        """Those of tuning sessions."""
        return read_tuning_prompts(self.project, self.config.settings)

    def create(
        self,
        task: str,
        *,
        title: str | None = None,
        interactive: bool,
        given: Mapping[str, object] | None = None,
        sources: Sequence[str] = (),
        elsewhere: bool = False,
    ) -> LoopState:
        """A new loop with the settings that are `given`, for the rest those of the project.

        `given` may ask for several attempts, of which this is the first. AgentError, Invalid: what it would need is not
        there, and nothing was made. `elsewhere`: it is driven on another machine, which has what it needs.
        """
        wanted = dict(given or {})
        options = take_attempts(wanted, auto=not interactive)
        if options is not None:
            return self.create_family(task, options, title=title, given=wanted, sources=sources, elsewhere=elsewhere)
        settings = self._settings(wanted)
        return self.service.create(
            task,
            title=title,
            max_iterations=settings.max_iterations,
            settings=self._checked_settings(settings, wanted, interactive=interactive, elsewhere=elsewhere),
            budget=make_budget(settings),
            allow_test_changes=settings.allow_test_changes,
            sources=sources,
        )

    def _checked_settings(
        self, settings: Settings, given: Mapping[str, object], *, interactive: bool, elsewhere: bool
    ) -> RunSettings:
        """What a loop keeps of the settings that `given` leads to, once all is there that they need."""
        key = repr((interactive, elsewhere, sorted(given.items())))
        at, known = self._ready.get(key, (0.0, None))
        now = self.service.clock.monotonic()
        if known is not None and now - at < READY_SECONDS:
            return known
        refuse_group()
        choice = self.agents.choose(settings.agent, settings.model, settings.effort)
        self._check_means(settings, (str(choice),), elsewhere=elsewhere)
        fallback = self.agents.check_fallback(settings.fallback, str(choice))
        review = settings.review if elsewhere else self.agents.check_review(settings.review)
        kept = run_settings(settings, interactive=interactive).evolve(
            **work_by(choice), fallback=fallback, review=review
        )
        self._ready.clear()
        self._ready[key] = now, kept
        return kept

    @cached_property
    def _ready(self) -> dict[str, tuple[float, RunSettings]]:
        """What the latest loop was given, when its needs were found to be there, and what it kept of that."""
        return {}

    def create_family(
        self,
        task: str,
        options: AttemptOptions,
        *,
        title: str | None = None,
        given: Mapping[str, object] | None = None,
        sources: Sequence[str] = (),
        elsewhere: bool = False,
    ) -> LoopState:
        """Loops that attempt the same, each in a worktree; the first of them. Errors, `elsewhere`: as of `create`."""
        refuse_group()
        base = dict(given or {})
        known = [self._settings({**base, "agent": name}) for name in options.agents] or [self._settings(base)]
        choices = [self.agents.choose(one.agent, one.model, one.effort) for one in known]
        settings = known[0].model_copy(update={"worktree": True})
        self._check_means(settings, tuple(map(str, choices)), elsewhere=elsewhere)
        fallback = self.agents.check_fallback(settings.fallback, str(choices[0]))
        review = settings.review if elsewhere else self.agents.check_review(settings.review)
        clock = self.service.clock
        ids = [new_loop_id(clock.now(), clock.token()) for _ in range(options.attempts)]
        members = tuple(FamilyMember(id=id, agent=str(choice)) for id, choice in zip(ids, cycle(choices), strict=False))
        first = self.service.create(
            task,
            title=title,
            max_iterations=settings.max_iterations,
            settings=run_settings(settings, interactive=False).evolve(
                **work_by(choices[0]), fallback=fallback, review=review
            ),
            budget=make_budget(settings),
            allow_test_changes=settings.allow_test_changes,
            sources=sources,
            id=ids[0],
            family=Family(members=members, parallel=options.parallel, run_all=options.run_all),
        )
        from loopwright.workflows.loop.family import complete_family  # a list has no use for its driver

        complete_family(self.service, first.loop_id)
        return first

    def _settings(self, given: Mapping[str, object]) -> Settings:
        """The project's, with what is given."""
        known = self.config.settings
        return known.model_copy(update={**drop_choice(known.agent, given), **given})

    def choose_again(self, now: RunSettings, given: Mapping[str, object]) -> AgentChoice:
        """Who works on a run that is taken up with a `given` agent, model or effort; what is not given stays."""
        asked = read_choice(str(given.get("agent") or now.agent))
        model, effort = (str(given[name]) if given.get(name) else None for name in ("model", "effort"))
        if "agent" in given and asked.name != now.agent:
            return self.agents.choose(str(asked), model, effort)
        if "agent" in given:
            return asked.chosen_by(model, effort).completed(now.model, now.effort)
        own = asked.completed(now.model, now.effort)  # one that has taken over has its model in its name
        return AgentChoice(own.name, model, effort).completed(own.model, own.effort)

    def create_cycle(
        self,
        task: str,
        *,
        title: str | None = None,
        interactive: bool,
        given: Mapping[str, object] | None = None,
        sources: Sequence[str] = (),
    ) -> CycleState:
        """A new cycle, as `create` makes a loop. `given` may hold settings of [cycle] too; roles are added to those.

        AgentError, Invalid: what one of its roles would need is not there, and nothing was made.
        """
        refuse_group()
        wanted = dict(given or {})
        of_cycles = {name: wanted.pop(name) for name in CycleSettings.model_fields if name in wanted}
        settings = self._settings(wanted)
        cycle = self.config.cycle.model_copy(update=of_cycles)
        known: dict[Role, str] = {**self.config.cycle.roles, **cycle.roles}
        choice = self.agents.choose(settings.agent, settings.model, settings.effort)
        roles = self.cast(choice, known)
        self._check_place(settings)
        self._check_tests(settings)
        self.agents.check_choices(*self.players(choice, roles))
        fallback = self.agents.check_fallback(settings.fallback, str(choice))
        return self.cycles.create(
            task,
            title=title,
            max_iterations=cycle.max_iterations,
            settings=cycle_settings(settings, cycle, interactive=interactive).evolve(
                **work_by(choice), fallback=fallback
            ),
            budget=make_budget(settings),
            roles=roles,
            parallel=cycle.parallel,
            allow_test_changes=settings.allow_test_changes,
            sources=sources,
        )

    def _check_means(self, settings: Settings, choices: Sequence[str], *, elsewhere: bool) -> None:
        """What loops of those agents need; of what is driven elsewhere, that there are such agents."""
        for choice in choices:
            if elsewhere:
                self.agents.check_name(choice)
            else:
                self.agents.check(choice)
        if not elsewhere:
            self._check_place(settings)
            self._check_tests(settings)
            self.agents.check_choices(*choices)

    def _check_tests(self, settings: Settings) -> None:
        """Invalid where the program of the test command is not there, also of one that is only found."""
        tests = self.runners.loop.tests
        if command := settings.test_command or tests.detect():
            tests.check(command, settings.test_parallel)

    def _check_place(self, settings: Settings) -> None:
        """Invalid where a sandbox or worktree is wanted and cannot be, or commits are wanted without one."""
        self.check_sandbox(run_settings(settings, interactive=False))
        if settings.worktree:
            make_branches(self.project, self.config.settings).check()
        elif settings.commit:
            raise Invalid(COMMIT_NEEDS)

    def find_sandbox(self, wanted: SandboxName) -> SandboxName:
        """What that comes to on this machine. NoSandbox."""
        return resolve_sandbox(wanted, self.project)

    def check_sandbox(self, settings: RunSettings) -> None:
        """NoSandbox where the run's does not work here."""
        with self.service.processes.confined("check", settings):
            pass

    def create_tuning(
        self,
        path: Path,
        *,
        description: str = "",
        focus: Sequence[str] = (),
        dimensions: Collection[Dimension] = DIMENSIONS,
        level: Level = "none",
        agent: str | None = None,
        model: str | None = None,
        effort: str | None = None,
        refuter: str | None = None,
        limits: Mapping[str, float] | None = None,
        choosing: bool = False,
        accepted: Collection[str] = (),
        max_iterations: int = TUNING_ITERATIONS,
    ) -> TuningState:
        """A new session for the skill at `path`, a folder or its SKILL.md, relative to the project.

        `agent` is asked about the meaning, with `model` and `effort`, and writes fixes where the `level` is that of
        all. `refuter`: another one
        that tries to refute what it finds. `limits` of tokens and cost, in the place of the project's.
        AgentError, Invalid, NotFound: what it would need is not there, and nothing was made.
        """
        refuse_group()
        self.check_catalogues()
        root = self._skill_root(path)
        if agent is None and (model or effort):
            raise Invalid("a model and an effort are those of an agent; name the agent, too")
        known = self.config.settings
        # whoever is named here is not the agent that the settings choose a model for, unless it is the same one
        usual = (known.model, known.effort) if agent in (known.agent, "auto") else (None, None)
        chosen = (model, effort) if model or effort else usual
        reviewer = self.agents.reader(str(self.agents.choose(agent, *chosen))) if agent is not None else None
        if refuter is not None and reviewer is None:
            raise Invalid("a refuter needs an agent whose findings it checks; name one, too")
        other = self.agents.reader(refuter) if refuter is not None else None
        self.agents.check_choices(*(name for name in (reviewer, other) if name))
        mends = reviewer is not None and level in ("template", "agent")
        settings = run_settings(self.config.settings, interactive=choosing)
        self.check_sandbox(settings)
        if settings.sandbox != "none":
            settings = settings.evolve(sandbox_paths=(*settings.sandbox_paths, str(root)))
        return self.tunings.create(
            str(path),
            root,
            description=description,
            focus=focus,
            dimensions=dimensions,
            level="agent" if mends else level,
            agent=reviewer if mends else None,
            reviewer=reviewer,
            refuter=other,
            choosing=choosing,
            accepted=accepted,
            max_iterations=max_iterations,
            settings=settings.evolve(**work_by(read_choice(reviewer))) if reviewer else settings,
            budget=make_budget(self.config.settings).evolve(**(limits or {})),
        )

    def check_skill(self, path: Path, dimensions: Collection[Dimension] = DIMENSIONS) -> "SkillCheck":
        """A skill as it is now, with what stands beside it now: it is only looked at. NotFound, Invalid."""
        from loopwright.workflows.tuning.report.skill_check import check_skill

        self.check_catalogues()
        folders = SkillFolders(catalogues=partial(read_catalogues, self.project))
        return check_skill(folders.read(self._skill_root(path)), str(path), dimensions)

    def _skill_root(self, path: Path) -> Path:
        root = check_inside(self.project, path) if self.agents.fenced else (self.project / path).resolve()
        return root.parent if root.is_file() else root

    def check_catalogues(self) -> None:
        """Invalid names the file in which the user's tools and roles are not told as they should be."""
        from loopwright.skills.catalogue import join_catalogues

        join_catalogues(read_catalogues(self.project))

    def cast(self, taken: AgentChoice, roles: Mapping[Role, str]) -> dict[Role, str]:
        """Who plays a role in the place of `taken`, if all of them can. AgentError and Invalid name the role."""
        if len(roles) < len(ROLES):
            self.agents.check(str(taken))
        chosen = {role: self.agents.chosen(name) for role, name in roles.items()}
        for role, name in chosen.items():
            try:
                self.agents.check(name)
            except Invalid as error:
                raise Invalid(f"role {role}: {error}") from error
            except AgentError as error:
                raise AgentError(error.kind, f"role {role}: {error}") from error
        return chosen

    def players(self, usual: AgentChoice, roles: Mapping[Role, str]) -> set[str]:
        """All who play a role of a cycle."""
        return {roles.get(role, str(usual)) for role in ROLES}


def prune_project(engine: Engine, *, gone: bool) -> PruneResult:
    """Gives back what the project's snapshots do not need; `gone`: nor those of runs that are not here any more.

    Conflict while one of its runs is being driven.
    """
    services = (engine.service, engine.cycles, engine.tunings)
    known = {id for service in services for id in (*service.store.revs(), *service.damaged())}

    def require_rest() -> None:
        for service in services:
            for id in service.store.revs():
                if service.is_live(id):
                    raise Conflict(f"{service.kind} {id} is at work; pause it, or run gc when it has ended")

    forget_gone_projects()
    directory = private_directory(checkpoints_folder(engine.config.settings), engine.project)
    return prune_snapshots(PrivateGit(directory, engine.project), require_rest, known if gone else None)


def workspace_in(root: Path) -> Workspace:
    """The files of a folder that goes away, with what is known of them beside it."""
    return GitWorkspace(root, root.parent / "checkpoints")


@contextmanager
def open_copy(engine: Engine, commit: str, root: Path, clock: Clock, agents: "AgentFactory") -> Iterator["LoopRunner"]:
    """A runner like the engine's for a copy of its project in the empty folder `root`; its own things lie beside it."""
    from loopwright.evidence.run import ProjectTests
    from loopwright.workspace.copies import lay_out_copy

    lay_out_copy(engine.service.workspace, commit, root)
    with FileStore(root, LOOPS, clock, unsafe_fs=engine.config.settings.unsafe_fs) as store:
        yield replace(
            engine.runners.loop,
            project=str(root),
            store=store,
            workspace=workspace_in(root),
            tests=ProjectTests(root, results=engine.agents.results),
            clock=clock,
            agents=agents,
            processes=OwnProcesses(root, root.parent / "processes"),
            notifiers=(),
            branches=None,
            placed=None,
        )


@contextmanager
def open_engine(
    project: Path, flags: dict[str, object], *, actor: str = "cli", fenced: bool = False
) -> Iterator[Engine]:
    """The engine of the project that `project` lies in. NotFound, Invalid.

    `fenced`: for whoever is not at this machine's terminal, who may name files of the project only.
    """
    root = _root(project)
    config = load_config(root, flags)
    close_to_others(state_folder())
    clock = SystemClock(config.settings.timezone)
    replicas = RunReplicas(root, config)
    workspace = replicas.workspace()
    processes = _processes(root, config)
    agents = Agents(root, config.agents, processes.folder, fenced)
    branches = GitBranches(root, checkpoints_folder(config.settings))
    unsafe, names = config.settings.unsafe_fs, frozenset(agents.configured)
    seals = SealFolder(seals_folder(), replicas.holds)
    with (
        closing(replicas),
        FileStore(root, LOOPS, clock, unsafe_fs=unsafe, keep_index=True, replica_of=replicas, seals=seals) as loops,
        FileStore(root, CYCLES, clock, unsafe_fs=unsafe, keep_index=True, replica_of=replicas, seals=seals) as cycles,
        FileStore(root, TUNINGS, clock, unsafe_fs=unsafe, keep_index=True, replica_of=replicas, seals=seals) as tunings,
        closing(Forwarder(root, config)) as there,
    ):
        snapshots = checkpoints_folder(config.settings)
        take_over_snapshots(snapshots, root, lambda: {*loops.revs(), *cycles.revs(), *tunings.revs()})
        mirror = replicas.mirroring({"loop_id": loops, "cycle_id": cycles, "tuning_id": tunings})
        service = LoopService(
            loops,
            workspace,
            clock,
            RunnerLauncher(root, loops.progress_path, ("run", "--launched", "--loop-id")),
            processes,
            actor,
            names,
            branches=branches,
            issues=IssueFiles(root),
            writer=agents.writer,
            offer=agents.check_choices,
            driver=RunnerLauncher(root, lambda id: loops.progress_path(id) / "attempts", ("resume", "--wait")),
            mirror=mirror,
        )
        launcher = RunnerLauncher(root, cycles.progress_path, ("cycle", "run", "--launched", "--cycle-id"))
        worktrees = GitWorktrees(root, snapshots)
        more = partial(CycleService, branches=branches, mirror=mirror, worktrees=worktrees)
        of_cycles = more(cycles, workspace, clock, launcher, processes, actor, names)
        launcher = RunnerLauncher(root, tunings.progress_path, ("tune", "--launched", "--tuning-id"))
        skills = SkillFolders(catalogues=partial(read_catalogues, root))
        of_tunings = TuningService(
            tunings, workspace, clock, launcher, processes, actor, names, mirror=mirror, skills=skills
        )
        ours = there.forwarding(service), there.forwarding(of_cycles), there.forwarding(of_tunings)
        yield Engine(root, config, *ours, agents, mirror)


def read_config(project: Path, flags: dict[str, object]) -> Config:
    """The settings of the project that `project` lies in. NotFound, Invalid."""
    return load_config(_root(project), flags)


@dataclass(frozen=True)
class EngineMeans:
    """What a project's loops would work with; nothing of it is opened. `private`: folder of what lies outside of it."""

    project: Path
    config: Config
    agents: Agents
    private: Path


def read_means(project: Path, flags: dict[str, object]) -> EngineMeans:
    """The means of the project that `project` lies in. NotFound, Invalid."""
    root = _root(project)
    config = load_config(root, flags)
    agents = Agents(root, config.agents, _processes(root, config).folder)
    return EngineMeans(root, config, agents, checkpoints_folder(config.settings))


def _processes(root: Path, config: Config) -> OwnProcesses:
    def of_worker(id: str) -> SandboxName:
        """That of the fleet's worker that drives the run here."""
        if not (root / FLEET_MARKS).exists():
            return "none"
        from loopwright.wiring.fleet.marks import read_marks

        mark = read_marks(root).get(id)
        return mark.sandbox if mark else "none"

    home = private_directory(checkpoints_folder(config.settings), root).with_suffix(".processes")
    return OwnProcesses(root, home, of_worker, config.settings.pass_env)


def _root(project: Path) -> Path:
    if not project.is_dir():
        raise NotFound(f"no such project folder: {project}")
    return project_root(project)
