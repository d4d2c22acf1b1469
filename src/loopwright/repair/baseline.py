"""What the unchanged project does: outcomes, lines by test, facts of the failures, and whether warm runs agree."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from .budget import HANG
from .facts import Facts
from .firstrun import first_run
from .forks import Answer, ask_forked
from .heard import Heard
from .localize import Spectrum
from .probe import Probes
from .session import Driver, Outcome, collect_and
from .source import Source
from .trace import IMPORT, Line
from .tree import is_test_file
from .unloadable import Broken
from .zygote import Project, numbered

_PATIENCE = 60.0
_PROBED = 60  # failing tests
_GLANCE = 0.2  # seconds for which an endless test is looked at again
_TOLD = 3  # tests set apart that are named
_APART, _WAITING = 6, 0.5  # that are tried once more with a patch; seconds for each


@dataclass
class Baseline:
    """`keys` are the tests' names for the engine, in the order of collection; numbers index them.

    `apart`: failing tests that would spoil a search for the others, because they end the interpreter or wait.
    """

    project: Project
    keys: list[str]
    spectrum: Spectrum
    facts: Facts
    sources: dict[str, Source]
    imported: frozenset[Line]
    apart: frozenset[int] = frozenset()
    troubles: list[str] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)


def measure(project: Project, tree: str, failing: Sequence[str], seconds: float, kept: Path) -> Baseline:
    """Runs all tests once, traced, within `seconds`; `keys` are empty where they could not be loaded.

    A run that came to its end is written to `kept`; where there is one already, nothing is run.
    """
    if kept.exists():
        heard = Heard.saved(kept)
    else:
        heard = first_run(project, tree, frozenset(failing), seconds)
        if heard.done and len(heard.outcomes) == len(heard.keys):
            heard.save(kept)
    keys = list(heard.keys)
    outcomes = [heard.outcomes.get(n, Outcome("skipped")) for n in range(len(keys))]
    lines = {test: frozenset(ran) for test, ran in heard.lines.items()}
    chosen, apart = divided([n for n in wanted(keys, failing) if outcomes[n].status == "failed"], outcomes, heard.fatal)
    spectrum = Spectrum(
        outcomes=outcomes,
        lines=lines,
        failing=chosen,
        passing=frozenset(n for n, outcome in enumerate(outcomes) if outcome.status == "passed"),
        groups=_by_file(keys, chosen),
        words="\n".join(text for number, text in sorted(heard.texts.items()) if number in chosen),
    )
    facts = Facts()
    for number, text in sorted(heard.texts.items()):
        if number in spectrum.failing:
            facts.learn("Failed" if number in heard.fatal else outcomes[number].error, outcomes[number].message, text)
    left_out = len(keys) - len(heard.outcomes)
    return Baseline(
        project=replace(project, nodes=list(heard.nodes)),
        keys=keys,
        spectrum=spectrum,
        facts=facts,
        sources=read_sources(tree, lines),
        imported=lines.get(IMPORT, frozenset()),
        apart=apart,
        troubles=[
            *heard.troubles,
            *(_told(keys[n], outcomes[n]) for n in sorted(apart)[:_TOLD]),
            *([f"{len(apart) - _TOLD:,} more tests like these"] if len(apart) > _TOLD else []),
            *([f"tests there was no time for: {left_out:,}"] if left_out else []),
        ],
        broken=sorted(heard.broken),
    )


def divided(
    failing: Sequence[int], outcomes: Sequence[Outcome], fatal: Container[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """The tests to mend, and those that would spoil it by ending the interpreter or by waiting; one, if all do."""
    apart = [n for n in failing if n in fatal or outcomes[n].waited]
    if apart and len(apart) == len(failing):
        apart.remove(min(apart, key=lambda n: (n in fatal, n)))
    return frozenset(failing) - frozenset(apart), frozenset(apart)


def _told(key: str, outcome: Outcome) -> str:
    place = next((f" at {file}:{line}" for file, line, _ in reversed(outcome.frames) if file), "")
    what = f"it {outcome.message}" if outcome.waited else f"it ends the interpreter ({outcome.message})"
    return f"{key} is left for later: {what}{place}"


@dataclass(frozen=True)
class Probed:
    """What variables held, and the failing tests that passed in a run without those that pass."""

    hits: Sequence[Answer] = ()
    passed: Sequence[str] = ()


def probe(baseline: Baseline, tree: str, places: Mapping[tuple[str, int], str], seconds: float) -> Probed:
    """Runs the failing tests again and records what variables hold at `places` ((file, line) → hypothesis)."""

    def work() -> Answer:
        probes = Probes(tree, places)
        passed: list[str] = []

        def loop(driver: Driver, items: list[pytest.Item]) -> None:
            chosen = [(n, item) for n, item in enumerate(items) if n in baseline.spectrum.failing][:_PROBED]
            for (n, item), following in zip(chosen, [*(item for _, item in chosen[1:]), None], strict=True):
                probes.start()
                seconds = _GLANCE if baseline.spectrum.outcomes[n].error == "TimeUp" else HANG
                outcome = driver.run(item, following, seconds, 2 * seconds)
                probes.stop()
                passed.extend([baseline.keys[n]] if outcome.status == "passed" else [])

        collect_and(loop, baseline.project.arguments, baseline.project.style, plain=True)
        return {"hits": probes.hits, "passed": passed}

    return Probed(**(ask_forked(work, seconds) or {}))


def plain_run(
    project: Project, keys: Sequence[str], failing: frozenset[str], passing: frozenset[str], apart: frozenset[str]
) -> Answer:
    """Runs these tests in the project's order in this process: status by key, and what could not be collected.

    Those `apart` come last, each in a process of its own.
    """
    statuses: dict[str, str] = {}

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        named = {keys[number]: item for number, item in sorted(numbered(project, items).items())}
        chosen = [(key, item) for key, item in named.items() if key in failing | passing]
        for (key, item), following in zip(chosen, [*(item for _, item in chosen[1:]), None], strict=True):
            statuses[key] = driver.run(item, following, *_limits(key, failing)).status
        for key in [key for key in named if key in apart][:_APART]:
            statuses[key] = _status_apart(driver, named[key])

    driver = collect_and(loop, project.arguments, project.style, plain=False)
    return {"statuses": statuses, "troubles": driver.troubles}


def _status_apart(driver: Driver, item: pytest.Item) -> str:
    answer = ask_forked(lambda: {"status": driver.run(item, None, HANG, _WAITING).status}, HANG)
    return str(answer["status"]) if answer else "failed"


def _limits(key: str, failing: frozenset[str]) -> tuple[float, float | None]:
    """A failing test may be endless; one that passes is known to end."""
    return (2 * HANG, 2 * HANG) if key in failing else (_PATIENCE, None)


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


def _by_file(keys: Sequence[str], failing: frozenset[int]) -> list[frozenset[int]]:
    names = {n: keys[n].split("::")[0] for n in failing}
    return [frozenset(n for n in failing if names[n] == name) for name in dict.fromkeys(names.values())]


def read_sources(tree: str, lines: Mapping[int, frozenset[Line]]) -> dict[str, Source]:
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
