"""Processes that wait with everything loaded but the project: each job's child imports that anew, one file changed."""

import gc
import importlib
import importlib.machinery
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import CodeType

import pytest

from .forks import Answer, ask_forked
from .plan import brief, carried_out
from .screen import KILLED, alone, is_final
from .session import Driver, collect_and, driven
from .tree import is_test_file
from .zygote import Project, numbered, serve

_START_SECONDS = 60.0
_Run = Callable[[Answer], Answer]


def serve_cold(project: Project, tree: str) -> Callable[[int, int], None]:
    """A server whose jobs have a `file` and its whole `text`.

    It waits in a session that is about to collect, unless that has loaded the project by then (a conftest may do so).
    """

    def start(jobs: int, answers: int) -> None:
        select.select([jobs], [], [])  # most searches need none
        seen = ask_forked(lambda: _seen(project, tree), _START_SECONDS) or {"late": False, "files": [], "modules": []}
        codes = _compiled(seen["files"])

        def wait(run: _Run) -> None:
            for name in seen["modules"]:
                with suppress(Exception):
                    importlib.import_module(name)
            gc.freeze()
            serve(jobs, answers, partial(_answers, run), tree)

        def late(driver: Driver, session: pytest.Session, job: Answer) -> Answer:
            _put(tree, job, codes)
            session.perform_collect(_paths(project, session, job))
            return carried_out(driver, numbered(project, session.items), job)

        def early(job: Answer) -> Answer:
            _put(tree, job, codes)
            return _collected_and_run(project, job)

        if seen["late"]:
            waiting = _Waiting(lambda driver, session: wait(partial(late, driver, session)))
            driven(waiting, project.arguments, project.style, plain=True)
        else:
            wait(early)

    return start


class _Waiting(Driver):
    """Has work of its own done when the tests are about to be collected."""

    def __init__(self, work: Callable[[Driver, pytest.Session], None]) -> None:
        super().__init__(lambda driver, items: None, plain=True)
        self._work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        self._work(self, session)


def _answers(run: _Run, batch: Answer) -> Iterator[Answer]:
    """One for each job: its first tests decide whether all that it concerns are collected."""
    for job in batch["jobs"]:
        first = (
            {"turned": [0], "broke": None} if job["ordered"] else alone(partial(run, brief(job)), job, batch["until"])
        )
        answer = first if is_final(first) else alone(partial(run, job), job, batch["until"])
        yield {**answer, "id": job["id"]}


def _seen(project: Project, tree: str) -> Answer:
    """Whether the project is still unknown when collecting begins, and what is loaded when it has ended."""
    loaded: list[bool] = []

    def inside() -> dict[str, str]:
        files = {
            name: str(getattr(module, "__dict__", {}).get("__file__") or "") for name, module in sys.modules.items()
        }
        return {name: file for name, file in files.items() if file.startswith(tree + os.sep)}

    def look(driver: Driver, session: pytest.Session) -> None:
        loaded.append(any(not is_test_file(os.path.relpath(file, tree)) for file in inside().values()))

    before = set(sys.modules)
    driven(_Waiting(look), project.arguments, project.style, plain=True)
    ours = inside()
    return {
        "late": loaded == [False],
        "files": sorted(file for file in ours.values() if file.endswith(".py")),
        "modules": [name for name in sys.modules if name not in before and name not in ours],
    }


def _compiled(files: list[str]) -> dict[str, CodeType]:
    found = {}
    for file in files:
        with suppress(OSError, SyntaxError, ValueError), open(file, "rb") as source:
            found[os.path.realpath(file)] = compile(source.read(), file, "exec", dont_inherit=True)
    return found


def _paths(project: Project, session: pytest.Session, job: Answer) -> list[str] | None:
    """The files of the job's tests; None for all that the project collects."""
    if job["ordered"] and not job.get("written"):
        return None
    nodes = [project.nodes[number] for number, _ in (*job["targets"], *job["guards"])]
    return [str(session.config.rootpath / file) for file in dict.fromkeys(node.split("::")[0] for node in nodes)]


def _collected_and_run(project: Project, job: Answer) -> Answer:
    found: list[Answer] = []

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        found.append(carried_out(driver, numbered(project, items), job))

    collect_and(loop, project.arguments, project.style, plain=True)
    return found[0] if found else KILLED


def _put(tree: str, job: Answer, codes: dict[str, CodeType]) -> None:
    """The changed file for this process, and for those that it starts where the job wants it `written`."""
    path = os.path.join(tree, job["file"])
    _override(path, job["text"], codes)
    if job.get("written"):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(job["text"])


def _override(path: str, text: str, codes: dict[str, CodeType]) -> None:
    """From now on this process imports `text` instead of what the file at `path` holds, and compiles no other again."""
    real = os.path.realpath(path)
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> object:
        name = os.path.realpath(str(self.get_filename(fullname)))
        if name == real:
            return compile(text, str(self.get_filename(fullname)), "exec", dont_inherit=True)
        return codes.get(name) or original(self, fullname)

    setattr(loader, "get_code", get_code)  # noqa: B010 - replaces a method, in a forked child only
