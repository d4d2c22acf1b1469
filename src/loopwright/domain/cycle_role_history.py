"""What the documents of a lost cycle say of its roles: what each wrote and did, and which steps failed. Pure."""

import re
from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from loopwright.domain.cycle import ERRORS_KEPT, AgentState, CycleState, IterationRecord, PhaseError, PlanTask
from loopwright.domain.cycle_headers import MAIN
from loopwright.domain.cycle_names import ROLES, Role
from loopwright.domain.cycle_standing import implementing
from loopwright.domain.cycle_summary import FAILED_STEPS
from loopwright.domain.cycle_timeline import Timeline
from loopwright.domain.log_words import read_word

ISSUES = "cd/issues.md"
_ERROR = re.compile(r"- (\S+) (\S+): (.*)")


def phase_errors(beside: Mapping[str, str]) -> tuple[PhaseError, ...]:
    """The failed steps that issues.md lists."""
    section = beside.get(ISSUES, "").partition(f"\n## {FAILED_STEPS}\n")[2].partition("\n## ")[0]
    return tuple(_errors(section))[-ERRORS_KEPT:]


def _errors(section: str) -> Iterator[PhaseError]:
    for line in section.split("\n"):
        if found := _ERROR.fullmatch(line):
            try:
                yield PhaseError(timestamp=found[1], phase=found[2], error=read_word(found[3]))
            except ValidationError:
                continue


def with_roles(state: CycleState, beside: Mapping[str, str], timeline: Timeline) -> CycleState:
    """The state with its roles as they were; where they stand in the iteration that is open follows from it."""
    over = state.iterations[:-1]
    completed = (role for record in over for role in ROLES if _status(record, role) == "completed")
    done = tuple(_done(state, timeline))
    agents = {role: _agent(state, beside, timeline, role) for role in ROLES}
    wrote = {role: agents[role].output_files for role in ("ra", "ep") if any(key.startswith(role) for key in done)}
    changed = _changed(state, state.current_iteration)
    return state.evolve(
        agents=state.agents.evolve(**agents), completed_phases=tuple(completed),
        engine=state.engine.evolve(done=done, wrote={**wrote, "cd": changed} if changed else wrote),
    )  # fmt: skip


def _agent(state: CycleState, beside: Mapping[str, str], timeline: Timeline, role: Role) -> AgentState:
    """What it wrote, the iterations that it was in, and what it said last in the one that is open."""
    written = tuple(name for name in MAIN if name in beside and name.startswith(f"{role}/"))
    return AgentState(
        output_files=_changed(state) if role == "cd" else written,
        last_message=timeline.said.get((state.current_iteration, role)),
        iterations_completed=sum(_status(record, role) not in (None, "failed") for record in state.iterations[:-1]),
    )


def _done(state: CycleState, timeline: Timeline) -> Iterator[str]:
    """Steps of the iteration that is open; the tests and what vas says of them are always done again."""
    here, engine = state.current_iteration, state.engine
    record = next((record for record in timeline.records if record.number == here), None)
    settled = (
        ("ra.analyse", "ra", engine.analysed),
        ("ep.explore", "ep", engine.explored),
        ("ep.plan", "ep", engine.planned),
    )
    worked = {role for role in ROLES if record is None or _status(record, role) in ("completed", "partial")}
    yield from (key for key, role, last in settled if last == here and role in worked and role not in engine.called)
    if "cd" in worked and state.plan:
        changed = _changed(state, here)
        yield from (implementing(task).key for task in state.plan.tasks if _is_of(task, here, changed))


def _is_of(task: PlanTask, here: int, changed: tuple[str, ...]) -> bool:
    """Whether it was completed in this iteration: the first one, or one that changed its files."""
    return task.status == "completed" and (here == 1 or not set(changed).isdisjoint(task.files))


def _changed(state: CycleState, iteration: int | None = None) -> tuple[str, ...]:
    lines = state.changes.changes if state.changes else ()
    return tuple(dict.fromkeys(line.file for line in lines if iteration in (None, line.iteration)))


def _status(record: IterationRecord, role: Role) -> str | None:
    result = record.agent_results.get(role)
    return result.status if result else None
