"""CYCLE as a declaration for the kernel: what is ready, who does it, how it lands."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from pydantic import JsonValue

from loopwright.core.agent_failures import failure_outcome
from loopwright.core.course import count_validation
from loopwright.core.cycle_names import ROLES, CycleStep, StepName, step_of
from loopwright.core.delivery import add_pending, commit_tasks
from loopwright.core.errors import AgentError, Conflict, Invalid, NotFound, WorkspaceError
from loopwright.core.handover import Handover, may_hand_over
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput
from loopwright.core.ports import Rule
from loopwright.core.protocol import Control, Usage
from loopwright.core.run import add_incidents
from loopwright.core.state import Checkpoint, Incident, PendingCommit, Waiting
from loopwright.core.status_table import control_signal
from loopwright.core.text import plural, strip_project
from loopwright.core.threads import run_in_thread
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.coordination import decide_automatically
from loopwright.workflows.cycle.lanes import free_lane, interruption_label, lane_of
from loopwright.workflows.cycle.model import CycleState, CycleStepUnderWay, Decision
from loopwright.workflows.cycle.outcomes import (
    AggregationOutcome,
    CycleOutcome,
    CycleStepDone,
    ImplementationOutcome,
    JudgementOutcome,
)
from loopwright.workflows.cycle.publish import adopt, archive, files_of, log_files, publish, result_words
from loopwright.workflows.cycle.reducer import begin_step, end_step, hand_over_cycle, handover_reason
from loopwright.workflows.cycle.roles.cd import implement_task
from loopwright.workflows.cycle.roles.ep import explore_project, plan_tasks
from loopwright.workflows.cycle.roles.ra import analyse_task
from loopwright.workflows.cycle.roles.vas import take_baseline, validate_iteration
from loopwright.workflows.cycle.selector import CycleFacts, asks_person, select_ready, still_holds
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.run_flow import (
    BROKEN_OFF,
    RunFlow,
    account_usage,
    cost_fields,
    find_fallback,
    handover_fields,
    take_checkpoint,
)


async def take_over(session: CycleSession, left: tuple[int, ...]) -> None:
    """Runs once, under the lease, before the first step of this process. `left`: processes that were ended."""
    if left:
        session.bus.publish("activity", f"ended {plural(len(left), 'process')} left behind by an earlier runner")
    adopt(session)
    session.collect()
    state = session.state()
    if state.engine.under_way:
        await _record_interruption(session, state)
    publish(session, session.state())


async def _record_interruption(session: CycleSession, state: CycleState) -> None:
    broken = state.engine.under_way
    halves = {one.step: await half_of(session, one) for one in broken}
    action = interruption_label(one.step for one in broken)
    checkpoint = await take_checkpoint(session, action, action)
    at = session.now()

    def rule(latest: CycleState) -> CycleState:
        for n, one in enumerate(broken):
            done = CycleStepDone(step_of(one.step), Interrupted(BROKEN_OFF), at, half=halves[one.step])
            latest = end_step(latest, done, checkpoint if n == 0 else None)
        return latest

    session.commit(rule, "taken_over", steps=[one.step for one in broken])


async def half_of(session: CycleSession, one: CycleStepUnderWay) -> str | None:
    """A commit with what was done in the step's lane so far; None where it has none."""
    if one.lane is None:
        return None
    try:
        kept = await run_in_thread(session.worktrees.snapshot, session.id, one.lane, f"{one.step}, broken off")
    except NotFound:
        return None
    return kept.commit


NO_RESULT = (Interrupted, NeedsInput, LimitReached, ActionFailed)
"""The step is not over: what was done of it is gone on with."""

Handler = Callable[[CycleSession, CycleStep], Awaitable[CycleOutcome]]


async def aggregate(session: CycleSession, step: CycleStep) -> CycleOutcome:
    """Everything that an iteration comes to follows from the state (see cycle_border)."""
    return AggregationOutcome()


HANDLERS: dict[StepName, Handler] = {
    "ra.analyse": analyse_task,
    "ep.explore": explore_project,
    "vas.baseline": take_baseline,
    "ep.plan": plan_tasks,
    "cd.implement": implement_task,
    "vas.validate": validate_iteration,
    "aggregation": aggregate,
}


class CycleFlow(RunFlow[CycleState]):
    """One cycle's workflow; several of its steps may be under way."""

    def __init__(self, session: CycleSession) -> None:
        super().__init__(session)
        self._session = session
        self._facts = CycleFacts()
        self._landing = asyncio.Lock()
        self._at_work: dict[str, str] = {}

    async def ready(self, state: CycleState, running: tuple[CycleStep, ...]) -> tuple[CycleStep, ...]:
        # Roles whose agent has no model, and so nothing but what was measured.
        state = self._played(state)
        measuring = frozenset(role for role in ROLES if not self._session.able(role).plans)
        self._facts = CycleFacts(tree=await self._session.tree(), measuring=measuring)
        if state.coordination.undecided:
            state = await self._decided(state, running)
        if control_signal(state) is not Control.CONTINUE:
            return ()
        return tuple(step for step in select_ready(state, self._facts) if step not in running)

    def _played(self, state: CycleState) -> CycleState:
        """With an agent for each role that is here. AgentError where there is none, and none takes over."""
        session = self._session
        for role in ROLES:
            try:
                session.able(role)
            except AgentError as error:
                handover = find_fallback(session, session.turns(role), state.engine.choice_of(role), str(error))
                if handover is None:
                    raise
                state = session.commit(
                    self._handing(handover, session.noted()), "handed_over", **handover_fields(handover)
                )
        return state

    def _handing(self, handover: Handover, told: tuple[Incident, ...]) -> Rule[CycleState]:
        return lambda state: add_incidents(hand_over_cycle(state, None, handover), told)

    def begin(self, choice: CycleStep) -> bool:
        """Commits the begin, unless the latest state would not choose this any more."""
        session, facts, at = self._session, self._facts, self._session.now()

        def rule(state: CycleState) -> CycleState:
            return begin_step(state, choice, at, free_lane(state) if choice.name == "cd.implement" else None)

        state = self.commit_begin(
            lambda state: still_holds(state, choice, facts),
            rule,
            "step_started",
            step=choice.name,
            task=choice.task,
            role=choice.role,
        )
        if state is None:
            return False
        archive(session, choice, state)
        publish(session, state)
        session.bus.publish("action", choice.key)
        return True

    async def perform(self, choice: CycleStep) -> CycleOutcome:
        self._at_work[choice.key] = self._session.state().engine.choice_of(choice.role or "cd")
        try:
            return await HANDLERS[choice.name](self._session, choice)
        except AgentError as error:
            outcome: CycleOutcome = failure_outcome(error, self._session.clock.now())
        except (Invalid, NotFound, Conflict, WorkspaceError, OSError) as error:
            outcome = ActionFailed(strip_project(str(error), self._session.project))
        if isinstance(outcome, ActionFailed):
            self._session.note("no_result", f"{choice.key} gave no result: {outcome.message}")
        return outcome

    def interrupted(self, choice: CycleStep) -> CycleOutcome:
        return Interrupted("cancelled by a person")

    async def finish(self, choice: CycleStep, outcome: CycleOutcome, elapsed: float) -> None:
        """One step after the other: times, checkpoints and documents then have the order of the journal."""
        async with self._landing:
            await self._finish(choice, outcome, elapsed)

    async def _finish(self, choice: CycleStep, outcome: CycleOutcome, elapsed: float) -> None:
        session, before = self._session, self._session.state()
        usage = await self._usage(before, choice)
        session.collect()
        at = session.now()
        action = interruption_label((choice.key,)) if isinstance(outcome, NO_RESULT) else choice.key
        checkpoint = await take_checkpoint(session, f"after {choice.key}", action, at)
        done = CycleStepDone(
            step=choice,
            outcome=outcome,
            at=at,
            tree=await session.tree(),
            elapsed=elapsed,
            incidents=session.noted(),
            usage=usage,
            half=await self._half(before, choice, outcome),
        )
        done = self._relieved(before, done, checkpoint)
        words, to_commit = result_words(outcome), _to_commit(before, choice, outcome)
        state = session.commit(
            lambda latest: add_pending(end_step(latest, done, checkpoint), to_commit),
            "step_finished",
            step=choice.name,
            task=choice.task,
            role=choice.role,
            iteration=before.current_iteration,
            result=words,
            files=list(files_of(outcome)),
            at=at,
            **_measured(outcome),
            **cost_fields(usage),
            **handover_fields(done.handover),
        )
        log_files(session, choice, outcome, at)
        publish(session, state, outcome)
        session.bus.publish("result", f"{choice.key}: {words}")
        async with session.merging:  # nobody changes the files of the worktree meanwhile, but one who works in it
            await run_in_thread(commit_tasks, session)

    def _relieved(self, before: CycleState, done: CycleStepDone, checkpoint: Checkpoint | None) -> CycleStepDone:
        """The step, with who takes over after it where its agent cannot go on."""
        session, role = self._session, done.step.role or "cd"
        by, now = self._at_work.pop(done.step.key, ""), before.engine.choice_of(role)
        why = handover_reason(before, done, checkpoint) if may_hand_over(before) and by else None
        if why is None:
            return done
        if by != now:  # another step of the same agent ended before this one
            return replace(done, handover=Handover(by, now, why))
        handover = find_fallback(session, session.turns(role), by, why, done.outcome)
        return replace(done, handover=handover, incidents=(*done.incidents, *session.noted()))

    async def _decided(self, state: CycleState, running: tuple[CycleStep, ...]) -> CycleState:
        """Decisions that nobody has made: made by themselves, asked at the terminal, or waited for at rest."""
        if state.engine.settings.mode == "auto":
            return self._session.commit(decide_automatically, "decided")
        if running or select_ready(state, self._facts) or not asks_person(state):
            return state
        decision = state.coordination.undecided[0]
        if self._session.person is None:
            question = f"{decision.id}: {decision.description}"
            waiting = Waiting(question=question, options=decision.options, since=self._session.now())
            return self._session.commit(lambda s: commands.wait_for_person(s, waiting), "waiting")
        answer = await self._session.person.ask(decision.description, decision.options)
        return self._session.commit(lambda s: self._made(s, decision, answer), "decided", "person")

    def _made(self, state: CycleState, decision: Decision, answer: str) -> CycleState:
        """As answered, unless somebody else was faster."""
        if all(one.id != decision.id for one in state.coordination.undecided):
            return state
        return commands.decide(state, decision.id, answer, "user")

    async def _usage(self, state: CycleState, choice: CycleStep) -> Usage:
        """What the turns of this step cost."""
        turns = choice.role and self._session.lanes.opened(choice.role, lane_of(state, choice))
        if not turns:
            return Usage()
        return account_usage(self._session, await turns.spent())

    async def _half(self, state: CycleState, choice: CycleStep, outcome: CycleOutcome) -> str | None:
        """What was done in the lane of a step that is not over."""
        if isinstance(outcome, NO_RESULT):
            for one in state.engine.under_way:
                if one.step == choice.key:
                    return await half_of(self._session, one)
        return None


def _to_commit(state: CycleState, choice: CycleStep, outcome: CycleOutcome) -> PendingCommit | None:
    """What a step has done, in the task's own words; None where there is nothing to commit."""
    if not isinstance(outcome, ImplementationOutcome) or not outcome.ok or not outcome.changes:
        return None
    task = next((task for task in state.plan.tasks if task.id == choice.task), None) if state.plan else None
    files = tuple(change.file for change in outcome.changes)
    return PendingCommit(words=task.description if task else choice.key, task=choice.task, files=files)


def _measured(outcome: CycleOutcome) -> dict[str, JsonValue]:
    """What the course of a cycle shows of it: the tests that ran, the files that were changed."""
    match outcome:
        case JudgementOutcome():
            return {"tests": count_validation(outcome.validated), "reasons": list(outcome.validated.reasons)}
        case ImplementationOutcome():
            return {"changes": [{"file": change.file, "action": change.action} for change in outcome.changes]}
        case _:
            return {}
