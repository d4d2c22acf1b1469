"""Processes that wait for candidates, and those that have the project loaded."""

import gc
import importlib
import importlib.machinery
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType

import pytest

from . import sandbox
from .forks import Answer, ask_forked, end_group, fork, receive_message, send_message
from .overlay import is_laid_over, list_folders, sign_changes
from .screen import KILLED, CandidateScreen, is_final, plan_first_tests, run_job, run_job_alone
from .session import SessionDriver, collect_and_run, drive_session
from .state import ModuleState
from .tree import Sign, is_test_file, relocate, sign_files


class ProjectCopy:
    """`pristine` is another copy, which nothing has touched; files that only this one has are not brought back."""

    def __init__(self, tree: str, pristine: str) -> None:
        self._tree = tree
        self._pristine = pristine
        self._before = self._sign()

    def _sign(self) -> dict[str, Sign]:
        return sign_changes(self._tree) if is_laid_over(self._tree) else dict(sign_files(self._tree))

    def put_back(self) -> bool:
        """Whether something had changed since; it is as it was before now."""
        now = self._sign()
        if now == self._before:
            return False
        for name in now.keys() - self._before.keys():
            if not os.path.lexists(os.path.join(self._pristine, name)):
                _remove(os.path.join(self._tree, name))
        changed = {name for name, _ in now.items() ^ self._before.items()} - set(list_folders(now))
        for name in sorted(changed):  # what is in the place of a folder before what lay in it
            self._bring(name)
        if is_laid_over(self._tree):  # a folder that was removed and made anew hides what it held
            for folder in list_folders(now):
                for name in _inside(self._pristine, folder) - _inside(self._tree, folder):
                    self._bring(name)
        self._before = self._sign()
        return True

    def _bring(self, name: str) -> None:
        source, target = os.path.join(self._pristine, name), os.path.join(self._tree, name)
        if not os.path.lexists(source):
            return
        _remove(target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source) and not os.path.islink(source):
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target, follow_symlinks=False)


def _inside(root: str, folder: str) -> set[str]:
    with suppress(FileNotFoundError, NotADirectoryError):
        return {os.path.join(folder, name) for name in os.listdir(os.path.join(root, folder))}
    return set()


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


@dataclass(frozen=True)
class CollectedProject:
    """How this project's tests are collected; `origin` is where it really lives.

    `nodes`: pytest's node ids; a test's number is its place there. `files`: those that hold them, where no other does.
    """

    arguments: Sequence[str]
    style: str
    origin: str
    root_on_path: bool
    nodes: Sequence[str] = ()
    files: Sequence[str] = ()


class ForkServer:
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
            send_message(self._jobs, batch)

    def answer(self) -> list[Answer] | None:
        """The answers to one batch, None when the server died."""
        told = receive_message(self.answers)
        return None if told is None else list(told["answers"])

    def close(self) -> None:
        os.close(self._jobs)
        os.close(self.answers)
        end_group(self._pid)


def serve_warm(project: CollectedProject, tree: str) -> Callable[[int, int], None]:
    """A server that collects once; a job's `swaps` replace the code of loaded functions in a forked child."""

    def start(jobs: int, answers: int) -> None:
        def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
            # every living function of the project, decorated, aliased or captured
            found: dict[tuple[str, str, int], list[FunctionType]] = {}
            for thing in gc.get_objects():
                if type(thing) is FunctionType and thing.__code__.co_filename.startswith(tree + os.sep):
                    code = thing.__code__
                    file = code.co_filename[len(tree) + 1 :].replace(os.sep, "/")
                    found.setdefault((file, code.co_qualname, code.co_firstlineno), []).append(thing)
            screen = CandidateScreen(driver, number_items(project, items), found, ModuleState(tree), tree)
            gc.freeze()
            serve_jobs(jobs, answers, screen.answers, tree)

        collect_and_run(loop, project.arguments, project.style, plain=True, files=project.files)

    return start


def serve_jobs(jobs: int, answers: int, run: Callable[[Answer], Iterator[Answer]], tree: str) -> None:
    """Answers batches until there are no more; what one candidate does to the files of the copy, no other meets."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    copy = ProjectCopy(tree, os.path.join(os.path.dirname(tree), "pristine"))
    while (batch := receive_message(jobs)) is not None:
        told = list(run(batch))
        if copy.put_back() and len(batch["jobs"]) > 1:
            told = []
            for job in batch["jobs"]:
                told += run({**batch, "jobs": [job]})
                copy.put_back()
        send_message(answers, {"answers": told})


def number_items(project: CollectedProject, items: list[pytest.Item]) -> dict[int, pytest.Item]:
    """The tests by their numbers; one whose name is another each time (it may tell the time) by its place."""
    numbers = {node: number for number, node in enumerate(project.nodes)}
    found = {numbers[item.nodeid]: item for item in items if item.nodeid in numbers}
    if len(found) < len(project.nodes) == len(items):
        for number, (node, item) in enumerate(zip(project.nodes, items, strict=True)):
            if number not in found and node.split("[")[0] == item.nodeid.split("[")[0]:
                found[number] = item
    return found


_START_SECONDS = 60.0
_Run = Callable[[Answer], Answer]


def serve_cold(project: CollectedProject, tree: str) -> Callable[[int, int], None]:
    """A server whose jobs have a `file` and its whole `text`.

    It waits in a session that is about to collect, unless that has loaded the project by then (a conftest may do so).
    """

    def start(jobs: int, answers: int) -> None:
        select.select([jobs], [], [])  # most searches need none
        seen = ask_forked(lambda: _seen(project, tree), _START_SECONDS) or {"late": False, "files": [], "modules": []}
        codes = {}
        for file in seen["files"]:
            with suppress(OSError, SyntaxError, ValueError), open(file, "rb") as source:
                codes[os.path.realpath(file)] = compile(source.read(), file, "exec", dont_inherit=True)

        def wait(run: _Run) -> None:
            for name in seen["modules"]:
                with suppress(Exception):
                    importlib.import_module(name)
            gc.freeze()
            serve_jobs(jobs, answers, partial(_answers, run), tree)

        def late(driver: SessionDriver, session: pytest.Session, job: Answer) -> Answer:
            _put(tree, job, codes)
            session.perform_collect(_paths(project, session, job))
            return run_job(driver, number_items(project, session.items), job)

        def early(job: Answer) -> Answer:
            found: list[Answer] = []

            def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
                found.append(run_job(driver, number_items(project, items), job))

            _put(tree, job, codes)
            collect_and_run(loop, project.arguments, project.style, plain=True, files=project.files)
            return found[0] if found else KILLED

        if seen["late"]:
            waiting = _Waiting(lambda driver, session: wait(partial(late, driver, session)), project.files)
            drive_session(waiting, project.arguments, project.style, plain=True)
        else:
            wait(early)

    return start


class _Waiting(SessionDriver):
    """Has work of its own done when the tests are about to be collected."""

    def __init__(self, work: Callable[[SessionDriver, pytest.Session], None], files: Sequence[str]) -> None:
        super().__init__(lambda driver, items: None, plain=True, files=files)
        self._work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        self._work(self, session)


def _answers(run: _Run, batch: Answer) -> Iterator[Answer]:
    """One for each job: its first tests decide whether all that it concerns are collected."""
    for job in batch["jobs"]:
        answer: Answer = {"turned": [0], "broke": None}
        if not job["ordered"]:
            answer = run_job_alone(partial(run, plan_first_tests(job)), job, batch["until"])
        if not is_final(answer):
            answer = run_job_alone(partial(run, job), job, batch["until"])
        yield {**answer, "id": job["id"]}


def _seen(project: CollectedProject, tree: str) -> Answer:
    """Whether the project is still unknown when collecting begins, and what is loaded when it has ended."""
    loaded: list[bool] = []

    def inside() -> dict[str, str]:
        fields = {name: getattr(module, "__dict__", {}) for name, module in sys.modules.items()}
        files = {name: str(held.get("__file__") or "") for name, held in fields.items()}
        return {name: file for name, file in files.items() if file.startswith(tree + os.sep)}

    def look(driver: SessionDriver, session: pytest.Session) -> None:
        loaded.append(any(not is_test_file(os.path.relpath(file, tree)) for file in inside().values()))

    before = set(sys.modules)
    drive_session(_Waiting(look, project.files), project.arguments, project.style, plain=True)
    ours = inside()
    return {
        "late": loaded == [False],
        "files": sorted(file for file in ours.values() if file.endswith(".py")),
        "modules": [name for name in sys.modules if name not in before and name not in ours],
    }


def _paths(project: CollectedProject, session: pytest.Session, job: Answer) -> list[str] | None:
    """The files of the job's tests; None for all that the project collects."""
    if job["ordered"] and not job.get("written"):
        return None
    nodes = [project.nodes[number] for number, _ in (*job["targets"], *job["guards"])]
    return [str(session.config.rootpath / file) for file in dict.fromkeys(node.split("::")[0] for node in nodes)]


def _put(tree: str, job: Answer, codes: dict[str, CodeType]) -> None:
    """The changed file for this process, and for those that it starts where the job wants it `written`."""
    path = os.path.join(tree, job["file"])
    # from now on this process imports `text` instead of what the file at `path` holds, and compiles no other again
    real = os.path.realpath(path)
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> object:
        name = os.path.realpath(str(self.get_filename(fullname)))
        if name == real:
            return compile(job["text"], str(self.get_filename(fullname)), "exec", dont_inherit=True)
        return codes.get(name) or original(self, fullname)

    setattr(loader, "get_code", get_code)  # noqa: B010 - replaces a method, in a forked child only
    if job.get("written"):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(job["text"])
