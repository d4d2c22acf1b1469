"""A project and the server's application on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.office import Office, opened_office


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder; what is kept for the user lies beside it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "ledger.py").write_text("start = 1\n")
    return folder


@pytest.fixture
def office(shop: Path) -> Iterator[Office]:
    with opened_office(shop) as opened:
        yield opened


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """One for many requests that change nothing."""
    base = tmp_path_factory.mktemp("refusing")
    (base / "shop").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        with opened_office(base / "shop") as opened:
            yield opened
