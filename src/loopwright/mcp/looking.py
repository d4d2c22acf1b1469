"""The debugger's tools for who drives loops: on a loop's failing tests, or on a project's."""

from loopwright.domain.debug_calls import read_debug_call
from loopwright.domain.debugging import DebugGround, DebugRequest
from loopwright.domain.errors import Conflict, Invalid
from loopwright.domain.looking import Looked
from loopwright.domain.loop import LoopState
from loopwright.engine.threads import in_thread
from loopwright.mcp.asked import OneRun
from loopwright.mcp.debug_asked import Debugging, SearchFix
from loopwright.mcp.desk import Desk, Found
from loopwright.mcp.kinds import LOOP
from loopwright.mcp.waiting import Tell
from loopwright.wiring.debugging import debug_request


async def look_for(desk: Desk, asked: Debugging, tell: Tell, tool: str) -> Looked:
    """Who may start loops here may run any test command: an expression may do what it likes, too."""
    from loopwright.mcp.debugging import look  # loads the debugger, which not every caller asks

    call = read_debug_call(tool, asked.question)
    request = await in_thread(_request, desk, asked)
    return await look(call, DebugGround(request=request, policy="all"), tell)


def _request(desk: Desk, asked: Debugging) -> DebugRequest:
    if asked.id is not None:
        return _of_loop(desk.run(OneRun(id=asked.id, project=asked.project)), asked)
    engine = desk.place(asked.project).engine
    command = asked.test_command or engine.config.settings.test_command
    return debug_request(engine.project, command, option="test_command")


def _of_loop(found: Found[LoopState], asked: Debugging) -> DebugRequest:
    if found.kind is not LOOP:
        raise Invalid(f"{found.id} is a {found.kind.called}; leave `id` out, and say which `project` is meant")
    state, engine = found.service.read(found.id), found.place.engine
    skill = state.skill_state
    searches = skill is not None and skill.current_action == "debug" and state.engine.settings.agent == "builtin"
    if searches and isinstance(asked, SearchFix) and found.service.is_live(found.id):
        raise Conflict("the loop's own debugger is searching already: `wait` until it rests, then see the `diff`")
    command = asked.test_command or state.engine.settings.test_command or engine.config.settings.test_command
    request = debug_request(
        engine.project, command, option="test_command", failing=skill.validate_.failed_tests if skill else ()
    )
    log = engine.service.store.progress_path(found.id) / "debug.log"
    hypotheses = skill.debug.hypotheses if skill else ()
    return request.evolve(hypotheses=hypotheses, loop=found.id, log=str(log))
