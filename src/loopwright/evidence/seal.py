"""The sealed ending: the tests that passed, once more in a copy that is made of the checkpoint alone.

What git ignores is there as it was when the run began; what the run has made of it, links that lead out of the
project, and whatever a process does to the project's own folder, are not.
"""

import secrets
import tempfile
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from loopwright.core.context import MeasuredRunContext
from loopwright.core.errors import WorkspaceError
from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.ports import TestOrder
from loopwright.core.run import R
from loopwright.core.state import Baseline
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.goal_proof import read_versions
from loopwright.evidence.plain_run import (
    PlainProgram,
    configures_plugins,
    find_preloads,
    find_refused,
    make_program,
    prepares_tests,
    read_plain,
)
from loopwright.evidence.proof import join_names
from loopwright.evidence.results import split_key
from loopwright.evidence.testing import TestRun
from loopwright.evidence.verdict import NAMES_SHOWN, file_of
from loopwright.evidence.wrong_answers import expect_otherwise

_PACKAGE = "package.json"
_SETTINGS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")
_ELSEWHERE = "app"
PATIENCE = 2
"""A copy has no caches: its tests get so many times the time that the others have."""


async def seal_outcome(ground: MeasuredRunContext[R], outcome: ValidationOutcome, command: str) -> ValidationOutcome:
    """The outcome, which passed with a proof; refused where the copy says otherwise. One run for each tree."""
    whole = ground.whole
    if whole is None or outcome.tree not in (whole.tree, whole.left) or outcome.proof is None or not outcome.passed:
        return outcome
    doubt = await _doubt(ground, outcome.tree, outcome.proof.fail_to_pass, command)
    return outcome if doubt is None else replace(outcome, passed=False, proof=None, reasons=(doubt,))


async def sealed_doubt(ground: MeasuredRunContext[R], tests: Collection[str], command: str) -> str | None:
    """Why the last whole run of this process, which passed, is not believed. `tests`: those that show the goal."""
    whole = ground.whole
    return await _doubt(ground, whole.tree, tests, command) if whole is not None else None


async def _doubt(ground: MeasuredRunContext[R], tree: str, tests: Collection[str], command: str) -> str | None:
    if tree not in ground.seals:
        ground.bus.publish("activity", "running the tests once more, in a copy made of the checkpoint")
        try:
            ground.seals[tree] = await _compared(ground, tests, command)
        except WorkspaceError as error:
            ground.seals[tree] = f"no copy of the checkpoint could be made: {error}"
        if doubt := ground.seals[tree]:
            ground.note("sealed_differs", doubt)
    if ground.seals[tree]:
        ground.verdicts[tree] = False
    return ground.seals[tree]


async def _compared(ground: MeasuredRunContext[R], tests: Collection[str], command: str) -> str | None:
    whole, baseline = ground.whole, ground.state().engine.baseline
    if whole is None or baseline is None or baseline.commit is None:
        return None
    if whole.tree == baseline.tree and not any(test.status == "failed" for test in baseline.tests.values()):
        return None
    sealed = await _run(ground, whole.here.commit, command)
    passing = [key for key, status in _statuses(whole.run).items() if status == "passed"]
    now = _statuses(sealed)
    differing = [key for key in passing if now.get(key) != "passed"]
    if differing:
        differing = await _without_what_no_copy_passes(ground, baseline, differing, command)
    if differing:
        why = next((one.error_message for one in sealed.results if one.key == differing[0] and one.error_message), "")
        first_line = f": {why.strip().splitlines()[-1][:200]}" if why.strip() else ""
        return (
            f"{plural(len(differing), 'test')} did not pass in a copy made of the checkpoint: "
            f"{join_names(differing, NAMES_SHOWN)}{first_line}"
        )
    shown = [key for key in tests if now.get(key) == "passed"]
    texts = await _texts(ground, shown)
    others = [key for key in passing if key not in shown]
    return await _passes_always(ground, texts, command) or await _passes_as_tested(ground, texts, others, command)


async def _texts(ground: MeasuredRunContext[R], tests: Collection[str]) -> dict[str, tuple[bytes, list[str]]]:
    """By file, its text, and those of the tests that stand in it."""
    whole, listed = ground.whole, frozenset(await run_in_thread(ground.workspace.listed))
    files: dict[str, list[str]] = {}
    for key in tests:
        if file := _file(key, listed):
            files.setdefault(file, []).append(key)
    if whole is None or not files:
        return {}
    versions = await run_in_thread(read_versions, ground, whole.here.commit, whole.here.commit, sorted(files))
    return {file: (text, files[file]) for file, (_, text) in versions.items() if text is not None}


async def _without_what_no_copy_passes(
    ground: MeasuredRunContext[R], baseline: Baseline, differing: list[str], command: str
) -> list[str]:
    """Those of the tests that the copy itself does not explain: one of the first files failed them, too.

    Where it fails all of a file that passed at first, it is no place for the others of that file, either.
    """
    known = [key for key in differing if (test := baseline.tests.get(key)) and test.status == "passed"]
    if not known or baseline.commit is None:
        return differing
    ground.bus.publish("activity", f"running {plural(len(known), 'test')} in a copy of the first files")
    first = _statuses(await _run(ground, baseline.commit, command, only=known))
    excused = {key for key in known if first.get(key) != "passed"}
    if excused:
        words = (
            f"{plural(len(excused), 'test')} pass in no copy of the project: {join_names(sorted(excused), NAMES_SHOWN)}"
        )
        ground.note("not_sealed", words)
    alone = {file_of(key) for key in excused} - {
        file_of(key) for key, test in baseline.tests.items() if test.status == "passed" and key not in excused
    }
    return [key for key in differing if key not in excused and file_of(key) not in alone]


Texts = Mapping[str, tuple[bytes, list[str]]]


async def _passes_always(ground: MeasuredRunContext[R], texts: Texts, command: str) -> str | None:
    """Whether a test that shows the goal passes as well where it expects something else."""
    step = secrets.choice((-1, 1)) * secrets.choice(range(3, 100))
    wrong = {file: found for file, (text, keys) in texts.items() if (found := expect_otherwise(file, text, keys, step))}
    asked = [key for found in wrong.values() for key in found.tests]
    if not asked or ground.whole is None:
        return None
    ground.bus.publish("activity", f"running {plural(len(asked), 'test')} with wrong expectations, in a copy")
    over = {file: one.text for file, one in wrong.items()}
    async with _sealed(ground, ground.whole.here.commit, command, over) as order:
        now = _statuses(await ground.tests.run(replace(order, only=tuple(asked), on_news=None)))
    always = [key for key in asked if now.get(key) == "passed"]
    return f"passes whatever it expects, so it proves nothing: {join_names(always, NAMES_SHOWN)}" if always else None


async def _passes_as_tested(
    ground: MeasuredRunContext[R], texts: Texts, others: Sequence[str], command: str
) -> str | None:
    """Whether a test that shows the goal passes only where a test framework runs it. `others`: tests that pass, too."""
    whole, python = ground.whole, ground.tests.interpreter(command)
    texts, preloads = await _prepare(ground, texts, command)
    beside = {file: [key for key in others if _file(key, frozenset((file,))) == file] for file in texts}
    name = secrets.token_hex(4)
    programs = {
        file: made
        for file, (text, keys) in texts.items()
        if (made := make_program(file, text, (*keys, *beside[file]), python, name=name, preloads=preloads))
    }
    if whole is None or not programs:
        return None
    ground.bus.publish("activity", "running what shows the goal without a test framework, in a copy")
    said = await _said_plainly(ground, whole.here.commit, programs, command)
    wrong = {
        file: {key: error for key in texts[file][1] if (error := (said[file] or {}).get(key))} for file in programs
    }
    doubted = {file: one for file, one in programs.items() if wrong[file] or said[file] is None}
    start, baseline = ground.start(), ground.state().engine.baseline
    if not doubted or start is None or baseline is None:
        return None
    first = await _said_plainly(ground, start, doubted, command)
    if ended := [file for file in doubted if said[file] is None and first[file]]:
        return f"works only where a test framework runs it: what {join_names(ended, NAMES_SHOWN)} tests"
    passed = {key for key, test in baseline.tests.items() if test.status == "passed"}
    found = [
        key
        for file in doubted
        for key in find_refused(wrong[file], first[file] or {}, passed.intersection(beside[file]))
    ]
    return f"passes only where a test framework runs it: {join_names(found, NAMES_SHOWN)}" if found else None


async def _said_plainly(
    ground: MeasuredRunContext[R], commit: str, programs: Mapping[str, PlainProgram], command: str
) -> dict[str, Mapping[str, str] | None]:
    """By test file, what its program says of the files of that commit, in a folder of another name."""
    said = {}
    async with _sealed(ground, commit, command, name=_ELSEWHERE) as order:
        assert order.at is not None
        for file, program in programs.items():
            (order.at / program.file).write_bytes(program.text)
            first, *rest = program.argv
            argv = (first.replace(str(ground.workspace.root), str(order.at)), *rest)
            _, output = await ground.tests.run_program(argv, order)
            said[file] = read_plain(program, output)
    return said


async def _prepare(ground: MeasuredRunContext[R], texts: Texts, command: str) -> tuple[Texts, tuple[str, ...]]:
    """The files without those for whose tests pytest prepares something, and what node loads before its own."""
    around = {file: [f"{folder}/conftest.py".removeprefix("./") for folder in _folders(file)] for file in texts}
    names = sorted({name for found in around.values() for name in found})
    if ground.whole is None:
        return texts, ()
    commit = ground.whole.here.commit
    versions = await run_in_thread(read_versions, ground, commit, commit, [*names, *_SETTINGS, _PACKAGE])
    _, package = versions.pop(_PACKAGE)
    settings = [text for name in _SETTINGS if (text := versions.pop(name)[1])]
    if any(map(configures_plugins, settings)):
        texts = {file: found for file, found in texts.items() if not file.endswith(".py")}
    preparing = {name for name, (_, text) in versions.items() if text is not None and prepares_tests(text)}
    kept = {file: found for file, found in texts.items() if preparing.isdisjoint(around[file])}
    return kept, find_preloads(command, package)


def _folders(file: str) -> list[str]:
    """Those that the file lies in, `.` for the project's own."""
    return [str(folder) for folder in PurePosixPath(file).parents]


async def _run(ground: MeasuredRunContext[R], commit: str, command: str, *, only: Collection[str] = ()) -> TestRun:
    async with _sealed(ground, commit, command) as order:
        return await ground.tests.run(replace(order, only=tuple(only)))


@asynccontextmanager
async def _sealed(
    ground: MeasuredRunContext[R],
    commit: str,
    command: str,
    over: Mapping[str, bytes] | None = None,
    name: str | None = None,
) -> AsyncIterator[TestOrder]:
    """An order for a copy that is there meanwhile. `over`: contents that are laid over it, by file. `name`: its own,
    where it does not have that of the project.
    """
    workspace, order, engine = ground.workspace, ground.test_order(command), ground.state().engine
    known = None if engine.settings.allow_environment_changes else engine.environment
    with tempfile.TemporaryDirectory(prefix="loopwright-copy-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve() / (name or workspace.root.name)
        start = None if commit == ground.start() else ground.start()
        await run_in_thread(partial(workspace.lay_out_sealed, commit, copy, start=start, remembered=known))
        for file, text in (over or {}).items():
            (copy / file).write_bytes(text)
        command = command.replace(str(workspace.root), str(copy))
        yield replace(order, command=command, at=copy, timeout=order.timeout * PATIENCE, sealed=True)


def _file(key: str, listed: frozenset[str]) -> str | None:
    """The file that a test stands in; unittest names modules."""
    if file := file_of(key):
        return file
    words = split_key(key)[0].split(".")
    modules = ("/".join(words[:end]) + ".py" for end in range(len(words), 0, -1))
    return next((file for file in modules if file in listed), None)


def _statuses(run: TestRun) -> dict[str, str]:
    return {result.key: result.status for result in run.results}
