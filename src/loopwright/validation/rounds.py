"""The processes that one test run takes: more than one where tests have to be run behind one that did not end."""

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace

from loopwright.ports import TestOrder
from loopwright.validation.python import probe
from loopwright.validation.reading import Reading
from loopwright.validation.watch import Watch
from loopwright.workspace.process import Finished

_SHORTEST = 1.0  # seconds

RunOnce = Callable[[Mapping[str, str], float], Awaitable[Finished]]
"""Runs the command in an environment, within so many seconds."""


class Rounds:
    """Runs a command until every test has its result.

    A process that was ended over a test is followed by one for the tests it owes. Tests that were ended before all
    others had been run are run once more at the end, where all others took so long that they may take longer.
    """

    def __init__(
        self, order: TestOrder, watch: Watch, read: Callable[[], Reading], environment: Mapping[str, str]
    ) -> None:
        self._order = order
        self._watch = watch
        self._read = read
        self._environment = environment
        self._again: frozenset[str] = frozenset()
        self._known: frozenset[str] = frozenset()

    async def run(self, run_once: RunOnce) -> Finished:
        """All of it as if it had been one process, that ended as the last one did."""
        begun, rounds = time.monotonic(), list[Finished]()
        environment: Mapping[str, str] | None = self._environment
        while environment is not None:
            left = self._order.timeout - (time.monotonic() - begun)
            async with self._watch.watching():
                rounds.append(await run_once(environment, max(left, _SHORTEST)))
            environment = self._following() if rounds[-1].cut is None else None
        return replace(
            rounds[-1],
            output="".join(one.output for one in rounds),
            truncated=any(one.truncated for one in rounds),
            duration_ms=(time.monotonic() - begun) * 1000,
        )

    def _following(self) -> Mapping[str, str] | None:
        """The environment of the next process; None where there is nothing left to run."""
        watch = self._watch
        if not watch.endless or self._has_others():
            return None
        if watch.killed:
            return self._rest(watch.killed)
        again = frozenset(watch.too_soon()) - self._again
        if not again:
            return None
        self._again = again
        watch.forget(again)
        probe.retract(watch.folder, again)
        return probe.narrowed(self._environment, only=again)

    def _rest(self, killed: Collection[int]) -> Mapping[str, str] | None:
        for pid in killed:
            probe.settle(self._watch.folder, pid)
        known = frozenset(result.key for result in self._read().results) | frozenset(self._watch.endless)
        if known == self._known:  # it does not keep to what it was asked for
            return None
        self._known = known
        return probe.narrowed(self._environment, only=self._again or self._order.only, without=known)

    def _has_others(self) -> bool:
        """Whether tests in other languages were run too: those can not be left out."""
        return any(file.suffix in (".ndjson", ".out") for file in self._watch.folder.iterdir())
