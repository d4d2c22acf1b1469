"""What every process of a loop carries: tags in its environment, and a number among its limits."""

import hashlib
import os
import resource
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from loopwright.workspace.living import carries, now
from loopwright.workspace.starting import STARTING

LOOP, PROJECT, RUN = "LOOPWRIGHT_LOOP", "LOOPWRIGHT_PROJECT", "LOOPWRIGHT_RUN"
"""Environment variables. Copies of a project hold loops of the same id, so a loop is named by both."""

_SPARE_LIMIT = 10
"""RLIMIT_LOCKS. Linux has enforced nothing by it since 2.4, but every fork and exec hands it on, `env -i` and setsid
too; so its soft limit, else endless, can carry a number where a cleaned environment carries nothing."""

_LOOP_BITS, _RUN_BITS = 36, 26


@dataclass(frozen=True)
class Mark:
    """Tells the processes of one loop from all others; with `run`, 32 hex digits, those of one run from its others.

    No process that was `started` before `since` carries it.
    """

    loop: str
    project: str
    run: str = ""
    since: int = 0

    def with_run(self) -> "Mark":
        """A mark for a run that begins."""
        return Mark(self.loop, self.project, secrets.token_hex(16), now())

    def environment(self, more: Mapping[str, str], without: Collection[str] = ()) -> dict[str, str]:
        """Our own environment `without` some variables, with `more` and the tags."""
        ours = {name: value for name, value in os.environ.items() if name not in without}
        return {**ours, **more, **self._tags}

    @contextmanager
    def handed_on(self) -> Iterator[None]:
        """What is started inside of this block carries the number; nothing may be awaited there."""
        with STARTING:
            soft, hard = resource.getrlimit(_SPARE_LIMIT)
            try:
                resource.setrlimit(_SPARE_LIMIT, (self._number, hard))
            except (ValueError, OSError):  # a low hard limit: the tags have to do
                yield
                return
            try:
                yield
            finally:
                resource.setrlimit(_SPARE_LIMIT, (soft, hard))

    def is_on(self, pid: int) -> bool:
        """Whether that process carries this mark, by its number or by its tags."""
        return self._fits(_number_of(pid)) or carries(pid, self._tags)

    def _fits(self, number: int) -> bool:
        return number == self._number if self.run else number >> _RUN_BITS == self._number >> _RUN_BITS

    @cached_property
    def _tags(self) -> dict[str, str]:
        tags = {LOOP: self.loop, PROJECT: self.project}
        return {**tags, RUN: self.run} if self.run else tags

    @cached_property
    def _number(self) -> int:
        """Below 2⁶²: the loop's part first, then the run's."""
        name = hashlib.sha256(os.fsencode(f"{self.project}\0{self.loop}")).digest()
        loop = int.from_bytes(name[:8]) >> (64 - _LOOP_BITS)
        run = int(self.run[:8], 16) >> (32 - _RUN_BITS) if self.run else 0
        return loop << _RUN_BITS | run


def _number_of(pid: int) -> int:
    """-1 for a process that carries none, is gone, or is not ours."""
    try:
        return resource.prlimit(pid, _SPARE_LIMIT)[0]
    except OSError:
        return -1
