"""What the debugger's tools answer, in words. Pure."""

from collections.abc import Iterator
from typing import assert_never

from loopwright.core.text import clean_line, clip_text, plural
from loopwright.evidence.debugging import (
    DebugAnswer,
    FixProposal,
    PatchProposal,
    ProbedTest,
    ProbeResult,
    RankedStatement,
    RerunResult,
    RerunResults,
    Spectrum,
)

VALUE = 600
"""Characters of a value; the typed answer has more."""


def debug_page(told: DebugAnswer) -> str:
    match told:
        case RerunResults():
            return "\n".join(_ran(told))
        case Spectrum():
            return "\n".join(_spectrum(told))
        case ProbeResult():
            return "\n".join(_probed(told))
        case FixProposal():
            return "\n".join(_proposal(told))
        case _:
            assert_never(told)


def _ran(told: RerunResults) -> Iterator[str]:
    yield f"{told.passed} passed, {told.failed} failed, {told.skipped} skipped, on a copy of the project"
    for test in told.tests:
        yield from _test(test)
    yield from _note(told.note)


def _test(test: RerunResult) -> Iterator[str]:
    place = f" ({test.place})" if test.place else ""
    yield f"{test.status}: {test.test}{f': {test.error}' if test.error else ''}{place}"
    yield from (f"    {clean_line(line)}" for line in test.message.splitlines())


def _spectrum(told: Spectrum) -> Iterator[str]:
    failing, passing = plural(told.failing_tests, "failing test"), plural(told.passing_tests, "passing one")
    yield f"{len(told.statements)} of {plural(told.total, 'statement')} that failing tests run; {failing}, {passing}"
    if told.statements:
        yield "rank  score  failing  passing  place"
    yield from map(_statement, told.statements)
    yield from _note(told.note)


def _statement(one: RankedStatement) -> str:
    raised = f"  (raised {', '.join(one.raised)})" if one.raised else ""
    counts = f"{one.rank:>4}  {one.score:<5g}  {one.failing:>7}  {one.passing:>7}"
    return f"{counts}  {one.file}:{one.line} in {one.func}: {clean_line(one.code)}{raised}"


def _probed(told: ProbeResult) -> Iterator[str]:
    yield f"{told.place}  {clean_line(told.code)}"
    for test in told.tests:
        yield from _watched(test)
    yield from _note(told.note)


def _watched(test: ProbedTest) -> Iterator[str]:
    times = plural(test.reached, "time")
    shown = f", showing the first {len(test.hits)}" if len(test.hits) < test.reached else ""
    yield f"{test.status}: {test.test}: reached {times}{shown}"
    for n, hit in enumerate(test.hits, start=1):
        values = ", ".join(f"{name} = {clip_text(clean_line(str(value)), VALUE)}" for name, value in hit.data.items())
        yield f"  {n}: {values}"


def _proposal(told: FixProposal) -> Iterator[str]:
    yield told.words
    if told.patch:
        yield from _patch(told.patch)
    for rival in told.rivals:
        yield f"a rival, which the tests cannot tell from it{f'; {rival.differs}' if rival.differs else ''}:"
        yield from _patch(rival)
    if told.patch is None:
        yield "`spectrum` shows where to look, `probe` the values there"
    yield from _note(told.note)


def _patch(patch: PatchProposal) -> Iterator[str]:
    yield patch.description
    yield patch.diff.rstrip("\n")
    if patch.cut:
        yield "[… diff truncated]"
    yield f"turns: {', '.join(patch.fixes)}"
    if patch.still_failing:
        yield f"still fail: {', '.join(patch.still_failing)}"


def _note(note: str) -> Iterator[str]:
    if note:
        yield f"note: {clean_line(note)}"
