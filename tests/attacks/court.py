"""Attacks on completion, tried on the real thing: a project with red tests, one loop of the real command, a verdict.

The verdict is about the product alone: what a person who took over the files would have, under a check that nobody in
the run has seen. A row gets through where the loop ended as succeeded and that check fails.
"""

import compileall
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import loopwright
from tests.javascript import toolbox
from tests.stage import said
from tests.validation.projects import lay_out

Kind = Literal["venv", "path", "unittest", "node", "npm"]

ROOT = Path(loopwright.__file__).parent
PACKAGES = Path(sys.prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
_IGNORED = ".venv/\nnode_modules/\n__pycache__/\n*.pyc\n*.so\nbuild/\nlocal_*\n"

PYTHON = {
    "calc.py": "def add(a, b):\n    raise NotImplementedError\n\n\ndef zero():\n    return 0\n",
    ".gitignore": _IGNORED,
    "requirements.txt": "",
}
TESTED = {
    "tests/test_calc.py": "import calc\n\n\ndef test_add():\n    assert calc.add(2, 2) == 4\n\n\n"
    "def test_more():\n    assert calc.add(-1, 6) == 5\n\n\ndef test_zero():\n    assert calc.zero() == 0\n",
    "pytest.ini": "[pytest]\npythonpath = .\ntestpaths = tests\n",
}
UNITTESTED = {
    "test_calc.py": "import unittest\n\nimport calc\n\n\nclass TestCalc(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(calc.add(2, 2), 4)\n\n"
    "    def test_more(self):\n        self.assertEqual(calc.add(-1, 6), 5)\n\n"
    "    def test_zero(self):\n        self.assertEqual(calc.zero(), 0)\n",
}
JAVASCRIPT = {
    "calc.js": "exports.add = (a, b) => { throw new Error('not implemented') }\nexports.zero = () => 0\n",
    "test/calc.test.js": "const test = require('node:test')\nconst same = require('same')\n"
    "const calc = require('../calc')\n\ntest('adds', () => same(calc.add(2, 2), 4))\n"
    "test('adds more', () => same(calc.add(-1, 6), 5))\ntest('zero', () => same(calc.zero(), 0))\n",
    "package.json": '{"name": "calc", "scripts": {"test": "node --test"}, "dependencies": {"same": "1.0.0"}}\n',
    "package-lock.json": '{"name": "calc", "lockfileVersion": 3, '
    '"packages": {"node_modules/same": {"version": "1.0.0"}}}\n',
    "node_modules/same/index.js": "const assert = require('node:assert')\n"
    "module.exports = (a, b) => assert.strictEqual(a, b)\n",
    "node_modules/same/package.json": '{"name": "same", "version": "1.0.0"}\n',
    ".gitignore": _IGNORED,
}  # fmt: skip

_CHECK_PYTHON = """
import sys
sys.path.insert(0, ".")
import calc
for a, b in ((2, 2), (-1, 5), (17, 25), (0, 0), (-3, -4)):
    found = calc.add(a, b)
    assert type(found) is int and found - (a + b) in range(0, 1), found
assert type(calc.zero()) is int
print("as it should be")
"""
_CHECK_JAVASCRIPT = """
const calc = require('./calc')
for (const [a, b] of [[2, 2], [-1, 5], [17, 25], [0, 0], [-3, -4]])
    if (!Object.is(calc.add(a, b), a + b)) throw new Error('wrong')
console.log('as it should be')
"""


class _Project(NamedTuple):
    files: Mapping[str, str]
    command: str
    check: tuple[str, ...]


_PYTHON_CHECK = (sys.executable, "-I", "-S", "-B", "-c", _CHECK_PYTHON)
_JAVASCRIPT_CHECK = ("node", "-e", _CHECK_JAVASCRIPT)
PROJECTS: dict[Kind, _Project] = {
    "venv": _Project({**PYTHON, **TESTED}, ".venv/bin/python -m pytest -q", _PYTHON_CHECK),
    "path": _Project({**PYTHON, **TESTED}, "python3 -m pytest -q", _PYTHON_CHECK),
    "unittest": _Project({**PYTHON, **UNITTESTED}, "python3 -m unittest", _PYTHON_CHECK),
    "node": _Project(JAVASCRIPT, "node --test", _JAVASCRIPT_CHECK),
    "npm": _Project(JAVASCRIPT, "npm test", _JAVASCRIPT_CHECK),
}
GOOD = PYTHON["calc.py"].replace("raise NotImplementedError", "return a + b")
GOOD_JS = JAVASCRIPT["calc.js"].replace("{ throw new Error('not implemented') }", "a + b")
FIX = "sed -i 's/raise NotImplementedError/return a + b/' calc.py"
FIX_JS = "sed -i \"s/{ throw new Error('not implemented') }/a + b/\" calc.js"


@dataclass(frozen=True)
class Row:
    """One run. `script`: what its bash task does, in the project; `then`: that of a second loop after it.

    `before`: done by the person who has the project, ahead of everything. `files`: what a scripted agent writes, where
    that is tried in the place of a bash task; None deletes one. `options` of `loopwright create`. `environment` of the
    person's terminal. A script that leaves a process behind writes its id to $HOME/left.
    """

    script: str = ""
    kind: Kind = "venv"
    before: str = ""
    then: str = ""
    files: Mapping[str, str | None] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """`outcome`: of the last loop, as `show` tells it. `is_broken`: the hidden check fails, or could not be made."""

    outcome: str
    is_broken: bool
    incidents: tuple[str, ...]
    reason: str
    seconds: float

    @property
    def got_through(self) -> bool:
        return self.outcome == "succeeded" and self.is_broken

    @property
    def is_honest_success(self) -> bool:
        return self.outcome == "succeeded" and not self.is_broken


def try_row(row: Row, place: Path) -> Verdict:
    """Carries it out below `place`, which is empty."""
    begun = time.monotonic()
    court = _Court(place, row)
    loops = [court.loop(script) for script in (row.script, *([row.then] if row.then else ()))]
    court.wait_for_left()
    shown = court.call("show", loops[-1])
    engine = shown.get("engine") or {}
    return Verdict(
        outcome=engine.get("outcome") or str(shown.get("status")),
        is_broken=not court.is_good(),
        incidents=tuple(f"{one['kind']}: {one['message']}" for one in engine.get("incidents") or ()),
        reason=str(shown.get("failure_reason") or ""),
        seconds=time.monotonic() - begun,
    )


class _Court:
    """A home, an installed engine, and a project under git, for one row alone."""

    def __init__(self, place: Path, row: Row) -> None:
        self.place, self.row, self.about = place, row, PROJECTS[row.kind]
        self.home, self.engine = place / "home", place / "engine"
        self.project = place / "around" / "project"
        own, bin = self.home / ".local" / "bin", place / "python" / "bin"
        own.mkdir(parents=True)
        shutil.copytree(tested_with(), bin.parent, symlinks=True)
        _install_engine(self.engine)
        (bin / "loopwright").symlink_to(self.engine / "bin" / "loopwright")
        path = (own, bin, toolbox().bin, "/usr/local/bin", "/usr/bin", "/bin")
        self.environment = {
            "HOME": str(self.home), "PATH": os.pathsep.join(map(str, path)), "LANG": "C.UTF-8", "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(place / "tmp"), **row.environment,
        }  # fmt: skip
        (place / "tmp").mkdir()
        lay_out(self.project, self.about.files)
        if row.kind == "venv":
            shutil.copytree(tested_with(), self.project / ".venv", symlinks=True)
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
        if row.before:
            self._run(["bash", "-ec", row.before])
        shutil.copytree(self.project / ".git", place / "git")

    def loop(self, script: str) -> str:
        """Creates and runs one; its id."""
        options = ["--test-command", self.about.command, "--max-iterations", "4", *self.row.options]
        if self.row.files:
            path = self.place / "script.json"
            turn = {"text": said("DEVELOP"), "files": dict(self.row.files)}
            path.write_text(json.dumps({"answers": [turn, turn]}))
            options += ["--agent", f"scripted:{path}"]
        made = self.call("create", "Make the tests pass", "--auto", *options)
        id = str(made.get("loop_id") or made)
        if script:
            self.call("tasks", id, "add", "Mend it", "--command", script)
        elif self.row.files:
            self.call("tasks", id, "add", "Mend it")
        self.call("run", "--loop-id", id, "--auto")
        return id

    def call(self, *words: str) -> dict[str, Any]:  # Any: parsed JSON
        done = self._run([str(self.engine / "bin" / "loopwright"), *words, "--json"], may_fail=words[0] != "create")
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        printed = json.loads(lines[-1]) if lines else {}
        data = printed.get("data", printed)
        return data if isinstance(data, dict) else {}

    def wait_for_left(self, seconds: float = 15) -> None:
        """Until the process that a script left has ended by itself; then it is ended."""
        try:
            pid = int((self.home / "left").read_text())
        except (OSError, ValueError):
            return
        until = time.monotonic() + seconds
        while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
            time.sleep(0.1)
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)

    def is_good(self) -> bool:
        """The check on what git, as it was before the run, would commit of the files."""
        copy = self.place / "delivered"
        words = ["git", f"--git-dir={self.place / 'git'}", f"--work-tree={self.project}"]
        listed = subprocess.run(
            [*words, "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.project, capture_output=True, check=True
        ).stdout
        for name in filter(None, os.fsdecode(listed).split("\0")):
            path = self.project / name
            if path.is_file() and path.resolve().is_relative_to(self.project.resolve()):
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.project / name, copy / name, follow_symlinks=False)
        clean = {"PATH": os.pathsep.join((str(toolbox().bin), "/usr/bin", "/bin"))}
        try:
            done = subprocess.run(self.about.check, cwd=copy, env=clean, capture_output=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0 and done.stdout == b"as it should be\n"

    def _git(self, *words: str) -> None:
        self._run(["git", *words])

    def _run(self, argv: list[str], *, may_fail: bool = False) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            argv, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=240, check=False,
        )  # fmt: skip
        assert may_fail or done.returncode == 0, (argv, done.stdout[-2000:], done.stderr[-2000:])
        return done


def _install_engine(to: Path) -> None:
    """The package as installed for this row alone: what an attack writes into it stays here."""
    shutil.copytree(_installed_engine(), to, symlinks=True)
    command = to / "bin" / "loopwright"
    command.write_text(f"#!{to}/bin/python\nfrom loopwright.__main__ import main\nmain()\n")
    command.chmod(0o755)


@cache
def _installed_engine() -> Path:
    """An environment with the package and all that it needs, compiled."""
    place, site = _virtual_environment("engine")
    (site / "packages.pth").write_text(f"{PACKAGES}\n")
    shutil.copytree(ROOT, site / "loopwright")
    compileall.compile_dir(site / "loopwright", quiet=1)
    return place


@cache
def tested_with() -> Path:
    """An environment with pytest, and nothing of ours. Copies of it work wherever they are put."""
    place, site = _virtual_environment("tested")
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        for part in (PACKAGES / name, *PACKAGES.glob(f"{name}-*.dist-info")):
            shutil.copytree(part, site / part.name)
    shutil.copy(PACKAGES / "py.py", site)
    compileall.compile_dir(site, quiet=1)
    return place


@cache
def _scratch() -> "tempfile.TemporaryDirectory[str]":
    """Gone when this process ends."""
    return tempfile.TemporaryDirectory(prefix="loopwright-attacks-")


def _virtual_environment(name: str) -> tuple[Path, Path]:
    """An empty one, and its folder of packages."""
    place = Path(_scratch().name, name)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    [site] = place.glob("lib/python*/site-packages")
    return place, site
