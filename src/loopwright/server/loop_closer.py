"""Looking closer at one loop: what it plans, what it did and measured, what it offers."""

from loopwright.domain.course import Check, CourseStep, timeline, validations
from loopwright.domain.loop import Hypothesis, TestResult
from loopwright.domain.progress import finished, plan
from loopwright.domain.transcript import TRANSCRIPT
from loopwright.engine import progress_files
from loopwright.ports import MenuEntry
from loopwright.server import examples
from loopwright.server.answers import Answer, done
from loopwright.server.asking import OneLoop
from loopwright.server.closer import TAG, Newest, cut, entries, looking, note, told
from loopwright.server.documenting import Done
from loopwright.server.forms import DiffForm, NoteForm, PlanForm
from loopwright.server.kinds import LOOPS
from loopwright.server.requests import Routes
from loopwright.server.rooms import LOOP_ROOM

FIRST_SHOWN = {"failed": 0, "passed": 1, "skipped": 2}

router = Routes(prefix=LOOPS.one, tags=[TAG])


@router.get("/transcript", summary="What was said and done", **told(Done[list[NoteForm]], examples.TRANSCRIPT))
async def transcript(one: OneLoop, limit: Newest = 500) -> Answer:
    """The last lines of the transcript, of its last MiB. `position` is the byte at which the next one will begin."""
    one.service.read(one.id)
    folder = one.service.store.progress_path(one.id)
    found = await one.control.beside(lambda: progress_files.last_lines(folder, TRANSCRIPT, limit))
    return done([line for text in found.lines if (line := note(text))], position=found.position)


@router.get("/plan", summary="The live plan", **told(Done[list[PlanForm]], examples.PLAN))
async def live_plan(one: OneLoop) -> Answer:
    """What is over folded to a line, the running phase unfolded down to what is still to come."""
    state, journal = await one.control.beside(lambda: (one.service.read(one.id), entries(one)))
    lines = plan(state, finished(journal))
    return done([{"content": line.content.strip(), "status": line.status, "depth": line.depth} for line in lines])


@router.get("/timeline", summary="Its steps", **told(Done[list[CourseStep]], examples.TIMELINE))
async def steps(one: OneLoop, limit: Newest = 1000) -> Answer:
    """Every action, oldest first; the last one may be under way. `total` counts all of them."""
    state, journal = await one.control.beside(lambda: (one.service.read(one.id), entries(one)))
    found = timeline(journal, state.engine.checkpoints)
    return done(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **told(Done[list[Check]], examples.HISTORY))
async def history(one: OneLoop, limit: Newest = 1000) -> Answer:
    """Every validation, oldest first, with what it counted. `total` counts all of them."""
    found = validations(await one.control.beside(lambda: entries(one)))
    return done(found[-limit:], total=len(found))


@router.get("/diff", summary="All its changes", **told(Done[DiffForm], examples.DIFF))
async def whole_diff(one: OneLoop) -> Answer:
    """From the first checkpoint to the last, unified."""
    return cut(await one.control.beside(lambda: one.service.whole_diff(one.id)))


@router.get("/tests", summary="The last validation's tests", **told(Done[list[TestResult]], examples.TESTS))
async def tests(one: OneLoop) -> Answer:
    """Failing ones first."""
    skill = one.service.read(one.id).skill_state
    found = skill.validate_.test_results if skill else ()
    return done(sorted(found, key=lambda result: FIRST_SHOWN[result.status]))


@router.get("/hypotheses", summary="Suspected causes", **told(Done[list[Hypothesis]], examples.HYPOTHESES))
async def hypotheses(one: OneLoop) -> Answer:
    """What was measured at each, and the verdict."""
    skill = one.service.read(one.id).skill_state
    return done(skill.debug.hypotheses if skill else ())


@router.get("/menu", summary="What it offers now", **told(Done[list[MenuEntry]], examples.MENU))
async def menu(one: OneLoop) -> Answer:
    """The open menu of an interactive loop; empty while none is open."""
    return done(one.project.engine.service.menu(one.id))


ROOMS = (looking(LOOP_ROOM), router)
