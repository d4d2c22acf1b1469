"""The debugger's answers to agents: measured on a copy of the project, within bounds, one search at a time."""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from loopwright.domain.debug_calls import DebugCall, Probe, ProposeFix, RankStatements, RunFailingTests
from loopwright.domain.debugging import DebugGround, DebugRequest, Findings, ProbeHit
from loopwright.domain.errors import Conflict, Invalid
from loopwright.domain.expressions import doing
from loopwright.domain.looking import Looked, Probed, ProbeOrder, Proposal, ProposedPatch, proposed, read_place
from loopwright.domain.rivals import comparison_words, difference_words
from loopwright.domain.words import clipped, plural
from loopwright.repair.debugger import PythonDebugger

LOOK_SECONDS = 50.0
"""For whatever only looks: many callers give up after a minute."""
WORD_SECONDS = 3.0
"""Between two words of how far a search is."""
FREE = ("workspace", "all")
"""Who may run commands without asking may call what he likes in an expression, too."""
CAREFUL = (
    "with permissions {policy} an expression only looks: names, attributes, items, arithmetic, comparisons,"
    " comprehensions, and functions such as len or sorted"
)

Tell = Callable[[float, float, str], Awaitable[None]]
"""How far it is: seconds that have passed, of how many, and what goes on."""


async def look(call: DebugCall, ground: DebugGround, tell: Tell) -> Looked:
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
        raise Invalid("no tests are known here yet: write some that pytest or unittest finds; they are run after that")
    if not request.python or not debugger.supports(request.test_command):
        raise Invalid(
            f"the debugger looks into Python projects with pytest or unittest, not {request.test_command!r}: run the"
            " tests and read the code yourself"
        )


async def _probed(debugger: PythonDebugger, request: DebugRequest, call: Probe, policy: str) -> Probed:
    place = read_place(call.place, request.project)
    for expression in call.expressions if policy not in FREE else ():
        if what := doing(expression):
            raise Invalid(f"expressions: {clipped(expression, 100)!r} has {what}; {CAREFUL.format(policy=policy)}")
    order = ProbeOrder(**place._asdict(), expressions=call.expressions, hits=call.hits)
    seen = await debugger.probe(request, order)
    if request.log:
        _log(Path(request.log), [hit for test in seen.tests for hit in test.hits])
    return seen


def _log(log: Path, hits: Sequence[ProbeHit]) -> None:
    """Appends in one write, where the loop's folder is still there; what was seen is told all the same."""
    lines = "".join(f"{hit.model_dump_json()}\n" for hit in hits).encode()
    with suppress(OSError):
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        try:
            os.write(file, lines)
        finally:
            os.close(file)


async def _proposed(request: DebugRequest, tell: Tell) -> Proposal:
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
        raise Conflict("a search is under way here already: wait for its answer, then ask again") from error
    finally:
        os.close(descriptor)


async def _searched(request: DebugRequest, tell: Tell) -> Findings:
    """Says now and then how far it is."""
    heard = ["running the tests, traced"]
    debugger = PythonDebugger(request.loop or "debug", heard.append)
    clock = asyncio.get_running_loop().time
    begun = clock()

    async def telling() -> None:
        while True:
            await asyncio.sleep(WORD_SECONDS)
            await tell(min(clock() - begun, request.budget_seconds), request.budget_seconds, heard[-1])

    found: Findings | Invalid
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


def _proposal(found: Findings) -> Proposal:
    tried = plural(found.candidates, "edit")
    if found.patch is None:
        words = f"{tried} tried on a copy of the project, and none holds" if found.candidates else "no edit was tried"
    else:
        left = len(found.patch.still_failing)
        rest = f"{plural(left, 'test')} fail then as before" if left else "every failing test passes then"
        compared = f"; {comparison_words(found.comparison)}" if found.comparison else ""
        words = (
            f"measured on a copy of the project: {rest}, and none that passed is broken{compared}; nothing was applied"
        )
    return Proposal(
        patch=proposed(found.patch) if found.patch else None, rivals=tuple(_rivals(found)),
        candidates=found.candidates, applied=False, words=words, note=found.note,
    )  # fmt: skip


def _rivals(found: Findings) -> Iterator[ProposedPatch]:
    if found.comparison:
        for patch, rival in zip(found.rivals, found.comparison.rivals, strict=True):
            yield proposed(patch, difference_words(found.comparison, rival))
