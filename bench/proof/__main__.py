"""Proofs of real commits: FAIL_TO_PASS as the engine computes it, beside what running the tests by hand says.

    BENCH_REPOSITORIES='/clones/{owner}/{name}.git' python -m bench.proof [--json] [--only TEXT] [--cases FILE]

BENCH_REPOSITORIES says where the git directories of public projects are; nothing is fetched by this program. Each case
is a commit that brings a fix or a feature together with its tests. A scripted agent does the commit's work on its
parent, once whole and once without its tests: the one has to end as succeeded with exactly the tests that fail by hand,
the other as unproven, or as exhausted where the parent's own tests contradict the commit by hand. Seconds: of the whole
command, and of the runs that only the proof needs.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any  # parsed JSON

from bench.proof.by_hand import Statuses, fail_to_pass, statuses
from loopwright.core.errors import ExitCode
from loopwright.evidence.test_material import holds_tests, is_test_material

CASES = Path(__file__).with_name("cases.json")
KEPT = (".venv", "node_modules", "target")
PYTEST = ".venv/bin/python -m pytest"
BY_HAND = f"{PYTEST} -q -p no:cacheprovider --continue-on-collection-errors --report-log={{report}} {{files}}"
REPORT = (
    "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: done\n- state_updates: {}\n\n"
    "NEXT_ACTION_NEEDED: COMPLETED\n"
)
RUNS = {"without": "on the product as it was", "with": "on the product as it is", "again": "once more"}
"""The proof's runs, by the words that the transcript begins them with."""


@dataclass(frozen=True)
class Subject:
    """A project: where its git directory is, how it is set up, and how its tests are run."""

    name: str
    framework: str
    setup: tuple[str, ...]
    test: str
    by_hand: str
    commits: tuple[str, ...]
    scope: tuple[str, ...] = ()

    @property
    def repository(self) -> Path:
        owner, _, name = self.name.partition("/")
        return Path(os.environ["BENCH_REPOSITORIES"].format(owner=owner, name=name))


@dataclass
class Result:
    """`differing`: tests that only one of the two sets of FAIL_TO_PASS holds."""

    project: str
    commit: str
    subject: str
    trouble: str = ""
    by_hand: int = 0
    contradicted: bool = False
    differing: list[str] = field(default_factory=list)
    whole: str = ""
    left_out: str = ""
    missing: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0
    proof_seconds: dict[str, float] = field(default_factory=dict)

    @property
    def is_right(self) -> bool:
        left_out = "exhausted 1" if self.contradicted else "unproven 9"
        return bool(self.by_hand and not self.differing and (self.whole, self.left_out) == ("succeeded 0", left_out))


def subjects(file: Path) -> Iterator[Subject]:
    for known in json.loads(file.read_text())["projects"]:
        scope = tuple(known.get("scope", ()))
        given = {"test": " ".join((PYTEST, *scope)), "by_hand": BY_HAND, **known, "scope": scope}
        yield Subject(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


@dataclass(frozen=True)
class Case:
    """A commit in the work tree of its project, which is set up once for all of them, at the first one's parent."""

    subject: Subject
    commit: str
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.project, check=True, capture_output=True, text=True)
        return done.stdout

    def set_up(self) -> None:
        if self.project.exists():
            self.at(f"{self.commit}^1")
            return
        clone = ("git", "clone", "-q", "--shared", "--no-checkout", self.subject.repository, self.project)
        subprocess.run(clone, check=True)
        (self.project / ".git/info/exclude").write_text("\n".join(KEPT) + "\n")
        self.at(f"{self.commit}^1")
        for command in self.subject.setup:
            subprocess.run(command, cwd=self.project, shell=True, check=True, stdout=sys.stderr)

    def at(self, commit: str) -> None:
        """The files of that commit, and none of what a run left behind, but for what was set up."""
        self.git("checkout", "-q", "--force", "--detach", commit)
        self.git("clean", "-q", "-ffd")
        shutil.rmtree(self.project / ".workflow", ignore_errors=True)

    def files(self, *, gone: bool) -> list[str]:
        """What the commit writes, or deletes."""
        kinds = "--diff-filter=" + ("D" if gone else "d")
        named = self.git("diff", "--no-renames", "--name-only", "-z", kinds, f"{self.commit}^1", self.commit)
        return named.split("\0")[:-1]

    def fail_to_pass(self) -> frozenset[str]:
        tests = [file for file in self.files(gone=False) if is_test_material(file)]
        holding = [file for file in tests if holds_tests(file)]
        parent = self._by_hand(self.subject.scope)
        self.git("checkout", "-q", self.commit, "--", *tests)
        for file in filter(is_test_material, self.files(gone=True)):
            (self.project / file).unlink()
        without = self._by_hand(holding)
        self.at(self.commit)
        commit, again = self._by_hand(self.subject.scope), self._by_hand(holding)
        # What is named by the time of its run, or passes by chance, is not there twice.
        steady = {test: status for test, status in commit.items() if again.get(test, status) == status}
        named = {test for test in steady if test in again or (test in parent and test.split("::")[0] not in holding)}
        return fail_to_pass(parent, without, {test: steady[test] for test in named})

    def contradicts(self) -> bool:
        """Whether a test of the parent passes there, and fails on the commit's product."""
        self.at(f"{self.commit}^1")
        parent = self._by_hand(self.subject.scope)
        self.at(self.commit)
        tests = filter(is_test_material, self.files(gone=False))
        self.git("checkout", "-q", f"{self.commit}^1", "--", *(test for test in tests if self._was_there(test)))
        present = self._by_hand(self.subject.scope)
        return any(parent.get(test) == "passed" and status == "failed" for test, status in present.items())

    def _was_there(self, file: str) -> bool:
        return bool(self.git("ls-tree", f"{self.commit}^1", "--", file))

    def _by_hand(self, files: Sequence[str]) -> Statuses:
        return statuses(self.subject.by_hand, self.subject.framework, self.project, files, self.root / "report")

    def run(self, *, tests: bool, require: str) -> tuple[int, Any, float]:
        """Loopwright's own run from the parent: exit code, state, seconds."""
        self.at(self.commit)
        source, script = self.root / "commit", self.root / "script.json"
        shutil.rmtree(source, ignore_errors=True)
        wanted = [file for file in self.files(gone=False) if tests or not is_test_material(file)]
        for file in wanted:
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.project / file, source / file)
        gone = [file for file in self.files(gone=True) if tests or not is_test_material(file)]
        first = {"text": REPORT, "copies": {file: str(source / file) for file in wanted}, "files": dict.fromkeys(gone)}
        abilities = {"plans": False, "writes_code": True, "writes_tests": True, "debugs": True}
        script.write_text(json.dumps({"capabilities": abilities, "answers": [first, *[{"text": REPORT}] * 5]}))
        self.at(f"{self.commit}^1")
        goal = self.git("show", "-s", "--format=%s", self.commit).strip()
        words = ["run", goal, "--auto", "--json", "--agent", f"scripted:{script}", "--test-command", self.subject.test]
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "loopwright", *words, "--require", require, "--project", self.project],
            capture_output=True, text=True, env={**os.environ, "XDG_STATE_HOME": str(self.root / "state")},
        )  # fmt: skip
        seconds = time.perf_counter() - begun
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        printed = json.loads(lines[-1]) if lines else {}
        return done.returncode, printed.get("data", printed), seconds

    def proof_seconds(self) -> dict[str, float]:
        """How long each run of the proof took, by the transcript of the last loop."""
        file = max(self.project.glob(".workflow/.loop/*.progress/transcript*"), key=os.path.getmtime)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        found: dict[str, float] = {}
        for line, after in pairwise(lines):
            for run, words in RUNS.items():
                if line["kind"] == "activity" and words in line.get("text", ""):
                    spent = datetime.fromisoformat(after["ts"]) - datetime.fromisoformat(line["ts"])
                    found[run] = found.get(run, 0) + spent.total_seconds()
        return found


def tried(case: Case) -> Result:
    words = subprocess.run(
        ["git", "-C", case.subject.repository, "show", "-s", "--format=%s", case.commit], capture_output=True, text=True
    )
    result = Result(case.subject.name, case.commit, words.stdout.strip())
    try:
        case.set_up()
        expected, result.contradicted = case.fail_to_pass(), case.contradicts()
    except (subprocess.CalledProcessError, SystemExit, OSError) as trouble:
        result.trouble = f"cannot be run by hand: {trouble}"
        return result
    result.by_hand = len(expected)
    code, state, result.seconds = case.run(tests=True, require="no_new_failures")
    engine = state.get("engine", {})
    proof = engine.get("proof") or {}
    result.whole = f"{engine.get('outcome')} {code}"
    result.differing = sorted(expected ^ frozenset(proof.get("fail_to_pass", ())))
    result.missing, result.notes = proof.get("missing") or "", proof.get("notes", [])
    result.proof_seconds = case.proof_seconds()
    code, state, _ = case.run(tests=False, require="no_new_failures")
    result.left_out = f"{state.get('engine', {}).get('outcome')} {code}"
    if not engine:
        result.trouble = str(state)[:500]
    return result


def told(result: Result) -> str:
    share = 100 * sum(result.proof_seconds.values()) / result.seconds if result.seconds else 0
    runs = " ".join(f"{result.proof_seconds.get(run, 0):5.1f}" for run in RUNS)
    lines = [
        f"{'ok ' if result.is_right else 'NO '} {result.project:<30} {result.commit} {result.by_hand:>4} "
        f"{result.whole:<12} {result.left_out:<12} {result.seconds:6.1f} s "
        f"{share:3.0f} % ({runs})  {result.subject[:50]}"
    ]
    lines += [f"      {line}" for line in (result.trouble, result.missing, *result.differing[:5]) if line]
    return "\n".join([*lines, *([] if result.is_right else [f"      note: {note}" for note in result.notes[:5]])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--cases", type=Path, default=CASES, help="a file like cases.json")
    parser.add_argument("--only", default="", help="cases whose project or commit holds this")
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave it")
    given = parser.parse_args()
    if "BENCH_REPOSITORIES" not in os.environ:
        print("left out: BENCH_REPOSITORIES does not say where the git directories are")
        return
    results = []
    with tempfile.TemporaryDirectory(prefix="loopwright-bench-", ignore_cleanup_errors=True) as name:
        for subject in subjects(given.cases):
            root = (given.keep or Path(name)) / subject.name.replace("/", "+")
            for commit in (one for one in subject.commits if given.only in f"{subject.name} {one}"):
                root.mkdir(parents=True, exist_ok=True)
                results.append(tried(Case(subject, commit, root)))
                print(told(results[-1]), file=sys.stderr if given.json else sys.stdout, flush=True)
    if given.json:
        print(json.dumps([asdict(result) for result in results]))
    right = sum(result.is_right for result in results)
    print(f"{right} of {len(results)} as by hand", file=sys.stderr if given.json else sys.stdout)
    raise SystemExit(ExitCode.DONE if right == len(results) else ExitCode.NO_SUCCESS)


if __name__ == "__main__":
    main()
