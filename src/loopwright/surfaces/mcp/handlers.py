"""What the tools do: find the run, call its service, tell how it stands now. Blocking calls."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from loopwright.core.errors import Conflict, IllegalTransition, Invalid
from loopwright.core.names import FINISHED
from loopwright.core.run import Run
from loopwright.core.state import Limits
from loopwright.core.supervisor import is_launched
from loopwright.core.text import drop_surrogates
from loopwright.core.threads import run_in_thread
from loopwright.evidence.debugging import DebugAnswer, DebugContext, DebugRequest
from loopwright.processes.environment import pass_secrets
from loopwright.skills.findings import DIMENSIONS
from loopwright.surfaces.mcp.debugging import read_debug_call
from loopwright.surfaces.mcp.run_resolver import CYCLE, KINDS, LOOP, ProjectHandle, ResolvedRun, RunResolver, ToolKind
from loopwright.surfaces.mcp.tool_inputs import (
    LIMITS,
    AddTaskInput,
    AnswerInput,
    DebugInput,
    DecideInput,
    DiagnoseInput,
    DiffInput,
    DocumentsInput,
    ExtendInput,
    FindingsInput,
    FixesInput,
    ListRunsInput,
    ResumeInput,
    RunInput,
    SearchFixInput,
    StartCycleInput,
    StartLoopInput,
    StartTuningInput,
    WaitInput,
)
from loopwright.surfaces.mcp.tool_outputs import (
    AddedTaskOutput,
    CycleBrief,
    CycleReport,
    CycleWaitResult,
    DamagedRun,
    DiffOutput,
    DocumentOutput,
    DocumentsOutput,
    FindingsOutput,
    FixesOutput,
    LoopBrief,
    LoopReport,
    LoopWaitResult,
    RunListing,
    TuningBrief,
    TuningReport,
    TuningWaitResult,
    advise_after_diagnosis,
    cycle_report,
    loop_report,
    make_findings_output,
    make_fixes_output,
    tuning_hint,
    tuning_report,
)
from loopwright.wiring.debugging import debug_request
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.tuning.model import FIX_LEVELS
from loopwright.workflows.tuning.report.skill_check import read_session_check

AnyReport = LoopReport | CycleReport | TuningReport
AnyBrief = LoopBrief | CycleBrief | TuningBrief
NEVER = "0001-01-01T00:00:00+00:00"
"""Before any other time: of a state that another program has made."""


def start_loop(resolver: RunResolver, asked: StartLoopInput) -> LoopReport:
    """As `loopwright create` and `start` do; nothing is created that could not be started."""
    place = resolver.place(asked.project)
    place.engine.load_prompts()
    state = place.engine.create(asked.task, title=asked.title, interactive=not asked.auto, given=asked.settings)
    if asked.start:
        state = place.loops.start(state.loop_id)
    return loop_report(state, place.name, live=asked.start)


def list_runs(resolver: RunResolver, asked: ListRunsInput) -> RunListing:
    """Over several projects, the latest change first."""
    kinds = [kind for kind in KINDS if asked.kind in (None, kind.name)]
    sources = [(place, kind) for place in resolver.places(asked.project) for kind in kinds]
    wanted = asked.offset + asked.limit
    pages = [
        (place, kind, kind.service(place.engine).list(status=asked.status, limit=wanted)) for place, kind in sources
    ]
    found = [(state, place, kind) for place, kind, page in pages for state in page.items]
    found.sort(key=lambda item: datetime.fromisoformat(item[0].updated_at or NEVER), reverse=True)
    told = [_brief(*item) for item in found[asked.offset :][: asked.limit]]
    return RunListing(
        loops=tuple(one for one in told if isinstance(one, LoopBrief)),
        cycles=tuple(one for one in told if isinstance(one, CycleBrief)),
        tunings=tuple(one for one in told if isinstance(one, TuningBrief)),
        total=sum(page.total for _, _, page in pages),
        damaged=tuple(
            DamagedRun.model_validate({"kind": kind.name, "id": id, "reason": why})
            for place, kind in sources
            for id, why in kind.service(place.engine).damaged().items()
        ),
        projects=tuple(resolver.known),
    )


def read_status(resolver: RunResolver, asked: RunInput) -> AnyReport:
    return _told(resolver.run(asked))


def resume_run(resolver: RunResolver, asked: ResumeInput) -> AnyReport:
    """One that was never started is started."""
    found = resolver.driven(asked)
    if found.service.read(found.id).status in ("created", "pending"):
        found.service.start(found.id, asked.mode)
    else:
        found.service.resume(found.id, asked.mode)
    return _told(found)


def extend_run(resolver: RunResolver, asked: ExtendInput) -> AnyReport:
    """Raises limits, and adds to a cycle's task; what is finished runs on."""
    found = resolver.driven(asked)
    if asked.task is not None and found.kind is not CYCLE:
        other = "use `add_task` on a loop" if found.kind is LOOP else "start a new tuning session instead"
        raise Invalid(f"task: {other}; only cycles are extended with a task")
    limits = asked.limits
    _check_raised(found.service.read(found.id), limits, enough=asked.task is not None)
    if asked.task is not None:
        _extend_cycle(resolver, asked, limits)
    else:
        _raise_limits(found, limits)
    return _told(found)


def answer_run(resolver: RunResolver, asked: AnswerInput) -> AnyReport:
    """A paused run goes on with it; one that asked in the middle of a step takes it by itself."""
    found = resolver.driven(asked)
    state = found.service.answer(found.id, asked.text)
    if asked.resume and state.status == "paused":
        found.service.resume(found.id)
    return _told(found)


def add_task(resolver: RunResolver, asked: AddTaskInput) -> AddedTaskOutput:
    """After the last one. Also a loop's own agent may find that there is more to do."""
    found, loops = resolver.loop(asked)
    own = "bash" if asked.command else loops.read(found.id).engine.settings.agent
    task = loops.tasks.add(found.id, {"tool": own, **asked.fields})
    state = loops.read(found.id)
    now = "the loop picks it up by itself" if state.status == "running" else "`resume` makes the loop pick it up"
    return AddedTaskOutput(
        loop_id=found.id,
        project=found.project,
        task_id=task.task_id,
        description=task.description,
        tool=task.tool,
        next="`extend` makes the loop pick it up" if state.status in FINISHED else now,
    )


def read_diff(resolver: RunResolver, asked: DiffInput) -> DiffOutput:
    """Of everything, of one checkpoint, or of one iteration of a cycle."""
    found = resolver.run(asked)
    if asked.iteration is not None and asked.checkpoint is not None:
        raise Invalid("give iteration or checkpoint, not both")
    if asked.checkpoint is not None:
        text = found.service.checkpoint_diff(found.id, asked.checkpoint)
    elif asked.iteration is not None:
        _, cycles = resolver.cycle(asked, looking=True)
        text = cycles.diff(found.id, asked.iteration)
    else:
        text = found.service.whole_diff(found.id)
    text = drop_surrogates(text)
    return DiffOutput(
        id=found.id,
        project=found.project,
        checkpoint=asked.checkpoint,
        iteration=asked.iteration,
        diff=text[: asked.max_chars],
        truncated=len(text) > asked.max_chars,
    )


def _told(found: ResolvedRun[Any]) -> AnyReport:  # Any: as RunResolver.run
    state, live = found.look()
    told: AnyReport = found.kind.outputs.report(state, found.project, live=live)
    return told


def _brief(state: Any, place: ProjectHandle, kind: ToolKind[Any]) -> AnyBrief:  # Any: of the kind
    service = kind.service(place.engine)
    live = service.is_live(kind.id_of(state)) or is_launched(state, service.clock.now())
    told: AnyBrief = kind.outputs.brief(state, place.name, live=live)
    return told


def _extend_cycle(resolver: RunResolver, asked: ExtendInput, limits: Limits) -> None:
    """The limits first: what is used up has to be raised before the cycle can run on."""
    found, cycles = resolver.cycle(asked)
    if limits != Limits():
        cycles.limit(found.id, limits)
    cycles.extend(found.id, asked.task or "")


def _raise_limits(found: ResolvedRun[Any], limits: Limits) -> None:  # Any: as RunResolver.run
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
        raise Invalid(f"name the limit to raise: {', '.join(LIMITS)}")
    for name, value in given.items():
        if known[name] is not None and value < known[name]:
            raise Invalid(f"{name}: extend only raises limits; it is {known[name]:g} already (got {value:g})")


def start_cycle(resolver: RunResolver, asked: StartCycleInput) -> CycleReport:
    """As `loopwright cycle create` and `start` do; nothing is created that could not be started."""
    place = resolver.place(asked.project)
    place.engine.load_cycle_prompts()
    state = place.engine.create_cycle(asked.task, title=asked.title, interactive=not asked.auto, given=asked.settings)
    if asked.start:
        state = place.cycles.start(state.cycle_id)
    return cycle_report(state, place.name, live=asked.start)


def make_decision(resolver: RunResolver, asked: DecideInput) -> CycleReport:
    """A cycle that is paused goes on once nothing is left to decide."""
    found, cycles = resolver.cycle(asked)
    state = cycles.decide(found.id, asked.decision, asked.option)
    if asked.resume and state.status == "paused" and not state.coordination.undecided:
        cycles.resume(found.id)
    told: CycleReport = found.told()
    return told


def read_documents(resolver: RunResolver, asked: DocumentsInput) -> DocumentsOutput:
    """The list of them; or the one that is named, in the version that is named."""
    found, cycles = resolver.cycle(asked, looking=True)
    if asked.name is None:
        known = tuple(
            DocumentOutput(name=one.name, version=one.version, versions=one.versions)
            for one in cycles.documents(found.id)
        )
        return DocumentsOutput(
            cycle_id=found.id,
            project=found.project,
            documents=known,
            name=None,
            version=None,
            text=None,
            truncated=False,
        )
    shown = cycles.document(found.id, asked.name, asked.version)
    return DocumentsOutput(
        cycle_id=found.id,
        project=found.project,
        documents=(),
        name=shown.name,
        version=shown.version,
        text=shown.text[: asked.max_chars],
        truncated=shown.truncated or len(shown.text) > asked.max_chars,
    )


def diagnose_folder(resolver: RunResolver, asked: DiagnoseInput) -> FindingsOutput:
    """Looks at a skill; nothing is made, nothing is changed."""
    place = resolver.place(asked.project)
    found = place.engine.check_skill(Path(asked.path), asked.dimensions or DIMENSIONS)
    return make_findings_output(
        found,
        place.name,
        dimensions=DIMENSIONS,
        limit=asked.limit,
        offset=asked.offset,
        following=advise_after_diagnosis(found),
    )


def start_tuning(resolver: RunResolver, asked: StartTuningInput) -> TuningReport:
    """As `loopwright tune` does, in the background; nothing is created that could not be started."""
    place = resolver.place(asked.project)
    place.engine.load_tuning_prompts()
    state = place.engine.create_tuning(
        Path(asked.path),
        description=asked.description or "",
        dimensions=asked.dimensions or DIMENSIONS,
        level=FIX_LEVELS[asked.fix],
        agent=asked.agent,
        model=asked.model,
        effort=asked.effort,
        refuter=asked.refuter,
        choosing=asked.choose,
        **asked.limit,
    )
    if asked.start:
        state = place.tunings.start(state.tuning_id)
    return tuning_report(state, place.name, live=asked.start)


def read_findings(resolver: RunResolver, asked: FindingsInput) -> FindingsOutput:
    """What the session's last diagnosis has found."""
    found, tunings = resolver.tuning(asked, looking=True)
    state, live = found.look()
    checked = read_session_check(tunings.read(found.id))
    return make_findings_output(
        checked,
        found.project,
        dimensions=(asked.dimension,) if asked.dimension else DIMENSIONS,
        limit=asked.limit,
        offset=asked.offset,
        following=tuning_hint(state, live=live),
        tuning_id=found.id,
    )


def read_fixes(resolver: RunResolver, asked: FixesInput) -> FixesOutput:
    found, tunings = resolver.tuning(asked, looking=True)
    fix = tunings.fix(found.id, asked.fix) if asked.fix else None
    return make_fixes_output(tunings.read(found.id), found.project, fix, asked.max_chars)


LOOK_SECONDS = 0.2
WORD_SECONDS = 5.0
"""The longest silence while it waits: some callers give up on who says nothing."""

AnyWaitResult = LoopWaitResult | CycleWaitResult | TuningWaitResult

ProgressCallback = Callable[[float, float, str], Awaitable[None]]
"""How far it is: seconds that have passed, of how many, and what goes on."""


async def wait_for_rest(resolver: RunResolver, asked: WaitInput, tell: ProgressCallback) -> AnyWaitResult:
    """Until it rests or needs a person, or the time is over."""
    found = await run_in_thread(resolver.driven, asked)
    clock = found.service.clock
    begun = told_at = clock.monotonic()
    words = ""
    while True:
        state, live = await run_in_thread(found.look)
        now = clock.monotonic()
        passed = now - begun
        rested = _rests(found, state, live)
        if rested or passed >= asked.seconds:
            told: AnyWaitResult = found.kind.outputs.waited(state, found.project, live=live, rested=rested)
            return told
        if (news := found.kind.outputs.headline(state, live=live) or "") != words or now - told_at >= WORD_SECONDS:
            words, told_at = news, now
            await tell(passed, asked.seconds, words)
        await clock.sleep(min(LOOK_SECONDS, asked.seconds - passed))


def _rests(found: ResolvedRun[Any], state: Any, live: bool) -> bool:  # Any: as RunResolver.run
    """Nothing goes on by itself; a runner that still tidies up, or waits for a limit to pass, counts as going on."""
    return not live or (state.status == "running" and found.kind.outputs.needs(state, live=True) is not None)


async def run_debug_tool(resolver: RunResolver, asked: DebugInput, tell: ProgressCallback, tool: str) -> DebugAnswer:
    """Who may start loops here may run any test command: an expression may do what it likes, too."""
    from loopwright.surfaces.mcp.debugging import answer_question  # loads the debugger, which not every caller asks

    call = read_debug_call(tool, asked.question)
    request, passed = await run_in_thread(_request, resolver, asked)
    with pass_secrets(passed):
        return await answer_question(call, DebugContext(request=request, policy="all"), tell)


def _request(resolver: RunResolver, asked: DebugInput) -> tuple[DebugRequest, tuple[str, ...]]:
    """With the secret variables that the tests get."""
    if asked.id is not None:
        found = resolver.run(RunInput(id=asked.id, project=asked.project))
        return _of_loop(found, asked), found.place.engine.config.settings.pass_env
    engine = resolver.place(asked.project).engine
    settings = engine.config.settings
    request = debug_request(engine.project, asked.test_command or settings.test_command, option="test_command")
    return request, settings.pass_env


def _of_loop(found: ResolvedRun[LoopState], asked: DebugInput) -> DebugRequest:
    if found.kind is not LOOP:
        raise Invalid(f"{found.id} is a {found.kind.called}; omit `id`, and name the `project`")
    state, engine = found.service.read(found.id), found.place.engine
    skill = state.skill_state
    searches = skill is not None and skill.current_action == "debug" and state.engine.settings.agent == "builtin"
    if searches and isinstance(asked, SearchFixInput) and found.service.is_live(found.id):
        raise Conflict("the loop's own debugger is searching: `wait` until it ends or pauses, then see the `diff`")
    command = asked.test_command or state.engine.settings.test_command or engine.config.settings.test_command
    request = debug_request(
        engine.project, command, option="test_command", failing=skill.validate_.failed_tests if skill else ()
    )
    log = engine.service.store.progress_path(found.id) / "debug.log"
    hypotheses = skill.debug.hypotheses if skill else ()
    return request.evolve(hypotheses=hypotheses, loop=found.id, log=str(log))
