"""A project and a store for whole cycles."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.core.ports import Store
from loopwright.store.files import FileStore
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import CycleStage, MakeCycleStage
from tests.fakes import FakeClock, UnsyncedDisk
from tests.stage import as_git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """In a git of its own with nothing in it, as most are; what one without is like is tests/workspace's."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.txt").write_text("bad")
    as_git(folder)
    return folder


@pytest.fixture
def cycles(project: Path) -> Iterator[Store[CycleState]]:
    with FileStore(project, CYCLES, FakeClock(), disk=UnsyncedDisk()) as store:
        yield store


@pytest.fixture
def make_stage(project: Path, cycles: Store[CycleState]) -> MakeCycleStage:
    def make(**given: object) -> CycleStage:
        return CycleStage(project, cycles, **given)  # type: ignore[arg-type]  # as CycleStage takes them

    return make
