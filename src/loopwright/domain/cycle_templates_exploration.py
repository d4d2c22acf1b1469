"""The exploration of a project without a model: what its files say, counted and named. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.domain.cycle_templates import FoundTests, Section, Statement, document, named, section
from loopwright.domain.survey import Module, Survey
from loopwright.domain.words import plural

MOST_MODULES, MOST_TESTS, MOST_POINTS, MOST_RISKS, MOST_FOLDERS = 60, 40, 30, 30, 20
NAMED = 5
MANY = 3
"""Files that import a module, so that a change there reaches far."""

WELL_COVERED = 60
"""Percent of a file's lines; below, a test may not see what breaks there."""

RUN = "the engine's first test run"

ADDED = (
    "what the modules are for beyond the first line that each says of itself, and how data flows between them",
    "where the work of this task belongs, and existing code that it could use again",
    "risks that no count shows: security, concurrency, data that outlives a version",
)


@dataclass(frozen=True)
class ExplorationText:
    """`text` is exploration.md, `page` architecture.md; the lists are those of the text."""

    text: str
    page: str
    integration_points: tuple[str, ...]
    risks: tuple[str, ...]
    summary: str


def exploration_of(survey: Survey, tests: FoundTests) -> ExplorationText:
    points = section("Integration points", _points(survey, tests), MOST_POINTS, "module")
    risks = section("Risks", _risks(survey, tests), MOST_RISKS, "risk")
    parts = (
        Section("Language and tools", (*_languages(survey), *_manifests(survey), *_packages(survey))),
        Section("Tests", (*_test_run(tests), *section("", _test_files(survey, tests), MOST_TESTS, "file").statements)),
        Section("Entry points", tuple(_entries(survey))[:MOST_TESTS]),
        section("Modules", _modules(survey), MOST_MODULES, "module"),
        Section("Conventions", tuple(_conventions(survey))),
        points,
        risks,
    )
    lead = "Made from the project's files and its first test run, without a model: each line names where it comes from."
    return ExplorationText(
        text=document("Exploration", lead, parts, ADDED),
        page=architecture_of(survey),
        integration_points=tuple(map(str, points.statements)),
        risks=tuple(map(str, risks.statements)),
        summary=f"{plural(len(survey.product), 'module')}, {plural(len(survey.tests), 'test file')}, "
        f"{plural(len(risks.statements), 'risk')}",
    )


def architecture_of(survey: Survey) -> str:
    """A page: the folders and what they use, where it begins, and what most rests on."""
    users = survey.users
    used = (
        Statement(f"imported by {plural(len(users[m.path]), 'file')}: {named(users[m.path], NAMED)}", m.path)
        for m in sorted(survey.product, key=lambda module: -len(users[module.path]))[:NAMED]
        if users[m.path]
    )
    parts = (
        section("Folders", _folders(survey), MOST_FOLDERS, "folder"),
        Section("Entry points", tuple(_entries(survey))[:NAMED]),
        Section("Most used", tuple(used)),
    )
    lead = "Folders and imports as they are in the files; made without a model."
    return document("Architecture", lead, parts, ("the layers as they are meant, and where this task's work belongs",))


def _languages(survey: Survey) -> Iterator[Statement]:
    first = {module.language: module.path for module in reversed(survey.modules)}
    for language, count in survey.kinds.items():
        if language in first:
            yield Statement(f"{language}: {plural(count, 'file')} of {survey.files}", f"such as {first[language]}")


def _manifests(survey: Survey) -> Iterator[Statement]:
    for manifest in survey.manifests:
        if manifest.name:
            yield Statement(f"the {manifest.kind} package {manifest.name}", manifest.path)
        if manifest.dependencies:
            yield Statement(f"depends on {named(manifest.dependencies, 12)}", manifest.path)
        if manifest.scripts:
            scripts = [f"`{name}`" for name in manifest.scripts]
            yield Statement(f"scripts: {named(scripts, 12)}", manifest.path)


def _packages(survey: Survey) -> Iterator[Statement]:
    """Packages from outside, by how many files use them."""
    users: dict[str, list[str]] = defaultdict(list)
    for module in survey.modules:
        for package in module.packages:
            users[package].append(module.path)
    for package, paths in sorted(users.items(), key=lambda item: -len(item[1]))[:10]:
        yield Statement(f"uses {package} in {plural(len(paths), 'file')}", named(paths, 2))


def _test_run(tests: FoundTests) -> Iterator[Statement]:
    if tests.command:
        yield Statement(f"test command: `{tests.command}`", RUN)
    if tests.total:
        failing = len(tests.failing)
        yield Statement(f"{plural(tests.total, 'test')}, {tests.passing} passed and {failing} failed", RUN)


def _test_files(survey: Survey, tests: FoundTests) -> Iterator[Statement]:
    failing = Counter(failure.file for failure in tests.failing)
    for module in survey.tests:
        what = plural(len(module.cases), "test") if module.cases else "no test of its own"
        about = f"; imports {named(module.imports, NAMED)}" if module.imports else ""
        red = f"; now failing: {failing[module.path]}" if failing[module.path] else ""
        yield Statement(f"{what}{about}{red}", module.path)


def _entries(survey: Survey) -> Iterator[Statement]:
    for manifest in survey.manifests:
        yield from (Statement(entry, manifest.path) for entry in manifest.entries)
    yield from (Statement(module.entry, module.path) for module in survey.product if module.entry)


def _modules(survey: Survey) -> Iterator[Statement]:
    """Those that most rests on first."""
    known = survey.users
    for module in sorted(survey.product, key=lambda one: (-len(known[one.path]), one.path)):
        said = module.summary.rstrip(".") or plural(module.lines, "line")
        defines = f"; defines {named(module.exports, 8)}" if module.exports else ""
        uses = f"; imports {named(module.imports, NAMED)}" if module.imports else ""
        users = known[module.path]
        by = f"; imported by {plural(len(users), 'file')}" if users else ""
        yield Statement(f"{said}{defines}{uses}{by}", module.path)


def _conventions(survey: Survey) -> Iterator[Statement]:
    counted = [module for module in survey.product if module.style.functions]
    if not counted:
        return
    source = f"counted in {plural(len(counted), 'file')}, such as {counted[0].path}"
    total = sum(module.style.functions for module in counted)
    snake = sum(module.style.snake for module in counted)
    camel = sum(module.style.camel for module in counted)
    typed = sum(module.style.typed for module in counted)
    documented = sum(module.style.documented for module in counted)
    if snake or camel:
        yield Statement(f"names of functions: {snake} in snake_case, {camel} otherwise", source)
    yield Statement(f"{typed} of {plural(total, 'function')} say what they return", source)
    yield Statement(f"{documented} functions and classes have a docstring", source)


def _points(survey: Survey, tests: FoundTests) -> Iterator[Statement]:
    """Modules that failing tests import, then those that others import most."""
    red = {failure.file for failure in tests.failing}
    suspects = {path for module in survey.tests if module.path in red for path in module.imports}
    known = survey.users
    for module in sorted(survey.product, key=lambda one: (one.path not in suspects, -len(known[one.path]))):
        users = known[module.path]
        exports = f"defines {named(module.exports, 8)}; " if module.exports else ""
        if module.path in suspects:
            asking = [user for user in users if user in red]
            yield Statement(f"{exports}failing tests import it: {named(asking, NAMED)}", module.path)
        elif users:
            yield Statement(f"{exports}imported by {named(users, NAMED)}", module.path)


def _risks(survey: Survey, tests: FoundTests) -> Iterator[Statement]:
    yield from (Statement(f"can not be read: {m.broken}", m.path) for m in survey.modules if m.broken)
    areas = list(dict.fromkeys(failure.file for failure in tests.failing if failure.file))
    if len(areas) > 1:
        yield Statement(f"tests fail in {len(areas)} places, which may have one cause or several", named(areas, NAMED))
    known = survey.users
    for module in survey.product:
        users = known[module.path]
        if len(users) >= MANY:
            yield Statement(f"a change reaches {len(users)} files that import it", module.path)
    yield from (Statement(f"no test imports it ({plural(m.lines, 'line')})", m.path) for m in untested(survey))
    bare = sorted((percent, path) for path, percent in tests.coverage.items() if percent < WELL_COVERED)
    yield from (Statement(f"the tests run {percent:g} % of its lines", path) for percent, path in bare)
    yield from (Statement("left out of this survey", words) for words in survey.left_out)


def untested(survey: Survey) -> tuple[Module, ...]:
    """Modules of code that no test file reaches by its imports, directly or through others."""
    if not survey.tests:
        return ()
    reached: set[str] = set()
    waiting = [path for module in survey.tests for path in module.imports]
    imports = {module.path: module.imports for module in survey.modules}
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += imports.get(path, ())
    known = {module.language for module in survey.modules if module.imports}
    return tuple(m for m in survey.product if m.path not in reached and m.language in known and m.lines > 1)


def _folders(survey: Survey) -> Iterator[Statement]:
    """Folders with source in them, and the folders that they import from."""
    inside: dict[str, list[Module]] = defaultdict(list)
    for module in survey.modules:
        inside[_folder(module.path)].append(module)
    for folder, modules in sorted(inside.items()):
        uses = sorted({_folder(path) for module in modules for path in module.imports} - {folder})
        what = f"; imports from {named(uses, NAMED)}" if uses else ""
        yield Statement(f"{_counted(modules)}{what}", folder)


def _counted(modules: Sequence[Module]) -> str:
    tests = sum(module.is_test for module in modules)
    parts = [plural(len(modules) - tests, "module")] if len(modules) > tests else []
    return " and ".join([*parts, *([plural(tests, "test file")] if tests else [])])


def _folder(path: str) -> str:
    return path.rpartition("/")[0] + "/" if "/" in path else "./"


def architecture_summary_of(survey: Survey) -> dict[str, object]:
    """As the discovery board has it."""
    folders = [f"{statement.source}: {statement.text}" for statement in _folders(survey)]
    entries = [f"{statement.source}: {statement.text}" for statement in _entries(survey)]
    top = sorted({_folder(module.path) for module in survey.product})
    return {
        "pattern": f"{plural(len(survey.product), 'module')} in {plural(len(top), 'folder')}",
        "layers": folders[:NAMED], "entry": entries[:NAMED] or ["none found in the files"],
    }  # fmt: skip


def naming_of(survey: Survey) -> dict[str, object] | None:
    """The conventions as the discovery board has them; None where nothing was counted."""
    counted = [module for module in survey.product if module.style.functions]
    if not counted:
        return None
    snake = sum(module.style.snake for module in counted)
    camel = sum(module.style.camel for module in counted)
    inner = sum(bool(module.imports) for module in counted)
    return {
        "naming": f"functions: {snake} in snake_case, {camel} otherwise",
        "imports": f"{inner} of {plural(len(counted), 'file')} import others of the project",
        "formatting": "not measured",
    }
