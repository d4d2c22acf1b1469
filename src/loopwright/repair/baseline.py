"""What the unchanged project does: outcomes, lines by test, facts of the failures, and whether warm runs agree."""

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from .budget import HANG
from .facts import Facts
from .forks import Answer, ask_forked
from .localize import Spectrum, is_test_file
from .probe import Probes
from .session import Driver, Outcome, collect_and, key_of
from .source import Source
from .syntax import Broken, broken_by
from .trace import IMPORT, Line, Recorder
from .zygote import Project

_PATIENCE = 60.0
_FACTS_FROM = 12


@dataclass
class Baseline:
    """`keys` are the tests' names for the engine, in the order of collection; numbers index them."""

    project: Project
    keys: list[str]
    spectrum: Spectrum
    facts: Facts
    sources: dict[str, Source]
    imported: frozenset[Line]
    troubles: list[str] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)


def measure(project: Project, tree: str, failing: Sequence[str], seconds: float) -> Baseline | None:
    """Runs all tests once, traced, in a forked child; None when that did not end within `seconds`."""
    answer = ask_forked(lambda: _traced_run(project, tree, frozenset(failing), seconds / 2), seconds)
    if answer is None:
        return None
    outcomes = [Outcome(*values) for values in answer["outcomes"]]
    keys: list[str] = answer["keys"]
    lines = {test: frozenset(map(tuple, pairs)) for test, pairs in answer["lines"].items()}
    chosen = wanted(keys, failing)
    spectrum = Spectrum(
        outcomes=outcomes,
        lines=lines,
        failing=frozenset(n for n in chosen if outcomes[n].status == "failed"),
        passing=frozenset(n for n, outcome in enumerate(outcomes) if outcome.status == "passed"),
    )
    facts = Facts()
    for number, text in answer["sources"]:
        if number in spectrum.failing:
            facts.learn(outcomes[number].error, outcomes[number].message, text)
    return Baseline(
        project=replace(project, nodes=answer["nodes"]),
        keys=keys,
        spectrum=spectrum,
        facts=facts,
        sources=_sources(tree, lines),
        imported=lines.get(IMPORT, frozenset()),
        troubles=answer["troubles"],
        broken=[Broken(*values) for values in answer["broken"]],
    )


def probe(baseline: Baseline, tree: str, places: Mapping[tuple[str, int], str], seconds: float) -> list[Answer]:
    """Runs the failing tests again and records what variables hold at `places` ((file, line) → hypothesis)."""

    def work() -> Answer:
        probes = Probes(tree, places)

        def loop(driver: Driver, items: list[pytest.Item]) -> None:
            chosen = [item for n, item in enumerate(items) if n in baseline.spectrum.failing]
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                probes.start()
                driver.run(item, following, HANG)
                probes.stop()

        collect_and(loop, baseline.project.arguments, baseline.project.style, plain=True)
        return {"hits": probes.hits}

    answer = ask_forked(work, seconds)
    return list(answer["hits"]) if answer else []


def plain_run(project: Project, failing: frozenset[str], passing: frozenset[str]) -> Answer:
    """Runs these tests in the project's order in this process: status by key, and what could not be collected."""
    statuses: dict[str, str] = {}

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if key_of(item, project.style) in failing | passing]
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            key = key_of(item, project.style)
            statuses[key] = driver.run(item, following, _limit(key, failing)).status

    driver = collect_and(loop, project.arguments, project.style, plain=False)
    return {"statuses": statuses, "troubles": driver.troubles}


def _traced_run(project: Project, tree: str, failing: frozenset[str], patience: float) -> Answer:
    """Runs everything within `patience` seconds; in the second half passing tests run untraced, later not at all.

    The failing tests always run. What was left out is counted in `left_out`, and VALIDATE judges it.
    """
    halfway, deadline = time.monotonic() + patience / 2, time.monotonic() + patience
    left_out = 0
    recorder = Recorder(tree)
    nodes: list[str] = []
    keys: list[str] = []
    outcomes: list[Outcome] = []
    texts: list[tuple[int, str]] = []

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        nonlocal left_out
        recorder.stop()
        for number, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            nodes.append(item.nodeid)
            keys.append(key_of(item, project.style))
            recorder.switch(number)
            wanted, now = not failing or keys[-1] in failing, time.monotonic()
            if not wanted and now > deadline:
                outcomes.append(Outcome("skipped"))
                left_out += 1
                continue
            item.session._setupstate.teardown_exact(item)  # what the test before set up for one that was left out
            if wanted or now < halfway:
                recorder.start()
            outcomes.append(driver.run(item, following, _limit(keys[-1], failing)))
            recorder.stop()
            if outcomes[-1].status == "failed" and len(texts) < _FACTS_FROM:
                texts.append((number, _source_text(item)))

    recorder.start()
    driver = collect_and(loop, project.arguments, project.style, plain=False)
    return {
        "nodes": nodes,
        "keys": keys,
        "outcomes": [
            (
                o.status,
                o.seconds,
                o.error,
                o.message,
                [(_inside(recorder, f), line, name) for f, line, name in o.frames],
            )
            for o in outcomes
        ],
        "lines": {test: list(lines) for test, lines in recorder.lines.items()},
        "sources": texts,
        "broken": sorted({tuple(found) for error in driver.errors if (found := broken_by(error, tree))}),
        "troubles": [
            *driver.troubles,
            *([f"passing tests that were too slow to screen with: {left_out}"] if left_out else []),
        ],
    }


def _limit(key: str, failing: frozenset[str]) -> float:
    """A failing test may be endless; one that passes is known to end."""
    return 2 * HANG if key in failing or not failing else _PATIENCE


def _inside(recorder: Recorder, filename: str) -> str:
    return recorder.project_file(filename) or ""


def _source_text(item: pytest.Item) -> str:
    """The test's own source and its parameters, as Python text to take literals from."""
    function = getattr(item, "function", None)
    try:
        text = inspect.cleandoc("\n" + inspect.getsource(function)) if function else ""
    except (OSError, TypeError):
        text = ""
    call = getattr(item, "callspec", None)
    values = call.params.values() if call else ()
    plain = [value for value in values if type(value) in (int, float, str, bool)]
    return f"{text}\n_ = {plain!r}\n"


def wanted(keys: Sequence[str], failing: Sequence[str]) -> list[int]:
    """Numbers of the tests that shall be mended: by name, else by file or class, else by the end of the name."""
    exact = [n for n, key in enumerate(keys) if key in set(failing)]
    if exact or not failing:
        return exact or list(range(len(keys)))
    above = tuple(f"{name}{joint}" for name in failing for joint in ("::", "["))
    if inside := [n for n, key in enumerate(keys) if key.startswith(above)]:
        return inside
    tails = {name.replace("::", ".").rsplit("/", 1)[-1].removeprefix("tests.") for name in failing}
    return [n for n, key in enumerate(keys) if any(_dotted(key).endswith(tail) for tail in tails)]


def _dotted(key: str) -> str:
    return key.replace(".py::", ".").replace("::", ".").replace("/", ".")


def _sources(tree: str, lines: Mapping[int, frozenset[Line]]) -> dict[str, Source]:
    """The project's files that ran and may be changed; what can not be parsed is left out."""
    files = sorted(
        {file for ran in lines.values() for file, _ in ran if file.endswith(".py") and not is_test_file(file)}
    )
    found: dict[str, Source] = {}
    for file in files:
        try:
            with open(Path(tree) / file, encoding="utf-8", newline="") as handle:
                found[file] = Source(file, handle.read())
        except (SyntaxError, ValueError, OSError):  # ran under another encoding, or was written by a test
            continue
    return found
