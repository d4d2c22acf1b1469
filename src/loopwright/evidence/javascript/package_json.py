"""What package.json and the files beside it tell about a project's tests."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MANAGERS: Mapping[str, tuple[str, str, str]] = {
    "npm": ("npm test", "npx", "npm ci"),
    "pnpm": ("pnpm test", "pnpm exec", "pnpm install --frozen-lockfile"),
    "yarn": ("yarn test", "yarn", "yarn install"),
}
"""How a package manager is told to run the tests, a program of a package, and to install what the lock file names."""

_LOCKS = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
)
_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "pytest.ini", "Pipfile")
_PLACEHOLDER = "no test specified"
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies")
_CALL = re.compile(
    r"(?<![\w./@-])(?:npm|pnpm|yarn)(?:\s+-{1,2}[\w=-]+)*\s+(?:(?:run-script|run)\s+(?:-{1,2}\S+\s+)*)?(?P<script>[\w:.@/-]+)"
)
_ALIASES = {"t": "test", "tst": "test"}
_DEEPEST = 5

_FRAMEWORKS = {
    "vitest": re.compile(r"(?<![\w@-])vitest(?![\w./-])"),
    "jest": re.compile(r"(?<![\w@-])jest(?:\.js)?(?![\w./-])"),
    "node": re.compile(r"(?<![\w-])(?:node|tsx)\b[^&|;]*?\s--test(?![\w-])"),
    "other": re.compile(r"(?<![\w./@-])(?:pytest|py\.test|unittest|cargo|go test|mvn|make)(?![\w-])"),
}
"""Words by which a command line names its test framework."""


@dataclass(frozen=True)
class PackageManifest:
    """What matters of package.json. `test`: the script, unless it is only npm's placeholder."""

    manager: str
    scripts: Mapping[str, str] = field(default_factory=dict)
    dependencies: frozenset[str] = frozenset()

    @property
    def test(self) -> str | None:
        script = self.scripts.get("test", "")
        return script if script.strip() and _PLACEHOLDER not in script else None

    @property
    def test_command(self) -> str:
        return MANAGERS[self.manager][0]

    @property
    def program_prefix(self) -> str:
        """What starts a program of an installed package."""
        return MANAGERS[self.manager][1]


def read_manifest(root: Path) -> PackageManifest | None:
    """None without a package.json that can be read."""
    try:
        document = json.loads((root / "package.json").read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(document, dict):
        return None
    scripts = {name: line for name, line in _mapping(document.get("scripts")).items() if isinstance(line, str)}
    packages = frozenset(name for kind in _DEPENDENCIES for name in _mapping(document.get(kind)))
    return PackageManifest(_manager(root, str(document.get("packageManager", ""))), scripts, packages)


def decides_runner(root: Path) -> bool:
    """Whether package.json says how the tests are run, and no file says that this is a Python project."""
    manifest = read_manifest(root)
    return manifest is not None and manifest.test is not None and not any((root / name).is_file() for name in _PYTHON)


def find_frameworks(command: str, root: Path) -> frozenset[str]:
    """The test frameworks that a command line names, by itself or by the scripts that it runs."""
    manifest = read_manifest(root)
    lines = list(_expanded(command, manifest.scripts if manifest else {}, _DEEPEST))
    return frozenset(name for name, words in _FRAMEWORKS.items() for line in lines if words.search(line))


def missing_dependencies(root: Path) -> str:
    """What to do about packages that are named but not installed; "" when they are, or none are needed."""
    manifest = read_manifest(root)
    if manifest is None or not manifest.dependencies:
        return ""
    if any((folder / place).exists() for folder in (root, *root.parents) for place in ("node_modules", ".pnp.cjs")):
        return ""
    return f"the dependencies of package.json are not installed: run {MANAGERS[manifest.manager][2]}"


def _expanded(command: str, scripts: Mapping[str, str], depth: int) -> Iterator[str]:
    yield command
    for call in _CALL.finditer(command) if depth else ():
        name = _ALIASES.get(call["script"], call["script"])
        for stage in (f"pre{name}", name, f"post{name}"):
            if stage in scripts:
                yield from _expanded(scripts[stage], scripts, depth - 1)


def _manager(root: Path, declared: str) -> str:
    """The one that package.json declares, else the one whose lock file is there."""
    name = declared.partition("@")[0]
    if name in MANAGERS:
        return name
    return next((manager for lock, manager in _LOCKS if (root / lock).is_file()), "npm")


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


_SKIPPED = frozenset({"node_modules", "build", "dist", "coverage"})
_MODULE = re.compile(r".*\.[cm]?js")
_TEST = re.compile(r"(test|test-.*|.*[._-]test)\.[cm]?js")
_IMPORT = re.compile(rb"""['"]node:test['"]""")
_MOST_FILES = 2000


def has_tests(root: Path) -> bool:
    """Whether `node --test` would find a file here that imports node:test."""
    return any(_IMPORT.search(path.read_bytes()) for path in _candidates(root))


def _candidates(root: Path) -> Iterator[Path]:
    """Files that the runner takes for tests: by their names, or anything in a folder `test`."""
    seen = 0
    for at, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        inside = "test" in Path(at).relative_to(root).parts
        for name in sorted(files):
            if (_MODULE if inside else _TEST).fullmatch(name) and os.path.isfile(path := os.path.join(at, name)):
                seen += 1
                yield Path(path)
        if seen > _MOST_FILES:
            return
