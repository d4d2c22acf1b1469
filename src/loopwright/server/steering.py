"""Loops steered: started, paused, resumed, stopped, reopened; answered, permitted and put back."""

import asyncio

from loopwright.domain.errors import Invalid
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_commands import command_for
from loopwright.engine.runs import AS_THEY_ARE
from loopwright.engine.service import LoopService
from loopwright.server import examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Asked, Commands, OneLoop
from loopwright.server.documenting import CHANGING, answers
from loopwright.server.forms import LoopForm, RecoveredForm, RequestsForm, SteeredForm
from loopwright.server.loops import shown
from loopwright.server.requests import Routes
from loopwright.server.shapes import Choice, GivenAnswer, NewLimits, NewStatus, Pausing, Target, Verdict

router = Routes(prefix="/api/loops/v2/{loop_id}", tags=["steering"])

_LOOP = answers(LoopForm, examples.LOOP, CHANGING)

STARTED, PAUSED, RESUMED, STOPPED, REOPENED = (
    "Loop started", "Loop paused", "Loop resumed", "Loop stopped", "Loop reopened",
)  # fmt: skip


@router.patch(
    "/status", summary="Ask for a status",
    responses=answers(SteeredForm, {**examples.LOOP, "message": PAUSED}, CHANGING),
)  # fmt: skip
async def set_status(one: OneLoop, service: Commands, body: NewStatus) -> Answer:
    """What a command could do: running starts or resumes it, paused pauses it, failed stops it."""
    match command_for(service.read(one.loop_id), body.status):
        case "start":
            return await start(one, service)
        case "resume":
            return await resume(one, service)
        case "pause":
            return await pause(one, service, Pausing())
        case "stop":
            return await stop(one, service)
        case other:
            raise Invalid(f"nobody can {other} a loop from outside of its runner")


@router.post(
    "/start", summary="Start it", responses=answers(SteeredForm, {**examples.LOOP, "message": STARTED}, CHANGING)
)
async def start(one: OneLoop, service: Commands) -> Answer:
    """A process of its own carries it out."""
    state = await one.control.beside(lambda: _prompted(one, service).start(one.loop_id))
    return shown(state, one.project, message=STARTED)


@router.post(
    "/pause", summary="Pause it", responses=answers(SteeredForm, {**examples.LOOP, "message": PAUSED}, CHANGING)
)
async def pause(one: OneLoop, service: Commands, body: Pausing | None = None) -> Answer:
    """Before its next action, or at once."""
    now = body is not None and body.now
    state = await one.control.beside(lambda: service.pause(one.loop_id, now=now))
    return shown(state, one.project, message=PAUSED)


@router.post(
    "/resume", summary="Resume it", responses=answers(SteeredForm, {**examples.LOOP, "message": RESUMED}, CHANGING)
)
async def resume(one: OneLoop, service: Commands) -> Answer:
    """Also one whose runner died."""
    state = await one.control.beside(lambda: _prompted(one, service).resume(one.loop_id))
    return shown(state, one.project, message=RESUMED)


@router.post(
    "/stop", summary="Stop it", responses=answers(SteeredForm, {**examples.LOOP, "message": STOPPED}, CHANGING)
)
async def stop(one: OneLoop, service: Commands) -> Answer:
    """For good, with its runner and everything that started; `reopen` takes it up again."""
    state = await one.control.beside(lambda: _stopped(service, one.loop_id))
    return shown(state, one.project, message=STOPPED)


@router.post(
    "/reopen", summary="Reopen it", responses=answers(SteeredForm, {**examples.LOOP, "message": REOPENED}, CHANGING)
)
async def reopen(one: OneLoop, service: Commands, body: NewLimits | None = None) -> Answer:
    """Lets a finished loop run on, with limits that are raised in the same change."""
    limits = body.limits if body else AS_THEY_ARE
    state = await one.control.beside(lambda: _prompted(one, service).reopen(one.loop_id, limits))
    return shown(state, one.project, message=REOPENED)


@router.post("/answer", summary="Answer its question", responses=_LOOP)
async def answer(one: OneLoop, service: Commands, body: GivenAnswer) -> Answer:
    """A paused loop takes the answer once it is resumed."""
    return shown(await one.control.beside(lambda: service.answer(one.loop_id, body.text)), one.project)


@router.post("/choose", summary="Choose its next step", responses=_LOOP)
async def choose(one: OneLoop, service: Commands, body: Choice) -> Answer:
    """Out of the menu that an interactive loop offers now."""
    fields = {name: value for name, value in body.given.items() if name != "choice"}
    return shown(await one.control.beside(lambda: service.choose(one.loop_id, body.choice, **fields)), one.project)


@router.post("/approve", summary="Allow or deny", responses=answers(RequestsForm, examples.REQUESTS, CHANGING))
async def approve(one: OneLoop, service: Commands, body: Verdict) -> Answer:
    """What its agent asks to be permitted."""
    if body.every and body.request is not None:
        raise Invalid("name one request, or say every alone")
    given = await one.control.beside(
        lambda: service.approve(one.loop_id, body.request, answer=body.answer, every=body.every)
    )
    return done(given)


@router.post("/rewind", summary="Go back to a checkpoint", responses=_LOOP)
async def rewind(one: OneLoop, service: Commands, body: Target) -> Answer:
    """Files and progress; what is there now becomes a checkpoint first."""
    return shown(await one.control.beside(lambda: service.rewind(one.loop_id, body.to)), one.project)


@router.post("/recover", summary="Rebuild it", responses=answers(RecoveredForm, examples.RECOVERED, CHANGING))
async def recover(one: OneLoop) -> Answer:
    """From what is left of it; `repairs` are empty where nothing was damaged, `kept` are files put aside."""
    found = await one.control.beside(lambda: one.service.recover(one.loop_id))
    repairs = [{"type": entry.event.type, "data": entry.event.data} for entry in found.repairs]
    return shown(found.state, one.project, repairs=repairs, kept=[path.name for path in found.kept])


def _prompted(one: Asked, service: LoopService) -> LoopService:
    """The commands, once the project's prompts can be used: what its runner would say of them is only in a log."""
    one.project.engine.load_prompts()
    return service


def _stopped(service: LoopService, loop_id: str) -> LoopState:
    """In a thread of its own: ending processes takes its time."""
    return asyncio.run(service.stop(loop_id))
