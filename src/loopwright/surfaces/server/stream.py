"""Server-sent events: what happens to one run, and to all of them."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from loopwright.core.errors import NotFound, StoreError
from loopwright.core.run import R
from loopwright.surfaces.server.change_notifier import ChangeListener, ChangeNotifier
from loopwright.surfaces.server.dependencies import (
    CYCLE_ROUTES,
    LOOP_ROUTES,
    TUNING_ROUTES,
    Control,
    ControlPlane,
    RouteKind,
    RunRequest,
)
from loopwright.surfaces.server.event_log import EventBroadcast
from loopwright.surfaces.server.kinds import RunSource
from loopwright.surfaces.server.run_event_stream import RunEventStream
from loopwright.surfaces.server.sse import (
    PING_SECONDS,
    EventStream,
    StreamPosition,
    StreamRegistry,
    encode_event,
    encode_opening,
    encode_ping,
    parse_log_position,
    parse_position,
)


class LiveStreams:
    """Belongs to one event loop. `folder`: where the feed is kept."""

    def __init__(self, control: Control, folder: Path) -> None:
        self.streams = StreamRegistry()
        self._notifiers: dict[str, ChangeNotifier] = {}
        self.news = EventBroadcast(control, self.notifier, folder)

    def notifier(self, source: RunSource) -> ChangeNotifier:
        known = self._notifiers.get(source.name)
        return known or self._notifiers.setdefault(source.name, ChangeNotifier(source.service.store))

    def end(self) -> None:
        """Ends every stream at once."""
        self.streams.close()

    def close(self) -> None:
        self.news.close()


GONE_SECONDS = 0.3
"""A runner puts back what was removed under its hands: a run that is not there gets a second look."""

router = APIRouter()
Last = Annotated[str | None, Header(description="The id of the last event seen; sent by the browser")]
After = Annotated[str | None, Query(description="On the first request: the number of the last entry seen")]

OnlyProject = Annotated[str | None, Query(description="Only this project; default: all")]


def add_run_stream(routes: RouteKind[R]) -> None:
    """The stream of one run of that kind."""

    @router.get(f"{routes.kind.one}/stream")
    async def stream(
        request: Request, last_event_id: Last = None, after: After = None, one: RunRequest[R] = routes.one
    ) -> Response:
        live: LiveStreams = request.app.state.live
        position = _position(last_event_id, after, len(one.kind.transcripts))
        first = await one.control.run_in_thread(lambda: _telling(one, position).position)
        return EventStream(_blocks(one, live, first), live.streams)


add_run_stream(LOOP_ROUTES)
add_run_stream(CYCLE_ROUTES)
add_run_stream(TUNING_ROUTES)


@router.get("/api/stream")
async def of_all(
    control: ControlPlane, request: Request, last_event_id: Last = None, project: OnlyProject = None
) -> Response:
    live: LiveStreams = request.app.state.live
    if project is not None:
        control.projects.named(project)
    place = parse_log_position(last_event_id) if last_event_id else None
    await live.news.open()
    return EventStream(live.news.blocks(place, project), live.streams)


def _position(last: str | None, after: str | None, transcripts: int) -> StreamPosition | None:
    """What the browser brings counts more than the address, which stays the same."""
    if last:
        return parse_position(last, "Last-Event-ID", transcripts)
    return parse_position(after, "after", transcripts) if after is not None else None


def _telling(one: RunRequest[R], position: StreamPosition | None) -> RunEventStream:
    return RunEventStream(one.service.store, one.kind, one.id, position)


async def _blocks(one: RunRequest[R], live: LiveStreams, first: StreamPosition) -> AsyncGenerator[bytes, None]:
    """Listens before the first look, so that nothing falls in between."""
    telling = _telling(one, first)
    with live.notifier(one.source).one(one.id) as listener:
        yield encode_opening(str(first))
        exact: bool | None = True
        while True:
            try:
                news = await one.control.run_in_thread(partial(telling.look, exact=exact is not False))
            except NotFound:
                if await _is_back(one, listener):
                    continue
                yield encode_event("gone", {one.kind.key: one.id}, str(telling.position))
                return
            except StoreError:  # told by the next look that can read it
                news, telling.more = b"", False
            if news:
                yield news
            if telling.more:
                continue
            while (exact := await listener.next(PING_SECONDS)) is None:
                yield encode_ping(str(telling.position))


async def _is_back(one: RunRequest[R], listener: ChangeListener) -> bool:
    await asyncio.sleep(GONE_SECONDS)
    try:
        await one.control.run_in_thread(lambda: one.service.read(one.id))
    except NotFound:
        return False
    except StoreError:
        return True
    return True
