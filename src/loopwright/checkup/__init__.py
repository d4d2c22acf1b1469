"""What a machine and a project offer to loops, found out without changing either."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loopwright.agents.installed import program_of
from loopwright.agents.presets import AgentCommand
from loopwright.checkup.agents import AgentFound, Tell, agents_here, shown_command
from loopwright.checkup.project import Machine, Project, machine_here, project_here
from loopwright.domain.agents import is_known, unknown_agent
from loopwright.domain.cycle_names import ROLES, Role
from loopwright.domain.engine_state import Policy
from loopwright.domain.errors import Invalid, LoopwrightError
from loopwright.domain.secrets import masked_variables
from loopwright.wiring import Means

LIMITS = (
    "max_iterations", "max_minutes", "max_tokens", "max_cost", "timeout_per_action", "silence_timeout",
    "grace_timeout", "test_timeout", "park",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What a run would execute, and within which limits. `asked`: the agent's name before `auto` was decided."""

    agent: str
    asked: str
    command: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    without: tuple[str, ...]
    mode: str | None
    permissions: Policy
    test_command: str | None
    limits: Mapping[str, float | int | bool | None]


@dataclass(frozen=True)
class RolePlayed:
    """Who plays a role of cycles here, and why they can not."""

    role: Role
    agent: str
    trouble: str | None


@dataclass(frozen=True)
class Checkup:
    """`problems`: what a run would fail for, one sentence each. `chosen_fails`: its agent is the reason.

    `roles` are those of a cycle.
    """

    machine: Machine
    agents: tuple[AgentFound, ...]
    project: Project
    run: Run
    roles: tuple[RolePlayed, ...]
    problems: tuple[str, ...]
    chosen_fails: bool


async def check_up(means: Means, *, only: str | None, probing: bool | None, tell: Tell) -> Checkup:
    """`only` that agent is looked at. `probing` None: as agents_here has it, and the `only` one in any case.

    Invalid for an agent that nobody knows.
    """
    settings, configured = means.config.settings, means.agents.configured
    asked = only or settings.agent
    if not is_known(asked, configured):
        raise Invalid(unknown_agent(asked, configured))
    chosen = means.agents.chosen(asked)
    commands = {n: c for n, c in means.agents.commands.items() if only is None or n == chosen}
    found = await agents_here(means, commands, True if only and probing is None else probing, tell)
    machine, project = await machine_here(), project_here(means)
    fails = _agent_problem(means, chosen, found)
    problems = [
        *([fails] if fails else []),
        *(place.trouble for place in (project.store, project.private) if place.trouble),
        *([project.tests.trouble] if project.tests.trouble else []),
        *([] if machine.git else ["git is not installed, and no run can do without it"]),
    ]
    run = _run(means, asked, chosen, project)
    return Checkup(machine, found, project, run, tuple(_roles(means, chosen)), tuple(problems), fails is not None)


def _roles(means: Means, usual: str) -> Iterator[RolePlayed]:
    named = means.config.cycle.roles
    for role in ROLES:
        agent = means.agents.chosen(named.get(role, usual))
        yield RolePlayed(role, agent, _not_there(means, agent))


def _agent_problem(means: Means, chosen: str, found: tuple[AgentFound, ...]) -> str | None:
    """Why a run could not begin with this agent."""
    agent = next((each for each in found if each.name == chosen), None)
    if agent is not None:
        bad = agent.status in ("not installed", "needs a login", "does not work")
        words = agent.words if agent.status == "not installed" else f"{agent.name} {agent.status}: {agent.words}"
        return words if bad else None
    return _not_there(means, chosen)


def _not_there(means: Means, agent: str) -> str | None:
    try:
        means.agents.check(agent)
    except LoopwrightError as error:
        return str(error)
    return None


def _run(means: Means, asked: str, chosen: str, project: Project) -> Run:
    settings = means.config.settings
    command = means.agents.commands.get(chosen) or AgentCommand(chosen, ())
    program = program_of(command, means.project) if command.argv else None
    return Run(
        agent=chosen,
        asked=asked,
        command=shown_command((program or command.argv[0], *command.argv[1:]) if command.argv else ()),
        cwd=str(means.project),
        environment=masked_variables(command.environment),
        without=command.without,
        mode=command.modes.get(settings.permissions),
        permissions=settings.permissions,
        test_command=project.tests.command,
        limits={name: getattr(settings, name) for name in LIMITS},
    )
