"""Every command on a tuning session, as a pure function over the status table."""

from collections.abc import Mapping, Sequence
from typing import Literal

from loopwright.core.command_rules import CommandRules
from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.names import TuningStatus
from loopwright.core.run import add_incidents
from loopwright.core.state import Incident, Outcome
from loopwright.core.status_table import StatusRow, StatusTable
from loopwright.skills.findings import Finding, FixLevel, Silenced
from loopwright.workflows.tuning.model import FINISHED, AppliedFix, TuningState
from loopwright.workflows.tuning.reducer import finish_session, mark_undone, set_findings

Command = Literal[
    "start", "pause", "resume", "stop", "reopen", "choose", "roll back", "complete", "fail", "edit", "delete"
]

ALL: frozenset[TuningStatus] = frozenset({"pending", "running", "completed", "failed"})
UNFINISHED = ALL - FINISHED


STATUS_COMMANDS: dict[Command, StatusRow[TuningStatus]] = {
    "start": StatusRow(frozenset({"pending"}), "running"),
    "pause": StatusRow(frozenset(), None),
    "resume": StatusRow(frozenset(), "running", orphaned=frozenset({"running"})),
    "stop": StatusRow(UNFINISHED, "failed"),
    "reopen": StatusRow(frozenset(), "running"),
    "choose": StatusRow(frozenset({"running"}), None),
    "roll back": StatusRow(FINISHED, None),
    "complete": StatusRow(frozenset({"running"}), "completed"),
    "fail": StatusRow(frozenset({"running"}), "failed"),
    "edit": StatusRow(UNFINISHED, None),
    "delete": StatusRow(FINISHED | {"pending"}, None, orphaned=frozenset({"running"})),
}
"""A session takes seconds: it is stopped, not paused, and the skill is tuned anew, not its session reopened."""

PERSONS: tuple[Command, ...] = ("start", "resume", "stop", "choose", "roll back", "edit", "delete")
"""What an error offers as possible: the commands that people give."""

STATUS_REQUESTS: dict[tuple[TuningStatus, TuningStatus], Command] = {
    ("pending", "running"): "start",
    ("pending", "failed"): "stop",
    ("running", "failed"): "stop",
}
"""(is, wanted) → the command that a request for a bare status stands for."""

TABLE: StatusTable[Command, TuningStatus] = StatusTable("tuning session", STATUS_COMMANDS, PERSONS, STATUS_REQUESTS)
is_allowed, require_command, command_for = TABLE.is_allowed, TABLE.require, TABLE.command_for


NOT_CHOSEN = "not chosen by a person"
ASKS_NOTHING = "this tuning session has no open choice"


class TuningRules(CommandRules[TuningState]):
    """What commands make of a tuning session."""

    table = TABLE
    others = frozenset({"max_iterations", "user_issue_description"})

    def id_of(self, state: TuningState) -> str:
        return state.tuning_id

    def resume(self, state: TuningState, *, live: bool) -> TuningState:
        """A session whose runner died is taken up again, and so is one that has an answer."""
        require_command("resume", state, live=live)
        return state

    def reopen(self, state: TuningState, at: str) -> TuningState:
        require_command("reopen", state)
        return state

    def end(self, state: TuningState, status: str, outcome: Outcome, reason: str | None, at: str) -> TuningState:
        """What is in the skill's files and nobody has verified is to be put back (`undo`) by its runner, or by
        whoever takes the lease of one that is gone.
        """
        begun = [one.fix for one in state.engine.under_way if one.step == "action-apply-fix" and one.fix]
        undo = tuple(dict.fromkeys((*(fix.fix_id for fix in list_unverified(state)), *begun)))
        for fix in list_unverified(state):
            state = mark_undone(state, fix.fix_id)
        state = state.evolve(engine=state.engine.evolve(undo=undo))
        return finish_session(state, outcome, reason).evolve(updated_at=at)


RULES = TuningRules()
start, pause, resume, stop, reopen = RULES.start, RULES.pause, RULES.resume, RULES.stop, RULES.reopen
set_limits, edit = RULES.limited, RULES.edit


def mark_put_back(state: TuningState, left: Mapping[str, str] | None = None, at: str = "") -> TuningState:
    """Nothing is left to undo, but for what could not be: by fix in words (`left`), for a person to roll back later."""
    if not state.engine.undo:
        return state
    incidents = tuple(Incident(kind="not_put_back", message=why, at=at) for why in (left or {}).values())
    fixes = tuple(
        fix.evolve(rollback_available=True) if fix.fix_id in (left or {}) else fix for fix in state.applied_fixes
    )
    return add_incidents(state.evolve(applied_fixes=fixes, engine=state.engine.evolve(undo=())), incidents)


def list_unverified(state: TuningState) -> tuple[AppliedFix, ...]:
    """Fixes in the skill's files that nobody has verified."""
    return tuple(fix for fix in state.applied_fixes if fix.verification_result == "pending")


def awaits_choice(state: TuningState) -> bool:
    """Whether it says running, and a person has to choose before anything goes on."""
    return state.engine.waiting is not None


def choose(state: TuningState, ids: Sequence[str]) -> TuningState:
    """Takes the fixes that a person wants; none ends the session. Those not taken are not proposed again."""
    require_command("choose", state)
    waiting = state.engine.waiting
    if waiting is None:
        raise Conflict(ASKS_NOTHING)
    if strange := [id for id in ids if id not in waiting.options]:
        raise Invalid(f"no fix {', '.join(strange)} is offered; available: {', '.join(waiting.options)}")
    left = (id for id in waiting.options if id not in ids)
    refused = {print: NOT_CHOSEN for id in left for print in state.engine.proposals[id].fingerprints}
    engine = state.engine.evolve(waiting=None, rejected={**state.engine.rejected, **refused})
    chosen = tuple(id for id in waiting.options if id in ids)
    return state.evolve(pending_fixes=chosen, engine=engine)


def require_rollback(state: TuningState, id: str) -> AppliedFix:
    """The entry of a fix that can be rolled back. NotFound, Conflict, IllegalTransition while it is at work."""
    require_command("roll back", state)
    entry = next((fix for fix in reversed(state.applied_fixes) if fix.fix_id == id), None)
    if entry is None:
        known = ", ".join(fix.fix_id for fix in state.applied_fixes) or "none"
        raise NotFound(f"no fix {id} was applied (applied: {known})")
    if not entry.rollback_available:
        raise Conflict(f"{id} is already rolled back")
    return entry


def remove_fix(
    state: TuningState,
    id: str,
    findings: tuple[Finding, ...],
    silenced: tuple[Silenced, ...],
    fixable: Mapping[str, FixLevel],
    digests: Mapping[str, str],
) -> TuningState:
    """Without that fix, and with what was found and accepted in the skill since."""
    require_rollback(state, id)
    state = mark_undone(state, id)
    engine = state.engine.evolve(digests=dict(digests), fixable=dict(fixable), silenced=silenced)
    return set_findings(state.evolve(engine=engine), findings)
