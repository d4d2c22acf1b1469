"""Small projects with a fault, and random courses of changes: no loop ends on a run of selected tests.

Real bash tasks, turns of an agent, git and pytest, in loops that take every suite for one worth selecting from. Of each
run of the tests it is remembered what it was asked for, and the whole tree that it ran on.
"""

import asyncio
import hashlib
import random
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.ports import TestOrder
from loopwright.evidence import selection
from loopwright.evidence.testing import TestRun
from loopwright.workflows.loop.model import LoopState
from tests.liars import CountedTests, Court
from tests.stage import said
from tests.validation.projects import lay_out

TRIALS = 200
FUNCTIONS = 3
SEEN = "shop/seen.txt"
"""Written by nobody but runs of the tests, which is no change of the project."""

Files = Mapping[str, str | None]
"""Project-relative files with what is written there; None: deleted."""


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Loops by outcome, and runs of the tests by kind."""
    counts: Counter[str] = Counter()
    for _ in range(max(1, round(TRIALS * scale))):
        seed = chance.randrange(10**9)
        with tempfile.TemporaryDirectory(prefix="loopwright-selection-") as place:
            try:
                counts.update(trial(Path(place), random.Random(seed)))
            except AssertionError as broken:
                raise AssertionError(f"trial {seed}: {broken}") from broken
    return counts


class Measured(NamedTuple):
    """One run in the project itself: whether of all tests, the tree before and after, whether any failed."""

    is_whole: bool
    before: str
    after: str
    is_refuted: bool


class RememberedTests(CountedTests):
    def __init__(self, root: Path) -> None:
        super().__init__(root, is_pristine=False)
        self.measured: list[Measured] = []

    async def run(self, order: TestOrder) -> TestRun:
        before = tree_of(self._root)
        run = await super().run(order)
        if order.at is None:
            is_refuted = run.trouble is None and bool(run.failed)
            self.measured.append(Measured(not order.only, before, tree_of(self._root), is_refuted))
        return run


def tree_of(root: Path) -> str:
    """Digest of every file, but for those of engine, git and Python, and what the tests write."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and name.as_posix() != SEEN and not {".workflow", ".git", "__pycache__"} & {*name.parts}:
            digest.update(f"{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def trial(place: Path, chance: random.Random) -> Mapping[str, int]:
    """One loop. AssertionError where it ended on less than a run of all tests on what it leaves."""
    sound = make_project(chance)
    faulty = {**sound, **_break(sound, chance)}
    project = lay_out(place / "project", faulty)
    course = list(_course(sound, faulty, chance))
    court = Court(project, max_iterations=12)
    court.tests = tests = RememberedTests(project)
    task: dict[str, object] = {"tool": "bash", "command": as_bash(course.pop(0))}
    turns = (ScriptedTurn(text=said("DEBUG"), files=dict(files)) for files in course)
    with every_suite_is_long():
        state = asyncio.run(court.judge(*turns, task=task))
    check(state, tests.measured, tree_of(project))
    if state.engine.outcome == "succeeded":
        (project / SEEN).unlink(missing_ok=True)
        alone = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=project, capture_output=True
        )
        assert alone.returncode == 0, "a pytest of its own does not pass"
    selected = sum(not one.is_whole for one in tests.measured)
    return {
        f"loops {state.engine.outcome or state.status}": 1,
        "runs of all tests": len(tests.measured) - selected,
        "runs of selected tests": selected,
    }


def check(state: LoopState, measured: list[Measured], tree: str) -> None:
    """That it ends as the runs allow it."""
    for one, following in zip(measured, [*measured[1:], None], strict=True):
        if not (one.is_whole or one.is_refuted):
            assert following is not None, "the last run was of selected tests, and none failed"
            assert following.is_whole, "no selected test failed, and no run of all followed"
    last = measured[-1]
    if state.engine.last_validation is not None and state.engine.last_validation.passed:
        assert last.is_whole, "it passed a run of selected tests"
    if state.engine.outcome == "succeeded":
        assert any(one == Measured(True, tree, tree, False) for one in measured), (
            "nobody ran all tests on what it leaves"
        )
        assert last.is_whole, "it succeeded after a run of selected tests"
        assert not last.is_refuted, "it succeeded after tests failed"


@contextmanager
def every_suite_is_long() -> Iterator[None]:
    """Selects from tests however quick they are."""
    worth, selection.WORTH_SELECTING = selection.WORTH_SELECTING, 0.0
    try:
        yield
    finally:
        selection.WORTH_SELECTING = worth


def make_project(chance: random.Random) -> dict[str, str]:
    """Modules that use each other and a file of data, and a file of tests for each."""
    files = {
        "pytest.ini": "[pytest]\ntestpaths = tests\npythonpath = .\n",
        "shop/__init__.py": "",
        "shop/data.json": '{"rate": 3}',
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef ten():\n    return 10\n",
    }
    for number in range(chance.randint(3, 5)):
        lower = [chance.randrange(number) for _ in range(min(number, 2))]
        files[f"shop/m{number}.py"] = _module(number, lower)
        files[f"tests/test_m{number}.py"] = _tests(number, lower)
    return files


def _module(number: int, lower: list[int]) -> str:
    imports = "".join(f"from shop import m{one}\n" for one in dict.fromkeys(lower))
    head = f"import json\nfrom pathlib import Path\n\n{imports}\n\n"
    functions = [f"def f{n}(x):\n    return x + {10 * number + n}\n" for n in range(FUNCTIONS)]
    sums = " + ".join(["0", *(f"m{one}.f0(x)" for one in lower)])
    rate = 'def rate():\n    return json.loads(Path(__file__).with_name("data.json").read_text())["rate"]\n'
    return head + "\n\n".join([*functions, f"def total(x):\n    return {sums}\n", rate])


def _tests(number: int, lower: list[int]) -> str:
    total = sum(10 + 10 * one for one in lower)
    tests = [
        f"def test_f{n}(ten):\n    assert m{number}.f{n}(ten) == {10 + 10 * number + n}\n" for n in range(FUNCTIONS)
    ]
    tests.append(f"def test_total():\n    assert m{number}.total(10) == {total}\n")
    tests.append(f"def test_rate():\n    assert m{number}.rate() == 3\n")
    return "\n\n".join([f"from shop import m{number}\n", *tests])


def _course(sound: Mapping[str, str], faulty: Mapping[str, str], chance: random.Random) -> Iterator[Files]:
    """What is written turn by turn; mostly the last makes all well again."""
    present: dict[str, str | None] = dict(faulty)
    for _ in range(chance.randint(2, 5)):
        change: dict[str, str | None] = {}
        for _ in range(chance.choice((1, 1, 2))):
            change.update(chance.choice(CHANGES)(sound, chance))
        present.update(change)
        yield change
    if chance.random() < 0.7:
        yield {**dict.fromkeys(file for file in present if file not in sound), **sound}


def _modules(sound: Mapping[str, str]) -> list[str]:
    return [file for file in sound if file.startswith("shop/m")]


def _break(sound: Mapping[str, str], chance: random.Random) -> dict[str, str]:
    file = chance.choice(_modules(sound))
    return {
        file: sound[file].replace(
            f"def f{chance.randrange(FUNCTIONS)}(x):\n    return x +", "def f0(x):\n    return x -"
        )
    }


def _mend(sound: Mapping[str, str], chance: random.Random) -> Files:
    return {file: sound[file] for file in chance.sample(_modules(sound), 2)}


def _rename(sound: Mapping[str, str], chance: random.Random) -> Files:
    """With what imports it, or without."""
    file = chance.choice(_modules(sound))
    name = Path(file).stem
    users = {other: text.replace(name, f"new_{name}") for other, text in sound.items() if name in text}
    return {**(users if chance.random() < 0.5 else {}), file: None, f"shop/new_{name}.py": sound[file]}


def _add(sound: Mapping[str, str], chance: random.Random) -> Files:
    right = chance.choice((1, 1, 2))
    return {
        "shop/more.py": "ONE = 1\n",
        "tests/test_more.py": f"from shop import more\n\n\ndef test_one():\n    assert more.ONE == {right}\n",
    }


def _stumble(sound: Mapping[str, str], chance: random.Random) -> Files:
    """A module that works every other time."""
    file = chance.choice(_modules(sound))
    toggle = (
        f"HERE = Path(__file__).with_name({Path(SEEN).name!r})\n"
        "if HERE.exists():\n    HERE.unlink()\n    f0 = f1\nelse:\n    HERE.touch()\n"
    )
    return {file: f"{sound[file]}\n\n{toggle}"}


def _spoil_conftest(sound: Mapping[str, str], chance: random.Random) -> Files:
    text = sound["tests/conftest.py"]
    other = "\n\ndef pytest_collection_modifyitems(items):\n    items[:] = items[:2]\n"
    return {
        "tests/conftest.py": chance.choice((text.replace("10", "11"), text + other, "import nothing_there\n", None))
    }


def _spoil_tests(sound: Mapping[str, str], chance: random.Random) -> Files:
    file = chance.choice([one for one in sound if one.startswith("tests/test_")])
    return {
        file: chance.choice(
            (None, sound[file].replace("assert", "assert not"), sound[file].replace("def test_f", "def no_f"))
        )
    }


CHANGES: tuple[Callable[[Mapping[str, str], random.Random], Files], ...] = (
    _break,
    _mend,
    _mend,
    _rename,
    _add,
    _stumble,
    _spoil_conftest,
    _spoil_tests,
    lambda sound, chance: {"shop/data.json": f'{{"rate": {chance.choice((3, 3, 4))}}}'},
    lambda sound, chance: {chance.choice(_modules(sound)): None},
    lambda sound, chance: {"README.md": f"{chance.random()}\n"},
    lambda sound, chance: {"tests/__init__.py": ""},
)


def as_bash(files: Files) -> str:
    """A command that makes them so."""
    steps = []
    for file, text in files.items():
        path = shlex.quote(file)
        steps.append(
            f"rm -f {path}" if text is None else f"mkdir -p $(dirname {path}) && printf %s {shlex.quote(text)} > {path}"
        )
    return "\n".join(steps)
