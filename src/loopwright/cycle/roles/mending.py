"""Measuring for cd: suspects for failing tests, and the embedded agent's search for an edit that holds."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from loopwright.cycle.places import Place
from loopwright.cycle.session import CycleSession
from loopwright.domain.cycle_names import CycleStep
from loopwright.domain.debugging import TRIALS, DebugRequest, Findings, Patch, applied
from loopwright.domain.json_line import json_line
from loopwright.domain.phase_report import PhaseReport
from loopwright.domain.protocol import Message
from loopwright.domain.record import Record
from loopwright.domain.rivals import AppliedPatch, comparison_words, exchanged, new_rival_ids, rival_of
from loopwright.domain.suspects import told
from loopwright.domain.words import plural
from loopwright.engine.rivals import choose_patch
from loopwright.engine.threads import in_thread

SHOWN = 8
"""Tests that a report names."""

LOG = "cd/debug-log.ndjson"

SHARE = 0.8
"""Of a turn's time that a search may take."""

SECONDS = (60.0, 480.0)
"""What the first search for a task takes at most, and the second: what others mend meanwhile may be half of it.

The first one takes nothing but an edit that mends all of the task's tests: a part of them may be mended by chance.
"""


class Made(NamedTuple):
    """What the agent came to. `nothing_left`: it would only do the same again. `patches`: what it has put in."""

    report: PhaseReport
    nothing_left: bool = False
    patches: tuple[AppliedPatch, ...] = ()


def _told(status: str, words: str) -> PhaseReport:
    return PhaseReport.model_validate({"phase": "cd", "status": status, "summary": words})


UNABLE = Made(
    _told("failed", "The builtin agent can not write features: it mends what failing tests show."), nothing_left=True
)


async def suspects(session: CycleSession, step: CycleStep, place: Place, failing: Sequence[str]) -> str:
    """Ranked hypotheses as lines for an agent; empty where nothing can be measured."""
    request = _request(session, place, failing)
    if not _can_measure(session, request, place):
        return ""
    found = await session.debugger(place.path).diagnose(request.evolve(trials=TRIALS))
    _log(session, step, "probe", found.probes)
    return told(found.hypotheses) if found.hypotheses else ""


def ground(session: CycleSession, place: Place, failing: Sequence[str]) -> DebugRequest | None:
    """What the debugger works on when cd's agent asks it; None where nothing can be measured."""
    request = _request(session, place, failing)
    return request if _can_measure(session, request, place) else None


async def mend(
    session: CycleSession, step: CycleStep, place: Place, failing: Sequence[str], *, measurable: bool
) -> Made:
    """One failing test after the other: each fix is measured on a copy before it comes into the place.

    `measurable`: passing tests are all that the task is about; of any other, nobody could say whether it is done.
    """
    request, tried = _request(session, place, failing), session.state().engine.tries.get(step.key, 0)
    if not failing:
        return Made(_told("success", "The tests of this task pass already.")) if measurable else UNABLE
    if not _can_measure(session, request, place):
        words = f"The builtin agent debugs Python projects with pytest or unittest, not {request.test_command!r}."
        return Made(_told("failed", words), True)
    left = tuple(failing)
    mended: list[str] = []
    patches: list[AppliedPatch] = []
    while left:
        patch, said, kept = await _next_patch(session, step, place, left, tried)
        if patch is not None and tried == 0 and not set(left) <= set(patch.fixes):
            said = f"{patch.description} mends a part of them; a longer search may find what mends all"
            patch = None
        if patch is None or not await _applied(session, place, patch):
            left_words = f"{plural(len(left), 'test')} still fail: {', '.join(left[:SHOWN])}; {said}"
            words = f"{'; '.join(mended)}. {left_words}" if mended else left_words
            status = "partial" if mended else "failed"
            return Made(_told(status, words), nothing_left=patch is None and tried > 0, patches=tuple(patches))
        patches += [kept] if kept else []
        compared = f" ({comparison_words(kept.comparison)})" if kept else ""
        mended.append(f"{patch.description}{compared}")
        session.ears["cd"].publish("result", f"applied: {patch.description}")
        left = tuple(key for key in left if key not in patch.fixes)
    if not measurable:
        words = f"{'; '.join(mended)}. {UNABLE.report.summary}"
        return Made(_told("partial", words), nothing_left=True, patches=tuple(patches))
    return Made(_told("success", "; ".join(mended)), patches=tuple(patches))


async def _next_patch(
    session: CycleSession, step: CycleStep, place: Place, failing: tuple[str, ...], tried: int
) -> tuple[Patch | None, str, AppliedPatch | None]:
    """A fix for some of these tests, or why there is none, and what is kept of it. `tried`: how often the task failed.

    Where it has rivals, a person at the terminal chooses among them.
    """
    request = _request(session, place, failing)
    longest = SECONDS[min(tried, len(SECONDS) - 1)]
    request = request.evolve(round=tried, budget_seconds=min(request.budget_seconds, longest))
    session.ears["cd"].publish("activity", f"tracing {plural(len(failing), 'failing test')}")
    found = await session.debugger(place.path).diagnose(request)
    _log(session, step, "probe", found.probes)
    request = request.evolve(hypotheses=found.hypotheses)
    session.ears["cd"].publish("activity", f"testing edits for {plural(len(found.hypotheses), 'hypothesis')} on a copy")
    message = Message(action=step.name, text="", debug=request, seconds=request.budget_seconds + 60)
    output = await session.turns("cd", place.lane, place.path if place.lane else None).ask(session.agent("cd"), message)
    if output.findings is None:
        return None, output.report.message if output.report else output.text, None
    findings = output.findings
    _log(session, step, "hypothesis", findings.hypotheses)
    if findings.patch is None or findings.comparison is None:
        return findings.patch, _why(findings), None
    where = {one.id: one.logging_point for one in findings.hypotheses}.get(findings.patch.hypothesis, "")
    kept = applied(findings.patch, findings.comparison, where, step.task)
    if not session.interactive or session.person is None:
        return findings.patch, _why(findings), kept
    async with session.merging:  # one question at a time
        patch, rival = await choose_patch(session.person, findings, findings.patch)
    if rival is not None:
        (former,) = new_rival_ids([kept], 1)
        kept = exchanged(kept, rival_of([kept], rival)[1], former, "a person")
    return patch, _why(findings), kept


def _why(findings: Findings) -> str:
    tried = findings.candidates
    return findings.note or (f"none of {plural(tried, 'edit')} holds" if tried else "no edit is known for what fails")


async def _applied(session: CycleSession, place: Place, patch: Patch) -> bool:
    """False where the file is no more what the fix was made for."""
    if place.lane is None:
        return await in_thread(session.workspace.replace_text, patch.file, patch.old_text, patch.new_text)
    return await in_thread(_replaced, place.path / patch.file, patch)


def _replaced(file: Path, patch: Patch) -> bool:
    """In a lane, which nobody else changes."""
    if file.is_symlink() or not file.is_file() or file.read_bytes() != patch.old_text.encode():
        return False
    file.write_bytes(patch.new_text.encode())
    return True


def _request(session: CycleSession, place: Place, failing: Sequence[str]) -> DebugRequest:
    settings = session.state().engine.settings
    command = settings.test_command or ""
    return DebugRequest(
        project=str(place.path), python=session.tests.interpreter(command) or "", test_command=command,
        failing=tuple(failing), budget_seconds=settings.action_timeout * SHARE, loop=session.id,
    )  # fmt: skip


def _can_measure(session: CycleSession, request: DebugRequest, place: Place) -> bool:
    return bool(request.python) and session.debugger(place.path).supports(request.test_command)


def _log(session: CycleSession, step: CycleStep, kind: str, evidence: Sequence[Record]) -> None:
    """A line each, with what it is and for which task it was found."""
    head = {"at": session.now(), "task": step.task, "kind": kind}
    lines = [json_line({**head, **entry.model_dump(mode="json")}).encode(errors="replace") for entry in evidence]
    if lines:
        session.store.append_progress(session.id, LOG, lines)
