"""Tuning sessions: created, listed and edited; what can be done with one, and what only a tuning session can."""

from pathlib import Path as Folder
from typing import Annotated, Literal

from fastapi import Path

from loopwright.domain.findings import DIMENSIONS
from loopwright.domain.tuning_commands import command_for
from loopwright.domain.tuning_engine import Level
from loopwright.server import tuning_examples as examples
from loopwright.server.answers import Answer
from loopwright.server.asking import ControlPlane, OneTuning, ProjectName, TuningCommands
from loopwright.server.documenting import BRINGING, LOOKING, answers
from loopwright.server.forms import TuningForm, TuningPageForm
from loopwright.server.kinds import TUNINGS
from loopwright.server.reading import Limit, Offset, Search, View, page, single
from loopwright.server.requests import Routes
from loopwright.server.rooms import TUNING_ROOM, shown
from loopwright.server.shapes import ChosenFixes, NewTuning, NewTuningStatus, TuningFields
from loopwright.server.steering import driving, prompted, speaking, steered

all_of_them = Routes(prefix=TUNINGS.place, tags=["tunings"])
one_of_them = Routes(prefix=TUNINGS.one, tags=["tunings"])

Wanted = Literal["all", "pending", "running", "completed", "failed"]
Id = Annotated[str, Path(description="As the session has it")]
LEVELS: dict[str, Level] = {"none": "none", "mechanical": "mechanical", "all": "template"}


@all_of_them.post(
    "", summary="Create a tuning session", status_code=201,
    responses=answers(TuningForm, examples.TUNING, BRINGING, status=201),
)  # fmt: skip
async def create(control: ControlPlane, body: NewTuning, project: ProjectName = None) -> Answer:
    """It is not started yet. Nothing but a folder with a SKILL.md is read."""
    found = control.projects.named(project)
    state = await control.beside(
        lambda: found.engine.create_tuning(
            Folder(body.path), description=body.description, dimensions=body.dimensions or DIMENSIONS,
            focus=body.dimensions or (), level=LEVELS[body.fix], agent=body.agent, refuter=body.refuter,
            choosing=body.choose, limits=body.model_dump(include={"max_tokens", "max_cost"}, exclude_none=True),
            max_iterations=body.max_iterations,
        )
    )  # fmt: skip
    return shown(state, found, status=201, location=f"{TUNINGS.place}/{state.tuning_id}")


@all_of_them.get("", summary="List tuning sessions", responses=answers(TuningPageForm, examples.PAGE, LOOKING))
async def listed(
    control: ControlPlane, project: ProjectName = None, status: Wanted = "all", limit: Limit = 50, offset: Offset = 0,
    search: Search = "", view: View = "full",
) -> Answer:  # fmt: skip
    """A page of a project's tuning sessions, the latest change first."""
    found = control.projects.named(project)
    return page(TUNINGS, found, status=status, limit=limit, offset=offset, search=search, view=view)


@one_of_them.put("", summary="Edit a tuning session", responses=TUNING_ROOM.shows())
async def edit(one: OneTuning, service: TuningCommands, body: TuningFields) -> Answer:
    """What its user says of the skill, and its limit of iterations."""
    return shown(await one.control.beside(lambda: service.edit(one.id, body.given)), one.project)


@one_of_them.patch("/status", summary="Ask for a status", responses=TUNING_ROOM.says("stopped"))
async def set_status(one: OneTuning, service: TuningCommands, body: NewTuningStatus) -> Answer:
    """What a command could do: running starts it, failed stops it."""
    return await steered(TUNING_ROOM, one, service, command_for(service.read(one.id), body.status))


@one_of_them.post("/choose", summary="Choose among its fixes", responses=TUNING_ROOM.says("goes on"))
async def choose(one: OneTuning, service: TuningCommands, body: ChosenFixes) -> Answer:
    """Those that wait for it; the session goes on with them, and ends without any."""
    commands = prompted(TUNING_ROOM, one, service)
    state = await one.control.beside(lambda: commands.choose(one.id, body.fixes))
    return shown(state, one.project, message=TUNINGS.said("goes on"))


@one_of_them.post("/fixes/{fix_id}/rollback", summary="Roll a fix back", responses=TUNING_ROOM.says("rolled back"))
async def roll_back(one: OneTuning, service: TuningCommands, fix_id: Id) -> Answer:
    """Byte for byte, in a session that has ended; then the skill is diagnosed again."""
    state = await one.control.beside(lambda: service.roll_back(one.id, fix_id))
    return shown(state, one.project, message=f"{fix_id} rolled back")


ROOMS = (all_of_them, single(TUNING_ROOM), one_of_them, driving(TUNING_ROOM), speaking(TUNING_ROOM))
