"""What a role has written into its own folder: read with care, and asked for once more where it can not be taken."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from loopwright.cycle.session import CycleSession
from loopwright.domain.cycle_documents import without_header
from loopwright.domain.cycle_names import CycleStep, Role
from loopwright.domain.errors import AgentError, Invalid, NotFound
from loopwright.domain.phase_report import PhaseReport
from loopwright.domain.words import clipped, whole
from loopwright.engine.progress_files import shown

T = TypeVar("T")

LONGEST = 100_000
"""Characters of a document; more is none that another role reads."""

SHORTEST = 200
"""Characters of a report's summary that may stand for a document nobody wrote."""


def written(folder: Path, name: str) -> str:
    """The text of a document without its header; empty where there is none. Invalid where it can not be taken."""
    try:
        text, is_cut = shown(folder, name)
    except NotFound:
        if (folder / name).exists() or (folder / name).is_symlink():
            raise Invalid(f"{name} is no regular file; write it as one") from None
        return ""
    text = without_header(whole(text)).strip()
    if is_cut or len(text) > LONGEST:
        raise Invalid(f"{name} is longer than {LONGEST:,} characters; keep what others need")
    return text


def before(folder: Path, name: str) -> str:
    """The text as it was when a turn began; what could not be taken then will be written anew."""
    try:
        return written(folder, name)
    except Invalid:
        return ""


def told(report: PhaseReport, sign: str) -> str:
    """The document that a role put into its report instead of a file; `sign`: what its text holds. Else empty."""
    text = report.summary.strip()
    return text if len(text) >= SHORTEST and sign in text else ""


async def asked(
    session: CycleSession, role: Role, step: CycleStep, order: str, take: Callable[[PhaseReport], T]
) -> tuple[PhaseReport, T]:
    """One turn, and what `take` makes of what was written; another turn where that is Invalid. AgentError."""
    report = await session.ask(role, step, order, reading=True)
    try:
        return report, take(report)
    except Invalid as error:
        problem = str(error)
    if report.status == "failed":
        raise AgentError("protocol", _failure(role, report, problem))
    session.note("asked_again", f"{role} was asked again: {problem}")
    mend = session.prompts.render("mend", problem=problem, folder=str(session.folder(role)))
    report = await session.ask(role, step, mend, reading=True)
    try:
        return report, take(report)
    except Invalid as error:
        raise AgentError("protocol", _failure(role, report, str(error))) from error


def keep(session: CycleSession, files: dict[str, str]) -> None:
    """Writes documents of ours or of a report to their places; names below the progress folder."""
    session.store.write_progress(session.id, {name: f"{text.rstrip()}\n".encode() for name, text in files.items()})


def discover(session: CycleSession, role: Role, entries: Iterable[Mapping[str, object]]) -> None:
    """Tells the board, as an agent without our tools does: by lines in the role's own folder."""
    lines = [json.dumps(entry, ensure_ascii=False).encode(errors="replace") for entry in entries]
    session.store.append_progress(session.id, f"{role}/discoveries.ndjson", lines)


def _failure(role: Role, report: PhaseReport, problem: str) -> str:
    words = [problem]
    if report.status in ("failed", "partial") and report.summary:
        words = [f"{role} reports {report.status}: {report.summary}", problem]
    words += [blocker.description for blocker in report.blockers]
    return clipped("; ".join(words), 1000)
