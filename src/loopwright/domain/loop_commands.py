"""Who may do what: the status table of a loop, and every command as a pure function over it."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from loopwright.domain.engine_state import (
    CHECKPOINTS_KEPT,
    Checkpoint,
    Limits,
    Outcome,
    Parked,
    Reached,
    Waiting,
)
from loopwright.domain.errors import Advice, IllegalTransition, Invalid
from loopwright.domain.loop import FINISHED, LoopState, LoopStatus, SkillState
from loopwright.domain.protocol import Control
from loopwright.domain.words import agreeing, clipped, plural

Command = Literal[
    "begin", "start", "pause", "resume", "stop", "exit", "complete", "fail", "reopen",
    "edit text", "edit", "rewind", "delete",
]  # fmt: skip

ALL: frozenset[LoopStatus] = frozenset({"created", "running", "paused", "completed", "failed", "user_exit"})
UNFINISHED = ALL - FINISHED
AT_REST = ALL - {"running"}


@dataclass(frozen=True)
class Row:
    """`target` None: the status stays. `orphaned` sources count only while no runner lives."""

    sources: frozenset[LoopStatus]
    target: LoopStatus | None
    orphaned: frozenset[LoopStatus] = frozenset()


COMMANDS: dict[Command, Row] = {
    "begin": Row(frozenset({"created"}), "running"),
    "start": Row(frozenset({"created", "paused", "user_exit"}), "running"),
    "pause": Row(frozenset({"running"}), "paused"),
    "resume": Row(frozenset({"paused", "user_exit"}), "running", orphaned=frozenset({"running"})),
    "stop": Row(UNFINISHED, "failed"),
    "exit": Row(frozenset({"running"}), "user_exit"),
    "complete": Row(frozenset({"running"}), "completed"),
    "fail": Row(frozenset({"running"}), "failed"),
    "reopen": Row(FINISHED, "running"),
    "edit text": Row(AT_REST, None),
    "edit": Row(ALL, None),
    "rewind": Row(AT_REST, None),
    "delete": Row(AT_REST, None),
}

PERSONS: tuple[Command, ...] = ("start", "pause", "resume", "stop", "reopen", "edit", "rewind", "delete")
"""What an error offers as possible: the commands that people give."""

STATUS_REQUESTS: dict[tuple[LoopStatus, LoopStatus], Command] = {
    ("created", "running"): "start",
    ("paused", "running"): "resume",
    ("user_exit", "running"): "resume",
    ("running", "paused"): "pause",
    ("created", "failed"): "stop",
    ("running", "failed"): "stop",
    ("paused", "failed"): "stop",
    ("user_exit", "failed"): "stop",
    ("running", "user_exit"): "exit",
}
"""(is, wanted) → the command that a request for a bare status stands for."""

REASON_LENGTH = 240
"""Characters of a failure's reason."""

STOPPED_BY_USER = "Manually stopped by user"


def allowed(command: Command, status: LoopStatus, *, live: bool = True) -> bool:
    """Whether the table has this row. `live`: a runner holds the lease."""
    row = COMMANDS[command]
    return status in row.sources or (not live and status in row.orphaned)


def require(command: Command, state: LoopState, *, live: bool = True) -> None:
    """IllegalTransition unless `command` is allowed now."""
    if not allowed(command, state.status, live=live):
        possible = tuple(c for c in PERSONS if allowed(c, state.status, live=live))
        raise IllegalTransition(command.split()[0], state.status, possible)


def command_for(state: LoopState, wanted: LoopStatus) -> Command:
    """The command behind a request to set `status`, or IllegalTransition."""
    command = STATUS_REQUESTS.get((state.status, wanted))
    if command is None:
        possible = tuple(to for (source, to) in STATUS_REQUESTS if source == state.status)
        raise IllegalTransition(f"set to {wanted} a", state.status, possible)
    return command


def control_signal(state: LoopState) -> Control:
    """What a runner must do before its next action."""
    match state.status:
        case "running":
            return Control.CONTINUE
        case "paused":
            return Control.PAUSE_EXIT
        case _:
            return Control.STOP_EXIT


def begin(state: LoopState) -> LoopState:
    """The runner takes up a loop that nobody started."""
    require("begin", state)
    return state.evolve(status="running")


def start(state: LoopState) -> LoopState:
    require("start", state)
    return _run(state)


def resume(state: LoopState, *, live: bool) -> LoopState:
    """Runs on; a loop whose runner died is taken up again."""
    require("resume", state, live=live)
    return _run(state)


def pause(state: LoopState, *, now: bool = False) -> LoopState:
    """Stops before the next action; `now` also asks the runner to cancel the one under way.

    A parked loop is paused already: a person's pause keeps it from being resumed by itself.
    """
    if not (state.status == "paused" and state.engine.parked):
        require("pause", state)
    return state.evolve(status="paused", engine=state.engine.evolve(interrupt=now, parked=None, menu=None))


def wait_for_person(state: LoopState, waiting: Waiting) -> LoopState:
    """The runner pauses with a question."""
    require("pause", state)
    return state.evolve(status="paused", engine=state.engine.evolve(waiting=waiting, answer=None))


def park(state: LoopState, parked: Parked) -> LoopState:
    """The runner pauses until an agent's limit has passed."""
    require("pause", state)
    return state.evolve(status="paused", engine=state.engine.evolve(parked=parked))


def leave(state: LoopState) -> LoopState:
    """A person leaves the menu; the loop can be resumed."""
    require("exit", state)
    return state.evolve(status="user_exit", engine=state.engine.evolve(menu=None))


def stop(state: LoopState, at: str) -> LoopState:
    require("stop", state)
    return _end(state, "failed", "stopped", STOPPED_BY_USER, at)


def complete(state: LoopState, outcome: Outcome, at: str) -> LoopState:
    """Ends well: `succeeded`, `unproven` where no test shows the goal, or `unverified` by a person's choice."""
    require("complete", state)
    return _end(state, "completed", outcome, None, at)


def fail(state: LoopState, outcome: Outcome, reason: str, at: str) -> LoopState:
    """`reason` is kept as a sentence; what it leaves out of an error stands among the errors."""
    require("fail", state)
    return _end(state, "failed", outcome, clipped(" ".join(reason.split()), REASON_LENGTH), at)


def reopen(state: LoopState) -> LoopState:
    """Runs a finished loop on, its failed tasks once more; a limit that is used up has to be raised first."""
    require("reopen", state)
    used = state.current_iteration
    if state.max_iterations <= used:
        words = f"{plural(used, 'iteration')} {agreeing(used, 'is')} used up"
        raise Invalid(words, advice=Advice("raise the limit, for example {setting}", "max_iterations", used + 10))
    engine = state.engine
    if reached := engine.budget.reached:
        raise Invalid(f"the {reached.words} is used up", advice=raising(reached))
    fresh = engine.spent.evolve(failures_in_a_row=0, fewest_failing=None, proof_task=None, unchanged=None, revived=())
    skill = state.skill_state
    failed = tuple(task.id for task in (skill.develop.tasks if skill else ()) if task.status == "failed")
    return state.evolve(
        status="running",
        completed_at=None,
        failure_reason=None,
        skill_state=skill and _unfinished(skill),
        engine=engine.evolve(
            outcome=None, spent=fresh, retry=failed, sightings=(), debug_rounds=0,
            waiting=None, answer=None, parked=None, interrupt=False,
        ),
    )  # fmt: skip


def raising(reached: Reached) -> Advice:
    """To raise a used up limit, to a value that is well above what was spent."""
    value = max(1, round(2 * reached.spent)) if reached.limit != "max_cost" else round(2 * reached.spent + 0.01, 2)
    return Advice("raise it, for example {setting}", reached.limit, value)


def limited(state: LoopState, limits: Limits) -> LoopState:
    """Sets the limits that are given; the others stay."""
    given = {name: value for name, value in asdict(limits).items() if value is not None}
    iterations = given.pop("max_iterations", state.max_iterations)
    if (iterations, given) == (state.max_iterations, {}):
        return state
    return state.evolve(
        max_iterations=iterations, engine=state.engine.evolve(budget=state.engine.budget.evolve(**given))
    )


def configure(
    state: LoopState,
    settings: dict[str, Any],  # Any: parsed by the caller; the model checks each value
    *,
    limits: Limits,
    allow_test_changes: bool | None,
) -> LoopState:
    """What the next run of the loop works with; what is not given stays as it is."""
    engine = state.engine
    allow = engine.allow_test_changes if allow_test_changes is None else allow_test_changes
    changed = engine.evolve(settings=engine.settings.evolve(**settings), allow_test_changes=allow)
    return limited(state.evolve(engine=changed), limits)


def take_up(state: LoopState) -> LoopState:
    """Start, resume or reopen, by status: what a runner with the lease in its hand does with a loop."""
    if state.status == "created":
        return begin(state)
    if state.status in FINISHED:
        return reopen(state)
    return resume(state, live=False)


def answer(state: LoopState, text: str) -> LoopState:
    """Keeps the answer to the question the loop waits with; resume hands it to the agent."""
    if state.engine.waiting is None:
        raise Invalid("this loop asks nothing at the moment")
    if state.engine.waiting.by_resuming:
        raise Invalid("this loop waits for something to be settled, not for words; once it is, resume the loop")
    if not text.strip():
        raise Invalid("an answer needs text")
    return state.evolve(engine=state.engine.evolve(answer=text))


def rewind(state: LoopState, then: LoopState, here: tuple[str, str], to: int, at: str) -> LoopState:
    """The runner's state of checkpoint `to` again; `here` (commit, tree) is kept as a checkpoint of its own.

    What was validated is forgotten, so that the old tree has to prove itself again, and so are the agents' sessions,
    which remember what is undone; a finished loop has not ended there, and is paused.
    """
    require("rewind", state)
    if state.status in FINISHED:
        state = state.evolve(
            status="paused", completed_at=None, failure_reason=None, engine=state.engine.evolve(outcome=None)
        )
    engine = state.engine
    known = engine.checkpoints
    kept = Checkpoint(
        n=known[-1].n + 1, rev=engine.rev + 1, commit=here[0], tree=here[1], action=f"before rewind to {to}", at=at
    )
    skill = then.skill_state and _unfinished(then.skill_state)
    return state.evolve(
        skill_state=skill,
        engine=engine.evolve(
            checkpoints=(*known, kept)[-CHECKPOINTS_KEPT:], last_validation=None, sightings=(), debug_rounds=0,
            sessions={}, spent=engine.spent.evolve(worked=then.engine.spent.worked),
        ),
    )  # fmt: skip


TEXT_FIELDS = frozenset({"title", "description"})
OTHER_FIELDS = frozenset({"max_iterations", "notes", "tags", "priority"})


def edit(state: LoopState, changes: dict[str, Any]) -> LoopState:  # Any: parsed JSON; the model checks each value
    """Changes API fields. Title and description only while the loop does not run."""
    unknown = sorted(changes.keys() - TEXT_FIELDS - OTHER_FIELDS)
    if unknown or not changes:
        known = ", ".join(sorted(TEXT_FIELDS | OTHER_FIELDS))
        problem = f"can not edit {', '.join(unknown)}" if unknown else "nothing to change"
        raise Invalid(f"{problem}; editable are {known}")
    require("edit text" if changes.keys() & TEXT_FIELDS else "edit", state)
    if "title" in changes and not str(changes["title"]).strip():
        raise Invalid("title: must not be blank")
    return state.evolve(**changes)


def _run(state: LoopState) -> LoopState:
    return state.evolve(status="running", engine=state.engine.evolve(waiting=None, parked=None, interrupt=False))


def _end(state: LoopState, status: LoopStatus, outcome: Outcome, reason: str | None, at: str) -> LoopState:
    return state.evolve(
        status=status,
        completed_at=at,
        failure_reason=reason,
        engine=state.engine.evolve(outcome=outcome, waiting=None, parked=None, asked=(), menu=None),
    )


def _unfinished(skill: SkillState) -> SkillState:
    return skill.evolve(current_action=None, summary=None)
