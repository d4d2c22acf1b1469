"""A look at what tests run with and git does not see: packages, tools, settings, and code among the ignored files."""

import base64
import csv
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.parser import Parser
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import orjson

from loopwright.evidence.environment import (
    CODE,
    TOOLS,
    Distribution,
    Environment,
    EnvironmentChange,
    Manifests,
    environment_changes,
    explain_changes,
    is_harmless,
    normalise_name,
    wanted_names,
)
from loopwright.evidence.test_material import is_by_name, is_framework
from loopwright.processes.confinement import run_briefly
from loopwright.workspace.private_git import run_git

_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PLUGINS = re.compile(r"^\s*\[\s*pytest11\s*\]", re.MULTILINE)


def list_distributions(
    project: Path, roots: Iterable[str], changed: Collection[str], before: Collection[str], manifests: Manifests
) -> Iterator[Distribution]:
    """Those of which something is among the `changed` places, and that were there, or are asked for by the manifests.

    `before`: all places that there were.
    """
    records = {record for root in roots for record in Path(root).rglob("*.dist-info/RECORD")}
    look = _Changes(project, frozenset(changed), before, manifests.removed)
    told = {record: _metadata(record) for record in records if look.is_new(record)}
    asked = wanted_names({one.name: one.requires for one in told.values()}, manifests)
    for record in records:
        if record not in told or told[record].name in asked:
            name = told[record].name if record in told else record.parent.name
            if found := look.distribution(name, record):
                yield found


class _Metadata(NamedTuple):
    """`requires`: names."""

    name: str
    requires: frozenset[str]


def _metadata(record: Path) -> _Metadata:
    told = Parser().parsestr(_read(record.parent / "METADATA"), headersonly=True)
    required = (_REQUIRED.match(line) for line in told.get_all("Requires-Dist", ()))
    name = str(told.get("Name") or record.parent.name.partition("-")[0])
    return _Metadata(normalise_name(name), frozenset(normalise_name(one[0]) for one in required if one))


class _Changes:
    """What has changed, by the distributions that it belongs to."""

    def __init__(
        self, project: Path, changed: frozenset[str], before: Collection[str], removed: frozenset[str]
    ) -> None:
        self._project, self._changed, self._before, self._removed = project, changed, before, removed
        self._notes: dict[str, list[str]] = defaultdict(list)
        for place in changed:
            folder, mark, _ = place.partition(".dist-info/")
            if mark:
                self._notes[folder + mark].append(place)
        self._taken: dict[str, frozenset[str]] = {}

    def is_new(self, record: Path) -> bool:
        return self._place(record) in self._changed

    def distribution(self, name: str, record: Path) -> Distribution | None:
        folder, notes = self._place(record.parent.parent), f"{self._place(record.parent)}/"
        names: dict[str, str] = {}
        for row in csv.reader(_read(record).splitlines()):
            path = Path(os.path.normpath(record.parent.parent / row[0])) if row else record
            place = self._place(path)
            if place in self._changed and _is_as_installed(path, row):
                is_harmless = _is_asked_for(row[0], path) and not self._stands_for_own(row[0], path)
                if is_harmless or not self.is_new(record):  # else it is as it was before
                    names[place] = row[0]
        # What an installer writes behind the record says nothing to any program, but for the plugins of pytest.
        for place in self._notes[notes]:
            if _is_asked_for(place, self._project / place):
                names[place] = place.removeprefix(f"{folder}/")
        if not names:
            return None
        taken = self._modules(folder)
        fresh = frozenset(place for place, own in names.items() if _is_fresh(place, own, taken, self._before))
        return Distribution(name, frozenset(names), fresh, is_new=self.is_new(record))

    def _stands_for_own(self, name: str, path: Path) -> bool:
        """Whether it would be loaded in the place of a module of the project, and is not a copy of it."""
        first = name.split("/")[0].partition(".")[0]
        for folder in ("", "src/"):
            if not self._removed.isdisjoint(f"{folder}{one}" for one in (name, f"{first}.py", f"{first}/__init__.py")):
                return True
            own = self._project / folder / name
            if own.is_file():
                return own.read_bytes() != path.read_bytes()
            stem = own.parent / own.name.partition(".")[0]
            if own.suffix in (".so", ".pyd") and (stem.is_dir() or stem.with_suffix(".py").is_file()):
                return True
        return False

    def _place(self, path: Path) -> str:
        return str(path).removeprefix(f"{self._project}/")

    def _modules(self, folder: str) -> frozenset[str]:
        """Names that could be loaded from that folder before."""
        if folder not in self._taken:
            inside = (place.removeprefix(f"{folder}/") for place in self._before if place.startswith(f"{folder}/"))
            self._taken[folder] = frozenset(name.split("/")[0].split(".")[0] for name in inside)
        return self._taken[folder]


def _is_fresh(place: str, name: str, taken: Collection[str], before: Collection[str]) -> bool:
    """Whether nothing could be loaded or started under its name before. `taken`: modules of the same folder."""
    if place in before:
        return False
    first, *more = name.split("/")
    if first == "..":  # a program, or what comes with it
        return more[-1] not in TOOLS
    return first.split(".")[0] not in taken


def _is_asked_for(name: str, path: Path) -> bool:
    """Whether it is loaded by name only, and not with every interpreter or test run."""
    if path.name == "entry_points.txt":
        return not _PLUGINS.search(_read(path))
    if path.suffix == ".pth":  # lines of paths are no code
        return not any(line.startswith(("import ", "import\t")) for line in _read(path).splitlines())
    return not is_framework(name)


def _is_as_installed(path: Path, row: list[str]) -> bool:
    algorithm, _, digest = (row[1] if len(row) > 1 else "").partition("=")
    if algorithm != "sha256":
        return False
    try:
        found = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode() == digest.rstrip("=")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


IN_PARENTS = (
    "conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "package.json", ".npmrc",
    "babel.config.js", "jest.config.js", ".mocharc.json", "go.work", "Cargo.toml", ".cargo/config.toml",
)  # fmt: skip
"""Settings and tests that runners look for in the folders around a project."""

IN_HOME = (
    ".npmrc",
    ".cargo/config.toml",
    ".cargo/config",
    ".pdbrc",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".config/git/ignore",
    ".config/git/attributes",
    ".config/pip/pip.conf",
)

VARIABLES = re.compile(
    r"PYTHON.*|PYTEST_.*|NODE_.*|NPM_CONFIG_.*|LD_.*|DYLD_.*|PATH|HOME|GOFLAGS|RUSTFLAGS|JAVA_TOOL_.*"
)

GIT_SETTINGS = re.compile(
    r"(?:filter|include|includeif|url)\..*|core\.(?:hookspath|excludesfile|attributesfile|fsmonitor|worktree|autocrlf|eol"
    r"|sparsecheckout.*|filemode|symlinks|bare|gitproxy)|extensions\..*",
    re.IGNORECASE,
)
"""Those of git's settings that change contents, or which files it sees."""

VARIABLE = "the variable "

_PACKAGE_FILES = ("__init__.py", "index.js", "index.mjs", "index.cjs", "index.ts")
_SKIPPED = frozenset({
    ".cache", ".vite", ".vite-temp", ".vitest", "test", "idlelib", "lib2to3", "turtledemo", "ensurepip",
    "site-packages", "dist-packages",
})  # fmt: skip
"""Folders directly below a root that no test run depends on, or that are roots of their own."""

_SHARES = re.compile(r"^include-system-site-packages\s*=\s*true", re.MULTILINE | re.IGNORECASE)
"""What a virtual environment says that uses the packages of the interpreter which it was made with."""

_ASK = (
    "import json, sys, sysconfig as s; p = s.get_paths(); "
    "print(json.dumps([sys.base_prefix, p['stdlib'], p['purelib'], p['platlib'], '%d.%d' % sys.version_info[:2]]))"
)


@dataclass(frozen=True)
class EnvironmentLook:
    """`roots`: folders that were read as a whole. `stamps`: by place. `own`: places among the project's own files.

    `path`: where programs were looked for. `ignored`: what git ignored; None where that was not kept.
    """

    roots: tuple[str, ...]
    stamps: Mapping[str, str]
    own: frozenset[str]
    path: str
    ignored: frozenset[str] | None = None

    def as_json(self) -> bytes:
        kept = [] if self.ignored is None else [sorted(self.ignored)]
        return orjson.dumps([self.roots, self.stamps, sorted(self.own), self.path, *kept])

    @staticmethod
    def of(text: bytes) -> "EnvironmentLook":
        roots, stamps, own, path, *kept = orjson.loads(text)
        return EnvironmentLook(tuple(roots), stamps, frozenset(own), path, frozenset(kept[0]) if kept else None)


def look_at_environment(
    project: Path,
    ignored: Collection[str],
    command: str,
    pythons: Sequence[str],
    path: str | None = None,
    source: Path | None = None,
) -> EnvironmentLook:
    """How everything is now. `ignored`: what git ignores there. `path`: what to take for the variable PATH.

    `pythons`: the programs by which Python tests can be run. `source`: the project that a worktree's packages are
    linked from; what these links lead to is looked at, too.
    """
    path = os.environ.get("PATH", os.defpath) if path is None else path
    found = {python: program for python in pythons if (program := shutil.which(python, path=path))}
    roots = tuple(dict.fromkeys(_roots(project, ignored, found.values())))
    stamps: dict[str, str] = {}
    for root in roots:
        _read_folder(project, root, stamps, source)
    compiled: dict[str, str] = {}
    for name in ignored:
        if name.endswith("__pycache__/"):
            _read_folder(project, os.path.join(project, name.rstrip("/")), compiled)
    stamps |= {place: value for place, value in compiled.items() if _is_compiled(place)}
    own = dict(_ignored_code(project, ignored, roots))
    around = (_tools(project, command, found, path), _settings(project, ignored), _git(project), _variables())
    stamps |= own | {place: value for part in around for place, value in part}
    return EnvironmentLook(roots, stamps, frozenset(own), path, frozenset(ignored))


def compare_looks(
    project: Path, before: EnvironmentLook, now: EnvironmentLook, manifests: Callable[[], Manifests]
) -> Environment:
    """What differs now, and what explains it. Compiled files that differ are removed: they are made anew."""
    changes = environment_changes(_in_use(project, before, now), now.stamps)
    compiled = {change for change in changes if _is_compiled(change.place)}
    for change in compiled:
        if change.what != "gone":
            (project / change.place).unlink(missing_ok=True)
    changes = tuple(change for change in changes if change not in compiled)
    if not changes:
        return Environment()
    asked, own = manifests(), before.own | now.own
    left = [c for c in changes if c.place not in own or not is_harmless(c, asked, shadows=_shadows(project, c.place))]
    places = {change.place for change in left}
    packages = tuple(list_distributions(project, now.roots, places, before.stamps.keys(), asked))
    as_installed = frozenset(place for one in packages if not one.is_new for place in one.files)
    left = [change for change in left if change.place not in as_installed]
    fine = explain_changes(left, before.stamps, now.stamps, packages, asked)
    variables = tuple(change for change in left if change.place.startswith(VARIABLE))
    rest = [change for change in left if change.place not in fine and change not in variables]
    return Environment(
        unexplained=tuple(_by_root(project, before, now, rest)),
        explained=tuple(c for c in left if c.place in fine),
        variables=variables,
    )


def _in_use(project: Path, before: EnvironmentLook, now: EnvironmentLook) -> Mapping[str, str]:
    """What there was but for folders of packages that the tests are not run with any more."""
    unused = tuple(f"{root}/".removeprefix(f"{project}/") for root in set(before.roots) - set(now.roots))
    kept = tuple(f"{root}/".removeprefix(f"{project}/") for root in now.roots)
    return {
        place: stamp for place, stamp in before.stamps.items() if not place.startswith(unused) or place.startswith(kept)
    }


def _by_root(
    project: Path, before: EnvironmentLook, now: EnvironmentLook, changes: Iterable[EnvironmentChange]
) -> list[EnvironmentChange]:
    """With one for a whole folder of packages that was empty or not there."""
    inside = tuple(f"{root.removeprefix(f'{project}/')}/" for root in now.roots)
    filled = tuple(root for root in inside if not any(place.startswith(root) for place in before.stamps))
    return list(
        dict.fromkeys(
            change._replace(place=next((root for root in filled if change.place.startswith(root)), change.place))
            for change in changes
        )
    )


def _roots(project: Path, ignored: Collection[str], interpreters: Iterable[str]) -> Iterator[str]:
    """The folders of packages that tests can be run with, whichever of them the command takes."""
    yield str(project / "node_modules")
    for name in ignored:
        folder = project / name.rstrip("/")
        if folder.name == "node_modules":
            yield str(folder)
        elif name.endswith("/"):
            yield from (str(one.parent) for one in (*folder.glob("pyvenv.cfg"), *folder.glob("*/pyvenv.cfg")))
    for interpreter in dict.fromkeys(interpreters):
        venv = Path(os.path.dirname(os.path.dirname(os.path.abspath(interpreter))))
        alone = venv / "pyvenv.cfg"
        if alone.is_file():
            yield str(venv)
        if asked := _asked(interpreter, _stamp(interpreter)):
            base, stdlib, pure, plat, version = asked
            home = f"{os.path.expanduser('~')}/.local/lib/python{version}/site-packages"
            system = (f"{base}/lib/python3/dist-packages", f"{base}/local/lib/python{version}/dist-packages")
            yield stdlib
            if not alone.is_file() or _SHARES.search(alone.read_text("utf-8", "replace")):
                yield from (pure, plat, home, *system)


_COMPILED = re.compile(r"(?:^|/)__pycache__/.*\.py[co](?:\.\d+)?$")


def _is_compiled(place: str) -> bool:
    """Whether it is a file of Python's cache, or becomes one: it is written beside its place, under a number."""
    return _COMPILED.search(place) is not None


def _shadows(project: Path, place: str) -> bool:
    """Whether an ignored file would be loaded in the place of another one of the same name."""
    path = project / place.rstrip("/")
    stem = path if place.endswith("/") else path.parent / path.name.partition(".")[0]
    others = (stem.with_name(f"{stem.name}{suffix}") for suffix in (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs"))
    return any(other != path and other.is_file() for other in others)


def _read_folder(project: Path, top: str, stamps: dict[str, str], source: Path | None = None) -> None:
    """Adds the stamps of all files below `top`, by place. Links to the same place below `source` are followed."""
    inside, folders = len(f"{project}/") if top.startswith(f"{project}/") else 0, [top]

    def is_folder(entry: os.DirEntry[str]) -> bool:
        if source is None or not entry.is_symlink():
            return entry.is_dir(follow_symlinks=False)
        return os.readlink(entry.path) == f"{source}/{entry.path[inside:]}" and entry.is_dir()

    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:  # it is not there, or not ours to read
            continue
        for entry in entries:
            if is_folder(entry):
                folders += [entry.path] if folder != top or entry.name not in _SKIPPED else []
                continue
            try:
                if _BY_CONTENT.fullmatch(entry.name):
                    stamp = _digest(Path(entry.path).read_bytes())
                else:
                    stamp = _of(entry.path, entry.stat(follow_symlinks=False))
            except OSError:
                stamp = "unreadable"
            stamps[entry.path[inside:]] = stamp


_BY_CONTENT = re.compile(r"RECORD|pyvenv\.cfg|[Aa]ctivate(\.\w+)?|\.package-lock\.json")
"""What an installer that installs the same again writes the same, and no record tells of."""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _of(path: str, at: os.stat_result) -> str:
    """Any change of a file sets its ctime, which no call sets back."""
    return f"-> {os.readlink(path)}" if stat.S_ISLNK(at.st_mode) else f"{at.st_ctime_ns} {at.st_size} {at.st_ino}"


def _stamp(path: str) -> str:
    """Of the file that the path leads to, with every link on the way; empty where there is none."""
    told = []
    try:
        for _ in range(40):
            at = os.lstat(path)
            told.append(_of(path, at))
            if not stat.S_ISLNK(at.st_mode):
                return " ".join(told)
            path = os.path.join(os.path.dirname(path), os.readlink(path))
    except OSError:
        told.append("nothing")
    return " ".join(told) if told != ["nothing"] else ""


@lru_cache(maxsize=8)
def _asked(python: str, stamp: str) -> tuple[str, ...] | None:
    """Where that interpreter has its packages; asked without anything that its environment may have added."""
    try:
        done = run_briefly([python, "-I", "-S", "-c", _ASK], cwd=Path("/"), seconds=20)
        return tuple(json.loads(done.stdout)) if done.returncode == 0 else None
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def _ignored_code(project: Path, ignored: Collection[str], roots: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Ignored files and packages beside the project's own, which tests can load."""
    read = frozenset(roots)
    for name in ignored:
        path = os.path.join(project, name.rstrip("/"))
        if path in read or name.endswith("__pycache__/"):
            continue
        if name.endswith("/"):
            if any(os.path.exists(f"{path}/{first}") for first in _PACKAGE_FILES):
                yield name, "a package"
        elif CODE.fullmatch(name) or is_by_name(name):
            yield name, _stamp(path)


def _tools(project: Path, command: str, pythons: Mapping[str, str], path: str) -> Iterator[tuple[str, str]]:
    words = [word for word in command.split() if re.fullmatch(r"[\w./+-]+", word)][:3]
    for name in dict.fromkeys((*words, *TOOLS)):
        found = shutil.which(project / name if "/" in name else name, path=path)
        if found and str(found) not in pythons.values():
            yield f"the program {name}", f"{found} {_stamp(found)}"
    for python, program in pythons.items():
        yield f"the interpreter {python}", f"{program} {_stamp(program)}"


def _settings(project: Path, ignored: Collection[str]) -> Iterator[tuple[str, str]]:
    around = (parent / name for parent in project.parents for name in IN_PARENTS)
    hidden = (project / name for name in ignored if os.path.basename(name) in IN_PARENTS)
    for path in (*around, *hidden, *(Path.home() / name for name in IN_HOME)):
        if value := _stamp(str(path)):
            yield str(path), value


def _variables() -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if VARIABLES.fullmatch(name):
            yield f"{VARIABLE}{name}", _digest(value.encode("utf-8", "replace"))


def _git(project: Path) -> Iterator[tuple[str, str]]:
    """What decides which files git sees, and with which contents."""
    asked = run_git("rev-parse", "--absolute-git-dir", "--git-common-dir", cwd=project)
    if asked.returncode != 0:
        return
    own, common = (Path(project, os.fsdecode(line)) for line in asked.stdout.splitlines())
    for name in ("info/exclude", "info/attributes", "info/sparse-checkout", "objects/info/alternates"):
        for folder in dict.fromkeys((own, common)):
            if (folder / name).is_file():
                yield f"git: {name}", _digest((folder / name).read_bytes())
    for hook in sorted((common / "hooks").glob("*")):
        if hook.suffix != ".sample":
            yield f"git: hooks/{hook.name}", _stamp(str(hook))
    # With the user's own settings: they are what changes the contents that the user commits.
    listed = subprocess.run(
        ["git", "config", "--list", "-z"], cwd=project, capture_output=True, timeout=20, check=False
    ).stdout
    settings: dict[str, list[str]] = {}
    for setting in listed.split(b"\0"):
        key, _, value = setting.decode("utf-8", "replace").partition("\n")
        if GIT_SETTINGS.fullmatch(key):
            settings.setdefault(key, []).append(value)
    yield from ((f"git: the setting {key}", " ".join(values)) for key, values in settings.items())
    flagged = run_git("ls-files", "-v", "-z", cwd=project).stdout.split(b"\0")
    for line in flagged:
        if line[:1].islower() or line[:1] == b"S":
            yield f"git: {os.fsdecode(line[2:])} is left out of what git looks at", "yes"
