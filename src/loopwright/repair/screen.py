"""Many candidates in one process: those that are worth nothing are let go there, the others get a process each."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType

import pytest

from .differ import Calls, compared, named, varied
from .differ import brief as shortened
from .forks import Answer, ask_forked, told_by_fork
from .plan import brief, carried_out
from .seen import Seen
from .session import Driver, tear_down
from .state import State
from .values import exchanged

Loaded = Mapping[tuple[str, str, int], Sequence[FunctionType]]
"""Living functions by file, qualified name and line."""

Tests = Sequence[tuple[int, float]]
"""Their numbers, and the seconds that each may take."""

KILLED: Answer = {"turned": [], "broke": -1, "killed": True}
STALE: Answer = {"turned": [], "broke": -1, "stale": True}
"""The function is not loaded as it stands in the file: only a fresh import can show the change."""

_FEW = 4
"""Candidates that go together behind one that killed its process or spoilt it; twice as many with each good turn."""

_LATE = 1.0  # seconds behind the end of its time in which a comparison may still tell what it has

_SPOILT, _HELD = 3, 4
"""Candidates go together until so many lots left something behind, and one more for so many that did not."""


class Screen:
    """A loaded project, in which the code of functions is replaced. `state` is put back after each candidate."""

    def __init__(
        self, driver: Driver, items: Mapping[int, pytest.Item], loaded: Loaded, state: State, tree: str
    ) -> None:
        self._driver = driver
        self._items = items
        self._loaded = loaded
        self._state = state
        self._tree = tree
        self._fit: dict[int, bool] = {}
        self._spoilt = self._held = 0

    def answers(self, batch: Answer) -> Iterator[Answer]:
        """One for each of the batch's jobs, in their order; what is not reached until `until` has `unrun`."""
        jobs, until = batch["jobs"], batch["until"]
        if "look" in batch:
            seconds = until - time.monotonic()
            yield ask_forked(partial(self._seen, batch["look"], batch["root"]), seconds) or {"seen": []}
            return
        if "versions" in batch:
            work = partial(self._compared, batch["tests"], batch["versions"], until)
            patience = [until + _LATE - time.monotonic()] * (len(batch["versions"]) + 1)
            first, *others = [*told_by_fork(work, patience)] or [{"calls": []}]
            yield {**first, "outcomes": [other["outcomes"] for other in others]}
            return
        fit = [job for job in jobs if self._is_fit(job)]
        together = len(fit) > 1 and self._state.whole and self._is_worth_it()
        checks = [check for check in batch["checks"] if self._takes(check[0])]
        sifted = self._sift(fit, checks, until) if together else {}
        for job in jobs:
            yield {**(sifted.get(job["id"]) or alone(partial(self._whole, job), job, until)), "id": job["id"]}

    def _whole(self, job: Answer) -> Answer:
        return STALE if self._swap(job) is None else carried_out(self._driver, self._items, job)

    def _seen(self, tests: Tests, root: str) -> Answer:
        """The kinds of values that functions below `root` work on in these tests."""
        found = Seen(root)
        for number, seconds in tests:
            if number in self._items:
                found.start()
                self._driver.run(self._items[number], None, seconds)
                found.stop()
        return {
            "seen": [(*name, {one: list(k) for one, k in kinds.items()}) for name, kinds in found.functions.items()]
        }

    def _compared(self, tests: Tests, versions: Sequence[Answer], until: float) -> Iterator[Answer]:
        """Calls of the first one's function, as these tests make them or nearly so, and what comes of them under each.

        An outcome is a digest and a few words; what comes is told version by version, as far as there is time.
        """
        name, line, _ = versions[0]["swaps"][0]
        (function, *_) = self._loaded.get((versions[0]["file"], name, line), [None])
        if function is None:
            return
        calls = Calls(function.__code__)
        for number, seconds in tests:
            if number in self._items:
                calls.start()
                self._driver.run(self._items[number], None, seconds)
                calls.stop()
        inputs = varied(calls.found)
        yield {"calls": [named(function, call) for call in inputs]}
        for told in compared(function, [partial(self._put_in_order, one) for one in versions], inputs, until):
            yield {"outcomes": told and [(hash(text), shortened(text)) if text else None for text in told]}

    def _put_in_order(self, job: Answer) -> Callable[[], None] | None:
        """The job's code in the program as it was loaded, whatever ran in it since."""
        self._state.restore()
        return self._swap(job)

    def _sift(
        self, jobs: Sequence[Answer], checks: Sequence[tuple[int, float, str]], until: float
    ) -> dict[int, Answer]:
        """Final verdicts by id: of those that turned no test or broke one. One that kills the process goes last."""
        found: dict[int, Answer] = {}
        left, together = list(jobs), len(jobs)
        while left and time.monotonic() < until:
            part = left[:together]
            patience = [*(job["wall"] for job in part), 2.0 + 2 * sum(seconds for _, seconds, _ in checks)]
            told = list(told_by_fork(partial(self._together, part, checks, until), patience))
            if time.monotonic() >= until:
                break
            if len(told) < len(part):
                found[left.pop(len(told))["id"]] = KILLED
                together = _FEW
            elif told[len(part) :] == [{"clean": True}]:
                found |= {job["id"]: answer for job, answer in zip(part, told, strict=False) if is_final(answer)}
                left, together = left[len(part) :], 2 * together
                self._held += 1
            elif self._is_worth_it():
                left = left[0 if len(part) > 1 else 1 :]
                together = min(_FEW, max(1, len(part) // 2))
                self._spoilt += 1
            else:
                break
        return found

    def _is_fit(self, job: Answer) -> bool:
        first = brief(job)
        return all(self._takes(number) for number, _ in (*first["targets"], *first["guards"]))

    def _takes(self, number: int) -> bool:
        """Whether what this test is given can be put back; nothing has used it yet, for tests run in forks."""
        if number not in self._fit:
            item = self._items.get(number)
            given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
            self._fit[number] = self._state.takes(given)
        return self._fit[number]

    def _is_worth_it(self) -> bool:
        return self._spoilt < _SPOILT + self._held // _HELD

    def _together(
        self, jobs: Sequence[Answer], checks: Sequence[tuple[int, float, str]], until: float
    ) -> Iterator[Answer]:
        """The first tests of each, and at the end whether the unchanged project still fares as it should."""
        for job in jobs:
            if time.monotonic() >= until:
                return
            undo = self._swap(job)
            if undo is None:
                yield STALE
                continue
            answer = carried_out(self._driver, self._items, brief(job))
            undo()
            tear_down(next(iter(self._items.values())))
            self._state.restore()
            yield answer
        yield {"clean": all(self._driver.run(self._items[n], None, s).status == wanted for n, s, wanted in checks)}

    def _swap(self, job: Answer) -> Callable[[], None] | None:
        """Puts the job's code into the living functions; what takes it back, None where the function is not there."""
        if job["values"]:
            return self._exchange(job)
        before: list[tuple[FunctionType, CodeType]] = []
        for n, (name, line, code) in enumerate(job["swaps"]):
            live = self._loaded.get((job["file"], name, line), [])
            if n == 0 and not live:
                return None
            for function in live:
                before.append((function, function.__code__))
                function.__code__ = code

        def undo() -> None:
            for function, code in before:
                function.__code__ = code

        return undo

    def _exchange(self, job: Answer) -> Callable[[], None] | None:
        """The same for a value of a module or class, or for a function's defaults."""
        ((owner, _, line, _),) = job["values"]
        functions = self._loaded.get((job["file"], owner, line), [])
        undo = None
        with suppress(Exception):  # whatever comes of computing it, a fresh import will show
            undo = exchanged(job["values"], os.path.join(self._tree, job["file"]), functions)
        return undo


def alone(work: Callable[[], Answer], job: Answer, until: float) -> Answer:
    """The job's answer from a process of its own."""
    left = until - time.monotonic()
    return {**KILLED, "unrun": True} if left <= 0 else ask_forked(work, min(job["wall"], left)) or KILLED


def is_final(answer: Answer) -> bool:
    """Whether the first tests have told that the candidate turns nothing, or breaks something."""
    return not answer["turned"] or answer["broke"] is not None
