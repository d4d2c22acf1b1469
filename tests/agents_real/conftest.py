"""The agents, installed and fenced in, or a reason to skip."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.agents_real import agents, loops
from tests.agents_real.agents import RealAgent
from tests.agents_real.fence import Fence, fenced
from tests.agents_real.installed import NotInstalled, node_modules
from tests.agents_real.loops import Ground
from tests.model.server import Model

Prepare = Callable[[str, Model], RealAgent]
Begin = Callable[[str, Model], Ground]


@pytest.fixture(scope="session")
def fence() -> Iterator[Fence]:
    with fenced() as fence:
        yield fence


@pytest.fixture(scope="session")
def modules() -> Path:
    try:
        return node_modules()
    except NotInstalled as reason:
        pytest.skip(str(reason))


@pytest.fixture
def real_agent(modules: Path, tmp_path: Path) -> Prepare:
    """An agent by its name, for this model, in a home of its own."""

    def prepare(name: str, model: Model) -> RealAgent:
        agent = agents.real_agent(name, modules, model.url, tmp_path / "home")
        if shutil.which(agent.argv[0], path=agent.environment["PATH"]) is None:
            pytest.skip(f"{name} has no package for this machine")
        return agent

    return prepare


@pytest.fixture
def ground(real_agent: Prepare, fence: Fence, project: Path) -> Begin:
    """The small project, for loopwright itself and an agent by its name."""
    return lambda name, model: loops.ground(real_agent(name, model), project, fence)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder
