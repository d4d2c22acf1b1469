"""The debugger's answers to agents: measured on a copy of the project, within bounds, one search at a time."""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import mcp_types as types
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from loopwright.core.errors import Conflict, Invalid
from loopwright.core.record import Items
from loopwright.core.text import clip_text, plural
from loopwright.evidence.debugging import (
    DebugAnswer,
    DebugContext,
    DebugRequest,
    FixProposal,
    PatchProposal,
    ProbeHit,
    ProbeOrder,
    ProbeResult,
    RerunResults,
    SearchFindings,
    Spectrum,
    build_patch_proposal,
    parse_position,
)
from loopwright.evidence.rivals import comparison_words, difference_words
from loopwright.policy.read_only import find_side_effect
from loopwright.repair.debugger import PythonDebugger
from loopwright.reports.tools import Line, ReportCall, as_list, bound_length
from loopwright.surfaces.mcp.debug_pages import debug_page
from loopwright.surfaces.mcp.schemas import input_schema, output_schema

MOST_TESTS, MOST_EXPRESSIONS, MOST_HITS, MOST_STATEMENTS, MOST_SECONDS = 50, 8, 50, 200, 240
EXPRESSION_LENGTH = 500

TESTS = "Names of tests, test files or test classes; default: those that failed in the last run, or all that fail now."
PLACE = "The line, as file:line or file:function:line; values are shown as they are just before the line runs."
EXPRESSIONS = "Python expressions, evaluated in the frame at that line; default: all local variables."
HITS = "Maximum hits shown per test."
STATEMENTS = "Maximum statements shown."
SECONDS = "Maximum search time."

RUN_WORDS = (
    "Runs the failing tests again on a copy of the project, and returns for each its status, its error with"
    " the first lines of the message, and the project line it came from."
)
SPECTRUM_WORDS = (
    "Ranks the statements that failing tests run by how suspicious they are: place, code, how many"
    " failing and passing tests ran it, score, exceptions raised there. Runs all tests, traced, on a copy of the"
    " project."
)
PROBE_WORDS = (
    "Shows the values of variables or expressions at a line each time a failing test is about to run it,"
    " without prints or breakpoints: the tests run on a copy of the project, and no file is edited."
)
FIX_WORDS = (
    "Searches for a small edit that makes failing tests pass and breaks none, and returns it as a diff, with"
    " its rivals. It is measured on a copy of the project and never applied: judge it, and make the change yourself."
    " One search at a time."
)

Tests = Annotated[Items[Line], BeforeValidator(as_list)]
Expressions = Annotated[Items[Annotated[str, *bound_length(EXPRESSION_LENGTH)]], BeforeValidator(as_list)]


class DebugCall(ReportCall):
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
            return f"{where}: unknown argument; available: {', '.join(kind.model_fields)}"
        case _:
            return f"{where}: {problem['msg']}"


LOOK_SECONDS = 50.0
"""For whatever only looks: many callers give up after a minute."""
WORD_SECONDS = 3.0
"""Between two words of how far a search is."""
FREE = ("workspace", "all")
"""Who may run commands without asking may call what he likes in an expression, too."""
CAREFUL = (
    "with permissions {policy} an expression may only inspect: names, attributes, items, arithmetic, comparisons,"
    " comprehensions, and functions such as len or sorted"
)

ProgressCallback = Callable[[float, float, str], Awaitable[None]]
"""How far it is: seconds that have passed, of how many, and what goes on."""


async def answer_question(call: DebugCall, ground: DebugContext, tell: ProgressCallback) -> DebugAnswer:
    """Invalid and Conflict say what would be right."""
    request = ground.request.evolve(budget_seconds=LOOK_SECONDS)
    debugger = PythonDebugger(request.loop or "debug")
    _check(debugger, request)
    match call:
        case RunFailingTests():
            return await debugger.run_tests(_of(request, call.tests))
        case RankStatements():
            return await debugger.rank(request, call.limit)
        case Probe():
            return await _probed(debugger, _of(request, call.tests), call, ground.policy)
        case ProposeFix():
            return await _proposed(request.evolve(budget_seconds=call.seconds), tell)
        case _:
            raise Invalid(f"the debugger has no answer to {call.name}")


def _of(request: DebugRequest, tests: Sequence[str]) -> DebugRequest:
    return request.evolve(failing=tuple(tests)) if tests else request


def _check(debugger: PythonDebugger, request: DebugRequest) -> None:
    if not request.test_command:
        raise Invalid("no tests are known here yet: write some that pytest or unittest finds")
    if not request.python or not debugger.supports(request.test_command):
        raise Invalid(
            f"the debugger works on Python projects with pytest or unittest, not {request.test_command!r}: run the"
            " tests and read the code yourself"
        )


async def _probed(debugger: PythonDebugger, request: DebugRequest, call: Probe, policy: str) -> ProbeResult:
    place = parse_position(call.place, request.project)
    for expression in call.expressions if policy not in FREE else ():
        if what := find_side_effect(expression):
            raise Invalid(f"expressions: {clip_text(expression, 100)!r} has {what}; {CAREFUL.format(policy=policy)}")
    order = ProbeOrder(**place._asdict(), expressions=call.expressions, hits=call.hits)
    seen = await debugger.probe(request, order)
    if request.log:
        _log(Path(request.log), [hit for test in seen.tests for hit in test.hits])
    return seen


def _log(log: Path, hits: Sequence[ProbeHit]) -> None:
    """Appends in one write, where the loop's folder is still there; what was seen is told all the same."""
    lines = "".join(f"{hit.model_dump_json()}\n" for hit in hits).encode()
    with suppress(OSError):
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            os.write(file, lines)
        finally:
            os.close(file)


async def _proposed(request: DebugRequest, tell: ProgressCallback) -> FixProposal:
    kept = Path(request.log).parent  # a loop that has not run yet has none
    with _alone(kept if request.log and kept.is_dir() else Path(request.project)):
        return _proposal(await _searched(request, tell))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Conflict while another process, or another call, searches for this loop. OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise Conflict("a search is already running here: wait for its answer, then ask again") from error
    finally:
        os.close(descriptor)


async def _searched(request: DebugRequest, tell: ProgressCallback) -> SearchFindings:
    """Says now and then how far it is."""
    heard = ["running the tests, traced"]
    debugger = PythonDebugger(request.loop or "debug", heard.append)
    clock = asyncio.get_running_loop().time
    begun = clock()

    async def telling() -> None:
        while True:
            await asyncio.sleep(WORD_SECONDS)
            await tell(min(clock() - begun, request.budget_seconds), request.budget_seconds, heard[-1])

    found: SearchFindings | Invalid
    async with asyncio.TaskGroup() as group:
        meanwhile = group.create_task(telling())
        try:
            found = await debugger.search(request)
        except Invalid as refused:
            found = refused
        finally:
            meanwhile.cancel()
    if isinstance(found, Invalid):
        raise found
    return found


def _proposal(found: SearchFindings) -> FixProposal:
    tried = plural(found.candidates, "edit")
    if found.patch is None:
        words = f"{tried} tried on a copy of the project, and none works" if found.candidates else "no edit was tried"
    else:
        left = len(found.patch.still_failing)
        rest = f"{plural(left, 'test')} still fail" if left else "every failing test passes with it"
        compared = f"; {comparison_words(found.comparison)}" if found.comparison else ""
        words = (
            f"measured on a copy of the project: {rest}, and none that passed is broken{compared}; nothing was applied"
        )
    return FixProposal(
        patch=build_patch_proposal(found.patch) if found.patch else None,
        rivals=tuple(_rivals(found)),
        candidates=found.candidates,
        applied=False,
        words=words,
        note=found.note,
    )


def _rivals(found: SearchFindings) -> Iterator[PatchProposal]:
    if found.comparison:
        for patch, rival in zip(found.rivals, found.comparison.rivals, strict=True):
            yield build_patch_proposal(patch, difference_words(found.comparison, rival))


LOOKS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

GIVES: dict[type[DebugCall], type[BaseModel]] = {
    RunFailingTests: RerunResults,
    RankStatements: Spectrum,
    Probe: ProbeResult,
    ProposeFix: FixProposal,
}


def list_debug_tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=name,
            description=call.words,
            annotations=LOOKS,
            input_schema=input_schema(call),
            output_schema=output_schema(GIVES[call]),
        )
        for name, call in DEBUG_TOOLS.items()
    ]


async def answer_debug_call(call: DebugCall, ground: bytes, tell: "ProgressCallback") -> types.CallToolResult:
    """Invalid and Conflict say what would be right. `ground` was written by the engine, where the agent can write."""
    # loads the debugger, which few sessions ask

    try:
        known = DebugContext.model_validate_json(ground)
    except ValidationError as error:
        raise Invalid("the engine's data for the debugger can no longer be read; continue without it") from error
    return make_tool_result(await answer_question(call, known, tell))


def make_tool_result(told: DebugAnswer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=debug_page(told))], structured_content=told.model_dump(mode="json")
    )
