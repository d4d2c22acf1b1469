"""Documents without a model: sentences that each name the file or the test they come from. Pure.

What they are made of, and how they are laid out; what they say is in the modules beside this one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from loopwright.core.record import Items, Record
from loopwright.core.survey import ProjectSurvey, SurveyedModule
from loopwright.core.text import clean_line, clip_text, plural
from loopwright.evidence.goals import GREEN_TESTS, acceptance_criteria, asked_words, asks_only_for_green_tests
from loopwright.evidence.testing import TestRun
from loopwright.workflows.cycle.model import CycleState, Effort, PlanTask

SENTENCE = 300
"""Characters of a sentence; what it is about can be looked up where it comes from."""

ADDED_HEADING = "What a model would have added"
"""Heading of the section in which a document says what it is not."""

_PART = re.compile(r"\[(.*)\]$", re.DOTALL)


def line_of(text: str) -> str:
    """One line that reads back as it is."""
    return " ".join(clean_line(text).split())


@dataclass(frozen=True)
class SourcedStatement:
    """A sentence, and the file, test or words of the user that it comes from: there is none without."""

    text: str
    source: str

    def __post_init__(self) -> None:
        if not line_of(self.text) or not line_of(self.source):
            raise ValueError(f"a statement needs its words and its source: {self.text!r} from {self.source!r}")

    def __str__(self) -> str:
        return f"{clip_text(line_of(self.text), SENTENCE)} ({clip_text(line_of(self.source), SENTENCE)})"


@dataclass(frozen=True)
class DocumentSection:
    """Statements under a heading; `more`: how many were left out of it, and what they are."""

    heading: str
    statements: tuple[SourcedStatement, ...]
    more: str = ""


class FailingTest(Record):
    """A failing test: its key, and what was said of it, as far as that is known."""

    test: str
    error: str = ""
    trace: str = ""

    @property
    def file(self) -> str:
        """The test file, where the key begins with it; else empty."""
        file, parted, _ = self.test.partition("::")
        return file if parted and "." in file else ""

    @property
    def name(self) -> str:
        return self.test.rpartition("::")[2]

    @property
    def first_line(self) -> str:
        return next((found for line in self.error.splitlines() if (found := line_of(line))), "")


class FoundTests(Record):
    """The last run of the tests. `names` are the keys of all; `coverage` in percent by file, where it was measured."""

    command: str = ""
    total: int = 0
    passing: int = 0
    failing: Items[FailingTest] = ()
    names: Items[str] = ()
    coverage: dict[str, float] = Field(default_factory=dict)


def document(title: str, lead: str, sections: Sequence[DocumentSection], added: Sequence[str]) -> str:
    """A whole document; sections without a statement are left out. `added`: what a model would have."""
    lines = [f"# {title}", "", lead]
    for section in sections:
        if section.statements:
            lines += ["", f"## {section.heading}", "", *(f"- {statement}" for statement in section.statements)]
            lines += [f"\n{section.more}"] if section.more else []
    return "\n".join([*lines, "", *closing_lines(added)]) + "\n"


def closing_lines(added: Sequence[str]) -> tuple[str, ...]:
    """The last section. It is no list: lists of a document are read back as what it says."""
    return f"## {ADDED_HEADING}", "", f"{'; '.join(added)}."[:1].upper() + f"{'; '.join(added)}."[1:]


def section(heading: str, statements: Iterable[SourcedStatement], most: int, thing: str) -> DocumentSection:
    """At most so many of them; the others are counted as `thing`."""
    found = tuple(statements)
    left = len(found) - most
    return DocumentSection(
        heading, found[:most], f"{plural(left, f'other {thing}')} are left out here." if left > 0 else ""
    )


def phrase_test_name(test: str) -> str:
    """A test's name as a sentence: `test_an_empty_cart[0]` is `an empty cart (0)`."""
    bare = test.rpartition("::")[2]
    part = _PART.search(bare)
    name = _PART.sub("", bare)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"^test[_\s]*", "", name)).replace("_", " ").strip() or name
    return f"{words} ({part[1]})" if part else words


def list_names(names: Sequence[str], most: int) -> str:
    """The first of them, and how many there are beside."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {plural(more, 'other')}" if more > 0 else "")


MOST_MODULES, MOST_TESTS, MOST_INTEGRATION_POINTS, MOST_RISKS, MOST_FOLDERS = 60, 40, 30, 30, 20
FILES_NAMED = 5
MANY = 3
"""Files that import a module, so that a change there reaches far."""

WELL_COVERED = 60
"""Percent of a file's lines; below, a test may not see what breaks there."""

RUN = "the engine's first test run"

ADDED_EXPLORATION = (
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


def exploration_of(survey: ProjectSurvey, tests: FoundTests) -> ExplorationText:
    points = section("Integration points", _points(survey, tests), MOST_INTEGRATION_POINTS, "module")
    risks = section("Risks", _risks(survey, tests), MOST_RISKS, "risk")
    parts = (
        DocumentSection("Language and tools", (*_languages(survey), *_manifests(survey), *_packages(survey))),
        DocumentSection(
            "Tests", (*_test_run(tests), *section("", _test_files(survey, tests), MOST_TESTS, "file").statements)
        ),
        DocumentSection("Entry points", tuple(_entries(survey))[:MOST_TESTS]),
        section("Modules", _modules(survey), MOST_MODULES, "module"),
        DocumentSection("Conventions", tuple(_conventions(survey))),
        points,
        risks,
    )
    lead = "Made from the project's files and its first test run, without a model: each line names where it comes from."
    return ExplorationText(
        text=document("Exploration", lead, parts, ADDED_EXPLORATION),
        page=architecture_of(survey),
        integration_points=tuple(map(str, points.statements)),
        risks=tuple(map(str, risks.statements)),
        summary=f"{plural(len(survey.product), 'module')}, {plural(len(survey.tests), 'test file')}, "
        f"{plural(len(risks.statements), 'risk')}",
    )


def architecture_of(survey: ProjectSurvey) -> str:
    """A page: the folders and what they use, where it begins, and what most rests on."""
    users = survey.users
    used = (
        SourcedStatement(
            f"imported by {plural(len(users[m.path]), 'file')}: {list_names(users[m.path], FILES_NAMED)}", m.path
        )
        for m in sorted(survey.product, key=lambda module: -len(users[module.path]))[:FILES_NAMED]
        if users[m.path]
    )
    parts = (
        section("Folders", _folders(survey), MOST_FOLDERS, "folder"),
        DocumentSection("Entry points", tuple(_entries(survey))[:FILES_NAMED]),
        DocumentSection("Most used", tuple(used)),
    )
    lead = "Folders and imports as they are in the files; made without a model."
    return document("Architecture", lead, parts, ("the layers as they are meant, and where this task's work belongs",))


def _languages(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    first = {module.language: module.path for module in reversed(survey.modules)}
    for language, count in survey.kinds.items():
        if language in first:
            yield SourcedStatement(
                f"{language}: {plural(count, 'file')} of {survey.files}", f"such as {first[language]}"
            )


def _manifests(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    for manifest in survey.manifests:
        if manifest.name:
            yield SourcedStatement(f"the {manifest.kind} package {manifest.name}", manifest.path)
        if manifest.dependencies:
            yield SourcedStatement(f"depends on {list_names(manifest.dependencies, 12)}", manifest.path)
        if manifest.scripts:
            scripts = [f"`{name}`" for name in manifest.scripts]
            yield SourcedStatement(f"scripts: {list_names(scripts, 12)}", manifest.path)


def _packages(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    """Packages from outside, by how many files use them."""
    users: dict[str, list[str]] = defaultdict(list)
    for module in survey.modules:
        for package in module.packages:
            users[package].append(module.path)
    for package, paths in sorted(users.items(), key=lambda item: -len(item[1]))[:10]:
        yield SourcedStatement(f"uses {package} in {plural(len(paths), 'file')}", list_names(paths, 2))


def _test_run(tests: FoundTests) -> Iterator[SourcedStatement]:
    if tests.command:
        yield SourcedStatement(f"test command: `{tests.command}`", RUN)
    if tests.total:
        failing = len(tests.failing)
        yield SourcedStatement(f"{plural(tests.total, 'test')}, {tests.passing} passed and {failing} failed", RUN)


def _test_files(survey: ProjectSurvey, tests: FoundTests) -> Iterator[SourcedStatement]:
    failing = Counter(failure.file for failure in tests.failing)
    for module in survey.tests:
        what = plural(len(module.cases), "test") if module.cases else "no test of its own"
        about = f"; imports {list_names(module.imports, FILES_NAMED)}" if module.imports else ""
        red = f"; now failing: {failing[module.path]}" if failing[module.path] else ""
        yield SourcedStatement(f"{what}{about}{red}", module.path)


def _entries(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    for manifest in survey.manifests:
        yield from (SourcedStatement(entry, manifest.path) for entry in manifest.entries)
    yield from (SourcedStatement(module.entry, module.path) for module in survey.product if module.entry)


def _modules(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    """Those that most rests on first."""
    known = survey.users
    for module in sorted(survey.product, key=lambda one: (-len(known[one.path]), one.path)):
        said = module.summary.rstrip(".") or plural(module.lines, "line")
        defines = f"; defines {list_names(module.exports, 8)}" if module.exports else ""
        uses = f"; imports {list_names(module.imports, FILES_NAMED)}" if module.imports else ""
        users = known[module.path]
        by = f"; imported by {plural(len(users), 'file')}" if users else ""
        yield SourcedStatement(f"{said}{defines}{uses}{by}", module.path)


def _conventions(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
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
        yield SourcedStatement(f"names of functions: {snake} in snake_case, {camel} otherwise", source)
    yield SourcedStatement(f"{typed} of {plural(total, 'function')} say what they return", source)
    yield SourcedStatement(f"{documented} functions and classes have a docstring", source)


def _points(survey: ProjectSurvey, tests: FoundTests) -> Iterator[SourcedStatement]:
    """Modules that failing tests import, then those that others import most."""
    red = {failure.file for failure in tests.failing}
    suspects = {path for module in survey.tests if module.path in red for path in module.imports}
    known = survey.users
    for module in sorted(survey.product, key=lambda one: (one.path not in suspects, -len(known[one.path]))):
        users = known[module.path]
        exports = f"defines {list_names(module.exports, 8)}; " if module.exports else ""
        if module.path in suspects:
            asking = [user for user in users if user in red]
            yield SourcedStatement(f"{exports}failing tests import it: {list_names(asking, FILES_NAMED)}", module.path)
        elif users:
            yield SourcedStatement(f"{exports}imported by {list_names(users, FILES_NAMED)}", module.path)


def _risks(survey: ProjectSurvey, tests: FoundTests) -> Iterator[SourcedStatement]:
    yield from (SourcedStatement(f"cannot be read: {m.broken}", m.path) for m in survey.modules if m.broken)
    areas = list(dict.fromkeys(failure.file for failure in tests.failing if failure.file))
    if len(areas) > 1:
        yield SourcedStatement(
            f"tests fail in {len(areas)} places, which may have one cause or several", list_names(areas, FILES_NAMED)
        )
    known = survey.users
    for module in survey.product:
        users = known[module.path]
        if len(users) >= MANY:
            yield SourcedStatement(f"a change reaches {len(users)} files that import it", module.path)
    yield from (
        SourcedStatement(f"no test imports it ({plural(m.lines, 'line')})", m.path) for m in list_untested(survey)
    )
    bare = sorted((percent, path) for path, percent in tests.coverage.items() if percent < WELL_COVERED)
    yield from (SourcedStatement(f"the tests run {percent:g} % of its lines", path) for percent, path in bare)
    yield from (SourcedStatement("left out of this survey", words) for words in survey.left_out)


def list_untested(survey: ProjectSurvey) -> tuple[SurveyedModule, ...]:
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


def _folders(survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    """Folders with source in them, and the folders that they import from."""
    inside: dict[str, list[SurveyedModule]] = defaultdict(list)
    for module in survey.modules:
        inside[_folder(module.path)].append(module)
    for folder, modules in sorted(inside.items()):
        uses = sorted({_folder(path) for module in modules for path in module.imports} - {folder})
        what = f"; imports from {list_names(uses, FILES_NAMED)}" if uses else ""
        yield SourcedStatement(f"{_counted(modules)}{what}", folder)


def _counted(modules: Sequence[SurveyedModule]) -> str:
    tests = sum(module.is_test for module in modules)
    parts = [plural(len(modules) - tests, "module")] if len(modules) > tests else []
    return " and ".join([*parts, *([plural(tests, "test file")] if tests else [])])


def _folder(path: str) -> str:
    return path.rpartition("/")[0] + "/" if "/" in path else "./"


def architecture_summary_of(survey: ProjectSurvey) -> dict[str, object]:
    """As the discovery board has it."""
    folders = [f"{statement.source}: {statement.text}" for statement in _folders(survey)]
    entries = [f"{statement.source}: {statement.text}" for statement in _entries(survey)]
    top = sorted({_folder(module.path) for module in survey.product})
    return {
        "pattern": f"{plural(len(survey.product), 'module')} in {plural(len(top), 'folder')}",
        "layers": folders[:FILES_NAMED],
        "entry": entries[:FILES_NAMED] or ["none found in the files"],
    }


def naming_of(survey: ProjectSurvey) -> dict[str, object] | None:
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


Entry = dict[str, object]

MOST_CONFIGS, MOST_POINTS, MOST_NAMES = 10, 10, 12


def discoveries_of(survey: ProjectSurvey, tests: FoundTests) -> tuple[Entry, ...]:
    """Entries of the board (see cycle_board), each with its type and data."""
    return tuple({"type": type, "data": data} for type, data in _found(survey, tests))


def baseline_entries(run: TestRun) -> tuple[Entry, ...]:
    """What the first run of the tests has shown; a coverage that was not measured is None."""
    if not run.results:
        return ()
    data: Entry = {
        "total": len(run.results),
        "passing": run.passed_count,
        "coverage_pct": run.coverage.percent if run.coverage else None,
        "framework": run.runner,
        "config": run.command,
    }
    return {"type": "test_command", "data": {"unit": run.command}}, {"type": "test_baseline", "data": data}


def _found(survey: ProjectSurvey, tests: FoundTests) -> Iterator[tuple[str, Entry]]:
    if survey.kinds:
        yield "tech_stack", _stack(survey, tests)
    for manifest in survey.manifests[:MOST_CONFIGS]:
        yield (
            "project_config",
            {
                "path": manifest.path,
                "key_deps": list(manifest.dependencies[:MOST_NAMES]),
                "scripts": manifest.scripts,
            },
        )
    if survey.product:
        yield "architecture", architecture_summary_of(survey)
    if naming := naming_of(survey):
        yield "code_convention", naming
    known = survey.users
    for module in sorted(survey.product, key=lambda one: -len(known[one.path]))[:MOST_POINTS]:
        if users := known[module.path]:
            yield (
                "integration_point",
                {
                    "file": module.path,
                    "description": f"imported by {', '.join(users[:MOST_NAMES])}",
                    "exports": list(module.exports[:MOST_NAMES]),
                },
            )


def _stack(survey: ProjectSurvey, tests: FoundTests) -> Entry:
    frameworks = dict.fromkeys(name for manifest in survey.manifests for name in manifest.frameworks)
    builds = (manifest.path for manifest in survey.manifests if manifest.kind not in ("tests", "container", "ci"))
    return {
        "language": next(iter(survey.kinds)),
        "framework": ", ".join(frameworks) or "none named by a manifest",
        "test": tests.command or "no test command found",
        "build": next(builds, "no manifest"),
    }


_PATH = re.compile(r"[\w./-]{1,300}\.\w{1,5}")

TESTS_NAMED = 10
MOST_AREAS = 20
FILES = 12
EFFORTS: tuple[tuple[int, Effort], ...] = ((3, "small"), (10, "medium"))
"""Up to so many failing tests a task is of that effort; more are large."""


def tasks_of(
    state: CycleState, failing: Sequence[FailingTest], survey: ProjectSurvey, *, writes: bool
) -> tuple[PlanTask, ...]:
    """What is still to be done. `writes`: cd's agent can do more than to mend what tests show.

    In a later iteration the engine itself has planned for tests that fail; what the user adds is planned here.
    """
    first = state.plan is None
    mends = frozenset(state.engine.mends)
    known = state.plan.tasks if state.plan else ()
    tasks = [task for task in known if task.status != "completed" and task.id not in mends]
    number = max(_numbers(known), default=0) + 1
    for area, failures in _areas(failing).items() if first else ():
        tasks.append(_mending(f"TASK-{number:03d}", area, failures, survey))
        number += 1
    goal = _goal(state)
    if (
        goal
        and _asks_for_more(goal, writes=writes, is_red=bool(failing))
        and goal not in {t.description for t in known}
    ):
        waits = tuple(task.id for task in tasks)
        tasks.append(PlanTask(id=f"TASK-{number:03d}", description=goal, effort="medium", depends_on=waits))
    return tuple(tasks)


def suspects(area: str, failing: Sequence[FailingTest], survey: ProjectSurvey) -> tuple[str, ...]:
    """Files of the product in which the cause may be: those in the stack traces first, then what the tests import."""
    module = survey.module(area) if area else None
    imported = module.imports if module else ()
    product = {one.path for one in survey.product}
    traced = (path for failure in failing for word in _PATH.findall(failure.trace) for path in _tails(word))
    return tuple(dict.fromkeys(path for path in (*traced, *imported) if path in product))[:FILES]


def _goal(state: CycleState) -> str:
    """What the user asks for in this iteration; empty where that is nothing new."""
    if state.plan is None:
        return state.description or state.title
    record = state.iterations[-1] if state.iterations else None
    return (record.extension if record else None) or ""


def _asks_for_more(goal: str, *, writes: bool, is_red: bool) -> bool:
    """Whether there is work beside mending. An agent that only mends is trusted with a goal that begins with tests."""
    if asks_only_for_green_tests(goal):
        return False
    begins_with_tests = GREEN_TESTS.match(" ".join(goal.split())) is not None
    return writes or not (is_red and begins_with_tests)


def _areas(failing: Sequence[FailingTest]) -> dict[str, list[FailingTest]]:
    """By test file; what is too much lies in the last one."""
    areas: dict[str, list[FailingTest]] = defaultdict(list)
    for failure in failing:
        area = failure.file if failure.file in areas or len(areas) < MOST_AREAS - 1 else ""
        areas[area].append(failure)
    return areas


def _mending(id: str, area: str, failing: Sequence[FailingTest], survey: ProjectSurvey) -> PlanTask:
    names = [failure.test for failure in failing]
    effort: Effort = next((effort for most, effort in EFFORTS if len(names) <= most), "large")
    return PlanTask(
        id=id,
        description=f"Make these tests pass: {list_names(names, TESTS_NAMED)}",
        effort=effort,
        files=suspects(area, failing, survey),
    )


def _tails(path: str) -> Iterator[str]:
    """A path as it stands in a stack trace, and what is left of it without the folders in front."""
    parts = path.strip("/").split("/")
    yield from ("/".join(parts[n:]) for n in range(len(parts)))


def _numbers(known: Sequence[PlanTask]) -> Iterator[int]:
    for task in known:
        digits = task.id.removeprefix("TASK-")
        if digits.isdecimal() and len(digits) < 10:
            yield int(digits)


MOST_FAILING, MOST_CASES = 100, 60

_ITERATION = re.compile(r"^--- ITERATION (\d+) ---$", re.MULTILINE)

ADDED_REQUIREMENTS = (
    "requirements that no test and no word of the task names: what users expect, and what else is affected",
    "sentences of the task taken apart into what can be checked one by one",
    "what is out of scope, and questions to the user where the task can be read in two ways",
)
UNNAMED = "situations that no test names yet: empty, huge, late, twice, at the same time, without permission"


@dataclass(frozen=True)
class RequirementsText:
    """Both documents, the edge cases one by one, and how many requirements there are, in words."""

    text: str
    cases_text: str
    edge_cases: tuple[str, ...]
    summary: str


def requirements_of(description: str, failing: Sequence[FailingTest], survey: ProjectSurvey) -> RequirementsText:
    asked = tuple(_asked(description))
    demanded = tuple(_demanded(failing, survey))
    cases = tuple(_cases(failing, survey))[:MOST_CASES]
    lead = "Made from the task, the failing tests and the files, without a model: each line names where it comes from."
    parts = (
        DocumentSection("Functional requirements", asked),
        section("Tests that shall pass", demanded, MOST_FAILING, "failing test"),
        DocumentSection("Acceptance", tuple(_acceptance(asked, demanded))),
    )
    summary = f"{plural(len(asked), 'requirement')} from the task, {len(demanded)} from failing tests"
    return RequirementsText(
        document("Requirements", lead, parts, ADDED_REQUIREMENTS),
        _cases_document(cases),
        tuple(map(str, cases)),
        summary,
    )


def _asked(description: str) -> Iterator[SourcedStatement]:
    """Each line of the task and of its extensions, numbered; of quoted material, its acceptance criteria."""
    words = asked_words(description)
    criteria = [one for one in acceptance_criteria(description) if one not in words]
    parts = _ITERATION.split(words)
    told = [("the task", "\n".join([parts[0], *criteria]))]
    told += [(f"the user, iteration {n}", text) for n, text in zip(parts[1::2], parts[2::2], strict=True)]
    lines = ((source, line) for source, text in told for words in text.splitlines() if (line := line_of(words)))
    for number, (source, line) in enumerate(lines, 1):
        yield SourcedStatement(f"R{number}: {line}", source)


def _demanded(failing: Sequence[FailingTest], survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    """Numbered by themselves, so that the user's lines keep their numbers when other tests fail."""
    for number, failure in enumerate(failing, 1):
        now = f"; now: {failure.first_line}" if failure.first_line else ""
        yield SourcedStatement(f"T{number}: {phrase_test_name(failure.test)}{now}", _source(failure, survey))


def _acceptance(asked: Sequence[SourcedStatement], demanded: Sequence[SourcedStatement]) -> Iterator[SourcedStatement]:
    if demanded:
        words = "the named test passes when the engine runs the tests"
        yield SourcedStatement(f"{_range('T', len(demanded))}: {words}", "vas/test-results.json")
    if asked:
        words = "the tests pass; whether the task's own words are met beyond that has to be read by a person"
        yield SourcedStatement(f"{_range('R', len(asked))}: {words}", "the task")


def _range(letter: str, count: int) -> str:
    return f"{letter}1 to {letter}{count}" if count > 1 else f"{letter}1"


def _cases(failing: Sequence[FailingTest], survey: ProjectSurvey) -> Iterator[SourcedStatement]:
    """Situations that the tests of the failing files name; those of all tests where none fails."""
    concerned = {failure.file for failure in failing}
    tests = [module for module in survey.tests if module.path in concerned] or list(survey.tests)
    for module in tests:
        for case in module.cases:
            for situation in case.situations:
                yield SourcedStatement(f"{phrase_test_name(case.name)}: {situation}", f"{module.path}:{case.line}")


def _cases_document(cases: Sequence[SourcedStatement]) -> str:
    """Without a list it has no second heading either: in its place that would be read as one."""
    if not cases:
        return f"# Edge cases\n\nNo test names one. {ADDED_HEADING}: {UNNAMED}.\n"
    lead = "Situations that the project's tests name; nobody has thought of others."
    return document("Edge cases", lead, (DocumentSection("Named by tests", tuple(cases)),), (UNNAMED,))


def _source(failure: FailingTest, survey: ProjectSurvey) -> str:
    """The test, with its line where it is known."""
    module = survey.module(failure.file) if failure.file else None
    line = _line(failure, module) if module else None
    name = failure.test if line_of(failure.test) else ascii(failure.test)
    return f"{name}, line {line}" if line else name


def _line(failure: FailingTest, module: SurveyedModule) -> int | None:
    bare = failure.name.partition("[")[0]
    return next((case.line for case in module.cases if case.name == bare), None)
