"""Whether tests notice mutants of changed lines: each mutant in a process of its own, on copies of the project."""

import os
import select
import shlex
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from .baseline import Baseline, read_sources
from .edits.place import Edit
from .facts import Facts
from .forks import Answer, ask_forked
from .laboratory import Laboratory
from .localize import Spectrum
from .mutants import Mutant, given_mutants, mutants_of
from .search import PROGRESS
from .session import Driver, Outcome, collect_and, key_of
from .source import Source
from .trace import IMPORT, Line, Recorder
from .zygote import Project

_SHARE = 0.5  # of the time: what the unchanged project may take
_EVERY = 2.0  # seconds between two words about how far it is


class Unmeasured(Exception):
    """Why these tests can not judge mutants here."""


def mutated(project: Project, order: Answer) -> Answer:
    """`killed` and `survivors` of those that were tried, and how many could be `made`; `trouble` where none was.

    Order: `tests` (keys), `lines` (changed ones by file), `reached` (lines by test, child processes included), `most`.
    `given`: mutants of others, as (file, text), that are tried in the place of ours; `verdicts` are theirs by number.
    """
    _lend_path(order["tree"])
    project = replace(project, arguments=[*project.arguments, *_only_files_of(order["tests"])])
    deadline = time.monotonic() + order["seconds"]
    try:
        baseline = _observed(project, order["tree"], order["tests"], order["seconds"] * _SHARE)
        sources = {**baseline.sources, **_sources(order)}
        changed = {file: lines for file, lines in order["lines"].items() if file in sources}
        ran = {test: lines for test, lines in baseline.spectrum.lines.items() if test != IMPORT}
        reached = _reached(baseline, order["reached"])
        own = {file: sources[file] for file in changed}
        given = given_mutants(own, order.get("given", ()), ran, reached, order["tree"])
        made = [*given.values()] if "given" in order else mutants_of(own, changed, ran, reached, order["tree"])
        if not made:
            raise Unmeasured("the changed lines hold nothing that a mutant could change")
        with Laboratory(baseline, order["trees"], baseline.spectrum.passing) as laboratory:
            laboratory.calibrate(max(1.0, deadline - time.monotonic()) * _SHARE)
            if not laboratory.guards:
                raise Unmeasured("the tests do not pass when they are run again in one process")
            trial = _Trial(laboratory, made[: order["most"]], deadline)
            trial.go()
    except Unmeasured as why:
        return {"trouble": str(why)}
    if not trial.killed:
        return {"trouble": "there was no time for any mutant"}
    survivors = [_told(one) for n, one in enumerate(trial.mutants) if trial.killed.get(n) is False]
    return {
        "killed": sum(trial.killed.values()), "survivors": sorted(survivors), "made": len(made),
        "notes": laboratory.notes, "verdicts": [[number, trial.killed.get(n)] for n, number in enumerate(given)],
    }  # fmt: skip


def _told(mutant: Mutant) -> tuple[str, int, str]:
    is_run = mutant.tests is None or mutant.tests or mutant.apart
    what = mutant.candidate.edit.what
    return mutant.candidate.location.file, mutant.line, what if is_run else f"{what} (no test runs it)"


def _lend_path(tree: str) -> None:
    """Python processes that tests start import from the copy, too, whatever is installed of the project."""
    ours = [entry for entry in sys.path if entry == tree or entry.startswith(tree + os.sep)]
    known = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([*ours, *filter(None, [known])])


def _only_files_of(tests: Sequence[str]) -> tuple[str, str]:
    """Options for pytest: no other files are collected, and all else stays as it is."""
    files: dict[str, None] = {}
    for name in dict.fromkeys(test.split("::")[0] for test in tests):
        parts = [name] if name.endswith(".py") else [f"{part}.py" for part in name.split(".")]
        files |= dict.fromkeys(parts)
    return "-o", f"python_files={shlex.join(files)}"


def _sources(order: Answer) -> dict[str, Source]:
    """The changed files, also those that no test has run in this process."""
    found = {}
    for file in order["lines"]:
        with suppress(SyntaxError, ValueError, OSError), open(
            Path(order["tree"], file), encoding="utf-8", newline=""
        ) as text:  # fmt: skip
            found[file] = Source(file, text.read())
    return found


def _observed(project: Project, tree: str, tests: Sequence[str], seconds: float) -> Baseline:
    """One run of the tests, alone and traced, on the unchanged copy. Unmeasured where they can not be run so."""
    wanted = frozenset(tests)
    heard = ask_forked(lambda: _run(project, tree, wanted, seconds), seconds)
    if heard is None:
        raise Unmeasured(f"the tests did not come to their end within {seconds:.0f} s in one process")
    if not heard["outcomes"]:
        raise Unmeasured("the tests could not be collected in one process")
    lines = {n: frozenset((file, line) for file, line in ran) for n, ran in heard["lines"].items()}
    outcomes = [Outcome("skipped")] * len(heard["keys"])
    for n, (status, took) in heard["outcomes"].items():
        outcomes[n] = Outcome(status, took)
    passing = frozenset(n for n, outcome in enumerate(outcomes) if outcome.status == "passed")
    return Baseline(
        project=replace(project, nodes=heard["nodes"]),
        keys=heard["keys"],
        spectrum=Spectrum(outcomes=outcomes, lines=lines, failing=frozenset(), passing=passing),
        facts=Facts(),
        sources=read_sources(tree, lines),
        imported=lines.get(IMPORT, frozenset()),
    )


def _run(project: Project, tree: str, wanted: frozenset[str], seconds: float) -> Answer:
    recorder = Recorder(tree, marks=True)
    heard: Answer = {"nodes": [], "keys": [], "outcomes": {}, "lines": {}}

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        recorder.stop()
        heard["nodes"] = [item.nodeid for item in items]
        heard["keys"] = [key_of(item, project.style) for item in items]
        chosen = [(n, item) for n, item in enumerate(items) if heard["keys"][n] in wanted]
        for (n, item), following in zip(chosen, [*(item for _, item in chosen[1:]), None], strict=True):
            recorder.switch(n)
            recorder.start()
            outcome = driver.run(item, following, seconds, seconds)
            recorder.stop()
            heard["outcomes"][n] = (outcome.status, outcome.seconds)

    recorder.start()
    collect_and(loop, project.arguments, project.style, plain=True)
    heard["lines"] = {n: [*lines] for n, lines in recorder.lines.items()}
    return heard


def _reached(baseline: Baseline, reached: Mapping[str, Sequence[str]]) -> dict[int, list[Line]]:
    """The changed lines that each test reaches, wherever it does."""
    found: dict[int, list[Line]] = {}
    for n in baseline.spectrum.passing:
        parts = (text.rpartition(":") for text in reached.get(baseline.keys[n], ()))
        found[n] = [(file, int(line)) for file, _, line in parts]
    return found


class _Trial:
    """Hands the mutants out, one to a lane at a time. `killed` by a mutant's number, as far as that was found out."""

    def __init__(self, laboratory: Laboratory, mutants: Sequence[Mutant], deadline: float) -> None:
        self._laboratory = laboratory
        self.mutants = mutants
        self._deadline = deadline
        self.killed: dict[int, bool] = {}
        self._waiting = deque(enumerate(mutants))
        self._cold: set[int] = set()
        self._cold_fit: bool | None = None
        self._told = time.monotonic()

    def go(self) -> None:
        idle = list(range(len(self._laboratory.warm)))
        busy: dict[int, tuple[int, int, bool]] = {}
        while True:
            while idle and self._waiting and time.monotonic() < self._deadline:
                number, mutant = self._waiting.popleft()
                if (job := self._job(number, mutant)) is not None:
                    descriptor = self._submit(idle[-1], mutant, *job)
                    busy[descriptor] = (idle.pop(), number, job[1])
            if not busy:
                return
            for descriptor in select.select(list(busy), [], [])[0]:
                lane, number, cold = busy.pop(descriptor)
                idle.append(lane)
                self._settle(number, cold, self._laboratory.answers(descriptor)[0])
            self._tell()

    def _job(self, number: int, mutant: Mutant) -> tuple[frozenset[int], bool] | None:
        """Which tests it gets, and whether with a fresh import; None where there is nothing to run."""
        guards = self._laboratory.guards
        inside = guards if mutant.tests is None else guards & mutant.tests
        apart = guards & (mutant.apart or frozenset())
        cold = number in self._cold or not inside or self._laboratory.goes_cold(mutant.candidate)
        tests = (inside | apart) if cold else inside
        if not tests:
            self.killed[number] = False
        if not tests or (cold and not self._imports_anew()):
            return None
        return tests, cold

    def _submit(self, lane: int, mutant: Mutant, tests: frozenset[int], cold: bool) -> int:
        return self._laboratory.submit_mutant(lane, mutant.candidate, tests, cold=cold, until=self._deadline)

    def _imports_anew(self) -> bool:
        """Whether the unchanged project passes with a fresh import, too; else that shows nothing of a mutant."""
        if self._cold_fit is None:
            laboratory = self._laboratory
            original = replace(self.mutants[0].candidate, edit=Edit(0, 0, "", 0, ""))
            descriptor = laboratory.submit_mutant(0, original, laboratory.guards, cold=True, until=self._deadline)
            self._cold_fit = _survived(laboratory.answers(descriptor)[0])
        return self._cold_fit

    def _settle(self, number: int, cold: bool, answer: Answer) -> None:
        mutant, survived = self.mutants[number], _survived(answer)
        if answer.get("unrun") or (answer.get("killed") and time.monotonic() >= self._deadline):
            return
        if not cold and (answer.get("stale") or (survived and mutant.apart)):
            self._cold.add(number)
            self._waiting.append((number, mutant))
        else:
            self.killed[number] = not survived

    def _tell(self) -> None:
        if time.monotonic() - self._told > _EVERY:
            self._told = time.monotonic()
            print(f"{PROGRESS}{len(self.killed):,} of {len(self.mutants):,} mutants tried", flush=True)


def _survived(answer: Answer) -> bool:
    return answer["broke"] == -1 and not answer.get("killed")
