"""Mutants of changed lines: what ours cost, whether the figures are the same twice, and whether cosmic-ray agrees.

    MUTATION_PROJECTS="PATH@COMMIT …" make bench

Each commit stands for a run: its parent is where the run began. Without any, both examples are taken as all new. The
same mutants, made by cosmic-ray, are tried by its own runner (a new process for each) and by ours (in warm workers):
how many are killed must not differ by more than two. MUTATION_PYTHON: what the projects' tests run with, and
MUTATION_COMMAND how (default: `python -m pytest`); MUTATION_MOST: how many of cosmic-ray's mutants (default 40).
Without cosmic-ray (it is installed from the package index into a folder that goes away) only ours is measured.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loopwright.core.ports import TestOrder
from loopwright.evidence.coverage import is_own_code
from loopwright.evidence.debugging import DebugRequest
from loopwright.evidence.goal_proof import changed_lines
from loopwright.evidence.proof import MutationOrder
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestRun
from loopwright.repair.debugger import PythonDebugger

HERE = Path(__file__).resolve().parent
EXAMPLES = ("cinema_desk", "roastery")
COSMIC = "cosmic-ray==8.7.0"
PYTHON = os.environ.get("MUTATION_PYTHON", sys.executable)
COMMAND = os.environ.get("MUTATION_COMMAND", "python -m pytest")
MOST = int(os.environ.get("MUTATION_MOST", "40"))
MARKER = "bench-mutation"
ALLOWED = 2


@dataclass(frozen=True)
class Change:
    """A project as a run leaves it: its changed lines, and the tests that fail without them and pass."""

    name: str
    root: Path
    lines: dict[str, tuple[int, ...]]
    tests: tuple[str, ...]

    def order(self) -> MutationOrder:
        return MutationOrder(
            project=str(self.root), python=PYTHON, test_command=COMMAND, tests=self.tests, lines=self.lines,
            seconds=600,
        )  # fmt: skip


class Judge(PythonDebugger):
    """Our runner, for mutants that others have made."""

    async def verdicts(self, order: MutationOrder, given: Sequence[tuple[str, str]]) -> dict[int, bool]:
        """By number; those that compile to the same code are missing."""
        request = DebugRequest(project=order.project, python=order.python, test_command=order.test_command, failing=())
        more = order.model_dump(mode="json", include={"tests", "lines", "reached"})
        answer = await self._ask("mutate", request, order.seconds, {**more, "most": len(given), "given": [*given]})
        return {number: killed for number, killed in answer.get("verdicts", ()) if killed is not None}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        room = Path(name)
        cosmic = installed(room / "cosmic")
        for change in changes(room):
            measure(change)
            if cosmic is not None:
                compare(change, cosmic, room)


def measure(change: Change) -> None:
    if not change.tests:
        sys.exit(f"{change.name}: no test passes with the change and fails without it")
    size = sum(map(len, change.lines.values()))
    print(f"{change.name}: {size} changed lines, {len(change.tests)} tests that fail without them")
    found = []
    for _ in range(2):
        began = time.monotonic()
        mutation = asyncio.run(PythonDebugger(MARKER).mutate(change.order(), lambda words: None))
        found.append(mutation.mutants)
        words = mutation.mutants.words if mutation.mutants else mutation.trouble
        print(f"  ours: {words}, {time.monotonic() - began:.1f} s")
    print(f"  the same twice: {'yes' if found[0] == found[1] else 'NO'}", flush=True)


def compare(change: Change, cosmic: Path, room: Path) -> None:
    """The same mutants under both runners."""
    began = time.monotonic()
    theirs = tried_by_cosmic_ray(change, cosmic, room)
    if not theirs:
        print("  cosmic-ray has no mutants of these lines")
        return
    took, began = time.monotonic() - began, time.monotonic()
    ours = asyncio.run(Judge(MARKER).verdicts(change.order(), [(one["file"], one["text"]) for one in theirs]))
    killed, here = sum(one["killed"] for one in theirs), sum(ours.values())
    differing = [one for n, one in enumerate(theirs) if ours.get(n, False) != one["killed"]]
    verdict = "agree" if abs(killed - here) <= ALLOWED else "DIFFER"
    print(
        f"  {len(theirs)} mutants of cosmic-ray: {killed} killed by its runner in {took:.1f} s, {here} by ours in "
        f"{time.monotonic() - began:.1f} s: they {verdict}; {len(differing)} judged differently"
    )
    for one in differing:
        print(f"    {one['file']}:{one['line']}: {one['operator']}, killed by {'it' if one['killed'] else 'us'} only")
    sys.stdout.flush()


def tried_by_cosmic_ray(change: Change, cosmic: Path, room: Path) -> list[dict[str, object]]:
    folder = Path(tempfile.mkdtemp(dir=room))
    copy = folder / "copy"
    shutil.copytree(change.root, copy, symlinks=True)
    environment, words = command_words()
    command = " ".join([*words, "-x", "-q", "-p", "no:cacheprovider", *(json.dumps(test) for test in change.tests)])
    settings = {
        "module-path": [*change.lines], "timeout": 60.0, "excluded-modules": [], "test-command": command,
    }  # fmt: skip
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    (folder / "cosmic.toml").write_text(f'[cosmic-ray]\n{text}\n[cosmic-ray.distributor]\nname = "local"\n')
    order = {
        "session": str(folder / "session.sqlite"), "lines": change.lines, "most": MOST, "command": command,
        "seconds": 120,
    }  # fmt: skip
    (folder / "order.json").write_text(json.dumps(order))
    env = {**os.environ, **environment}
    init = [str(cosmic.parent / "cosmic-ray"), "init", str(folder / "cosmic.toml"), order["session"]]
    subprocess.run(init, cwd=copy, check=True, env=env, stdout=subprocess.DEVNULL)
    words = [str(cosmic), str(HERE / "cosmic_mutants.py"), str(folder / "order.json"), str(folder / "answer.json")]
    subprocess.run(words, cwd=copy, check=True, env=env)
    answer: list[dict[str, object]] = json.loads((folder / "answer.json").read_text())
    return answer


def command_words() -> tuple[dict[str, str], list[str]]:
    """The command's assignments, and the command with the real interpreter."""
    words = COMMAND.split()
    assigned = {name: value for name, _, value in (word.partition("=") for word in words if "=" in word)}
    return assigned, [PYTHON if word == "python" else word for word in words if "=" not in word]


def changes(room: Path) -> Iterator[Change]:
    wanted = os.environ.get("MUTATION_PROJECTS", "").split()
    for name in wanted:
        path, _, commit = name.rpartition("@")
        yield of_commit(Path(path), commit, room)
    for name in EXAMPLES if not wanted else ():
        root = room / name
        shutil.copytree(HERE.parent / "examples" / name, root)
        files = [file for file in sorted(root.rglob("*.py")) if is_own_code(file.relative_to(root))]
        lines = {str(file.relative_to(root)): (*range(1, file.read_text().count("\n") + 1),) for file in files}
        yield Change(name, root, lines, tuple(passing(run_tests(root))))


def of_commit(repository: Path, commit: str, room: Path) -> Change:
    """Tests that pass at the commit, and do not with the parent's product under them."""
    root = room / f"{repository.name}-{commit[:8]}"
    git = ("git", "-C", str(root))
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(repository), str(root)], check=True)
    subprocess.run([*git, "checkout", "-q", commit], check=True)
    listed = subprocess.run([*git, "diff", "--name-only", "HEAD~1", "HEAD"], check=True, capture_output=True, text=True)
    files = [name for name in listed.stdout.split() if name.endswith(".py")]
    product = [name for name in files if is_own_code(Path(name))]
    tests = [name for name in files if name not in product]
    lines, olds = {}, {}
    for name in product:
        shown = subprocess.run([*git, "show", f"HEAD~1:{name}"], capture_output=True)
        olds[name] = shown.stdout if shown.returncode == 0 else None
        lines[name] = changed_lines(olds[name], (root / name).read_bytes())
    present = passing(run_tests(root, tests))
    news = {name: (root / name).read_bytes() for name in product}
    for name, old in olds.items():
        (root / name).write_bytes(old) if old is not None else (root / name).unlink()
    before = passing(run_tests(root, tests))
    for name, new in news.items():
        (root / name).write_bytes(new)
    return Change(root.name, root, lines, tuple(test for test in present if test not in before))


def run_tests(root: Path, files: Sequence[str] = ()) -> TestRun:
    environment, words = command_words()
    assigned = [f"{name}={value}" for name, value in environment.items()]
    command = " ".join([*assigned, *words, *files])
    return asyncio.run(ProjectTests(root).run(TestOrder(command, timeout=300, marker=MARKER)))


def passing(run: TestRun) -> list[str]:
    return [result.key for result in run.results if result.status == "passed"]


def installed(folder: Path) -> Path | None:
    """The Python of an environment with cosmic-ray, or None where it cannot be had."""
    given = os.environ.get("MUTATION_COSMIC")
    if given:
        return Path(given)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    done = subprocess.run([str(python), "-m", "pip", "install", "-q", COSMIC], capture_output=True)
    if done.returncode != 0:
        print(f"without cosmic-ray: {COSMIC} could not be installed")
        return None
    return python


if __name__ == "__main__":
    main()
