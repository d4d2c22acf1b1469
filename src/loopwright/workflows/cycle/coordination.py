"""What the roles ask of each other and of a person: blockers and decisions, and the steps that wait for them. Pure."""

from loopwright.core.cycle_names import CycleStep
from loopwright.reports.phase import PhaseReport, ReportedDecision
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision
from loopwright.workflows.cycle.standing import derive_standing, list_tasks

AUTO = "auto"
"""Who made a decision that nobody was asked for."""

MOST_OPEN = 50
"""Blockers, and decisions, that are taken of all roles; more is noise."""


def add_report(state: CycleState, report: PhaseReport, step: CycleStep) -> CycleState:
    """The blockers and decisions of a report, as far as they are new. What they hold is what they name, or the step."""
    for blocker in report.blockers:
        state = add_blocker(state, blocker.description, report.phase, _held_keys(state, blocker.tasks, step))
    for decision in report.decisions:
        state = _to_decide(state, decision, _waiting_keys(state, decision.tasks, step))
    return state


def add_blocker(state: CycleState, description: str, by: str, holds: tuple[str, ...]) -> CycleState:
    """A new blocker that holds these steps; none where the same is open already."""
    known = state.coordination.blockers
    if len(known) >= MOST_OPEN or any(b.status == "open" and b.description == description for b in known):
        return state
    blocker = Blocker(id=_next_id("BLK", [b.id for b in known]), description=description, reported_by=by)
    coordination = state.coordination.evolve(blockers=(*known, blocker))
    return _holding(state.evolve(coordination=coordination), blocker.id, holds)


def close_blockers(state: CycleState, resolution: str) -> CycleState:
    """The open blockers that ra was asked about, with its answer; what they held is tried again."""
    asked = {e.content for e in state.coordination.feedback_log if (e.target, e.type) == ("ra", "clarification")}
    answered = [b for b in state.coordination.open_blockers if f"{b.id}: {b.description}" in asked]
    if not answered:
        return state
    ids = {blocker.id for blocker in answered}
    blockers = tuple(
        b.evolve(status="resolved", resolution=resolution) if b.id in ids else b for b in state.coordination.blockers
    )
    held = {key for id in ids for key in state.engine.holds.get(id, ())}
    tries = {key: count for key, count in state.engine.tries.items() if key not in held}
    return state.evolve(
        coordination=state.coordination.evolve(blockers=blockers), engine=state.engine.evolve(tries=tries)
    )


def apply_decisions(state: CycleState, key: str) -> CycleState:
    """The decisions that held this step back are carried out."""
    done = {id for id, keys in state.engine.holds.items() if key in keys}
    decisions = tuple(
        d.evolve(status="implemented") if d.status == "made" and d.id in done else d
        for d in state.coordination.pending_decisions
    )
    if all(a is b for a, b in zip(decisions, state.coordination.pending_decisions, strict=True)):
        return state
    return state.evolve(coordination=state.coordination.evolve(pending_decisions=decisions))


def decide_automatically(state: CycleState) -> CycleState:
    """Every pending decision made as recommended, else as its first option."""
    wished = state.engine.recommended
    decisions = tuple(
        d.evolve(status="made", chosen_option=_choice(d, wished.get(d.id, "")), made_by=AUTO)
        if d.status == "pending"
        else d
        for d in state.coordination.pending_decisions
    )
    return derive_standing(state.evolve(coordination=state.coordination.evolve(pending_decisions=decisions)))


def _choice(decision: Decision, recommended: str) -> str:
    if recommended in decision.options:
        return recommended
    return decision.options[0] if decision.options else "as the role sees fit"


def _to_decide(state: CycleState, asked: ReportedDecision, holds: tuple[str, ...]) -> CycleState:
    """A new decision; in auto mode it is made at once."""
    known = state.coordination.pending_decisions
    if len(known) >= MOST_OPEN or any(d.description == asked.description for d in known):
        return state
    decision = Decision(id=_next_id("DEC", [d.id for d in known]), description=asked.description, options=asked.options)
    state = state.evolve(coordination=state.coordination.evolve(pending_decisions=(*known, decision)))
    if asked.recommended in asked.options:
        recommended = {**state.engine.recommended, decision.id: asked.recommended}
        state = state.evolve(engine=state.engine.evolve(recommended=recommended))
    state = _holding(state, decision.id, holds)
    return state if state.engine.settings.mode == "interactive" else decide_automatically(state)


def _held_keys(state: CycleState, named: tuple[str, ...], step: CycleStep) -> tuple[str, ...]:
    """Tasks of the plan that are still to be done; for a task without such names, the task itself."""
    known = {task.id for task in list_tasks(state) if task.status != "completed"}
    keys = tuple(f"cd.implement {id}" for id in named if id in known)
    return keys or ((step.key,) if step.task else ())


def _waiting_keys(state: CycleState, named: tuple[str, ...], step: CycleStep) -> tuple[str, ...]:
    """What waits for a decision: what it names, else all that builds on what the role has done."""
    keys = _held_keys(state, named, step)
    if keys or step.name == "vas.validate":
        return keys
    if step.name in ("ra.analyse", "ep.explore"):
        return ("ep.plan",)
    return tuple(f"cd.implement {task.id}" for task in list_tasks(state) if task.status != "completed")


def _holding(state: CycleState, id: str, keys: tuple[str, ...]) -> CycleState:
    if not keys:
        return state
    return state.evolve(engine=state.engine.evolve(holds={**state.engine.holds, id: keys}))


def _next_id(prefix: str, known: list[str]) -> str:
    numbers = [int(id[4:]) for id in known if id.startswith(f"{prefix}-") and id[4:].isdecimal()]
    return f"{prefix}-{max(numbers, default=0) + 1:03d}"
