"""Many candidates in one process: those that are worth nothing are let go there, the others get a process each."""

import asyncio
import copy
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import date, timedelta
from functools import partial
from itertools import islice
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from .budget import HANG, TimeUp, compute_lifetime, limit_life, limit_processor_time
from .candidate import exchange_values
from .forks import Answer, ask_forked, stream_forked
from .session import SessionDriver, tear_down
from .state import ModuleState
from .type_inference import TypeTraceLog

if TYPE_CHECKING:
    from _typeshed import TraceFunction


_WAITED_FOR = HANG / 4  # seconds: a test that had more, and did not come to its end, seldom would with more
_GUARDS = 8  # passing tests that a candidate must not break before it is tried further


def run_job(driver: SessionDriver, items: Mapping[int, pytest.Item], job: Answer) -> Answer:
    """Failing tests first: leaves when none of the first `quick` turns, and at the first passing one that breaks.

    So does one that makes a test endless that was not; of those that were, one that still is speaks for the others.
    With more time a candidate that is `late` may fare better, the more so if all went well `so_far`.
    `ordered` keeps the project's own order instead, for tests that depend on it.
    """
    guards = {number for number, _ in job["guards"]}
    order = _order(job)
    turned: list[int] = []
    census: list[tuple[int, str, str, float]] = []
    endless, ran = False, 0
    for n, (number, seconds) in enumerate(order):
        if number not in items:
            if job["census"]:
                continue
            return {"turned": [], "broke": number}
        if n == job["quick"] and not (turned or job["ordered"] or job["census"]):
            break
        if endless and number in job["endless"]:
            tear_down(items[number])
            continue
        following = items.get(order[n + 1][0]) if n + 1 < len(order) else None
        with nullcontext() if job["census"] else limit_life(compute_lifetime(seconds)):
            outcome = driver.run(items[number], following, seconds)
        census.append((number, outcome.status, outcome.error, outcome.seconds))
        if job["census"]:
            continue
        if number in guards and outcome.status != "passed":
            return {"turned": turned, "broke": number}
        if number not in guards and outcome.status == "passed":
            turned.append(number)
        ran += number not in guards and outcome.error != "TimeUp"
        if outcome.error == "TimeUp":
            if number not in job["endless"]:
                late = number not in guards and seconds < _WAITED_FOR
                return {"turned": turned, "broke": number, "late": late, "so_far": late and len(turned) == ran}
            endless = True
    broke = None if turned else -1
    return {"turned": turned, "broke": broke, "late": endless, "census": census if job["census"] else []}


def plan_first_tests(job: Answer) -> Answer:
    """The job's first tests: what breaks or turns none of these needs no more."""
    return {**job, "targets": job["targets"][: job["quick"]], "guards": job["guards"][:_GUARDS]}


def _order(job: Answer) -> list[tuple[int, float]]:
    targets, guards = job["targets"], job["guards"]
    if job["ordered"]:
        return sorted([*targets, *guards])
    if job.get("backwards"):
        return sorted([*targets, *guards], reverse=True)
    return [*targets[: job["quick"]], *guards, *targets[job["quick"] :]]


Arguments = dict[str, object]

Version = Callable[[], Callable[[], None] | None]
"""Puts its code in place, and gives what takes it back."""

_CALLS, _INPUTS = 24, 240
_SECONDS = 0.2
_ENDLESS, _DIFFER_WAITED_FOR = "does not end", 3
_WIDTH = 80
_ITEMS = 50
_FIXED = (type, FunctionType, ModuleType)
_ADDRESS = re.compile(r"0x[0-9a-f]+")


class CallRecorder:
    """Keeps copies of what one function is called with, as long as it can be copied."""

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self.found: list[Arguments] = []

    def start(self) -> None:
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if frame.f_code is self._code and len(self.found) < _CALLS:
            sys.settrace(None)  # copying runs code, too
            with suppress(Exception):  # whatever a value's own copying raises: this call is left out
                self.found.append(copy.deepcopy({name: frame.f_locals[name] for name in parameters(self._code)}))
            sys.settrace(self._called)
        return None


def parameters(code: CodeType) -> tuple[str, ...]:
    """Names without `*args` and `**kwargs`."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def vary_calls(calls: Sequence[Arguments]) -> list[Arguments]:
    """The calls, and each with one argument changed a little; the smallest first."""
    found: dict[str, Arguments] = {}
    for call in calls:
        for one in (call, *_changed(call)):
            found.setdefault(render_arguments(one), one)
    return [found[text] for text in sorted(found, key=lambda text: (len(text), text))][:_INPUTS]


def _changed(call: Arguments) -> Iterator[Arguments]:
    for name, value in call.items():
        for other in _others(value):
            yield {**call, name: other}


def _others(value: object) -> list[object]:
    """Values beside this one: of what is not plain, those with one attribute changed."""
    with suppress(Exception):  # it may refuse to be copied, or to be made of what it holds
        return _plain_others(value) or [*_altered(value)]
    return []


def _altered(value: object) -> Iterator[object]:
    fields = getattr(value, "__dict__", None)
    for name, field in list(fields.items()) if isinstance(fields, dict) and not isinstance(value, _FIXED) else ():
        for other in _plain_others(field):
            twin = copy.copy(value)
            object.__setattr__(twin, name, other)
            yield twin


def _plain_others(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [0, value + 1, value - 1, -value, value * 2]
    if isinstance(value, date):
        return [value + timedelta(days=1), value - timedelta(days=1)]
    if isinstance(value, str):
        return ["", value[1:], value + value[:1], value.upper(), f" {value}"]
    if isinstance(value, (list, tuple)):
        return [value[:0], value[1:], type(value)([*value, *value[:1]]), value[::-1]]
    if isinstance(value, dict) and value:
        return [{}, dict(list(value.items())[1:])]
    return [set(sorted(value, key=repr)[1:])] if isinstance(value, set) and value else []


def run_call(function: FunctionType, call: Arguments) -> str:
    """What comes of it: `gives` what comes back and what is left in its arguments, `raises` which exception."""
    mine = copy.deepcopy(call)
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]

    def compute() -> str:
        given = function(*(mine[name] for name in positional), **{k: v for k, v in mine.items() if k not in positional})
        given = asyncio.run(given) if isinstance(given, Coroutine) else given
        given = list(islice(given, _ITEMS)) if isinstance(given, Iterator) else given
        left = "" if render_arguments(mine) == render_arguments(call) else f", and leaves {render_arguments(mine)}"
        return f"gives {_text(given)}{left}"

    with limit_processor_time(_SECONDS):
        done = pytest.CallInfo.from_call(compute, "call")
    if done.excinfo is None:
        return done.result
    return _ENDLESS if done.excinfo.errisinstance(TimeUp) else f"raises {done.excinfo.typename}"


def run_calls(function: FunctionType, version: Version, calls: Sequence[Arguments], until: float) -> list[str] | None:
    """What comes of each call; None where the code cannot be put in place, or not all was seen `until` (monotonic).

    Where some did not end, the others are not waited for: nothing is known of these (an empty text).
    """
    undo = version()
    if undo is None:
        return None
    found: list[str] = []
    for call in calls:
        if time.monotonic() > until:
            break
        found.append("" if found.count(_ENDLESS) >= _DIFFER_WAITED_FOR else run_call(function, call))
    undo()
    return found if len(found) == len(calls) else None


def compare_versions(
    function: FunctionType, versions: Sequence[Version], calls: Sequence[Arguments], until: float
) -> Iterator[list[str] | None]:
    """What comes of each call under each version, one after the other; the first tells what can be compared.

    Calls with which it does not do the same twice depend on chance: nothing is known of these.
    """
    first, *others = versions
    twice = [run_calls(function, first, calls, until) for _ in range(2)]
    usual = twice[0] and twice[1] and [a if a == b else "" for a, b in zip(*twice, strict=True)]
    yield usual
    for other in others if usual else ():
        yield run_calls(function, other, calls, until)


def render_arguments(call: Arguments) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in call.items())


def _text(value: object) -> str:
    plain = f"<{type(value).__name__}>"
    with suppress(Exception):  # it may not be able to show itself
        plain = repr(value)
    fields = getattr(value, "__dict__", None)
    if " object at 0x" in plain and isinstance(fields, dict):
        plain = f"{type(value).__name__}({', '.join(f'{k}={_text(v)}' for k, v in fields.items())})"
    return _ADDRESS.sub("…", plain)


def render_call(function: FunctionType, call: Arguments) -> str:
    """The call as a person reads it."""
    return f"{function.__name__}({shorten_text(render_arguments(call))})"


def shorten_text(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


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


class CandidateScreen:
    """A loaded project, in which the code of functions is replaced. `state` is put back after each candidate."""

    def __init__(
        self, driver: SessionDriver, items: Mapping[int, pytest.Item], loaded: Loaded, state: ModuleState, tree: str
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
            first, *others = [*stream_forked(work, patience)] or [{"calls": []}]
            yield {**first, "outcomes": [other["outcomes"] for other in others]}
            return
        fit = [job for job in jobs if self._is_fit(job)]
        together = len(fit) > 1 and self._state.whole and self._is_worth_it()
        checks = [check for check in batch["checks"] if self._takes(check[0])]
        sifted = self._sift(fit, checks, until) if together else {}
        for job in jobs:
            yield {**(sifted.get(job["id"]) or run_job_alone(partial(self._whole, job), job, until)), "id": job["id"]}

    def _whole(self, job: Answer) -> Answer:
        return STALE if self._swap(job) is None else run_job(self._driver, self._items, job)

    def _seen(self, tests: Tests, root: str) -> Answer:
        """The kinds of values that functions below `root` work on in these tests."""
        found = TypeTraceLog(root)
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
        calls = CallRecorder(function.__code__)
        for number, seconds in tests:
            if number in self._items:
                calls.start()
                self._driver.run(self._items[number], None, seconds)
                calls.stop()
        inputs = vary_calls(calls.found)
        yield {"calls": [render_call(function, call) for call in inputs]}
        for told in compare_versions(function, [partial(self._put_in_order, one) for one in versions], inputs, until):
            yield {"outcomes": told and [(hash(text), shorten_text(text)) if text else None for text in told]}

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
            told = list(stream_forked(partial(self._together, part, checks, until), patience))
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
        first = plan_first_tests(job)
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
            answer = run_job(self._driver, self._items, plan_first_tests(job))
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
            undo = exchange_values(job["values"], os.path.join(self._tree, job["file"]), functions)
        return undo


def run_job_alone(work: Callable[[], Answer], job: Answer, until: float) -> Answer:
    """The job's answer from a process of its own."""
    left = until - time.monotonic()
    return {**KILLED, "unrun": True} if left <= 0 else ask_forked(work, min(job["wall"], left)) or KILLED


def is_final(answer: Answer) -> bool:
    """Whether the first tests have told that the candidate turns nothing, or breaks something."""
    return not answer["turned"] or answer["broke"] is not None
