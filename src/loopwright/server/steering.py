"""Runs steered, loops and cycles alike: started, paused, resumed, stopped, reopened; answered, permitted, rebuilt."""

import asyncio

from loopwright.domain.engine_state import Mode
from loopwright.domain.errors import Invalid
from loopwright.domain.run import R
from loopwright.engine.runs import AS_THEY_ARE, NOTHING_WAIVED, Runs
from loopwright.server import examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Asked, C
from loopwright.server.documenting import CHANGING, answers
from loopwright.server.forms import RequestsForm
from loopwright.server.requests import Routes
from loopwright.server.rooms import Room, shown
from loopwright.server.shapes import GivenAnswer, GoingOn, Pausing, Reopening, Verdict


def driving(room: Room[R]) -> Routes:
    """The routes that let a run go on, and end it."""
    router = Routes(prefix=room.kind.one, tags=["steering"])

    @router.post("/start", summary="Start it", responses=room.says("started"))
    async def start(body: GoingOn | None = None, one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """A process of its own carries it out."""
        return await started(room, one, service, body.mode if body else None)

    @router.post("/pause", summary="Pause it", responses=room.says("paused"))
    async def pause(body: Pausing | None = None, one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """Before it begins anything further, or at once."""
        return await paused(room, one, service, now=body is not None and body.now)

    @router.post("/resume", summary="Resume it", responses=room.says("resumed"))
    async def resume(body: GoingOn | None = None, one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """Also one whose runner died."""
        return await resumed(room, one, service, body.mode if body else None)

    @router.post("/stop", summary="Stop it", responses=room.says("stopped"))
    async def stop(one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """For good, with its runner and everything that started; `reopen` takes it up again."""
        return await stopped(room, one, service)

    @router.post("/reopen", summary="Reopen it", responses=room.says("reopened"))
    async def reopen(
        body: Reopening | None = None, one: Asked[R] = room.one, service: Runs[R] = room.commands
    ) -> Answer:
        """Lets one that is finished run on, with what is given set in the same change."""
        limits, waiver = (body.limits, body.waiver) if body else (AS_THEY_ARE, NOTHING_WAIVED)
        state = await one.control.beside(lambda: prompted(room, one, service).reopen(one.id, limits, waiver))
        return shown(state, one.project, message=room.kind.said("reopened"))

    return router


def speaking(room: Room[R]) -> Routes:
    """The routes that give it what it waits for."""
    router = Routes(prefix=room.kind.one, tags=["steering"])

    @router.post("/answer", summary="Answer its question", responses=room.shows())
    async def answer(body: GivenAnswer, one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """One that is paused takes the answer once it is resumed."""
        return shown(await one.control.beside(lambda: service.answer(one.id, body.text)), one.project)

    @router.post("/approve", summary="Allow or deny", responses=answers(RequestsForm, examples.REQUESTS, CHANGING))
    async def approve(body: Verdict, one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """What its agents ask to be permitted."""
        if body.every and body.request is not None:
            raise Invalid("name one request, or say every alone")
        return done(
            await one.control.beside(
                lambda: service.approve(one.id, body.request, answer=body.answer, every=body.every)
            )
        )

    @router.post(
        "/recover", summary="Rebuild it",
        responses=answers(room.recovered, {**room.example, **examples.REPAIRED}, CHANGING),
    )  # fmt: skip
    async def recover(one: Asked[R] = room.one) -> Answer:
        """From what is left of it; `repairs` are empty where nothing was damaged, `kept` are files put aside."""
        found = await one.control.beside(lambda: one.service.recover(one.id))
        repairs = [{"type": entry.event.type, "data": entry.event.data} for entry in found.repairs]
        return shown(found.state, one.project, repairs=repairs, kept=[path.name for path in found.kept])

    return router


async def steered(room: Room[R], one: Asked[R], service: Runs[R], command: str) -> Answer:
    """What a request for a bare status stands for. Invalid for what only a runner does."""
    match command:
        case "start":
            return await started(room, one, service)
        case "resume":
            return await resumed(room, one, service)
        case "pause":
            return await paused(room, one, service, now=False)
        case "stop":
            return await stopped(room, one, service)
        case other:
            raise Invalid(f"nobody can {other} a {room.kind.name} from outside of its runner")


async def started(room: Room[R], one: Asked[R], service: Runs[R], mode: Mode | None = None) -> Answer:
    state = await one.control.beside(lambda: prompted(room, one, service).start(one.id, mode))
    return shown(state, one.project, message=room.kind.said("started"))


async def paused(room: Room[R], one: Asked[R], service: Runs[R], *, now: bool) -> Answer:
    state = await one.control.beside(lambda: service.pause(one.id, now=now))
    return shown(state, one.project, message=room.kind.said("paused"))


async def resumed(room: Room[R], one: Asked[R], service: Runs[R], mode: Mode | None = None) -> Answer:
    state = await one.control.beside(lambda: prompted(room, one, service).resume(one.id, mode))
    return shown(state, one.project, message=room.kind.said("resumed"))


async def stopped(room: Room[R], one: Asked[R], service: Runs[R]) -> Answer:
    """In a thread of its own: ending processes takes its time."""
    state = await one.control.beside(lambda: asyncio.run(service.stop(one.id)))
    return shown(state, one.project, message=room.kind.said("stopped"))


def prompted(room: Room[R], one: Asked[R], service: C) -> C:
    """The commands, once the project's prompts can be used: what its runner would say of them is only in a log."""
    room.prompts(one.project)
    return service
