"""What the tools do: find the loop, call the service, tell how the loop stands now. Blocking calls."""

import asyncio
from dataclasses import replace
from datetime import datetime

from loopwright.domain.engine_state import Limits
from loopwright.domain.errors import IllegalTransition, Invalid
from loopwright.domain.loop import FINISHED, LoopState
from loopwright.domain.words import whole
from loopwright.engine.service import LoopService
from loopwright.mcp.asked import (
    LIMITS,
    AddTask,
    Answer,
    Diff,
    Extend,
    ListLoops,
    OneLoop,
    Pause,
    StartLoop,
)
from loopwright.mcp.desk import Desk, Found, is_launched
from loopwright.mcp.told import Added, Changed, Damaged, Listed, Report, brief, report


def start_loop(desk: Desk, asked: StartLoop) -> Report:
    """As `loopwright create` and `start` do; nothing is created that could not be started."""
    name, engine, service = desk.place(asked.project)
    engine.load_prompts()
    state = replace(engine, service=service).create(
        asked.task, title=asked.title, interactive=not asked.auto, given=asked.settings
    )
    if asked.start:
        state = service.start(state.loop_id)
    return report(state, name, live=asked.start)


def list_loops(desk: Desk, asked: ListLoops) -> Listed:
    """Over several projects, the latest change first."""
    places = desk.places(asked.project)
    pages = [(p, p.service.list(status=asked.status, limit=asked.offset + asked.limit)) for p in places]
    found = [(state, place) for place, page in pages for state in page.items]
    found.sort(key=lambda item: datetime.fromisoformat(item[0].updated_at), reverse=True)
    return Listed(
        loops=tuple(
            brief(state, place.name, live=_is_live(place.service, state))
            for state, place in found[asked.offset :][: asked.limit]
        ),
        total=sum(page.total for _, page in pages),
        damaged=tuple(Damaged(loop_id=id, reason=why) for p in places for id, why in p.service.damaged().items()),
        projects=tuple(desk.known),
    )


def status(desk: Desk, asked: OneLoop) -> Report:
    return _told(desk.loop(asked))


def pause(desk: Desk, asked: Pause) -> Report:
    found = desk.driven(asked)
    found.service.pause(found.loop_id, now=asked.now)
    return _told(found)


def resume(desk: Desk, asked: OneLoop) -> Report:
    """A loop that was never started is started."""
    found = desk.driven(asked)
    if found.service.read(found.loop_id).status == "created":
        found.service.start(found.loop_id)
    else:
        found.service.resume(found.loop_id)
    return _told(found)


def stop(desk: Desk, asked: OneLoop) -> Report:
    found = desk.driven(asked)
    asyncio.run(found.service.stop(found.loop_id))
    return _told(found)


def extend(desk: Desk, asked: Extend) -> Report:
    """Raises limits; a finished loop runs on."""
    found = desk.driven(asked)
    limits = asked.limits
    _check_raised(found.service.read(found.loop_id), limits)
    try:
        found.service.reopen(found.loop_id, limits)
    except IllegalTransition:  # not finished
        found.service.limit(found.loop_id, limits)
    return _told(found)


def answer(desk: Desk, asked: Answer) -> Report:
    """A paused loop goes on with it; one that asked in the middle of a step takes it by itself."""
    found = desk.driven(asked)
    state = found.service.answer(found.loop_id, asked.text)
    if asked.resume and state.status == "paused":
        found.service.resume(found.loop_id)
    return _told(found)


def add_task(desk: Desk, asked: AddTask) -> Added:
    """After the last one. Also a loop's own agent may find that there is more to do."""
    found = desk.loop(asked)
    own = "bash" if asked.command else found.service.read(found.loop_id).engine.settings.agent
    task = found.service.tasks.add(found.loop_id, {"tool": own, **asked.fields})
    state = found.service.read(found.loop_id)
    now = "the loop takes it up by itself" if state.status == "running" else "`resume` lets the loop take it up"
    return Added(
        loop_id=found.loop_id, project=found.project, task_id=task.task_id, description=task.description,
        tool=task.tool, next="`extend` lets the loop take it up" if state.status in FINISHED else now,
    )  # fmt: skip


def diff(desk: Desk, asked: Diff) -> Changed:
    found = desk.loop(asked)
    text = whole(found.service.diff(found.loop_id, asked.checkpoint))
    return Changed(
        loop_id=found.loop_id, project=found.project, checkpoint=asked.checkpoint,
        diff=text[: asked.max_chars], truncated=len(text) > asked.max_chars,
    )  # fmt: skip


def _told(found: Found) -> Report:
    state, live = found.look()
    return report(state, found.project, live=live)


def _is_live(service: LoopService, state: LoopState) -> bool:
    return service.is_live(state.loop_id) or is_launched(service, state)


def _check_raised(state: LoopState, limits: Limits) -> None:
    """Invalid where a limit would not be raised, or none was given to a loop that has not ended."""
    known = {**{name: getattr(state.engine.budget, name) for name in LIMITS[1:]}, LIMITS[0]: state.max_iterations}
    given = {name: value for name in LIMITS if (value := getattr(limits, name)) is not None}
    if not given and state.status not in FINISHED:
        raise Invalid(f"say which limit shall be raised: {', '.join(LIMITS)}")
    for name, value in given.items():
        if known[name] is not None and value < known[name]:
            raise Invalid(f"{name}: extend only raises limits; it is {known[name]:g} already (got {value:g})")
