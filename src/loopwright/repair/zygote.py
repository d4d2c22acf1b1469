"""Processes that wait for candidates: a warm one has the project loaded, a cold one loads it anew each time."""

import gc
import importlib.machinery
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import FunctionType

import pytest

from . import sandbox
from .forks import Answer, ask_forked, end_group, fork, receive, send
from .session import Driver, collect_and
from .tree import relocate

Run = Callable[[Answer], Answer]


@dataclass(frozen=True)
class Project:
    """How this project's tests are collected; `origin` is where it really lives.

    `nodes`: pytest's node ids; a test's number is its place there.
    """

    arguments: Sequence[str]
    style: str
    origin: str
    root_on_path: bool
    nodes: Sequence[str] = ()


class Lane:
    """One server process. It takes one job at a time and answers each."""

    def __init__(self, serve: Callable[[int, int], None], tree: str, origin: str) -> None:
        job_out, self._jobs = os.pipe()
        self.answers, answer_into = os.pipe()
        self._pid = fork()
        if self._pid == 0:
            try:
                sandbox.die_with_parent()
                os.close(self._jobs)
                os.close(self.answers)
                os.chdir(tree)
                relocate(origin, tree)
                serve(job_out, answer_into)
            finally:
                os._exit(0)
        os.close(job_out)
        os.close(answer_into)

    def submit(self, job: Answer) -> None:
        with suppress(BrokenPipeError):  # a dead server shows when its answer is read
            send(self._jobs, job)

    def answer(self) -> Answer | None:
        """The next answer, None when the server died."""
        return receive(self.answers)

    def close(self) -> None:
        os.close(self._jobs)
        os.close(self.answers)
        end_group(self._pid)


def serve_warm(project: Project, tree: str) -> Callable[[int, int], None]:
    """A server that collects once; a job's `swaps` replace the code of loaded functions in a forked child."""

    def serve(jobs: int, answers: int) -> None:
        def loop(driver: Driver, items: list[pytest.Item]) -> None:
            numbered = _numbered(project, items)
            loaded = _loaded_functions(tree)
            gc.freeze()
            _serve(jobs, answers, lambda job: _warm(driver, numbered, loaded, job))

        collect_and(loop, project.arguments, project.style, plain=True)

    return serve


def serve_cold(project: Project, tree: str) -> Callable[[int, int], None]:
    """A server that has not loaded the project: each job's child imports it, with the job's `text` as one file."""

    def run(job: Answer) -> Answer:
        found: list[Answer] = []
        _override(os.path.join(tree, job["file"]), job["text"])

        def loop(driver: Driver, items: list[pytest.Item]) -> None:
            found.append(_run_plan(driver, _numbered(project, items), job))

        collect_and(loop, project.arguments, project.style, plain=True)
        return found[0] if found else {"turned": [], "broke": -1}

    return lambda jobs, answers: _serve(jobs, answers, run)


def _serve(jobs: int, answers: int, run: Run) -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    while (job := receive(jobs)) is not None:
        answer = ask_forked(partial(run, job), job["wall"])
        send(answers, {**(answer or {"turned": [], "broke": -1, "killed": True}), "id": job["id"]})


def _warm(
    driver: Driver, items: dict[int, pytest.Item], loaded: dict[tuple[str, str, int], list[FunctionType]], job: Answer
) -> Answer:
    for n, (name, line, code) in enumerate(job["swaps"]):
        live = loaded.get((job["file"], name, line), [])
        if n == 0 and not live:
            return {"turned": [], "broke": -1, "stale": True}
        for function in live:
            function.__code__ = code
    return _run_plan(driver, items, job)


def _run_plan(driver: Driver, items: dict[int, pytest.Item], job: Answer) -> Answer:
    """Failing tests first: leaves when none of the first `quick` turns, and at the first passing one that breaks.

    `ordered` keeps the project's own order instead, for tests that depend on it.
    """
    guards = {number for number, _ in job["guards"]}
    order = _order(job)
    turned: list[int] = []
    census: list[tuple[int, str, float]] = []
    for n, (number, seconds) in enumerate(order):
        if number not in items:
            return {"turned": [], "broke": number}
        following = items.get(order[n + 1][0]) if n + 1 < len(order) else None
        outcome = driver.run(items[number], following, seconds)
        census.append((number, outcome.status, outcome.seconds))
        if job["census"]:
            continue
        if number in guards and outcome.status != "passed":
            return {"turned": turned, "broke": number}
        if number not in guards and outcome.status == "passed":
            turned.append(number)
        if n == job["quick"] - 1 and not turned and not job["ordered"]:
            return {"turned": [], "broke": -1}
    return {"turned": turned, "broke": None, "census": census if job["census"] else []}


def _order(job: Answer) -> list[tuple[int, float]]:
    targets, guards = job["targets"], job["guards"]
    if job["ordered"]:
        return sorted([*targets, *guards])
    return [*targets[: job["quick"]], *guards, *targets[job["quick"] :]]


def _numbered(project: Project, items: list[pytest.Item]) -> dict[int, pytest.Item]:
    numbers = {node: number for number, node in enumerate(project.nodes)}
    return {numbers[item.nodeid]: item for item in items if item.nodeid in numbers}


def _loaded_functions(tree: str) -> dict[tuple[str, str, int], list[FunctionType]]:
    """Every living function of the project, decorated, aliased or captured, by file, qualified name and line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.startswith(tree + os.sep):
            code = thing.__code__
            file = code.co_filename[len(tree) + 1 :].replace(os.sep, "/")
            found.setdefault((file, code.co_qualname, code.co_firstlineno), []).append(thing)
    return found


def _override(path: str, text: str) -> None:
    """From now on this process imports `text` instead of what the file at `path` holds."""
    real = os.path.realpath(path)
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> object:
        name = str(self.get_filename(fullname))
        return (
            compile(text, name, "exec", dont_inherit=True)
            if os.path.realpath(name) == real
            else original(self, fullname)
        )

    setattr(loader, "get_code", get_code)  # noqa: B010 - replaces a method, in a forked child only
