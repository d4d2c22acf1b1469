"""Requirements without a model: what the user says, and what the failing tests demand. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.domain.cycle_templates import ADDED as ADDED_HEADING
from loopwright.domain.cycle_templates import Failure, Section, Statement, document, in_words, line_of, section
from loopwright.domain.survey import Module, Survey
from loopwright.domain.words import plural

MOST_FAILING, MOST_CASES = 100, 60

_ITERATION = re.compile(r"^--- ITERATION (\d+) ---$", re.MULTILINE)

ADDED = (
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


def requirements_of(description: str, failing: Sequence[Failure], survey: Survey) -> RequirementsText:
    asked = tuple(_asked(description))
    demanded = tuple(_demanded(failing, survey))
    cases = tuple(_cases(failing, survey))[:MOST_CASES]
    lead = "Made from the task, the failing tests and the files, without a model: each line names where it comes from."
    parts = (
        Section("Functional requirements", asked),
        section("Tests that shall pass", demanded, MOST_FAILING, "failing test"),
        Section("Acceptance", tuple(_acceptance(asked, demanded))),
    )
    summary = f"{plural(len(asked), 'requirement')} from the task, {len(demanded)} from failing tests"
    return RequirementsText(
        document("Requirements", lead, parts, ADDED), _cases_document(cases), tuple(map(str, cases)), summary
    )


def _asked(description: str) -> Iterator[Statement]:
    """Each line of the task and of its extensions, numbered."""
    parts = _ITERATION.split(description)
    told = [("the task", parts[0])]
    told += [(f"the user, iteration {n}", text) for n, text in zip(parts[1::2], parts[2::2], strict=True)]
    lines = ((source, line) for source, text in told for words in text.splitlines() if (line := line_of(words)))
    for number, (source, line) in enumerate(lines, 1):
        yield Statement(f"R{number}: {line}", source)


def _demanded(failing: Sequence[Failure], survey: Survey) -> Iterator[Statement]:
    """Numbered by themselves, so that the user's lines keep their numbers when other tests fail."""
    for number, failure in enumerate(failing, 1):
        now = f"; now: {failure.first_line}" if failure.first_line else ""
        yield Statement(f"T{number}: {in_words(failure.test)}{now}", _source(failure, survey))


def _acceptance(asked: Sequence[Statement], demanded: Sequence[Statement]) -> Iterator[Statement]:
    if demanded:
        words = "the named test passes when the engine runs the tests"
        yield Statement(f"{_range('T', len(demanded))}: {words}", "vas/test-results.json")
    if asked:
        words = "the tests pass; whether the task's own words are met beyond that has to be read by a person"
        yield Statement(f"{_range('R', len(asked))}: {words}", "the task")


def _range(letter: str, count: int) -> str:
    return f"{letter}1 to {letter}{count}" if count > 1 else f"{letter}1"


def _cases(failing: Sequence[Failure], survey: Survey) -> Iterator[Statement]:
    """Situations that the tests of the failing files name; those of all tests where none fails."""
    concerned = {failure.file for failure in failing}
    tests = [module for module in survey.tests if module.path in concerned] or list(survey.tests)
    for module in tests:
        for case in module.cases:
            for situation in case.situations:
                yield Statement(f"{in_words(case.name)}: {situation}", f"{module.path}:{case.line}")


def _cases_document(cases: Sequence[Statement]) -> str:
    """Without a list it has no second heading either: in its place that would be read as one."""
    if not cases:
        return f"# Edge cases\n\nNo test names one. {ADDED_HEADING}: {UNNAMED}.\n"
    lead = "Situations that the project's tests name; nobody has thought of others."
    return document("Edge cases", lead, (Section("Named by tests", tuple(cases)),), (UNNAMED,))


def _source(failure: Failure, survey: Survey) -> str:
    """The test, with its line where it is known."""
    module = survey.module(failure.file) if failure.file else None
    line = _line(failure, module) if module else None
    name = failure.test if line_of(failure.test) else ascii(failure.test)
    return f"{name}, line {line}" if line else name


def _line(failure: Failure, module: Module) -> int | None:
    bare = failure.name.partition("[")[0]
    return next((case.line for case in module.cases if case.name == bare), None)
