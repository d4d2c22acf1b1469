"""What tests run with and git does not see: how it was, how it is, and what a dependency of the run explains. Pure."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from loopwright.core.text import plural
from loopwright.evidence.test_material import is_by_name

NAMES_SHOWN = 5

MANIFEST = re.compile(
    r"(?:.+/)?(?:(?:requirements|constraints)[^/]*\.(?:txt|in)|requirements/[^/]+\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)"
    r"|Pipfile(?:\.lock)?|(?:poetry|uv|pdm|pixi)\.lock|package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock"
    r"|pnpm-lock\.yaml)"
)
"""Files that say which packages a project is installed with."""

CODE = re.compile(r".*\.(?:py|pyc|so|pyd|[cm]?jsx?|[cm]?tsx?|node|wasm|rb|php)")
"""Files among those that git ignores which tests could load."""

IGNORE_RULES = re.compile(r"(?:.+/)?\.gitignore")

TOOLS = (
    "python", "python3", "pytest", "tox", "nox", "uv", "poetry", "hatch", "pdm", "node", "npm", "npx", "pnpm", "yarn",
    "bun", "deno", "jest", "vitest", "mocha", "tsc", "go", "cargo", "rustc", "java", "mvn", "gradle", "make", "ruby",
    "bundle", "php", "dotnet", "git", "sh", "bash", "env",
)  # fmt: skip
"""Programs that test commands start, beside the command's own first words."""

_PACKAGE = re.compile(r"(?:^|/)node_modules/((?:@[^/]+/)?[^/.][^/]*)/")
_JS_FRAMEWORK = re.compile(r"@?(?:vitest|jest)(?:[-/].+)?|mocha|chai|ava|tap|tsx|ts-node|babel-jest")
_COMMAND = re.compile(r"-> \.\./((?:@[^/]+/)?[^/]+)")
"""The stamp of a link in node_modules/.bin."""
_BOOKS = re.compile(r"node_modules/\.(?:package-lock\.json|yarn-integrity|yarn-state\.yml|modules\.yaml)$")
"""Where package managers write down what they have installed."""
_WORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class EnvironmentChange(NamedTuple):
    """`place`: project-relative where it lies in the project, else absolute, or what else it is, in words."""

    place: str
    what: Literal["new", "changed", "gone"]

    def __str__(self) -> str:
        return f"{self.place} ({self.what})"


class Environment(NamedTuple):
    """What differs since the run began, in three parts.

    `explained`: by a dependency that the run has added to a manifest. `variables`: of the process that looks, which may
    be another one than at the beginning. `unexplained`: the rest.
    """

    unexplained: tuple[EnvironmentChange, ...] = ()
    explained: tuple[EnvironmentChange, ...] = ()
    variables: tuple[EnvironmentChange, ...] = ()


class Distribution(NamedTuple):
    """An installed Python distribution, its name normalised, that was there before or that the run asks for.

    `files`: places that are as its record has them, and are loaded by whoever asks for them. `fresh`: those of them
    under whose name nothing could be loaded before. `is_new`: the record itself came with the run.
    """

    name: str
    files: frozenset[str]
    fresh: frozenset[str] = frozenset()
    is_new: bool = True


class Manifests(NamedTuple):
    """`changed`: manifests and locks of the run, each before and after. `project`: the project's own name. `named`: all
    manifests and locks as they are now; a package that they name, and that was not there, was missing.

    `ignore_rules`: whether the run changed what git ignores. `upgrades`: whether a person has asked for a change after
    which packages that were there before may be others; such a package can change what old tests say. `removed`: files
    of the project that the run has removed; what is loaded in their place was not there before.
    """

    changed: Mapping[str, tuple[str, str]]
    project: str | None = None
    ignore_rules: bool = False
    upgrades: bool = False
    removed: frozenset[str] = frozenset()
    named: Mapping[str, str] = {}


def environment_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[EnvironmentChange, ...]:
    """What differs between two looks, by place."""
    places = {place for place, _ in before.items() ^ after.items()}
    return tuple(
        EnvironmentChange(place, "new" if place not in before else "changed" if place in after else "gone")
        for place in sorted(places)
    )


def is_harmless(change: EnvironmentChange, manifests: Manifests, *, shadows: bool) -> bool:
    """Of an ignored file of the project itself: whether tests can load it as what it is, and as nothing else.

    `shadows`: it would be loaded in the place of a file that git sees. A generated module or a built extension is
    harmless; what is loaded unasked, what stands in the place of another module, and what the run itself has hidden, is
    not.
    """
    if change.what == "gone":
        return True
    name = change.place.rstrip("/")
    if is_by_name(name.removesuffix("c") if name.endswith(".pyc") else name):
        return False
    return not (change.what == "new" and (shadows or manifests.ignore_rules))


def explain_changes(
    changes: Iterable[EnvironmentChange],
    before: Mapping[str, str],
    after: Mapping[str, str],
    distributions: Iterable[Distribution],
    manifests: Manifests,
) -> frozenset[str]:
    """Places of those changes that an installed dependency accounts for, which a manifest or lock of the run names.

    `before` and `after`: the stamps of all places.
    """
    places = {change.place: change.what for change in changes}
    return frozenset((*_by_python(places, distributions, manifests), *_by_node(places, before, after, manifests)))


def environment_words(changes: Iterable[EnvironmentChange]) -> str:
    """The first of them, and how many more there are."""
    found = [str(change) for change in changes]
    more = f" and {plural(len(found) - NAMES_SHOWN, 'more place')}" if len(found) > NAMES_SHOWN else ""
    return ", ".join(found[:NAMES_SHOWN]) + more


def normalise_name(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _by_python(places: Collection[str], distributions: Iterable[Distribution], manifests: Manifests) -> Iterator[str]:
    for one in distributions:
        if one.is_new:
            is_free = manifests.upgrades or one.name == _own_name(manifests)
            yield from (one.files if is_free else one.fresh) & frozenset(places)


def wanted_names(requires: Mapping[str, Collection[str]], manifests: Manifests) -> frozenset[str]:
    """Those of the distributions that a manifest names, what they require, and the project's own.

    `requires`: the names that each of them requires.
    """
    added = (set(after.splitlines()) - set(before.splitlines()) for before, after in manifests.changed.values())
    lines = (*added, *(text.splitlines() for text in manifests.named.values()))
    words = {normalise_name(word) for some in lines for line in some for word in _WORD.findall(line)}
    wanted = words & requires.keys()
    while more := {name for one in wanted for name in requires[one] if name in requires} - wanted:
        wanted |= more
    own = _own_name(manifests)
    return frozenset((*wanted, own)) if own and own in requires else frozenset(wanted)


def _own_name(manifests: Manifests) -> str | None:
    return normalise_name(manifests.project) if manifests.project else None


def _by_node(
    places: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], manifests: Manifests
) -> Iterator[str]:
    """What lies in a package that a lock has anew, or in another version, or that was missing; and the links to its
    commands.

    What runs the tests is never explained, nor a command that stands in the place of another.
    """
    changed = {name for file, texts in manifests.changed.items() for name in _new_packages(file, *texts)}
    locked = {name for file, text in manifests.named.items() for name in _new_packages(file, "", text)}
    there = (
        frozenset(name for place in before for name in _PACKAGE.findall(place)) if locked or changed else frozenset()
    )
    wanted = (changed | locked) - there | (changed if manifests.upgrades else set())
    packages = {name for name in wanted if not _JS_FRAMEWORK.fullmatch(name)}
    for place, what in places.items() if packages else ():
        inside, link = _PACKAGE.findall(place), _COMMAND.match(after.get(place, ""))
        if link and "/.bin/" in place:
            is_fine = what == "new" and place.rpartition("/")[2] not in TOOLS and link[1] in packages
        else:
            is_fine = bool(inside) and packages.issuperset(inside)
        if is_fine or _BOOKS.search(place):
            yield place


def _new_packages(file: str, before: str, after: str) -> set[str]:
    if file.endswith(("package-lock.json", "npm-shrinkwrap.json")):
        old, new = _locked(before), _locked(after)
        return {key.rpartition("node_modules/")[2] for key, entry in new.items() if old.get(key) != entry and key}
    if file.endswith(("yarn.lock", "pnpm-lock.yaml")):
        lines = set(after.splitlines()) - set(before.splitlines())
        return {name for line in lines for name in re.findall(r"(?<![\w@/.-])((?:@[\w.-]+/)?[\w.-]+)@", line)}
    return set()


def _locked(text: str) -> dict[str, object]:
    try:
        packages = json.loads(text or "{}").get("packages")
    except (ValueError, AttributeError):
        return {}
    return packages if isinstance(packages, dict) else {}
