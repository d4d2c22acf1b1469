"""A project and a store for whole tuning sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.store.files import FileStore
from loopwright.wiring.stores import TUNINGS
from tests.fakes import FakeClock, UnsyncedDisk
from tests.tune.session.stage import TuneStage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[TuneStage]:
    project = tmp_path / "project"
    project.mkdir()
    with FileStore(project, TUNINGS, FakeClock(), disk=UnsyncedDisk()) as store:
        yield TuneStage(project, store)
