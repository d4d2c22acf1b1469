"""Cycles: created, listed and edited; what can be done with one, and what only a cycle can."""

from typing import Annotated, Literal

from fastapi import Path

from loopwright.domain.cycle_commands import command_for
from loopwright.server import cycle_examples as examples
from loopwright.server.answers import Answer
from loopwright.server.asking import ControlPlane, CycleCommands, OneCycle, ProjectName
from loopwright.server.documenting import BRINGING, LOOKING, answers
from loopwright.server.forms import CycleForm, CyclePageForm
from loopwright.server.kinds import CYCLES
from loopwright.server.reading import Limit, Offset, Search, View, page, single
from loopwright.server.requests import Routes
from loopwright.server.rooms import CYCLE_ROOM, shown
from loopwright.server.shapes import Chosen, ChosenRival, CycleFields, Extension, NewCycle, NewCycleStatus, Resolution
from loopwright.server.steering import driving, prompted, speaking, steered

all_of_them = Routes(prefix=CYCLES.place, tags=["cycles"])
one_of_them = Routes(prefix=CYCLES.one, tags=["cycles"])

Wanted = Literal["all", "created", "running", "paused", "completed", "failed"]
Id = Annotated[str, Path(description="As the cycle has it")]


@all_of_them.post(
    "", summary="Create a cycle", status_code=201, responses=answers(CycleForm, examples.CYCLE, BRINGING, status=201)
)
async def create(control: ControlPlane, body: NewCycle, project: ProjectName = None) -> Answer:
    """It is not started yet."""
    found = control.projects.named(project)
    state = await control.beside(
        lambda: found.engine.create_cycle(
            body.task, title=body.title, interactive=body.mode == "interactive", given=body.settings
        )
    )
    return shown(state, found, status=201, location=f"{CYCLES.place}/{state.cycle_id}")


@all_of_them.get("", summary="List cycles", responses=answers(CyclePageForm, examples.PAGE, LOOKING))
async def listed(
    control: ControlPlane, project: ProjectName = None, status: Wanted = "all", limit: Limit = 50, offset: Offset = 0,
    search: Search = "", view: View = "full",
) -> Answer:  # fmt: skip
    """A page of a project's cycles, the latest change first."""
    found = control.projects.named(project)
    return page(CYCLES, found, status=status, limit=limit, offset=offset, search=search, view=view)


@one_of_them.put("", summary="Edit a cycle", responses=CYCLE_ROOM.shows())
async def edit(one: OneCycle, service: CycleCommands, body: CycleFields) -> Answer:
    """Its title, not while it runs, and its limit of iterations."""
    return shown(await one.control.beside(lambda: service.edit(one.id, body.given)), one.project)


@one_of_them.patch("/status", summary="Ask for a status", responses=CYCLE_ROOM.says("paused"))
async def set_status(one: OneCycle, service: CycleCommands, body: NewCycleStatus) -> Answer:
    """What a command could do: running starts or resumes it, paused pauses it, failed stops it."""
    return await steered(CYCLE_ROOM, one, service, command_for(service.read(one.id), body.status))


@one_of_them.post("/extend", summary="Add to its task", responses=CYCLE_ROOM.says("extended"))
async def extend(one: OneCycle, service: CycleCommands, body: Extension) -> Answer:
    """One at rest runs on with it, one that runs takes it at the border of its iteration."""
    state = await one.control.beside(lambda: prompted(CYCLE_ROOM, one, service).extend(one.id, body.text))
    return shown(state, one.project, message=CYCLES.said("extended"))


@one_of_them.post("/decisions/{decision_id}", summary="Make a decision", responses=CYCLE_ROOM.shows())
async def decide(one: OneCycle, service: CycleCommands, decision_id: Id, body: Chosen) -> Answer:
    """That is pending. A cycle that is paused goes on once it is resumed."""
    return shown(await one.control.beside(lambda: service.decide(one.id, decision_id, body.option)), one.project)


@one_of_them.post("/choose", summary="Take a rival of a patch", responses=CYCLE_ROOM.shows())
async def choose(one: OneCycle, service: CycleCommands, body: ChosenRival) -> Answer:
    """An edit that passes the same tests, in the place of a patch; a finished cycle runs on, to have it validated."""
    return shown(await one.control.beside(lambda: service.choose(one.id, body.choice)), one.project)


@one_of_them.post("/blockers/{blocker_id}", summary="Resolve a blocker", responses=CYCLE_ROOM.shows())
async def resolve(one: OneCycle, service: CycleCommands, blocker_id: Id, body: Resolution) -> Answer:
    """That is open; what it held goes on."""
    state = await one.control.beside(
        lambda: service.resolve(one.id, blocker_id, body.resolution, workaround=body.workaround)
    )
    return shown(state, one.project)


ROOMS = (all_of_them, single(CYCLE_ROOM), one_of_them, driving(CYCLE_ROOM), speaking(CYCLE_ROOM))
