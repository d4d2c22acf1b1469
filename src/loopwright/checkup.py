"""What a machine and a project offer to loops, found out without changing either."""

import asyncio
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loopwright import __version__
from loopwright.agents.presets import not_installed, program_of, version_of
from loopwright.core.agent_names import AgentChoice, AgentCommand, is_known, unknown_agent
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.errors import Invalid, LoopwrightError, NoSandbox
from loopwright.core.state import Policy, SandboxName
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.runners import find_runner
from loopwright.policy.secrets import SecretFilter, masked_variables
from loopwright.processes.confinement import SANDBOXES, Sandbox, describe_sandbox, landlock_version
from loopwright.processes.inotify import Inotify
from loopwright.repair.command import parse_command
from loopwright.store.disk import NETWORK, file_system
from loopwright.wiring import EngineMeans
from loopwright.wiring.stores import LOOPS
from loopwright.workspace.checkpoints import private_directory
from loopwright.workspace.pruning import measure_snapshots

if TYPE_CHECKING:
    from loopwright.agents.acp.probe import LiveAnswer, ProbeResult


AT_ONCE = 2

AgentStatus = Literal["answers", "starts", "installed", "needs a login", "does not work", "not installed"]
"""What was found out, and no more: it answered a prompt, it opened a session, its program is there."""
ProgressCallback = Callable[[str], None]


@dataclass(frozen=True)
class AgentCheckup:
    """One agent that is a program. `words` say what is wrong with it, and what would help.

    `probe`: what it told when it was started; `live`: what came of a prompt.
    """

    name: str
    status: AgentStatus
    words: str
    command: tuple[str, ...]
    program: str | None
    version: str | None
    install: str
    login: str
    configured_in: tuple[str, ...]
    probe: "ProbeResult | None"
    live: "LiveAnswer | None" = None


async def check_agents(
    means: EngineMeans,
    commands: Mapping[str, AgentCommand],
    probing: bool | None,
    tell: ProgressCallback,
    *,
    live: bool = False,
) -> tuple[AgentCheckup, ...]:
    """`probing` None: all are started but those that the project's own files have a say in; `live`: and asked.

    Each in an empty folder, at most two at once, and nothing of them is left.
    """
    turns = asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:
        looks = [
            group.create_task(_agent(means, command, probing, turns, tell, live=live)) for command in commands.values()
        ]
    return tuple(look.result() for look in looks)


async def _agent(
    means: EngineMeans,
    command: AgentCommand,
    probing: bool | None,
    turns: asyncio.Semaphore,
    tell: ProgressCallback,
    *,
    live: bool,
) -> AgentCheckup:
    origins = _origins(means, command.name)
    known = AgentCheckup(
        command.name,
        "installed",
        "",
        shown_command(command.argv),
        None,
        None,
        command.install,
        command.login,
        origins,
        None,
    )
    program = program_of(command, means.project)
    if program is None:
        return replace(known, status="not installed", words=not_installed(command))
    known = replace(known, program=program)
    theirs = [origin for origin in origins if Path(origin).parent == means.project]
    if theirs and not probing:
        return replace(known, words=f"not started: {theirs[0]} configures it; --probe starts it")
    from loopwright.agents.acp.probe import PROBE_LIMIT, ask_agent, probe_agent  # half a second

    async with turns:
        tell(f"{'looking at' if probing is False else 'asking'} {command.name}")
        with tempfile.TemporaryDirectory(prefix="loopwright-doctor-", ignore_cleanup_errors=True) as name:
            folder = Path(name).resolve()
            if probing is False:
                return replace(known, version=await version_of(program, command, folder))
            started = replace(command, argv=(program, *command.argv[1:])).choosing(_choice(means, command.name))
            probed = await probe_agent(started, folder, PROBE_LIMIT)
            version = probed.version or await version_of(program, command, folder)
            answer = None
            if live and probed.trouble is None:
                tell(f"waiting for an answer of {command.name}")
                answer = await ask_agent(started, folder)
    status, words = _judged(command, probed, answer)
    return replace(known, status=status, words=words, version=version, probe=probed, live=answer)


def _judged(command: AgentCommand, probed: "ProbeResult", answer: "LiveAnswer | None") -> tuple[AgentStatus, str]:
    came = answer or probed
    if came.trouble is None:
        return "answers" if answer else "starts", ""
    words = came.words.removeprefix(f"{command.name}: ")
    return "needs a login" if came.trouble == "auth" else "does not work", words


def _choice(means: EngineMeans, name: str) -> AgentChoice:
    """With the model and effort that a run of this agent would use here."""
    settings = means.config.settings
    own = means.agents.choose(settings.agent, settings.model, settings.effort)
    return own if own.name == name else means.agents.choose(name)


def _origins(means: EngineMeans, name: str) -> tuple[str, ...]:
    """The files that have a say in this agent."""
    start = f"agents.{name}."
    return tuple(dict.fromkeys(origin for key, origin in means.config.origins.items() if key.startswith(start)))


def shown_command(words: tuple[str, ...]) -> tuple[str, ...]:
    mask = SecretFilter().masked
    return tuple(mask(word) for word in words)


_SECONDS = 10

_TRY = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.getuid(), os.getgid()
assert libc.unshare(0x10000000 | 0x00020000 | 0x40000000) == 0  # user, mount, network
for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)
assert libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None) == 0  # recursively private
"""
"""Asking for the namespaces is not enough: some systems give them, and then refuse all that they are for."""


@dataclass(frozen=True)
class SandboxTrial:
    """One that runs can be put into; `trouble`: why not here. `milliseconds` that it took to start a program in it.

    `holds`: what of it this kernel has.
    """

    name: SandboxName
    trouble: str | None
    milliseconds: int | None
    holds: str = ""


@dataclass(frozen=True)
class SandboxCheckup:
    """`namespaces`: a program without privileges may make some of its own. `landlock`: version, 0 where there is none.

    `bubblewrap`: path of the program; codex brings one of its own. `for_runs`: what `--sandbox` takes, strongest first.
    """

    namespaces: bool
    landlock: int
    bubblewrap: str | None
    for_runs: tuple[SandboxTrial, ...] = ()


def check_sandbox(means: EngineMeans | None = None) -> SandboxCheckup:
    """Tried out, in processes that end at once. Blocks for some hundredths of a second."""
    tried = tuple(_tried(name, means) for name in SANDBOXES) if means else ()
    return SandboxCheckup(_namespaces(), landlock_version(), shutil.which("bwrap"), tried)


def _tried(name: SandboxName, means: EngineMeans) -> SandboxTrial:
    began = time.monotonic()
    try:
        settings = means.config.settings
        hosts = settings.sandbox_hosts if name != "bwrap" else ()
        Sandbox(name, means.project, means.private, means.private, settings.sandbox_paths, hosts=hosts).check()
    except NoSandbox as error:
        return SandboxTrial(name, str(error), None)
    return SandboxTrial(name, None, round((time.monotonic() - began) * 1000), describe_sandbox(name))


def _namespaces() -> bool:
    try:
        done = subprocess.run(
            (sys.executable, "-c", _TRY), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@dataclass(frozen=True)
class MachineCheckup:
    """Versions; None where a program is not there."""

    loopwright: str
    python: str
    system: str
    git: str | None
    node: str | None
    sandbox: SandboxCheckup
    overlays: bool = False
    """Whether the debugger works over a project, without copies of it."""
    watches: bool = False
    """Whether the kernel tells which files change, so that not all are looked at again."""


@dataclass(frozen=True)
class FolderCheckup:
    """A folder that loops write into; `trouble`: why they could not."""

    path: str
    file_system: str | None
    trouble: str | None


@dataclass(frozen=True)
class SuiteCheckup:
    """How the project is tested. `measured`: the embedded debugger can trace these tests."""

    command: str | None
    origin: str
    runner: str | None
    measured: bool
    trouble: str | None


@dataclass(frozen=True)
class ProjectCheckup:
    """`snapshot_bytes`: what the checkpoints of its runs take on disk."""

    root: str
    configured_in: tuple[str, ...]
    store: FolderCheckup
    private: FolderCheckup
    tests: SuiteCheckup
    snapshot_bytes: int = 0


async def check_machine(means: EngineMeans) -> MachineCheckup:
    git, node = await asyncio.gather(_told("git"), _told("node"))
    inside = await asyncio.to_thread(check_sandbox, means)
    overlays, watches = await asyncio.to_thread(_overlays), Inotify.opened() is not None
    system = platform.platform(terse=True)
    return MachineCheckup(__version__, platform.python_version(), system, git, node, inside, overlays, watches)


_LAY_OVER = """
import sys
from loopwright.repair import overlay, sandbox
sys.exit(not (sandbox.isolate_process() and overlay.lay_over(sys.argv[1], [sys.argv[2]], ["hidden"])))
"""


def _overlays() -> bool:
    with tempfile.TemporaryDirectory(prefix="repair-", ignore_cleanup_errors=True) as name:
        below, over = Path(name).resolve() / "project", Path(name).resolve() / "lane"
        below.mkdir()
        over.mkdir()
        argv = (sys.executable, "-c", _LAY_OVER, below, over)
        with suppress(subprocess.TimeoutExpired):
            return subprocess.run(argv, capture_output=True, timeout=_SECONDS, check=False).returncode == 0
        return False


async def _told(program: str) -> str | None:
    path = shutil.which(program)
    return (await version_of(path, AgentCommand(program, (path,)), Path.cwd()) or "?") if path else None


def check_project(means: EngineMeans) -> ProjectCheckup:
    root, config = means.project, means.config
    files = [origin for origin in config.origins.values() if origin not in ("default", "environment", "flag")]
    state = _place(root / LOOPS.folder)
    if state.trouble is None and state.file_system in NETWORK and not config.settings.unsafe_fs:
        words = f"{root} is on a network file system ({state.file_system}): use a local folder, or set unsafe_fs = true"
        state = replace(state, trouble=words)
    room = measure_snapshots(private_directory(means.private, root))
    return ProjectCheckup(str(root), tuple(dict.fromkeys(files)), state, _place(means.private), _tests(means), room)


def _place(folder: Path) -> FolderCheckup:
    """Nothing is written to find out."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    kind = file_system(there.resolve())
    if not there.is_dir():
        return FolderCheckup(str(folder), kind, f"{folder} cannot be made: {there} is not a folder")
    can = os.access(there, os.W_OK | os.X_OK)
    return FolderCheckup(str(folder), kind, None if can else f"{folder} cannot be written: {there} does not allow it")


def _tests(means: EngineMeans) -> SuiteCheckup:
    tests, settings = ProjectTests(means.project), means.config.settings
    given = settings.test_command
    command = given or tests.detect()
    if command is None:
        return SuiteCheckup(None, "none found", None, False, None)
    trouble = None
    try:
        tests.check(command, settings.test_parallel)
    except Invalid as error:
        trouble = str(error)
    return SuiteCheckup(
        command,
        means.config.origins["test_command"] if given else "detected",
        find_runner(command, means.project).name,
        parse_command(command, means.project) is not None,
        trouble,
    )


LIMITS = (
    "max_iterations",
    "max_minutes",
    "max_tokens",
    "max_cost",
    "timeout_per_action",
    "silence_timeout",
    "grace_timeout",
    "test_timeout",
    "park",
)


@dataclass(frozen=True)
class RunCheckup:
    """What a run would execute, and within which limits. `asked`: the agent's name before `auto` was decided.

    `model` and `effort` that are chosen, None for the agent's own; `mcp`: names of the user's servers.
    """

    agent: str
    asked: str
    command: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    without: tuple[str, ...]
    mode: str | None
    model: str | None
    effort: str | None
    mcp: tuple[str, ...]
    permissions: Policy
    sandbox: SandboxName
    test_command: str | None
    limits: Mapping[str, float | int | bool | None]


@dataclass(frozen=True)
class RoleCheckup:
    """Who plays a role of cycles here, and why they cannot."""

    role: Role
    agent: str
    trouble: str | None


@dataclass(frozen=True)
class Checkup:
    """`problems`: what a run would fail for, one sentence each. `chosen_fails`: its agent is the reason.

    `roles` are those of a cycle.
    """

    machine: MachineCheckup
    agents: tuple[AgentCheckup, ...]
    project: ProjectCheckup
    run: RunCheckup
    roles: tuple[RoleCheckup, ...]
    problems: tuple[str, ...]
    chosen_fails: bool


async def check_up(
    means: EngineMeans, *, only: str | None, probing: bool | None, tell: ProgressCallback, live: bool = False
) -> Checkup:
    """`only` that agent is looked at. `probing` None: as agents_here has it, and the `only` one in any case. `live`:
    each that opens a session is sent a prompt.

    Invalid for an agent that nobody knows.
    """
    settings, configured = means.config.settings, means.agents.configured
    asked = only or settings.agent
    if not is_known(asked, configured):
        raise Invalid(unknown_agent(asked, configured))
    chosen = means.agents.choose(asked).name
    commands = {n: c for n, c in means.agents.commands.items() if only is None or n == chosen}
    found = await check_agents(means, commands, True if only and probing is None else probing, tell, live=live)
    machine, project = await check_machine(means), check_project(means)
    fails = _agent_problem(means, chosen, found)
    problems = [
        *([fails] if fails else []),
        *(place.trouble for place in (project.store, project.private) if place.trouble),
        *([project.tests.trouble] if project.tests.trouble else []),
        *(s.trouble for s in machine.sandbox.for_runs if s.trouble and s.name == settings.sandbox),
        *([] if machine.git else ["git is not installed; every run needs it"]),
    ]
    run = _run(means, asked, chosen, project)
    return Checkup(machine, found, project, run, tuple(_roles(means, chosen)), tuple(problems), fails is not None)


def _roles(means: EngineMeans, usual: str) -> Iterator[RoleCheckup]:
    named = means.config.cycle.roles
    for role in ROLES:
        agent = means.agents.chosen(named[role]) if role in named else usual
        yield RoleCheckup(role, agent, _not_there(means, agent))


def _agent_problem(means: EngineMeans, chosen: str, found: tuple[AgentCheckup, ...]) -> str | None:
    """Why a run could not begin with this agent."""
    agent = next((each for each in found if each.name == chosen), None)
    if agent is not None:
        bad = agent.status in ("not installed", "needs a login", "does not work")
        words = agent.words if agent.status == "not installed" else f"{agent.name} {agent.status}: {agent.words}"
        return words if bad else None
    return _not_there(means, chosen)


def _not_there(means: EngineMeans, agent: str) -> str | None:
    try:
        means.agents.check(agent)
    except LoopwrightError as error:
        return str(error)
    return None


def _run(means: EngineMeans, asked: str, chosen: str, project: ProjectCheckup) -> RunCheckup:
    settings = means.config.settings
    choice = _choice(means, chosen)
    command = (means.agents.commands.get(chosen) or AgentCommand(chosen, ())).choosing(choice)
    program = program_of(command, means.project) if command.argv else None
    return RunCheckup(
        agent=chosen,
        asked=asked,
        model=choice.model,
        effort=choice.effort,
        mcp=tuple(server.name for server in command.mcp),
        command=shown_command((program or command.argv[0], *command.argv[1:]) if command.argv else ()),
        cwd=str(means.project),
        environment=masked_variables(command.environment),
        without=command.without,
        mode=command.modes.get(settings.permissions),
        permissions=settings.permissions,
        sandbox=settings.sandbox,
        test_command=project.tests.command,
        limits={name: getattr(settings, name) for name in LIMITS},
    )
