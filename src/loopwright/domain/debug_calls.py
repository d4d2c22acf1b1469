"""The debugger's tools for agents at work: what each takes, in the words that every server tells them with. Pure."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from loopwright.domain.calls import Call, Line, as_list, bounded
from loopwright.domain.errors import Invalid
from loopwright.domain.record import Items

MOST_TESTS, MOST_EXPRESSIONS, MOST_HITS, MOST_STATEMENTS, MOST_SECONDS = 50, 8, 50, 200, 240
EXPRESSION_LENGTH = 500

TESTS = (
    "Names of tests, or of files or classes of tests; default: those that failed when the tests were last run, or all"
    " that fail now."
)
PLACE = "The line, as file:line or file:function:line; what is there is shown as it is just before the line runs."
EXPRESSIONS = "Python expressions, evaluated in the frame at that line; default: all local variables."
HITS = "How many times are shown of each test."
STATEMENTS = "How many statements are shown."
SECONDS = "How long it may search."

RUN_WORDS = (
    "Runs the failing tests again on a copy of the project, and tells of each its status, its error with the first"
    " lines of the message, and the line of the project that it came from."
)
SPECTRUM_WORDS = (
    "Ranks the statements that failing tests run by how suspicious they are: place, code, how many failing and passing"
    " tests ran it, score, exceptions that came from it. Runs all tests, traced, on a copy of the project."
)
PROBE_WORDS = (
    "Shows what variables or expressions hold at a line each time a failing test is about to run it, without a print or"
    " a breakpoint: the tests run on a copy of the project, and no file is edited."
)
FIX_WORDS = (
    "Searches for a small edit that makes failing tests pass and breaks none, and gives it as a diff, with its rivals."
    " It is measured on a copy of the project and never applied: judge it, and make the change yourself. One search at"
    " a time."
)

Tests = Annotated[Items[Line], BeforeValidator(as_list)]
Expressions = Annotated[Items[Annotated[str, *bounded(EXPRESSION_LENGTH)]], BeforeValidator(as_list)]


class DebugCall(Call):
    """A question to the debugger. What it does not know is refused, so that a slip does not pass for a choice."""

    model_config = ConfigDict(extra="forbid")


class RunFailingTests(DebugCall):
    name = "run_failing_tests"
    words = RUN_WORDS
    bare = "tests"
    tests: Tests = Field(default=(), max_length=MOST_TESTS, description=TESTS)


class RankStatements(DebugCall):
    name = "spectrum"
    words = SPECTRUM_WORDS
    bare = "limit"
    limit: int = Field(default=20, ge=1, le=MOST_STATEMENTS, description=STATEMENTS)


class Probe(DebugCall):
    name = "probe"
    words = PROBE_WORDS
    bare = "place"
    place: Line = Field(description=PLACE)
    expressions: Expressions = Field(default=(), max_length=MOST_EXPRESSIONS, description=EXPRESSIONS)
    tests: Tests = Field(default=(), max_length=MOST_TESTS, description=TESTS)
    hits: int = Field(default=5, ge=1, le=MOST_HITS, description=HITS)


class ProposeFix(DebugCall):
    name = "propose_fix"
    words = FIX_WORDS
    bare = "seconds"
    seconds: float = Field(default=40, ge=1, le=MOST_SECONDS, description=SECONDS)


DEBUG_TOOLS: Mapping[str, type[DebugCall]] = {
    call.name: call for call in (RunFailingTests, RankStatements, Probe, ProposeFix)
}


def read_debug_call(tool: str, arguments: object) -> DebugCall:
    """Invalid says which argument does not fit."""
    try:
        return DEBUG_TOOLS[tool].model_validate(arguments)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or "arguments"
        raise Invalid(_told(where, problem, DEBUG_TOOLS[tool])) from error


def _told(where: str, problem: ErrorDetails, kind: type[DebugCall]) -> str:
    match problem["type"]:
        case "missing":
            return f"{where} is missing: {kind.model_fields[where].description}"
        case "extra_forbidden":
            return f"{where}: there is no such argument; there are {', '.join(kind.model_fields)}"
        case _:
            return f"{where}: {problem['msg']}"
