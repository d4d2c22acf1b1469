"""Which agents are here, and what they say they can do."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loopwright.agents.installed import not_installed, program_of, version_of
from loopwright.agents.presets import AgentCommand
from loopwright.domain.secrets import Secrets
from loopwright.wiring import Means

if TYPE_CHECKING:
    from loopwright.agents.acp.probe import Probed

PROBE_LIMIT = 60.0
"""Seconds that an agent has to open a session."""
AT_ONCE = 2

AgentStatus = Literal["ready", "needs a login", "does not work", "not asked", "not installed"]
Tell = Callable[[str], None]


@dataclass(frozen=True)
class AgentFound:
    """One agent that is a program. `words` say why it is not ready, and what would help."""

    name: str
    status: AgentStatus
    words: str
    command: tuple[str, ...]
    program: str | None
    version: str | None
    install: str
    login: str
    configured_in: tuple[str, ...]
    probe: "Probed | None"


async def agents_here(
    means: Means, commands: Mapping[str, AgentCommand], probing: bool | None, tell: Tell
) -> tuple[AgentFound, ...]:
    """`probing` None: all are started but those that the project's own files have a say in.

    Each in an empty folder, at most two at once, and nothing of them is left.
    """
    turns = asyncio.Semaphore(AT_ONCE)
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(_agent(means, command, probing, turns, tell)) for command in commands.values()]
    return tuple(look.result() for look in looks)


async def _agent(
    means: Means, command: AgentCommand, probing: bool | None, turns: asyncio.Semaphore, tell: Tell
) -> AgentFound:
    origins = _origins(means, command.name)
    known = AgentFound(
        command.name, "not asked", "", shown_command(command.argv), None, None, command.install, command.login, origins,
        None,
    )  # fmt: skip
    program = program_of(command, means.project)
    if program is None:
        return replace(known, status="not installed", words=not_installed(command))
    known = replace(known, program=program)
    theirs = [origin for origin in origins if Path(origin).parent == means.project]
    if theirs and not probing:
        return replace(known, words=f"not started: {theirs[0]} has a say in what it is; --probe starts it")
    from loopwright.agents.acp.probe import probe  # half a second, which a machine without agents can do without

    async with turns:
        tell(f"{'looking at' if probing is False else 'asking'} {command.name}")
        with tempfile.TemporaryDirectory(prefix="loopwright-doctor-", ignore_cleanup_errors=True) as name:
            folder = Path(name).resolve()
            if probing is False:
                return replace(known, version=await version_of(program, command, folder))
            started = replace(command, argv=(program, *command.argv[1:]))
            probed = await probe(started, folder, PROBE_LIMIT)
            version = probed.version or await version_of(program, command, folder)
    status, words = _judged(command, probed)
    return replace(known, status=status, words=words, version=version, probe=probed)


def _judged(command: AgentCommand, probed: "Probed") -> tuple[AgentStatus, str]:
    if probed.trouble is None:
        return "ready", ""
    words = probed.words.removeprefix(f"{command.name}: ")
    return "needs a login" if probed.trouble == "auth" else "does not work", words


def _origins(means: Means, name: str) -> tuple[str, ...]:
    """The files that have a say in this agent."""
    start = f"agents.{name}."
    return tuple(dict.fromkeys(origin for key, origin in means.config.origins.items() if key.startswith(start)))


def shown_command(words: tuple[str, ...]) -> tuple[str, ...]:
    mask = Secrets().masked
    return tuple(mask(word) for word in words)
