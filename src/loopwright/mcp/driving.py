"""What the tools do: find the run, call its service, tell how it stands now. Blocking calls."""

import asyncio
from datetime import datetime
from typing import Any

from loopwright.domain.engine_state import Limits
from loopwright.domain.errors import IllegalTransition, Invalid
from loopwright.domain.loop import FINISHED
from loopwright.domain.run import Run
from loopwright.domain.words import whole
from loopwright.engine.supervisor import is_launched
from loopwright.mcp.asked import (
    LIMITS,
    AddTask,
    Answer,
    Diff,
    Extend,
    ListRuns,
    OneRun,
    Pause,
    Resume,
    StartLoop,
)
from loopwright.mcp.cycle_told import CycleBrief, CycleReport
from loopwright.mcp.desk import Desk, Found, Place
from loopwright.mcp.kinds import CYCLE, KINDS, LOOP, Kind
from loopwright.mcp.listed import Changed, Damaged, Listed
from loopwright.mcp.told import Added, Brief, Report, report
from loopwright.mcp.tuning_told import TuningBrief, TuningReport

AnyReport = Report | CycleReport | TuningReport
AnyBrief = Brief | CycleBrief | TuningBrief
NEVER = "0001-01-01T00:00:00+00:00"
"""Before any other time: of a state that another program has made."""


def start_loop(desk: Desk, asked: StartLoop) -> Report:
    """As `loopwright create` and `start` do; nothing is created that could not be started."""
    place = desk.place(asked.project)
    place.engine.load_prompts()
    state = place.engine.create(asked.task, title=asked.title, interactive=not asked.auto, given=asked.settings)
    if asked.start:
        state = place.loops.start(state.loop_id)
    return report(state, place.name, live=asked.start)


def list_runs(desk: Desk, asked: ListRuns) -> Listed:
    """Over several projects, the latest change first."""
    kinds = [kind for kind in KINDS if asked.kind in (None, kind.name)]
    sources = [(place, kind) for place in desk.places(asked.project) for kind in kinds]
    wanted = asked.offset + asked.limit
    pages = [
        (place, kind, kind.service(place.engine).list(status=asked.status, limit=wanted)) for place, kind in sources
    ]
    found = [(state, place, kind) for place, kind, page in pages for state in page.items]
    found.sort(key=lambda item: datetime.fromisoformat(item[0].updated_at or NEVER), reverse=True)
    told = [_brief(*item) for item in found[asked.offset :][: asked.limit]]
    return Listed(
        loops=tuple(one for one in told if isinstance(one, Brief)),
        cycles=tuple(one for one in told if isinstance(one, CycleBrief)),
        tunings=tuple(one for one in told if isinstance(one, TuningBrief)),
        total=sum(page.total for _, _, page in pages),
        damaged=tuple(
            Damaged.model_validate({"kind": kind.name, "id": id, "reason": why})
            for place, kind in sources
            for id, why in kind.service(place.engine).damaged().items()
        ),
        projects=tuple(desk.known),
    )


def status(desk: Desk, asked: OneRun) -> AnyReport:
    return _told(desk.run(asked))


def pause(desk: Desk, asked: Pause) -> AnyReport:
    found = desk.driven(asked)
    found.service.pause(found.id, now=asked.now)
    return _told(found)


def resume(desk: Desk, asked: Resume) -> AnyReport:
    """One that was never started is started."""
    found = desk.driven(asked)
    if found.service.read(found.id).status in ("created", "pending"):
        found.service.start(found.id, asked.mode)
    else:
        found.service.resume(found.id, asked.mode)
    return _told(found)


def stop(desk: Desk, asked: OneRun) -> AnyReport:
    found = desk.driven(asked)
    asyncio.run(found.service.stop(found.id))
    return _told(found)


def extend(desk: Desk, asked: Extend) -> AnyReport:
    """Raises limits, and adds to a cycle's task; what is finished runs on."""
    found = desk.driven(asked)
    if asked.task is not None and found.kind is not CYCLE:
        other = "a loop takes more work by `add_task`" if found.kind is LOOP else "a skill is tuned anew"
        raise Invalid(f"task: {other}; only cycles are extended with a task")
    limits = asked.limits
    _check_raised(found.service.read(found.id), limits, enough=asked.task is not None)
    if asked.task is not None:
        _extend_cycle(desk, asked, limits)
    else:
        _raise_limits(found, limits)
    return _told(found)


def answer(desk: Desk, asked: Answer) -> AnyReport:
    """A paused run goes on with it; one that asked in the middle of a step takes it by itself."""
    found = desk.driven(asked)
    state = found.service.answer(found.id, asked.text)
    if asked.resume and state.status == "paused":
        found.service.resume(found.id)
    return _told(found)


def add_task(desk: Desk, asked: AddTask) -> Added:
    """After the last one. Also a loop's own agent may find that there is more to do."""
    found, loops = desk.loop(asked)
    own = "bash" if asked.command else loops.read(found.id).engine.settings.agent
    task = loops.tasks.add(found.id, {"tool": own, **asked.fields})
    state = loops.read(found.id)
    now = "the loop takes it up by itself" if state.status == "running" else "`resume` lets the loop take it up"
    return Added(
        loop_id=found.id, project=found.project, task_id=task.task_id, description=task.description,
        tool=task.tool, next="`extend` lets the loop take it up" if state.status in FINISHED else now,
    )  # fmt: skip


def diff(desk: Desk, asked: Diff) -> Changed:
    """Of everything, of one checkpoint, or of one iteration of a cycle."""
    found = desk.run(asked)
    if asked.iteration is not None and asked.checkpoint is not None:
        raise Invalid("say iteration or checkpoint, not both")
    if asked.checkpoint is not None:
        text = found.service.checkpoint_diff(found.id, asked.checkpoint)
    elif asked.iteration is not None:
        _, cycles = desk.cycle(asked, looking=True)
        text = cycles.diff(found.id, asked.iteration)
    else:
        text = found.service.whole_diff(found.id)
    text = whole(text)
    return Changed(
        id=found.id, project=found.project, checkpoint=asked.checkpoint, iteration=asked.iteration,
        diff=text[: asked.max_chars], truncated=len(text) > asked.max_chars,
    )  # fmt: skip


def _told(found: Found[Any]) -> AnyReport:  # Any: as Desk.run
    state, live = found.look()
    told: AnyReport = found.kind.report(state, found.project, live=live)
    return told


def _brief(state: Any, place: Place, kind: Kind[Any]) -> AnyBrief:  # Any: of the kind
    service = kind.service(place.engine)
    live = service.is_live(service.rules.id_of(state)) or is_launched(state, service.clock.now())
    told: AnyBrief = kind.brief(state, place.name, live=live)
    return told


def _extend_cycle(desk: Desk, asked: Extend, limits: Limits) -> None:
    """The limits first: what is used up has to be raised before the cycle can run on."""
    found, cycles = desk.cycle(asked)
    if limits != Limits():
        cycles.limit(found.id, limits)
    cycles.extend(found.id, asked.task or "")


def _raise_limits(found: Found[Any], limits: Limits) -> None:  # Any: as Desk.run
    try:
        found.service.reopen(found.id, limits)
    except IllegalTransition:  # not finished
        found.service.limit(found.id, limits)


def _check_raised(state: Run, limits: Limits, *, enough: bool) -> None:
    """Invalid where a limit would not be raised, or none was given to what has not ended and nothing else is asked."""
    budget = state.engine.budget
    known = {**{name: getattr(budget, name) for name in LIMITS[1:]}, LIMITS[0]: state.max_iterations}
    given = {name: value for name in LIMITS if (value := getattr(limits, name)) is not None}
    if not given and not enough and state.status not in FINISHED:
        raise Invalid(f"say which limit shall be raised: {', '.join(LIMITS)}")
    for name, value in given.items():
        if known[name] is not None and value < known[name]:
            raise Invalid(f"{name}: extend only raises limits; it is {known[name]:g} already (got {value:g})")
