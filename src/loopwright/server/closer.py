"""Looking closer at one run, a loop or a cycle: what it did, and the files it left."""

from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import Path, Query
from pydantic import BaseModel

from loopwright.domain.events import Entry
from loopwright.domain.run import R
from loopwright.domain.wording import event_words
from loopwright.engine import progress_files
from loopwright.engine.checkpoints import with_files
from loopwright.server import examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Asked
from loopwright.server.documenting import LOOKING, Done, answers
from loopwright.server.forms import (
    CheckpointForm,
    DiffForm,
    EventForm,
    ProgressFileForm,
    ProgressTextForm,
)
from loopwright.server.requests import Routes
from loopwright.server.rooms import Room

LONGEST_DIFF = 1 << 20
"""Characters."""

MOST = 2**53
"""Of whatever counts: the largest number that every reader of JSON keeps."""

TAG = "looking closer"

Newest = Annotated[int, Query(ge=1, le=10_000, description="How many at most, the newest")]
After = Annotated[int, Query(ge=0, le=MOST, description="Only what came after this number")]
FileName = Annotated[str, Path(description="A name out of the list")]
Number = Annotated[int, Path(ge=1, le=MOST)]


def told(form: type[BaseModel], example: Any) -> dict[str, Any]:  # Any: JSON, and what FastAPI documents with
    """For a route that answers with one thing."""
    return {"responses": answers(form, example, LOOKING)}


def looking(room: Room[R]) -> Routes:
    """The routes that both kinds have."""
    router = Routes(prefix=room.kind.one, tags=[TAG])

    @router.get("/events", summary="The journal", **told(Done[list[EventForm]], examples.EVENTS))
    async def events(
        after: After = 0, limit: Annotated[int, Query(ge=1, le=10_000)] = 1000, one: Asked[R] = room.one
    ) -> Answer:
        """Every committed change, oldest first. Go on with the last `seq` as `after`."""
        found = await one.control.beside(lambda: one.service.events(one.id, after))
        return done([_event(entry) for entry in found[:limit]], hasMore=len(found) > limit)

    @router.get("/checkpoints", summary="Its checkpoints", **told(Done[list[CheckpointForm]], examples.CHECKPOINTS))
    async def checkpoints(one: Asked[R] = room.one) -> Answer:
        """The files as they were, and those that led to each."""
        found = await one.control.beside(lambda: with_files(one.service.read(one.id), one.project.changes))
        return done(
            [
                {"n": kept.n, "action": kept.action, "at": kept.at, "files": [touched._asdict() for touched in files]}
                for kept, files in found
            ]
        )

    @router.get("/checkpoints/{n}/diff", summary="One checkpoint's changes", **told(Done[DiffForm], examples.DIFF))
    async def one_diff(n: Number, one: Asked[R] = room.one) -> Answer:
        """Against the checkpoint before it, unified."""
        return cut(await one.control.beside(lambda: one.service.checkpoint_diff(one.id, n)))

    @router.get("/progress", summary="Its files", **told(Done[list[ProgressFileForm]], examples.FILES))
    async def files(one: Asked[R] = room.one) -> Answer:
        """The progress files that are there, by name."""
        one.service.read(one.id)
        folder, zone = one.service.store.progress_path(one.id), one.service.clock.now().tzinfo
        found = await one.control.beside(lambda: progress_files.listed(folder, zone))
        return done([asdict(each) for each in found])

    @router.get("/progress/{file}", summary="One of its files", **told(Done[ProgressTextForm], examples.FILE))
    async def one_file(file: FileName, one: Asked[R] = room.one) -> Answer:
        """Its first MiB; what is no UTF-8 is replaced."""
        one.service.read(one.id)
        folder = one.service.store.progress_path(one.id)
        found = await one.control.beside(lambda: progress_files.shown(folder, file))
        return done({"name": file, **found._asdict()})

    return router


def entries(one: Asked[R]) -> tuple[Entry, ...]:
    """All of its journal."""
    return tuple(one.service.events(one.id))


def cut(diff: str) -> Answer:
    """A diff, or its beginning."""
    return done({"diff": diff[:LONGEST_DIFF], "truncated": len(diff) > LONGEST_DIFF})


def note(line: str) -> dict[str, Any] | None:  # Any: parsed JSON
    """A line of a transcript; None for one that was torn, or that somebody else wrote."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and {"ts", "kind", "text"} <= found.keys() else None


def _event(entry: Entry) -> dict[str, object]:
    return {
        "seq": entry.seq, "ts": entry.ts, "actor": entry.actor, "type": entry.event.type, "data": entry.event.data,
        "words": event_words(entry),
    }  # fmt: skip
