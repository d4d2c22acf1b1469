"""Orders before and after they were rewritten, given to weak readers that use nothing but what stands in them.

    python -m bench.prompts [--json] [--only TEXT] [--jobs N] [--each]

Thirty small broken projects (`bench/prompts/projects.py`), each with the old package (a commit's, by `git archive`) and
with the present one, in whole loops of the real command; the agent is a program of ours (`bench/prompts/reader.py`)
that knows what is wrong, and acts by one of four policies. Who would do in every turn what another did in the same loop
is not run again. The policies:

    line       edits the lines that the message names, in their order; where it sees values, it knows what to put there
    assertion  mends the fault once it sees a failure with its values, and the name of the file
    forgetful  tries one thing after the other, and knows only from the message what it has tried
    evidence   takes an edit that the message shows to have worked

`solved` of the projects; `turns` of the agent, all it got where a project is not solved; `tokens` that it was given, at
four characters a token.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any  # parsed JSON

from bench.prompts.projects import PROJECTS, Project
from bench.prompts.reader import Reader, take_turn

ROOT = Path(__file__).resolve().parent.parent.parent
OLD = "a1e95a96c1fd8862b00f613bea27bb23da785f40"
POLICIES = ("line", "assertion", "forgetful", "evidence")
ITERATIONS = 5
"""Of a loop: two attempts."""

CHARACTERS = 4
"""Of a token, about."""


@dataclass(frozen=True)
class Result:
    """One loop: `turns` of the agent until it ended, and `tokens` that the agent was given."""

    project: str
    kind: str
    policy: str
    texts: str
    solved: bool
    turns: int
    tokens: int


@dataclass(frozen=True)
class Course:
    """A loop as the agent saw it: each message with the product as the agent left it."""

    turns: tuple[tuple[str, str], ...]
    solved: bool


@dataclass(frozen=True)
class Row:
    """All loops of one policy with the same texts; means of turns and tokens."""

    policy: str
    texts: str
    solved: int
    turns: float
    tokens: float


def run_loops(project: Project, framework: str, texts: str, source: Path, folder: Path) -> list[Result]:
    """The loops of all policies with one project and the same texts."""
    courses: list[Course] = []
    results = []
    folder.mkdir(parents=True)
    with launching(source, folder) as launcher:
        for policy in POLICIES:
            file, right, wrong = project.fault
            given = {"policy": policy, "file": file, "right": right, "wrong": wrong, "guess": project.guess}
            known = next((one for one in courses if would_follow(one, project, framework, given)), None)
            course = known or run_loop(project, framework, given, launcher, folder / policy)
            courses.append(course)
            tokens = sum(len(text) for text, _ in course.turns) // CHARACTERS
            results.append(Result(project.name, project.kind, policy, texts, course.solved, len(course.turns), tokens))
    return results


def would_follow(course: Course, project: Project, framework: str, given: dict[str, Any]) -> bool:
    """Whether the reader does to the project, told what was told there, what was done there."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        project.write(root, framework)
        reader = Reader(given, root)
        for text, left in course.turns:
            take_turn(reader, text)
            if reader.left() != left:
                return False
        return True


@contextmanager
def launching(source: Path, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """What runs loops with the package below `source`; it keeps in the folder what was measured."""
    command = [sys.executable, str(Path(__file__).with_name("launcher.py")), str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as launcher:
        yield launcher
        launcher.communicate()


def run_loop(
    project: Project, framework: str, given: dict[str, Any], launcher: "subprocess.Popen[str]", folder: Path
) -> Course:
    place, log, out = folder / "project", folder / "log.ndjson", folder / "out"
    place.mkdir(parents=True)
    project.write(place, framework)
    (folder / "reader.json").write_text(json.dumps({**given, "log": str(log)}))
    program = [sys.executable, "-S", "-E", str(Path(__file__).with_name("reader.py")), str(folder / "reader.json")]
    (place / "loopwright.toml").write_text(f"[agents.reader]\ncommand = {json.dumps(program)}\n")
    arguments = ["run", "Make the tests pass", "--auto", "--agent", "reader", "--max-iterations", str(ITERATIONS)]
    arguments += ["--test-command", f"{sys.executable} -m {framework}"]
    environment = {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
    loop = {"arguments": arguments, "cwd": str(place), "environment": environment, "out": str(out)}
    assert launcher.stdin is not None
    assert launcher.stdout is not None
    print(json.dumps(loop), file=launcher.stdin, flush=True)
    code = int(launcher.stdout.readline() or -1)
    turns = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not turns or code not in (0, 1):
        raise RuntimeError(f"{project.name}, {given['policy']}: {code} {out.read_text()}")
    return Course(tuple((turn["text"], turn["left"]) for turn in turns), code == 0)


def run_all(projects: Sequence[Project], jobs: int) -> list[Result]:
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(jobs) as pool:
        folder = Path(name)
        sources = {"old": unpack_old(folder / "old"), "new": ROOT / "src"}
        frameworks = {one.name: ("pytest", "unittest")[n % 2] for n, one in enumerate(PROJECTS)}
        waiting = [
            pool.submit(run_loops, one, frameworks[one.name], texts, source, folder / one.name / texts)
            for one, (texts, source) in product(projects, sources.items())
        ]
        return [result for one in waiting for result in one.result()]


def unpack_old(folder: Path) -> Path:
    """The package as it was before its orders were rewritten."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", OLD, "src"], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        sys.exit(f"needs commit {OLD[:8]}, as a full clone has it: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "x"], cwd=folder, input=archive.stdout, check=True)
    return folder / "src"


def sum_up(results: Sequence[Result]) -> list[Row]:
    rows = []
    for policy, texts in product(POLICIES, ("old", "new")):
        those = [one for one in results if (one.policy, one.texts) == (policy, texts)]
        turns, tokens = (sum(getattr(one, name) for one in those) / len(those) for name in ("turns", "tokens"))
        rows.append(Row(policy, texts, sum(one.solved for one in those), round(turns, 2), round(tokens)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", help="projects whose name or kind holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--each", action="store_true", help="every loop too")
    given = parser.parse_args()
    projects = [one for one in PROJECTS if given.only in one.name or given.only in one.kind]
    results = run_all(projects, given.jobs)
    rows = sum_up(results)
    if given.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "loops": [asdict(one) for one in results]}, indent=1))
        return
    if given.each:
        for one in results:
            how = "solved" if one.solved else "open"
            loop = f"{one.project:10} {one.kind:10} {one.policy:10} {one.texts}"
            print(f"{loop} {how:7} {one.turns} turns {one.tokens:6,} tokens")
    print(f"{'policy':10} {'texts':5} {'solved':>9} {'turns':>6} {'tokens':>7}")
    for row in rows:
        solved = f"{row.solved} of {len(projects)}"
        print(f"{row.policy:10} {row.texts:5} {solved:>9} {row.turns:6.2f} {row.tokens:7,.0f}")


if __name__ == "__main__":
    main()
