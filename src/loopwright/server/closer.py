"""Looking closer at one loop: what it did, what was measured, and the files it left."""

from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import Path, Query
from pydantic import BaseModel

from loopwright.domain.course import Check, CourseStep, timeline, validations
from loopwright.domain.events import Entry
from loopwright.domain.loop import Hypothesis, TestResult
from loopwright.domain.progress import finished, plan
from loopwright.domain.transcript import TRANSCRIPT
from loopwright.domain.wording import event_words
from loopwright.engine import progress_files
from loopwright.engine.checkpoints import with_files
from loopwright.ports import MenuEntry
from loopwright.server import examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Asked, OneLoop
from loopwright.server.documenting import LOOKING, Done, answers
from loopwright.server.forms import (
    CheckpointForm,
    DiffForm,
    EventForm,
    NoteForm,
    PlanForm,
    ProgressFileForm,
    ProgressTextForm,
)
from loopwright.server.requests import Routes

LONGEST_DIFF = 1 << 20
"""Characters."""

MOST = 2**53
"""Of whatever counts: the largest number that every reader of JSON keeps."""

FIRST_SHOWN = {"failed": 0, "passed": 1, "skipped": 2}

router = Routes(prefix="/api/loops/v2/{loop_id}", tags=["looking closer"])

Newest = Annotated[int, Query(ge=1, le=10_000, description="How many at most, the newest")]
FileName = Annotated[str, Path(description="A name out of the list")]


def _told(form: type[BaseModel], example: Any) -> dict[str, Any]:  # Any: JSON, and what FastAPI documents with
    """For a route that answers with one thing."""
    return {"responses": answers(form, example, LOOKING)}


@router.get("/events", summary="The journal", **_told(Done[list[EventForm]], examples.EVENTS))
async def events(
    one: OneLoop,
    after: Annotated[int, Query(ge=0, le=MOST, description="Only what came after this number")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> Answer:
    """Every committed change, oldest first. Go on with the last `seq` as `after`."""
    found = await one.control.beside(lambda: one.service.events(one.loop_id, after))
    return done([_event(entry) for entry in found[:limit]], hasMore=len(found) > limit)


@router.get("/transcript", summary="What was said and done", **_told(Done[list[NoteForm]], examples.TRANSCRIPT))
async def transcript(one: OneLoop, limit: Newest = 500) -> Answer:
    """The last lines of the transcript, of its last MiB. `position` is the byte at which the next one will begin."""
    one.service.read(one.loop_id)
    folder = one.service.store.progress_path(one.loop_id)
    found = await one.control.beside(lambda: progress_files.last_lines(folder, TRANSCRIPT, limit))
    return done([note for line in found.lines if (note := _note(line))], position=found.position)


@router.get("/plan", summary="The live plan", **_told(Done[list[PlanForm]], examples.PLAN))
async def live_plan(one: OneLoop) -> Answer:
    """What is over folded to a line, the running phase unfolded down to what is still to come."""
    state, entries = await one.control.beside(lambda: (one.service.read(one.loop_id), _entries(one)))
    lines = plan(state, finished(entries))
    return done([{"content": line.content.strip(), "status": line.status, "depth": line.depth} for line in lines])


@router.get("/timeline", summary="Its steps", **_told(Done[list[CourseStep]], examples.TIMELINE))
async def steps(one: OneLoop, limit: Newest = 1000) -> Answer:
    """Every action, oldest first; the last one may be under way. `total` counts all of them."""
    state, entries = await one.control.beside(lambda: (one.service.read(one.loop_id), _entries(one)))
    found = timeline(entries, state.engine.checkpoints)
    return done(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **_told(Done[list[Check]], examples.HISTORY))
async def history(one: OneLoop, limit: Newest = 1000) -> Answer:
    """Every validation, oldest first, with what it counted. `total` counts all of them."""
    found = validations(await one.control.beside(lambda: _entries(one)))
    return done(found[-limit:], total=len(found))


@router.get("/checkpoints", summary="Its checkpoints", **_told(Done[list[CheckpointForm]], examples.CHECKPOINTS))
async def checkpoints(one: OneLoop) -> Answer:
    """What can be gone back to, and the files that led to each."""
    found = await one.control.beside(lambda: with_files(one.service.read(one.loop_id), one.project.changes))
    return done(
        [
            {"n": kept.n, "action": kept.action, "at": kept.at, "files": [touched._asdict() for touched in files]}
            for kept, files in found
        ]
    )


@router.get("/diff", summary="All its changes", **_told(Done[DiffForm], examples.DIFF))
async def whole_diff(one: OneLoop) -> Answer:
    """From the first checkpoint to the last, unified."""
    return await _diff(one, None)


@router.get("/checkpoints/{n}/diff", summary="One checkpoint's changes", **_told(Done[DiffForm], examples.DIFF))
async def one_diff(one: OneLoop, n: Annotated[int, Path(ge=1, le=MOST)]) -> Answer:
    """Against the checkpoint before it, unified."""
    return await _diff(one, n)


@router.get("/tests", summary="The last validation's tests", **_told(Done[list[TestResult]], examples.TESTS))
async def tests(one: OneLoop) -> Answer:
    """Failing ones first."""
    skill = one.service.read(one.loop_id).skill_state
    found = skill.validate_.test_results if skill else ()
    return done(sorted(found, key=lambda result: FIRST_SHOWN[result.status]))


@router.get("/hypotheses", summary="Suspected causes", **_told(Done[list[Hypothesis]], examples.HYPOTHESES))
async def hypotheses(one: OneLoop) -> Answer:
    """What was measured at each, and the verdict."""
    skill = one.service.read(one.loop_id).skill_state
    return done(skill.debug.hypotheses if skill else ())


@router.get("/progress", summary="Its files", **_told(Done[list[ProgressFileForm]], examples.FILES))
async def files(one: OneLoop) -> Answer:
    """The progress files that are there, by name."""
    one.service.read(one.loop_id)
    folder, zone = one.service.store.progress_path(one.loop_id), one.service.clock.now().tzinfo
    found = await one.control.beside(lambda: progress_files.listed(folder, zone))
    return done([asdict(each) for each in found])


@router.get("/progress/{file}", summary="One of its files", **_told(Done[ProgressTextForm], examples.FILE))
async def one_file(one: OneLoop, file: FileName) -> Answer:
    """Its first MiB; what is no UTF-8 is replaced."""
    one.service.read(one.loop_id)
    folder = one.service.store.progress_path(one.loop_id)
    found = await one.control.beside(lambda: progress_files.shown(folder, file))
    return done({"name": file, **found._asdict()})


@router.get("/menu", summary="What it offers now", **_told(Done[list[MenuEntry]], examples.MENU))
async def menu(one: OneLoop) -> Answer:
    """The open menu of an interactive loop; empty while none is open."""
    return done(one.service.menu(one.loop_id))


def _entries(one: Asked) -> tuple[Entry, ...]:
    return tuple(one.service.events(one.loop_id))


def _event(entry: Entry) -> dict[str, object]:
    return {
        "seq": entry.seq, "ts": entry.ts, "actor": entry.actor, "type": entry.event.type, "data": entry.event.data,
        "words": event_words(entry),
    }  # fmt: skip


def _note(line: str) -> dict[str, Any] | None:  # Any: parsed JSON
    """None for a line that was torn, or that somebody else wrote."""
    try:
        note = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return note if isinstance(note, dict) and {"ts", "kind", "text"} <= note.keys() else None


async def _diff(one: Asked, n: int | None) -> Answer:
    text = await one.control.beside(lambda: one.service.diff(one.loop_id, n))
    return done({"diff": text[:LONGEST_DIFF], "truncated": len(text) > LONGEST_DIFF})
