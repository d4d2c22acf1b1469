"""Loops: created, listed and edited; what can be done with one, and what only a loop can."""

from typing import Literal

from loopwright.domain.loop_commands import command_for
from loopwright.server import examples
from loopwright.server.answers import Answer
from loopwright.server.asking import ControlPlane, LoopCommands, OneLoop, ProjectName
from loopwright.server.documenting import BRINGING, LOOKING, answers
from loopwright.server.forms import LoopForm, PageForm
from loopwright.server.kinds import LOOPS
from loopwright.server.reading import Limit, Offset, Search, View, page, single
from loopwright.server.requests import Routes
from loopwright.server.rooms import LOOP_ROOM, shown
from loopwright.server.shapes import Choice, LoopFields, NewLoop, NewStatus, Target
from loopwright.server.steering import driving, speaking, steered

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


@all_of_them.get("", summary="List loops", responses=answers(PageForm, examples.PAGE, LOOKING))
async def listed(
    control: ControlPlane, project: ProjectName = None, status: Wanted = "all", limit: Limit = 50, offset: Offset = 0,
    search: Search = "", view: View = "full",
) -> Answer:  # fmt: skip
    """A page of a project's loops, the latest change first."""
    found = control.projects.named(project)
    return page(LOOPS, found, status=status, limit=limit, offset=offset, search=search, view=view)


@one_of_them.put("", summary="Edit a loop", responses=LOOP_ROOM.shows(), tags=["loops"])
async def edit(one: OneLoop, service: LoopCommands, body: LoopFields) -> Answer:
    """Its texts and limits; title and description not while it runs."""
    return shown(await one.control.beside(lambda: service.edit(one.id, body.given)), one.project)


@one_of_them.patch("/status", summary="Ask for a status", responses=LOOP_ROOM.says("paused"))
async def set_status(one: OneLoop, service: LoopCommands, body: NewStatus) -> Answer:
    """What a command could do: running starts or resumes it, paused pauses it, failed stops it."""
    return await steered(LOOP_ROOM, one, service, command_for(service.read(one.id), body.status))


@one_of_them.post("/choose", summary="Choose its next step, or another patch", responses=LOOP_ROOM.shows())
async def choose(one: OneLoop, service: LoopCommands, body: Choice) -> Answer:
    """Out of the menu that an interactive loop offers now; or a rival (rival-1, …) in the place of a patch, at rest."""
    fields = {name: value for name, value in body.given.items() if name != "choice"}
    return shown(await one.control.beside(lambda: service.choose(one.id, body.choice, **fields)), one.project)


@one_of_them.post("/rewind", summary="Go back to a checkpoint", responses=LOOP_ROOM.shows())
async def rewind(one: OneLoop, service: LoopCommands, body: Target) -> Answer:
    """Files and progress; what is there now becomes a checkpoint first."""
    return shown(await one.control.beside(lambda: service.rewind(one.id, body.to)), one.project)


ROOMS = (all_of_them, single(LOOP_ROOM), one_of_them, driving(LOOP_ROOM), speaking(LOOP_ROOM))
