"""Real agents in a fleet: machines inside of the fence, each with a home of its own, and a model that serves all."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.agents_real.agents import real_agent
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import FILES
from tests.fleet.postgres import Server
from tests.fleet.real_fleet import Machine, RealFleet, open_fleet
from tests.model.script import Conversation, Fault, Reply, Script
from tests.model.server import Model

CHECKOUT = re.compile(r"/\S+?/runs/[\w.-]+/project\b")


def anywhere(script: Callable[[Path], Script]) -> Script:
    """What is answered in the checkout that the conversation names last, whichever machine it lies on."""

    def answer(conversation: Conversation) -> Reply | Fault:
        texts = [conversation.system, *(message.text for message in conversation.history)]
        found = next(place for text in reversed(texts) if (place := CHECKOUT.findall(text)))
        return script(Path(found[-1]))(conversation)

    return answer


def socket_url(server: Server, database: str) -> str:
    """By its socket: the only way to it from inside of the fence."""
    return f"postgresql://postgres@/{database}?host={server.folder}&port={server.port}"


@dataclass(frozen=True)
class AgentFleet:
    """A fleet whose machines have these agents."""

    fleet: RealFleet
    agents: tuple[str, ...]
    modules: Path
    fence: Fence

    def machine(self, accounts: Mapping[str, Model], slots: int = 2) -> Machine:
        """The agents of each account have a home of their own there, and that model."""
        machine = self.fleet.machine(slots)
        tables = []
        for account, model in accounts.items():
            environment = agent_environment(self.agents, self.modules, model.url, machine.home / account)
            lines = (f'{name} = "{value}"' for name, value in environment.items())
            tables.append("\n".join([f"[fleet.accounts.{account}]", *lines]))
        (machine.home / "loopwright.toml").write_text("\n\n".join(tables))
        machine.prefix = self.fence.prefix
        return machine


def agent_environment(names: Iterable[str], modules: Path, model: str, home: Path) -> Mapping[str, str]:
    """Of a user with these agents; `python` is ours, without its plugins of pytest."""
    agents = [real_agent(name, modules, model, home) for name in names]
    together = {name: value for agent in agents for name, value in agent.environment.items()}
    path = os.pathsep.join([str(Path(sys.executable).parent), together["PATH"]])
    return {**together, "PATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@contextmanager
def open_agent_fleet(
    url: str, folder: Path, agents: Iterable[str], modules: Path, fence: Fence, files: Mapping[str, str] = FILES
) -> Iterator[AgentFleet]:
    with open_fleet(url, folder, files) as fleet:
        yield AgentFleet(fleet, tuple(agents), modules, fence)
