"""Looking closer at one cycle: its steps and their transcripts, its documents in every version, its discoveries."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query

from loopwright.domain.course import Check
from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_course import CycleCourseStep, cycle_timeline, cycle_validations
from loopwright.domain.cycle_names import Role
from loopwright.engine import progress_files
from loopwright.server import cycle_examples, examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Asked, OneCycle
from loopwright.server.closer import MOST, TAG, Newest, cut, entries, looking, note, told
from loopwright.server.documenting import Done
from loopwright.server.forms import CycleTranscriptForm, DiffForm, DiscoveriesForm, DocumentForm, DocumentTextForm
from loopwright.server.kinds import CYCLES, Voice
from loopwright.server.requests import Routes
from loopwright.server.rooms import CYCLE_ROOM

router = Routes(prefix=CYCLES.one, tags=[TAG])

OfRole = Annotated[Role | None, Query(description="Only this role's; default: all, and the engine's")]
OfIteration = Annotated[int | None, Query(ge=1, le=MOST, description="Only what this one changed")]
OfVersion = Annotated[str | None, Query(max_length=40, description="Such as 1.0.0; default: as it is now")]
Folder = Annotated[str, Path(description="ra, ep, cd, vas or coordination")]
File = Annotated[str, Path(description="A name out of the list, without its folder")]


@router.get("/transcript", summary="What was said and done", **told(CycleTranscriptForm, cycle_examples.TRANSCRIPT))
async def transcript(one: OneCycle, role: OfRole = None, limit: Newest = 500) -> Answer:
    """The last lines, of the last MiB of each transcript, by time; without a `role` those of the engine."""
    one.service.read(one.id)
    heard = await one.control.beside(lambda: [(voice, _last_lines(one, voice, limit)) for voice in CYCLES.voices])
    lines = [
        {**line, "role": line.get("role") or voice.role}
        for voice, found in heard
        for text in found.lines
        if (line := note(text)) and role in (None, line.get("role") or voice.role)
    ]
    lines.sort(key=lambda line: (line.get("after", 0) if isinstance(line.get("after"), int) else 0, str(line["ts"])))
    return done(lines[-limit:], position=".".join(str(found.position) for _, found in heard))


@router.get("/timeline", summary="Its steps", **told(Done[list[CycleCourseStep]], cycle_examples.TIMELINE))
async def steps(one: OneCycle, limit: Newest = 1000) -> Answer:
    """Every step, in the order in which they began; several may be under way. `total` counts all of them."""
    state, journal = await one.control.beside(lambda: (one.service.read(one.id), entries(one)))
    found = cycle_timeline(journal, state.engine.checkpoints, state.current_iteration)
    return done(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **told(Done[list[Check]], examples.HISTORY))
async def history(one: OneCycle, limit: Newest = 1000) -> Answer:
    """Every validation, oldest first, with what it counted. `total` counts all of them."""
    found = cycle_validations(await one.control.beside(lambda: entries(one)))
    return done(found[-limit:], total=len(found))


@router.get("/diff", summary="Its changes", **told(Done[DiffForm], examples.DIFF))
async def diff(one: OneCycle, iteration: OfIteration = None) -> Answer:
    """Of one iteration, or of all of them, unified."""
    return cut(await one.control.beside(lambda: one.project.engine.cycles.diff(one.id, iteration)))


@router.get("/documents", summary="Its documents", **told(Done[list[DocumentForm]], cycle_examples.DOCUMENTS))
async def documents(one: OneCycle) -> Answer:
    """What the roles have written, by name, each with the versions that are kept."""
    found = await one.control.beside(lambda: one.project.engine.cycles.documents(one.id))
    return done([asdict(document) for document in found])


@router.get(
    "/documents/{folder}/{file}", summary="One of its documents",
    **told(Done[DocumentTextForm], cycle_examples.DOCUMENT),
)  # fmt: skip
async def document(one: OneCycle, folder: Folder, file: File, version: OfVersion = None) -> Answer:
    """As it is now, or as it was in a version: its first MiB; what is no UTF-8 is replaced."""
    found = await one.control.beside(lambda: one.project.engine.cycles.document(one.id, f"{folder}/{file}", version))
    return done(found._asdict())


@router.get("/discoveries", summary="Its discovery board", **told(DiscoveriesForm, cycle_examples.DISCOVERIES))
async def discoveries(one: OneCycle) -> Answer:
    """What the roles have found out about the project, oldest first."""
    found = await one.control.beside(lambda: one.project.engine.cycles.discoveries(one.id))
    return done(found, total=len(found))


def _last_lines(one: Asked[CycleState], voice: Voice, limit: int) -> progress_files.Lines:
    return progress_files.last_lines(one.service.store.progress_path(one.id), voice.file, limit)


ROOMS = (looking(CYCLE_ROOM), router)
