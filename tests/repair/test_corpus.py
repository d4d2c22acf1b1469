"""Faulty programs, mended end to end: the fast ones. `bench/repair_soak.py` does the whole corpus."""

import asyncio
from pathlib import Path

import pytest

from tests.repair.cases import load, repair

FAST = ["missing_return", "unittest_package", "return_in_loop"]


@pytest.mark.parametrize("name", FAST)
def test_mended_and_right_beyond_its_tests(name: str, tmp_path: Path) -> None:
    done = asyncio.run(repair(load(name), tmp_path))
    assert done.right, [found.note for found in done.findings]
    assert [patch.still_failing for patch in done.patches] == [()]


def test_three_faults_one_after_the_other(tmp_path: Path) -> None:
    done = asyncio.run(repair(load("three_faults"), tmp_path))
    assert done.right, [found.note for found in done.findings]
    assert len({patch.file for patch in done.patches}) == 3
    assert [len(patch.still_failing) for patch in done.patches] == [2, 1, 0]


def test_what_can_not_be_mended_is_said(tmp_path: Path) -> None:
    done = asyncio.run(repair(load("unfixable"), tmp_path))
    (found,) = done.findings
    assert found.patch is None
    assert found.candidates > 50
    assert not done.green
