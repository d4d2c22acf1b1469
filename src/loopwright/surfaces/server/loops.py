"""Loops: created, listed and edited; what can be done with one, and what only a loop can."""

from typing import Literal

from loopwright.core import progress_files
from loopwright.core.course import Check, CourseStep, timeline, validations
from loopwright.core.state import MenuEntry
from loopwright.core.transcript import TRANSCRIPT
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.answers import Answer, done
from loopwright.surfaces.server.dependencies import LOOP_ROOM, ControlPlane, LoopCommands, OneLoop, ProjectName, shown
from loopwright.surfaces.server.documentation import BRINGING, LOOKING, Done, answers
from loopwright.surfaces.server.kinds import LOOPS
from loopwright.surfaces.server.requests import Choice, LoopFields, NewLoop, NewStatus, Routes, Target
from loopwright.surfaces.server.responses import DiffForm, LoopForm, NoteForm, PageForm, PlanForm
from loopwright.surfaces.server.runs import (
    TAG,
    Limit,
    Newest,
    Offset,
    Search,
    View,
    cut,
    driving,
    entries,
    looking,
    note,
    page,
    single,
    speaking,
    steered,
    told,
)
from loopwright.workflows.loop.commands import command_for
from loopwright.workflows.loop.summary import finished, plan

all_of_them = Routes(prefix=LOOPS.place, tags=["loops"])
one_of_them = Routes(prefix=LOOPS.one, tags=["steering"])

Wanted = Literal["all", "created", "running", "paused", "completed", "failed", "user_exit"]


@all_of_them.post(
    "", summary="Create a loop", status_code=201, responses=answers(LoopForm, examples.LOOP, BRINGING, status=201)
)
async def create(control: ControlPlane, body: NewLoop, project: ProjectName = None) -> Answer:
    """It is not started yet."""
    found = control.projects.named(project)
    state = await control.beside(
        lambda: found.engine.create(
            body.task, title=body.title, interactive=body.mode == "interactive", given=body.settings
        )
    )
    return shown(state, found, status=201, location=f"{LOOPS.place}/{state.loop_id}")


@all_of_them.get("", summary="List loops", responses=answers(PageForm, examples.LOOP_PAGE, LOOKING))
async def listed(
    control: ControlPlane, project: ProjectName = None, status: Wanted = "all", limit: Limit = 50, offset: Offset = 0,
    search: Search = "", view: View = "full",
) -> Answer:  # fmt: skip
    """A page of a project's loops, latest change first."""
    found = control.projects.named(project)
    return page(LOOPS, found, status=status, limit=limit, offset=offset, search=search, view=view)


@one_of_them.put("", summary="Edit a loop", responses=LOOP_ROOM.shows(), tags=["loops"])
async def edit(one: OneLoop, service: LoopCommands, body: LoopFields) -> Answer:
    """Its texts and limits; title and description cannot change while it runs."""
    return shown(await one.control.beside(lambda: service.edit(one.id, body.given)), one.project)


@one_of_them.patch("/status", summary="Request a status", responses=LOOP_ROOM.says("paused"))
async def set_status(one: OneLoop, service: LoopCommands, body: NewStatus) -> Answer:
    """What a command can do: running starts or resumes it, paused pauses it, failed stops it."""
    return await steered(LOOP_ROOM, one, service, command_for(service.read(one.id), body.status))


@one_of_them.post("/choose", summary="Choose its next step, or another patch", responses=LOOP_ROOM.shows())
async def choose(one: OneLoop, service: LoopCommands, body: Choice) -> Answer:
    """An entry of an interactive loop's menu; or, if the loop is not running, a rival (rival-1, …) of a patch."""
    fields = {name: value for name, value in body.given.items() if name != "choice"}
    return shown(await one.control.beside(lambda: service.choose(one.id, body.choice, **fields)), one.project)


@one_of_them.post("/rewind", summary="Go back to a checkpoint", responses=LOOP_ROOM.shows())
async def rewind(one: OneLoop, service: LoopCommands, body: Target) -> Answer:
    """Files and progress; the current state becomes a checkpoint first."""
    return shown(await one.control.beside(lambda: service.rewind(one.id, body.to)), one.project)


ROUTERS = (all_of_them, single(LOOP_ROOM), one_of_them, driving(LOOP_ROOM), speaking(LOOP_ROOM))


FIRST_SHOWN = {"failed": 0, "passed": 1, "skipped": 2}

router = Routes(prefix=LOOPS.one, tags=[TAG])


@router.get("/transcript", summary="Its transcript", **told(Done[list[NoteForm]], examples.LOOP_TRANSCRIPT))
async def transcript(one: OneLoop, limit: Newest = 500) -> Answer:
    """The last lines of the transcript, from its last MiB. `position` is the byte at which the next one will begin."""
    one.service.read(one.id)
    folder = one.service.store.progress_path(one.id)
    found = await one.control.beside(lambda: progress_files.last_lines(folder, TRANSCRIPT, limit))
    return done([line for text in found.lines if (line := note(text))], position=found.position)


@router.get("/plan", summary="The live plan", **told(Done[list[PlanForm]], examples.PLAN))
async def live_plan(one: OneLoop) -> Answer:
    """Finished parts folded to one line each, the running phase unfolded with its pending steps."""
    state, journal = await one.control.beside(lambda: (one.service.read(one.id), entries(one)))
    lines = plan(state, finished(journal))
    return done([{"content": line.content.strip(), "status": line.status, "depth": line.depth} for line in lines])


@router.get("/timeline", summary="Its steps", **told(Done[list[CourseStep]], examples.LOOP_TIMELINE))
async def steps(one: OneLoop, limit: Newest = 1000) -> Answer:
    """Every action, oldest first; the last one may be in progress. `total` counts all of them."""
    state, journal = await one.control.beside(lambda: (one.service.read(one.id), entries(one)))
    found = timeline(journal, state.engine.checkpoints)
    return done(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **told(Done[list[Check]], examples.HISTORY))
async def history(one: OneLoop, limit: Newest = 1000) -> Answer:
    """Every validation, oldest first, with its counts. `total` counts all of them."""
    found = validations(await one.control.beside(lambda: entries(one)))
    return done(found[-limit:], total=len(found))


@router.get("/diff", summary="All its changes", **told(Done[DiffForm], examples.DIFF))
async def whole_diff(one: OneLoop) -> Answer:
    """From the first checkpoint to the last, unified."""
    return cut(await one.control.beside(lambda: one.service.whole_diff(one.id)))


@router.get("/tests", summary="Tests of the last validation", **told(Done[list[TestResult]], examples.TESTS))
async def tests(one: OneLoop) -> Answer:
    """Failing tests first."""
    skill = one.service.read(one.id).skill_state
    found = skill.validate_.test_results if skill else ()
    return done(sorted(found, key=lambda result: FIRST_SHOWN[result.status]))


@router.get("/hypotheses", summary="Suspected causes", **told(Done[list[Hypothesis]], examples.HYPOTHESES))
async def hypotheses(one: OneLoop) -> Answer:
    """The measurements at each, and the verdict."""
    skill = one.service.read(one.id).skill_state
    return done(skill.debug.hypotheses if skill else ())


@router.get("/menu", summary="Its current menu", **told(Done[list[MenuEntry]], examples.MENU))
async def menu(one: OneLoop) -> Answer:
    """The open menu of an interactive loop; empty if there is none."""
    return done(one.project.engine.service.menu(one.id))


DETAIL_ROUTERS = (looking(LOOP_ROOM), router)
