"""Which files of a project say what its tests are and mean: one table for all languages. Pure."""

import configparser
import json
import re
import tomllib
from collections.abc import Callable

FOLDERS = (
    r"(?:.+/)?(?:[tT]ests?|__tests__|__mocks__|__snapshots__|__fixtures__|test[_-]?data|testdata|cypress)/.+",
    r"spec/.+",
    r"(?:.+/)?src/(?:it|integration-?[tT]est|androidTest)/.+",
)
"""Everything below these: tests, what they share, and their data. Maven's `src/test` and Rust's `tests` are there."""

TESTS = (
    r"test_[^/]*\.\w+",
    r"tests?\.py",
    r"[^/]*_test\.\w+",
    r"[^/]*_spec\.rb",
    r"[^/]*[.-](?:test|spec)\.[cm]?[jt]sx?",
    r"[^/]*(?:Test|Tests|TestCase|IT|Spec)\.(?:java|kt|scala|groovy|cs|php|swift)",
    r"[^/]*\.bats",
)
"""Files that hold tests, by their name alone."""

SETTINGS = (
    r"conftest\.py",
    r"\.?pytest\.(?:ini|toml)",
    r"tox\.ini|noxfile\.py",
    r"(?:jest|vitest|karma|playwright|cypress|ava|wdio|web-test-runner)\.(?:config|conf|workspace|setup)[^/]*\.\w+",
    r"(?:jest|vitest|test)[.-]?setup[^/]*\.[cm]?[jt]sx?|setupTests\.[cm]?[jt]sx?",
    r"\.coveragerc|\.nycrc[^/]*|\.c8rc[^/]*",
    r"\.mocharc[^/]*|\.taprc|jasmine\.json|\.rspec|phpunit\.xml[^/]*|nextest\.toml|junit-platform\.properties",
)
"""Files that say how tests are found and run."""

INTRUDERS = (
    r"(?:.+/)?(?:sitecustomize|usercustomize)\.py",
    r"(?:.+/)?[^/]*\.pth",
    r"(?:.+/)?[^/]*\.(?:egg|dist)-info/entry_points\.txt",
    r"(?:.+/)?(?:_?pytest|unittest|pluggy|xdist|loopwright_(?:pytest|unittest|probe|shim|sources|syntax))(?:\.py|/.+)",
)
"""What Python loads without being asked, and what would stand in the place of the test framework itself."""

_NAMED = rf"(?:.+/)?(?:{'|'.join((*TESTS, *SETTINGS))})"
PATTERN = f"(?:{'|'.join((*FOLDERS, _NAMED, *INTRUDERS))})"
"""The whole table as one expression, for full matches of project-relative paths; also given to the probes."""

_FRAMEWORK = re.compile(r"(?:_?pytest|unittest|pluggy|xdist)(?:\.py|/.+)|(?:site|user)customize(?:\.py|/.+)")
_MATERIAL = re.compile(PATTERN)
_BY_NAME = re.compile(f"(?:{'|'.join((_NAMED, *INTRUDERS))})")
_TESTS = re.compile(rf"(?:.+/)?(?:{'|'.join(TESTS)})")
_SCRIPT = re.compile(r"(?:pre|post)?test(?::.*)?")
_RULE = re.compile(r"^([^\s#:=][^#:=\n]*?)\s*::?(?![:=])(.*)\n?((?:^\t.*\n?|^\s*\n)*)", re.MULTILINE)
_VARIABLE = re.compile(r"^ *(?:export |override )*([\w.-]+)[ \t]*(?:\?|:{1,3}|\+|!)?=((?:.*\\\n)*.*)", re.MULTILINE)
_INCLUDE = re.compile(r"^-?s?include\b.*|^ *(?:un)?export\b.*", re.MULTILINE)
_ALWAYS = ("SHELL", ".SHELLFLAGS", "MAKEFLAGS", "PATH", ".ONESHELL")


def is_test_material(path: str) -> bool:
    """Whether the file (project-relative, with '/') belongs to the tests and not to the product."""
    return _MATERIAL.fullmatch(path) is not None


def is_by_name(path: str) -> bool:
    """Whether its name alone makes it test material, wherever it lies."""
    return _BY_NAME.fullmatch(path) is not None


def is_framework(path: str) -> bool:
    """Whether a file of a folder of packages is the test framework's own, or loaded with every interpreter."""
    return _FRAMEWORK.fullmatch(path) is not None


def holds_tests(path: str) -> bool:
    """Whether the file holds tests of its own; all other test material may reach tests of other files."""
    return _TESTS.fullmatch(path) is not None


def is_mixed(path: str) -> bool:
    """Whether the file holds settings of the tests beside other things."""
    return _name(path) in _MIXED


def settings_of(path: str, text: str) -> object:
    """What a mixed file says about the tests, in a form that can be compared; None when it says nothing.

    A broken file is taken as a whole.
    """
    try:
        return _MIXED[_name(path)](text) or None
    except (ValueError, configparser.Error, RecursionError):
        return text


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _pyproject(text: str) -> object:
    tool = tomllib.loads(text).get("tool")
    return {name: tool[name] for name in ("pytest", "coverage") if name in tool} if isinstance(tool, dict) else None


def _setup_cfg(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections() if name.startswith(("tool:pytest", "coverage:"))}


def _package(text: str) -> object:
    package = json.loads(text)
    if not isinstance(package, dict):
        return None
    scripts = package.get("scripts")
    lines = scripts if isinstance(scripts, dict) else {}
    said = {f"script {name}": line for name, line in lines.items() if _SCRIPT.fullmatch(name)}
    return said | {
        name: package[name] for name in ("jest", "vitest", "mocha", "ava", "nyc", "c8", "tap") if name in package
    }


def _makefile(text: str) -> object:
    """The rules of the tests, the variables and rules that their recipes name, and what may hold more of both.

    What has to be built first does not count, but for tests that are nothing else.
    """
    named: dict[str, list[str]] = {}
    for targets, first, recipe in _RULE.findall(text):
        for target in targets.split():
            named.setdefault(target, []).append(f"{first}\n{recipe}".rstrip())
    for name, value in _VARIABLE.findall(text):
        named.setdefault(name, []).append(value.strip())
    said: dict[str, list[str]] = {}
    queue = [name for name in ("test", "tests", "check", *_ALWAYS) if name in named]
    for name in queue:
        said[name] = named[name]
        words = {word for one in named[name] for word in re.findall(r"[\w./-]+", one.partition("\n")[2] or one)}
        queue += sorted(word for word in words & named.keys() if word not in queue)
    return said and {**said, "include": _INCLUDE.findall(text)}


_MIXED: dict[str, Callable[[str], object]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "package.json": _package,
    "Makefile": _makefile,
    "makefile": _makefile,
    "GNUmakefile": _makefile,
}
