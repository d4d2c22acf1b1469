"""No attack on completion ends as succeeded with a broken product, and nothing honest is refused."""

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


@pytest.mark.parametrize("name", ATTACKS)
def test_a_broken_product_is_not_called_done(name: str, tmp_path: Path) -> None:
    verdict = try_row(ATTACKS[name], tmp_path)
    assert not verdict.got_through, verdict


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_not_refused(name: str, tmp_path: Path) -> None:
    verdict = try_row(HONEST[name], tmp_path)
    assert verdict.is_honest_success, verdict
