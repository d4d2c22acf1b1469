"""A run of the tests as this process has made it, and all that its result follows from."""

from dataclasses import dataclass
from typing import NamedTuple

from loopwright.domain.testing import TestRun
from loopwright.ports import Snapshot


class RunKey(NamedTuple):
    """Runs of the same key in the same environment measure the same: the files, how tests are run, by which limits."""

    tree: str
    command: str
    test_timeout: float
    per_test_timeout: float | None
    silence_timeout: float


@dataclass(frozen=True)
class Measured:
    """A test run with the tree before and after it: what the run itself left there, and what changed meanwhile.

    `when` it was made, in words that follow "as measured".
    """

    run: TestRun
    here: Snapshot
    tree: str
    left: str
    key: RunKey
    when: str
    writes: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
