"""Who may do what: the status table of a loop, and every command as a pure function over it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import ValidationError

from loopwright.core.agent_names import check_agent
from loopwright.core.command_rules import CommandRules, require_iterations, require_place
from loopwright.core.errors import Conflict, Forbidden, IllegalTransition, Invalid, NotFound
from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.record import first_problem
from loopwright.core.state import (
    CHECKPOINTS_KEPT,
    Checkpoint,
    Limits,
    LoopTask,
    Menu,
    MenuEntry,
    Outcome,
    Waiting,
)
from loopwright.core.status_table import StatusRow, StatusTable
from loopwright.evidence.rivals import awaits_verdict, with_rival
from loopwright.workflows.loop.model import LoopState, SkillState

Command = Literal[
    "begin", "start", "pause", "resume", "stop", "exit", "complete", "fail", "reopen",
    "edit text", "edit", "rewind", "delete",
]  # fmt: skip

ALL: frozenset[LoopStatus] = frozenset({"created", "running", "paused", "completed", "failed", "user_exit"})
UNFINISHED = ALL - FINISHED
AT_REST = ALL - {"running"}


STATUS_COMMANDS: dict[Command, StatusRow[LoopStatus]] = {
    "begin": StatusRow(frozenset({"created"}), "running"),
    "start": StatusRow(frozenset({"created", "paused", "user_exit"}), "running"),
    "pause": StatusRow(frozenset({"running"}), "paused"),
    "resume": StatusRow(frozenset({"paused", "user_exit"}), "running", orphaned=frozenset({"running"})),
    "stop": StatusRow(UNFINISHED, "failed"),
    "exit": StatusRow(frozenset({"running"}), "user_exit"),
    "complete": StatusRow(frozenset({"running"}), "completed"),
    "fail": StatusRow(frozenset({"running"}), "failed"),
    "reopen": StatusRow(FINISHED, "running"),
    "edit text": StatusRow(AT_REST, None),
    "edit": StatusRow(ALL, None),
    "rewind": StatusRow(AT_REST, None),
    "delete": StatusRow(AT_REST, None),
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

TABLE: StatusTable[Command, LoopStatus] = StatusTable("loop", STATUS_COMMANDS, PERSONS, STATUS_REQUESTS)
is_allowed, require_command, command_for = TABLE.is_allowed, TABLE.require, TABLE.command_for


TEXT_FIELDS = frozenset({"title", "description"})
OTHER_FIELDS = frozenset({"max_iterations", "notes", "tags", "priority"})


class LoopRules(CommandRules[LoopState]):
    """What commands make of a loop."""

    table: ClassVar[StatusTable[Any, Any]] = TABLE  # Any: a status from a file may be any text
    texts, others = TEXT_FIELDS, OTHER_FIELDS

    def id_of(self, state: LoopState) -> str:
        return state.loop_id

    def pause(self, state: LoopState, *, now: bool = False) -> LoopState:
        """Its menu is closed, too."""
        state = super().pause(state, now=now)
        return state.evolve(engine=state.engine.evolve(menu=None))

    def end(self, state: LoopState, status: str, outcome: Outcome, reason: str | None, at: str) -> LoopState:
        engine = state.engine.evolve(outcome=outcome, waiting=None, parked=None, asked=(), menu=None)
        return state.evolve(status=status, completed_at=at, failure_reason=reason, engine=engine)

    def reopen(self, state: LoopState, at: str) -> LoopState:
        return reopen(state)

    def count_limit(self, state: LoopState) -> tuple[LoopState, int]:
        row = state.engine.spent.limits_in_a_row + 1
        spent = state.engine.spent.evolve(limits_in_a_row=row)
        return state.evolve(engine=state.engine.evolve(spent=spent)), row

    def request_status(self, state: LoopState, wanted: str, at: str) -> LoopState:
        if self.table.command_for(state, wanted) == "exit":
            return leave(state)
        return super().request_status(state, wanted, at)


RULES = LoopRules()
start, pause, resume, resume_parked, stop = RULES.start, RULES.pause, RULES.resume, RULES.resume_parked, RULES.stop
complete, fail, park, wait_for_person = RULES.complete, RULES.fail, RULES.park, RULES.wait_for_person
set_limits, edit = RULES.limited, RULES.edit


def begin(state: LoopState) -> LoopState:
    """The runner takes up a loop that nobody started."""
    require_command("begin", state)
    return state.evolve(status="running")


def leave(state: LoopState) -> LoopState:
    """A person leaves the menu; the loop can be resumed."""
    require_command("exit", state)
    return state.evolve(status="user_exit", engine=state.engine.evolve(menu=None))


def reopen(state: LoopState) -> LoopState:
    """Runs a finished loop on, its failed tasks once more; a limit that is used up has to be raised first."""
    require_command("reopen", state)
    require_iterations(state, more=10)
    engine = state.engine
    fresh = engine.spent.evolve(failures_in_a_row=0, fewest_failing=None, proof_task=None, unchanged=None, revived=())
    skill = state.skill_state
    failed = tuple(task.id for task in (skill.develop.tasks if skill else ()) if task.status == "failed")
    return state.evolve(
        status="running",
        completed_at=None,
        failure_reason=None,
        skill_state=skill and _unfinished(skill),
        engine=engine.evolve(
            outcome=None,
            review=engine.review.evolve(tree="", round=0, orders=0) if engine.review else None,
            spent=fresh,
            retry=failed,
            sightings=(),
            debug_rounds=0,
            waiting=None,
            answer=None,
            parked=None,
            interrupt=False,
        ),
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
    configured = state.evolve(engine=changed)
    require_place(state, configured)
    return set_limits(configured, limits)


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
        raise Invalid("this loop has no open question")
    if state.engine.waiting.by_resuming:
        raise Invalid("this loop waits for a problem to be fixed, not for an answer; then resume the loop")
    if not text.strip():
        raise Invalid("an answer needs text")
    return state.evolve(engine=state.engine.evolve(answer=text))


def rewind(state: LoopState, then: LoopState, here: tuple[str, str], to: int, at: str) -> LoopState:
    """The runner's state of checkpoint `to` again; `here` (commit, tree) is kept as a checkpoint of its own.

    What was validated is forgotten, so that the old tree has to prove itself again, and so are the agents' sessions,
    which remember what is undone; a finished loop has not ended there, and is paused.
    """
    require_command("rewind", state)
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
            checkpoints=(*known, kept)[-CHECKPOINTS_KEPT:],
            last_validation=None,
            sightings=(),
            debug_rounds=0,
            sessions={},
            spent=engine.spent.evolve(worked=then.engine.spent.worked),
        ),
    )


def _unfinished(skill: SkillState) -> SkillState:
    return skill.evolve(current_action=None, summary=None)


EDITABLE = frozenset(
    {
        "description",
        "tool",
        "mode",
        "prompt_template",
        "command",
        "on_error",
        "depends_on",
        "allow_test_changes",
        "proof",
    }
)


def add_task(
    state: LoopState,
    task_id: str,
    fields: dict[str, Any],  # Any: parsed JSON; the model checks each value
    at: str,
    agents: Collection[str] = (),
    *,
    within: bool = False,
) -> LoopState:
    """Appends a task after the last one. `agents` are the names of those that were configured here.

    `within`: the loop's own agent or command asks for it; then it is the loop's own plan.
    """
    return add_tasks(state, {task_id: fields}, at, agents, within=within)


def add_tasks(
    state: LoopState,
    new: Mapping[str, dict[str, Any]],  # Any: as above
    at: str,
    agents: Collection[str] = (),
    *,
    within: bool = False,
) -> LoopState:
    """Appends tasks by id, in their order; they may depend on each other."""
    last = max((task.order for task in state.engine.tasks), default=-1)
    built = []
    for order, (id, fields) in enumerate(new.items(), last + 1):
        _check_tool(state, fields, agents)
        own = {"task_id": id, "order": order, "created_at": at, "updated_at": at, "planned": within or None}
        built.append(_built({**_editable(fields), **own}))
    return _with(state, (*state.engine.tasks, *built))


def edit_task(
    state: LoopState,
    task_id: str,
    fields: dict[str, Any],  # Any: as above
    at: str,
    agents: Collection[str] = (),
    *,
    within: bool = False,
) -> LoopState:
    task = _pending(state, task_id, within)
    _check_tool(state, fields, agents)
    edited = _built({**dict(task), **_editable(fields), "updated_at": at})
    return _with(state, tuple(edited if t is task else t for t in state.engine.tasks))


def remove_task(state: LoopState, task_id: str, *, within: bool = False) -> LoopState:
    task = _pending(state, task_id, within)
    needed_by = [t.task_id for t in state.engine.tasks if task_id in (t.depends_on or ())]
    if needed_by:
        raise Conflict(f"Task {task_id} is needed by {', '.join(needed_by)}; remove or edit them first")
    return _with(state, tuple(t for t in state.engine.tasks if t is not task))


def reorder_tasks(state: LoopState, ordered_ids: Sequence[str]) -> LoopState:
    """`ordered_ids` must name exactly the loop's tasks."""
    if sorted(ordered_ids) != sorted(task.task_id for task in state.engine.tasks) or not ordered_ids:
        have = ", ".join(task.task_id for task in state.engine.tasks) or "none"
        raise Invalid(f"the new order must name every task of the loop exactly once (it has: {have})")
    place = {id: order for order, id in enumerate(ordered_ids)}
    tasks = (task.evolve(order=place[task.task_id]) for task in state.engine.tasks)
    return _with(state, tuple(sorted(tasks, key=lambda task: task.order)))


def _pending(state: LoopState, task_id: str, within: bool) -> LoopTask:
    """The task, which can still be changed. Forbidden for a loop that wants to change what it was given to do."""
    task = state.engine.task(task_id)
    if task is None:
        raise NotFound(f"Task not found: {task_id}")
    if within and not task.planned:
        raise Forbidden(f"a loop can only change tasks that it planned itself; {task_id} was given to it")
    progress = state.skill_state.develop.tasks if state.skill_state else ()
    status = next((t.status for t in progress if t.id == task_id), "pending")
    if status != "pending" and task_id not in state.engine.retry:
        raise Conflict(f"Task {task_id} is {status}; only pending tasks can be changed")
    return task


def _check_tool(state: LoopState, fields: dict[str, Any], agents: Collection[str]) -> None:  # Any: as above
    """A name that was taken in from elsewhere may stay; a new one has to be somebody's."""
    if isinstance(tool := fields.get("tool"), str):
        check_agent(tool, own=state.engine.settings.agent, configured=agents)


def _editable(fields: dict[str, Any]) -> dict[str, Any]:  # Any: as above
    unknown = sorted(fields.keys() - EDITABLE)
    if unknown:
        raise Invalid(f"unknown task field: {', '.join(unknown)} (known: {', '.join(sorted(EDITABLE))})")
    return fields


def _built(fields: dict[str, Any]) -> LoopTask:  # Any: as above
    try:
        task = LoopTask.model_validate(fields)
    except ValidationError as error:
        raise Invalid(first_problem(error)) from error
    if not task.description.strip():
        raise Invalid("description: must not be blank")
    if task.tool == "bash" and not (task.command or "").strip():
        raise Invalid("a task with tool bash needs a command")
    if task.command is not None and task.tool != "bash":
        raise Invalid(f"only tasks with tool bash run a command; this one has tool {task.tool}")
    return task


def _with(state: LoopState, tasks: tuple[LoopTask, ...]) -> LoopState:
    known = {task.task_id for task in tasks}
    for task in tasks:
        missing = sorted(set(task.depends_on or ()) - known)
        if missing:
            raise Invalid(f"task {task.task_id} depends on unknown {', '.join(missing)}")
    if waiting := find_circle({task.task_id: task.depends_on or () for task in tasks}):
        raise Invalid(f"tasks depend on each other in a circle: {', '.join(waiting)}")
    return state.evolve(engine=state.engine.evolve(tasks=tasks))


def find_circle(needs: Mapping[str, Collection[str]]) -> list[str]:
    """Those that can never become ready because they wait for each other; `needs` says for whom each one waits."""
    waiting = {id: set(others) for id, others in needs.items()}
    while ready := [id for id, others in waiting.items() if not others & waiting.keys()]:
        for id in ready:
            del waiting[id]
    return sorted(waiting)


MORE = 10
"""Iterations that raising the limit from the menu adds."""


def open_menu(state: LoopState, entries: Sequence[MenuEntry], at: str) -> LoopState:
    """A running loop offers these entries; a choice that waits to be taken stays while it can be chosen."""
    known = state.engine.menu
    if state.status != "running" or (known and known.entries == tuple(entries)):
        return state
    menu = Menu(since=known.since if known else at, entries=tuple(entries))
    if known and known.choice in menu.free:
        menu = menu.evolve(choice=known.choice)
    return state.evolve(engine=state.engine.evolve(menu=menu))


def require_offer(state: LoopState, choice: str) -> LoopState:
    """The state itself, if its menu is open and `choice` can be chosen. Invalid, IllegalTransition, Conflict."""
    engine = state.engine
    if engine.settings.mode == "auto":
        raise Invalid("this loop chooses every step itself (mode auto); there is nothing to choose")
    if state.status != "running":
        possible = tuple(command for command in PERSONS if is_allowed(command, state.status))
        raise IllegalTransition("choose the next step of a", state.status, possible)
    if engine.menu is None:
        raise Conflict(f"{state.loop_id} is not at its menu now; it asks again after {_under_way(state)}")
    if engine.menu.choice is not None:
        raise Conflict(f"a choice was already made: {engine.menu.choice}")
    entry = next((entry for entry in engine.menu.entries if entry.name == choice), None)
    if entry is None:
        raise Invalid(f"choice: {choice!r} is not offered (available: {', '.join(engine.menu.free)})")
    if entry.blocked:
        raise Conflict(f"{choice} cannot be chosen now: {entry.blocked}")
    return state


def is_at_menu(state: LoopState) -> bool:
    """Whether nothing goes on until a person chooses: no runner is needed for that, a choice starts one."""
    menu = state.engine.menu
    return state.status == "running" and menu is not None and menu.choice is None


def keep_choice(state: LoopState, choice: str) -> LoopState:
    """Keeps a person's choice for the runner to take."""
    menu = require_offer(state, choice).engine.menu
    assert menu is not None, "it is offered"
    return state.evolve(engine=state.engine.evolve(menu=menu.evolve(choice=choice)))


def raise_limit(state: LoopState) -> LoopState:
    """With a limit that allows more iterations."""
    return edit(state, {"max_iterations": state.max_iterations + MORE})


def ask_question(state: LoopState, question: str, options: Sequence[str], at: str) -> LoopState:
    """An action asks a person something, and waits; whatever was answered before is none of it."""
    if state.status in FINISHED:
        return state
    waiting = Waiting(question=question, options=tuple(options), since=at)
    return state.evolve(engine=state.engine.evolve(waiting=waiting, answer=None))


def repeat_question(state: LoopState, question: str, options: Sequence[str], at: str) -> LoopState:
    """The same question again, where a resume has taken it away before it was answered."""
    open_one = state.engine.waiting is not None or state.engine.answer is not None
    return state if open_one or state.status != "running" else ask_question(state, question, options, at)


def drop_question(state: LoopState) -> LoopState:
    """Nobody waits for an answer any more."""
    if (state.engine.waiting, state.engine.answer) == (None, None):
        return state
    return state.evolve(engine=state.engine.evolve(waiting=None, answer=None))


def clear_question(state: LoopState, *, from_afar: bool) -> LoopState:
    """Without the question of a runner that is gone, and in the mode that was asked for; what it is paused with stays.

    So does the menu, with the choice that was made from it, where the new runner is asked `from_afar` as well.
    """
    engine, skill = state.engine, state.skill_state
    if skill is not None and skill.mode != state.mode:
        state = state.evolve(skill_state=skill.evolve(mode=state.mode))
    menu = engine.menu if from_afar and engine.settings.mode == "interactive" else None
    question = None if state.status == "running" else engine.waiting
    if (engine.menu, engine.waiting) == (menu, question):
        return state
    return state.evolve(engine=engine.evolve(menu=menu, waiting=question))


def _under_way(state: LoopState) -> str:
    action = state.skill_state.current_action if state.skill_state else None
    return action.upper() if action else "its current step"


def take_rival(state: LoopState, id: str, by: str, commits: tuple[str, str]) -> LoopState:
    """See `with_rival`; a loop that has ended runs on, to validate it."""
    skill = state.skill_state or SkillState()
    hypotheses = with_rival(skill.debug.hypotheses, id, by, commits)
    confirmed = next((one.id for one in hypotheses if one.status == "confirmed" and awaits_verdict(one, None)), None)
    debug = skill.debug.evolve(hypotheses=hypotheses, confirmed_hypothesis=confirmed)
    state = state.evolve(skill_state=skill.evolve(debug=debug))
    if state.status not in FINISHED:
        return state
    return reopen(state.evolve(max_iterations=max(state.max_iterations, state.current_iteration + 1)))
