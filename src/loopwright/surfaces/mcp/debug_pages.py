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
    RerunResults,
    Spectrum,
)

VALUE = 600
"""Characters of a value; the typed answer has more."""


def debug_page(told: DebugAnswer) -> str:
    lines = list(_lines(told))
    return "\n".join([*lines, f"note: {clean_line(told.note)}"] if told.note else lines)


def _lines(told: DebugAnswer) -> Iterator[str]:
    match told:
        case RerunResults():
            yield f"{told.passed} passed, {told.failed} failed, {told.skipped} skipped, on a copy of the project"
            for test in told.tests:
                place = f" ({test.place})" if test.place else ""
                yield f"{test.status}: {test.test}{f': {test.error}' if test.error else ''}{place}"
                yield from (f"    {clean_line(line)}" for line in test.message.splitlines())
        case Spectrum():
            failing, passing = plural(told.failing_tests, "failing test"), plural(told.passing_tests, "passing one")
            counted = f"{len(told.statements)} of {plural(told.total, 'statement')} that failing tests run"
            yield f"{counted}; {failing}, {passing}"
            if told.statements:
                yield "rank  score  failing  passing  place"
            yield from map(_statement, told.statements)
        case ProbeResult():
            yield f"{told.place}  {clean_line(told.code)}"
            yield from (line for test in told.tests for line in _watched(test))
        case FixProposal():
            yield from _proposal(told)
        case _:
            assert_never(told)


def _statement(one: RankedStatement) -> str:
    raised = f"  (raised {', '.join(one.raised)})" if one.raised else ""
    counts = f"{one.rank:>4}  {one.score:<5g}  {one.failing:>7}  {one.passing:>7}"
    return f"{counts}  {one.file}:{one.line} in {one.func}: {clean_line(one.code)}{raised}"


def _watched(test: ProbedTest) -> Iterator[str]:
    shown = f", showing the first {len(test.hits)}" if len(test.hits) < test.reached else ""
    yield f"{test.status}: {test.test}: reached {plural(test.reached, 'time')}{shown}"
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


def _patch(patch: PatchProposal) -> Iterator[str]:
    yield patch.description
    yield patch.diff.rstrip("\n")
    if patch.cut:
        yield "[… diff truncated]"
    yield f"turns: {', '.join(patch.fixes)}"
    if patch.still_failing:
        yield f"still fail: {', '.join(patch.still_failing)}"
