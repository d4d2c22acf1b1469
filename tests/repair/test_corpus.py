"""Faulty programs, mended end to end: the fast ones. `bench/repair_soak.py` does the whole corpus."""

import asyncio
from collections.abc import Callable
from functools import cache

import pytest

from tests.repair.cases import Repair, load, repair

FAST = [
    "missing_return", "unittest_package", "return_in_loop",
    "remembered_results", "left_on_disk",  # what one candidate leaves behind must not spoil the next
    "borrowed_constant",  # a conftest has loaded the project before a candidate's import
]  # fmt: skip
UNFIXABLE = ["unfixable", "contradiction"]


Repaired = Callable[[str], Repair]


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Repaired:
    """What came of a case; each is mended once."""
    return cache(lambda name: asyncio.run(repair(load(name), tmp_path_factory.mktemp(name))))


@pytest.mark.parametrize("name", FAST)
def test_mended_and_right_beyond_its_tests(name: str, repaired: Repaired) -> None:
    done = repaired(name)
    assert done.right, [found.note for found in done.findings]
    assert [patch.still_failing for patch in done.patches] == [()]


def test_three_faults_one_after_the_other(repaired: Repaired) -> None:
    done = repaired("three_faults")
    assert done.right, [found.note for found in done.findings]
    assert len({patch.file for patch in done.patches}) == 3
    assert [len(patch.still_failing) for patch in done.patches] == [2, 1, 0]


@pytest.mark.parametrize("name", UNFIXABLE)
def test_what_can_not_be_mended_is_said(name: str, repaired: Repaired) -> None:
    done = repaired(name)
    (found,) = done.findings
    assert found.patch is None
    assert found.candidates > 50
    assert not done.green


def test_what_mends_one_test_and_breaks_another_is_told(repaired: Repaired) -> None:
    (found,) = repaired("contradiction").findings
    assert (
        "close, and not right: compare with `<=` instead of `<` (tariff.py:2) turns 1 of 1 failing tests" in found.note
    )
    assert "but breaks test_tariff.py::test_twelve_pays_in_full" in found.note
