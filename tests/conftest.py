"""What all tests share: the event loop, and a stage for whole loops."""

import compileall
import os
import re
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from tests import tiers
from tests.chance import SEED
from tests.fakes import FakeClock, UnsyncedDisk
from tests.javascript import Toolbox, Unavailable, toolbox
from tests.outside import shut_out_here
from tests.stage import MakeStage, Stage, as_git

if TYPE_CHECKING:
    from tests.fleet.postgres import Server

HERE = Path(__file__).parent
NOT_STARTED = re.compile(r"/(test_[^/]*|conftest)\.py$|/samples/")
"""What no process imports but pytest, which compiles it in its own way; and what is none of ours."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=tiers.TIERS, default="all", help="which tests run; see tests/tiers.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What holds no test of the tier is not even loaded."""
    if not collection_path.is_relative_to(HERE):
        return None
    path = collection_path.relative_to(HERE.parent).as_posix()
    return None if tiers.has_any(path, config.getoption("tier")) else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long begins first, so that all processes end together."""
    tier = config.getoption("tier")
    if not any("::" in asked for asked in config.args) and not config.getoption("lf", False):
        wrong = tiers.misnamed({item.nodeid for item in items})
        if wrong:
            raise pytest.UsageError(f"tests/tiers.py names cases that are not there: {', '.join(wrong)}")
    left_out = [item for item in items if not tiers.runs(item.nodeid, tier)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if tiers.runs(item.nodeid, tier)]
    if config.getoption("dist", "no") != "no":
        slowest: dict[Path, int] = {}
        for item in items:
            slowest[item.path] = max(slowest.get(item.path, 0), tiers.TIERS.index(tiers.tier_of(item.nodeid)))
        items.sort(key=lambda item: -slowest[item.path])


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """What is started in the background or by nohup ignores signals, and hands that on; commands under test shall not.

    A handler, unlike a signal that is ignored, is not inherited. The seed is: all processes of a run have the same one.
    """
    os.environ["LOOPWRIGHT_SEED"] = str(SEED)
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if config.getoption("hypothesis_profile", None) is None:
        tiers.choose(config.getoption("tier"))
    compiled_once()
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        shut_out_here()  # where tests run; the processes that run them still need what coverage tells them


def compiled_once() -> None:
    """Commands under test find everything compiled, also where the environment keeps them from keeping it."""
    sys.dont_write_bytecode = False  # for the tests; what they start still has the environment
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for folder in ("src", "bench", "tests"):
            compileall.compile_dir(HERE.parent / folder, quiet=2, rx=NOT_STARTED)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"LOOPWRIGHT_SEED={SEED}")


@pytest.fixture(scope="session", autouse=True)
def plain_pytest_within() -> Iterator[None]:
    """The pytest of projects under test loads no plugins of this environment: that takes longer than their tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        yield


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def javascript(monkeypatch: pytest.MonkeyPatch) -> Toolbox:
    """Node and its packages, first on the PATH."""
    try:
        tools = toolbox()
    except Unavailable as why:
        pytest.skip(str(why))
    monkeypatch.setenv("PATH", tools.path)
    return tools


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[MakeStage]:
    """A project with one test that fails until app.txt says good; call it with the agent's answers."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "app.txt").write_text("bad")
    as_git(project)
    clock = FakeClock()
    with FileStore(project, LOOPS, clock, disk=UnsyncedDisk()) as store:

        def make(*answers: ScriptedTurn, **options: object) -> Stage:
            return Stage(project, store, answers=list(answers), clock=clock, **options)  # type: ignore[arg-type]  # options of Stage

        yield make


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """One for all tests of a process."""
    from tests.fleet.postgres import serve  # only the fleet's tests need it

    with serve() as server:
        yield server


DATABASES = count(1)


@pytest.fixture
def fleet_url(postgres: "Server") -> str:
    """An empty fleet, in a database of its own."""
    import psycopg  # as above

    from loopwright.fleet.database import connect, create_tables

    name = f"fleet_{next(DATABASES)}"
    with psycopg.connect(f"{postgres.url}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with connect(f"{postgres.url}{name}") as connection:
        create_tables(connection)
    return f"{postgres.url}{name}"


@pytest.fixture(scope="session")
def fleet_template(postgres: "Server") -> str:
    """A database with a queue and an account, `team`, of which the others are copies: to make one takes a second."""
    import psycopg  # as above

    from loopwright.fleet.database import Database
    from loopwright.fleet.queue import DbosDispatcher

    name = "fleet_template"
    with psycopg.connect(f"{postgres.url}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    database = Database(f"{postgres.url}{name}")
    dispatcher = DbosDispatcher(database)
    dispatcher.make_tables()
    dispatcher.set_account("team", 4, 2)
    database.close()
    return name


@pytest.fixture
def queue_url(postgres: "Server", fleet_template: str) -> str:
    """An empty fleet with its queue, in a database of its own."""
    import psycopg  # as above

    name = f"fleet_{next(DATABASES)}"
    with psycopg.connect(f"{postgres.url}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {fleet_template}")
    return f"{postgres.url}{name}"
