"""What only a loop can be asked."""

from fastapi import Request

from loopwright.core import progress_files
from loopwright.core.course import Check, CourseStep
from loopwright.core.errors import Forbidden
from loopwright.core.state import MenuEntry
from loopwright.core.transcript import TRANSCRIPT
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, make_response
from loopwright.surfaces.server.dependencies import (
    LOOP_ROUTES,
    LoopCommands,
    OneLoop,
    run_response,
)
from loopwright.surfaces.server.documentation import Data
from loopwright.surfaces.server.kinds import LOOPS
from loopwright.surfaces.server.requests import Choice, Routes
from loopwright.surfaces.server.responses import DiffForm, NoteForm, PlanForm
from loopwright.surfaces.server.shared_routes import (
    TAG,
    Newest,
    cut_diff,
    document_form,
    parse_note,
    read_entries,
)
from loopwright.workflows.loop.family import AttemptGlance, list_attempts
from loopwright.workflows.loop.summary import build_plan, list_finished, list_steps, list_validations

router = Routes(prefix=LOOPS.one, tags=[TAG])


@router.post(
    "/choose", summary="Choose its next step, or another patch", responses=LOOP_ROUTES.shows(), tags=["steering"]
)
async def choose(one: OneLoop, service: LoopCommands, body: Choice, request: Request) -> ApiResponse:
    """An entry of an interactive loop's menu; or, if the loop is not running, a rival (rival-1, …) of a patch."""
    fields = {name: value for name, value in body.given.items() if name != "choice"}
    if fields and request.scope["role"] != "admin":
        raise Forbidden("a task can name a command: to add one needs a token with the role admin")
    return run_response(
        await one.control.run_in_thread(lambda: service.choose(one.id, body.choice, **fields)), one.project
    )


FIRST_SHOWN = {"failed": 0, "passed": 1, "skipped": 2}


@router.get("/transcript", summary="Its transcript", **document_form(Data[list[NoteForm]], examples.LOOP_TRANSCRIPT))
async def transcript(one: OneLoop, limit: Newest = 500) -> ApiResponse:
    """The last lines of the transcript, from its last MiB. `position` is the byte at which the next one will begin."""
    one.service.read(one.id)
    folder = one.service.store.progress_path(one.id)
    found = await one.control.run_in_thread(lambda: progress_files.read_last_lines(folder, TRANSCRIPT, limit))
    return make_response([line for text in found.lines if (line := parse_note(text))], position=found.position)


@router.get("/plan", summary="The live plan", **document_form(Data[list[PlanForm]], examples.PLAN))
async def live_plan(one: OneLoop) -> ApiResponse:
    """Finished parts folded to one line each, the running phase unfolded with its pending steps."""
    state, journal = await one.control.run_in_thread(lambda: (one.service.read(one.id), read_entries(one)))
    lines = build_plan(state, list_finished(journal))
    return make_response(
        [{"content": line.content.strip(), "status": line.status, "depth": line.depth} for line in lines]
    )


@router.get("/timeline", summary="Its steps", **document_form(Data[list[CourseStep]], examples.LOOP_TIMELINE))
async def steps(one: OneLoop, limit: Newest = 1000) -> ApiResponse:
    """Every action, oldest first; the last one may be in progress. `total` counts all of them."""
    state, journal = await one.control.run_in_thread(lambda: (one.service.read(one.id), read_entries(one)))
    found = list_steps(journal, state.engine.checkpoints)
    return make_response(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **document_form(Data[list[Check]], examples.HISTORY))
async def history(one: OneLoop, limit: Newest = 1000) -> ApiResponse:
    """Every validation, oldest first, with its counts. `total` counts all of them."""
    found = list_validations(await one.control.run_in_thread(lambda: read_entries(one)))
    return make_response(found[-limit:], total=len(found))


@router.get("/diff", summary="All its changes", **document_form(Data[DiffForm], examples.DIFF))
async def whole_diff(one: OneLoop) -> ApiResponse:
    """From the first checkpoint to the last, unified."""
    return cut_diff(await one.control.run_in_thread(lambda: one.service.whole_diff(one.id)))


@router.get("/tests", summary="Tests of the last validation", **document_form(Data[list[TestResult]], examples.TESTS))
async def tests(one: OneLoop) -> ApiResponse:
    """Failing tests first."""
    skill = one.service.read(one.id).skill_state
    found = skill.validate_.test_results if skill else ()
    return make_response(sorted(found, key=lambda result: FIRST_SHOWN[result.status]))


@router.get("/hypotheses", summary="Suspected causes", **document_form(Data[list[Hypothesis]], examples.HYPOTHESES))
async def hypotheses(one: OneLoop) -> ApiResponse:
    """The measurements at each, and the verdict."""
    skill = one.service.read(one.id).skill_state
    return make_response(skill.debug.hypotheses if skill else ())


@router.get("/menu", summary="Its current menu", **document_form(Data[list[MenuEntry]], examples.MENU))
async def menu(one: OneLoop) -> ApiResponse:
    """The open menu of an interactive loop; empty if there is none."""
    return make_response(one.project.engine.service.menu(one.id))


@router.get("/attempts", summary="All it is one of", **document_form(Data[list[AttemptGlance]], examples.ATTEMPTS))
async def attempts(one: OneLoop) -> ApiResponse:
    """The attempts at the same goal, in order, with the sizes of their diffs; empty for a loop that is alone."""
    return make_response(await one.control.run_in_thread(lambda: list_attempts(one.project.engine.service, one.id)))
