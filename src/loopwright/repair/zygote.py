"""Processes that wait for candidates, and those that have the project loaded."""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FunctionType

import pytest

from . import sandbox
from .copies import Copy
from .forks import Answer, end_group, fork, receive, send
from .screen import Screen
from .session import Driver, collect_and
from .state import State
from .tree import relocate


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
    """One server process. It takes a batch of jobs at a time and answers each job."""

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

    def submit(self, batch: Answer) -> None:
        """`jobs`, the `checks` of what they leave behind (test, seconds, status), `until` when (monotonic)."""
        with suppress(BrokenPipeError):  # a dead server shows when its answer is read
            send(self._jobs, batch)

    def answer(self) -> list[Answer] | None:
        """The answers to one batch, None when the server died."""
        told = receive(self.answers)
        return None if told is None else list(told["answers"])

    def close(self) -> None:
        os.close(self._jobs)
        os.close(self.answers)
        end_group(self._pid)


def serve_warm(project: Project, tree: str) -> Callable[[int, int], None]:
    """A server that collects once; a job's `swaps` replace the code of loaded functions in a forked child."""

    def start(jobs: int, answers: int) -> None:
        def loop(driver: Driver, items: list[pytest.Item]) -> None:
            screen = Screen(driver, numbered(project, items), _loaded_functions(tree), State(tree), tree)
            gc.freeze()
            serve(jobs, answers, screen.answers, tree)

        collect_and(loop, project.arguments, project.style, plain=True)

    return start


def serve(jobs: int, answers: int, run: Callable[[Answer], Iterator[Answer]], tree: str) -> None:
    """Answers batches until there are no more; what one candidate does to the files of the copy, no other meets."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    copy = Copy(tree, os.path.join(os.path.dirname(tree), "pristine"))
    while (batch := receive(jobs)) is not None:
        told = list(run(batch))
        if copy.put_back() and len(batch["jobs"]) > 1:
            told = []
            for job in batch["jobs"]:
                told += run({**batch, "jobs": [job]})
                copy.put_back()
        send(answers, {"answers": told})


def numbered(project: Project, items: list[pytest.Item]) -> dict[int, pytest.Item]:
    """The tests by their numbers; one whose name is another each time (it may tell the time) by its place."""
    numbers = {node: number for number, node in enumerate(project.nodes)}
    found = {numbers[item.nodeid]: item for item in items if item.nodeid in numbers}
    if len(found) < len(project.nodes) == len(items):
        for number, (node, item) in enumerate(zip(project.nodes, items, strict=True)):
            if number not in found and node.split("[")[0] == item.nodeid.split("[")[0]:
                found[number] = item
    return found


def _loaded_functions(tree: str) -> dict[tuple[str, str, int], list[FunctionType]]:
    """Every living function of the project, decorated, aliased or captured, by file, qualified name and line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.startswith(tree + os.sep):
            code = thing.__code__
            file = code.co_filename[len(tree) + 1 :].replace(os.sep, "/")
            found.setdefault((file, code.co_qualname, code.co_firstlineno), []).append(thing)
    return found
