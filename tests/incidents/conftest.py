"""A stage for whole cycles, beside that for loops."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.store.files import FileStore
from loopwright.wiring.stores import CYCLES
from tests.cycle.stage import CycleStage
from tests.fakes import FakeClock, UnsyncedDisk


@pytest.fixture
def cycle_stage(tmp_path: Path) -> Iterator[CycleStage]:
    """Its one test passes once app.txt says good."""
    project = tmp_path / "cycled"
    project.mkdir()
    (project / "app.txt").write_text("bad")
    with FileStore(project, CYCLES, FakeClock(), disk=UnsyncedDisk()) as store:
        yield CycleStage(project, store)
