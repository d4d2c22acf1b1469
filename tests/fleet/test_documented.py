"""docs/fleet.md, done as it says: every command that can be run here is, in order."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.core.config import load_config
from tests.command_lines import calls_of_page, parse_call, strange_variables
from tests.fleet.postgres import find_program
from tests.fleet.real_fleet import RealFleet, open_fleet
from tests.real_command import COMMAND

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "fleet.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SCRIPT = [line for name, block in BLOCKS if not name for line in block.splitlines()]
NOT_HERE = ("sudo ", "pip ", "export ", "loopwright fleet worker", "loopwright pr ")
"""Needs another machine or a forge; the worker is started with --drain."""


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


def test_every_command_and_variable_is_there() -> None:
    calls = [*calls_of_page(PAGE)]
    assert len(calls) >= 10
    for call in calls:
        parse_call(call)
    assert strange_variables(PAGE) == set()


def test_every_file_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)", PAGE)
    assert len(links) > 8
    assert [link for link in links if not link.startswith("http") and not (ROOT / "docs" / link).is_file()] == []


def test_its_settings_are_taken(tmp_path: Path) -> None:
    for block in (block for name, block in BLOCKS if name == "toml"):
        (tmp_path / "loopwright.toml").write_text(block)
        fleet = load_config(tmp_path, {}, {}).fleet
        assert tomllib.loads(block)["fleet"] == fleet.model_dump(exclude_unset=True)


def test_the_first_hour_and_the_rest(fleet: RealFleet) -> None:
    examples = fleet.project.root / "examples"
    examples.symlink_to(ROOT / "examples")
    (fleet.project.root / ".git" / "info" / "exclude").write_text("examples\n")
    (fleet.project.root / "test_nothing.py").write_text("def test_it():\n    assert 1 == 1\n")
    run, ran = "", []
    for line in (line for line in SCRIPT if not line.startswith(NOT_HERE)):
        told = shell(fleet, line.replace("ID", run or "ID"))
        ran.append(line.split()[0])
        if line.startswith("loopwright submit"):
            run = told.split()[0]
            machine = fleet.machine().start("--drain")
            assert machine.process
            assert machine.process.wait(90) == 0, machine.output
            assert f"{run} finished" in machine.output
        if line.startswith("loopwright fetch"):
            assert f"{run}: finished" in told
    assert set(ran) == {"loopwright", "psql", "pg_dump"}
    assert (fleet.project.root / "fleet.dump").stat().st_size > 1000
    assert fleet.git("ls-remote", "origin", f"refs/loopwright/{run}/*") == ""


def shell(fleet: RealFleet, line: str) -> str:
    """What a line of the page prints."""
    tools = fleet.folder / "bin"
    tools.mkdir(exist_ok=True)
    for name in ("psql", "pg_dump"):
        (tools / name).unlink(missing_ok=True)
        (tools / name).symlink_to(find_program(name))
    (tools / "loopwright").write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    (tools / "loopwright").chmod(0o755)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=fleet.project.root,
        capture_output=True,
        text=True,
        env={**fleet.environment, "PATH": f"{tools}:{os.environ['PATH']}"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout
