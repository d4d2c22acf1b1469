"""No attack on completion ends as succeeded with a broken product, and nothing honest is refused."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.court import try_row
from tests.attacks.rows import ATTACKS, HONEST
from tests.javascript import Unavailable, toolbox


@pytest.fixture(autouse=True, scope="module")
def _node() -> None:
    try:
        toolbox()
    except Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose path does not tell a product that it is tested."""
    with tempfile.TemporaryDirectory(prefix="loopwright-attack-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_broken_product_is_not_called_done(name: str, place: Path) -> None:
    verdict = try_row(ATTACKS[name], place)
    assert not verdict.got_through, verdict


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_not_refused(name: str, place: Path) -> None:
    verdict = try_row(HONEST[name], place)
    assert verdict.is_honest_success, verdict
