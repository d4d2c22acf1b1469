"""What others may change of a tuning session: in its file, and by commits while its runner lives."""

import json
from collections.abc import Callable

import pytest

from loopwright.core.state import Incident, Limits, PermissionRequest
from loopwright.workflows.tuning import commands
from loopwright.workflows.tuning.model import TuningState, TuningStep
from loopwright.workflows.tuning.reducer import begin_step
from loopwright.workflows.tuning.state_reader import OWN, keep_own, read_tuning, take_in
from tests.domain.tuning_making import (
    AT,
    LATER,
    created,
    diagnosed_all,
    driven,
    finding,
    in_files,
    offer,
    proposed,
    usual,
)
from tests.tables import each

Change = Callable[[TuningState], TuningState]
ONE, TWO = finding("one", severity="high"), finding("two", "agent")
ASKED = PermissionRequest(id="P1", agent="codex", action="action-propose-fixes", title="rm", since=AT)


def offered(*, choosing: bool = False) -> TuningState:
    state = diagnosed_all(created(level="mechanical", choosing=choosing), ONE, TWO)
    return proposed(state, offer("FIX-001", ONE), offer("FIX-002", TWO))


def applied() -> TuningState:
    return in_files(offered(), "FIX-001")


def completed() -> TuningState:
    return driven(created(level="mechanical"), usual((ONE, TWO)))


def rewritten(state: TuningState, **changes: object) -> TuningState:
    """As it reads after another program changed these keys of its file."""
    raw = {**json.loads(state.model_dump_json()), **changes}
    return read_tuning(raw, fallback_id="?", now=LATER)[0]


# ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────

TAKEN: dict[str, tuple[Callable[[], TuningState], dict[str, object], Callable[[TuningState], object], object]] = {
    "a limit": (applied, {"max_iterations": 3}, lambda s: s.max_iterations, 3),
    "words": (created, {"user_issue_description": "it forgets"}, lambda s: s.user_issue_description, "it forgets"),
    "stop": (applied, {"status": "failed"}, lambda s: (s.status, s.engine.outcome, s.engine.undo),
        ("failed", "stopped", ("FIX-001",))),
    "stop before it began": (created, {"status": "failed"}, lambda s: s.engine.outcome, "stopped"),
    "start": (created, {"status": "running"}, lambda s: s.status, "running"),
    "a key that nobody knows": (created, {"x_new": [1]}, lambda s: s.model_extra, {"x_new": [1]}),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_taken_in_from_a_file(name: str) -> None:
    make, changes, look, expected = TAKEN[name]
    base = make()
    state, accepted, refused = take_in(base, rewritten(base, **changes), base, LATER)
    assert look(state) == expected
    assert (len(accepted), refused) == (1, ())


REFUSED: dict[str, tuple[Callable[[], TuningState], dict[str, object], str]] = {
    "an end that nobody reached": (offered, {"status": "completed"}, "status (Cannot set to completed"),
    "an end that was not": (completed, {"status": "running"}, "status (Cannot set to running"),
    "a limit of one that has ended": (completed, {"max_iterations": 9}, "max_iterations (Cannot edit"),
    "a better score": (offered, {"quality_score": 100}, "quality_score"),
    "a better gate": (offered, {"quality_gate": "fail"}, "quality_gate"),
    "no issues": (offered, {"issues": [], "issues_by_severity": {"critical": 0}}, "issues, issues_by_severity"),
    "another fix": (offered, {"pending_fixes": ["FIX-002"]}, "pending_fixes"),
    "a verdict": (applied, {"applied_fixes": []}, "applied_fixes"),
    "another skill": (offered, {"target_skill": {"name": "b"}}, "target_skill"),
    "a level": (lambda: created(level="none"), {"engine": {**created(level="agent").engine.model_dump()}}, "engine"),
    "no limit on errors": (offered, {"max_errors": 99}, "max_errors"),
    "an iteration less": (lambda: applied().evolve(iteration_count=2), {"iteration_count": 0}, "iteration_count"),
}  # fmt: skip


@each("name", REFUSED)
def test_put_back_in_a_file(name: str) -> None:
    make, changes, words = REFUSED[name]
    base = make()
    state, accepted, refused = take_in(base, rewritten(base, **changes), base, LATER)
    assert (state, accepted) == (base, ())
    assert words in ", ".join(refused)


def test_what_comes_with_a_stop_is_no_other_change() -> None:
    """A fix that is in the files and unverified reads as one that does not hold, once the session has ended."""
    base = applied()
    assert take_in(base, rewritten(base, status="failed"), base, LATER)[2] == ()
    forged = [{**json.loads(base.applied_fixes[0].model_dump_json()), "verification_result": "pass"}]
    state, accepted, refused = take_in(base, rewritten(base, status="failed", applied_fixes=forged), base, LATER)
    assert (accepted, refused) == (("status",), ("applied_fixes",))
    assert state.applied_fixes[0].verification_result == "fail"


def test_an_old_file_takes_nothing_back() -> None:
    base, current = offered(), applied()
    state, accepted, refused = take_in(base, rewritten(base, max_iterations=3), current, LATER)
    assert (state.applied_fixes, state.max_iterations) == (current.applied_fixes, 3)
    assert (accepted, refused) == (("max_iterations",), ())


def test_everything_is_somebodys() -> None:
    assert set(TuningState.model_fields) - OWN == {
        "max_iterations", "user_issue_description", "status", "updated_at", "engine"
    }  # fmt: skip


# ── commits while a runner lives ─────────────────────────────────────────────────────────────────────────────


def _asked(state: TuningState) -> TuningState:
    return state.evolve(engine=state.engine.evolve(asked=(ASKED,)))


def _answered(state: TuningState) -> TuningState:
    asked = tuple(request.evolve(answer="allow") for request in state.engine.asked)
    return state.evolve(engine=state.engine.evolve(asked=asked))


KEPT: dict[str, tuple[Callable[[], TuningState], Change]] = {
    "a stop": (applied, lambda s: commands.stop(s, LATER)),
    "a stop while it writes": (
        lambda: begin_step(offered(), TuningStep("action-apply-fix", "FIX-001"), AT),
        lambda s: commands.stop(s, LATER)),
    "a stop before it began": (created, lambda s: commands.stop(s, LATER)),
    "a choice": (lambda: offered(choosing=True), lambda s: commands.choose(s, ["FIX-002"])),
    "a choice of all": (lambda: offered(choosing=True), lambda s: commands.choose(s, ["FIX-001", "FIX-002"])),
    "a choice of none": (lambda: offered(choosing=True), lambda s: commands.choose(s, [])),
    "a choice and a stop": (
        lambda: offered(choosing=True), lambda s: commands.stop(commands.choose(s, ["FIX-002"]), LATER)),
    "a stop instead of a choice": (lambda: offered(choosing=True), lambda s: commands.stop(s, LATER)),
    "a limit": (applied, lambda s: commands.set_limits(s, Limits(max_iterations=2, max_tokens=10))),
    "words": (applied, lambda s: commands.edit(s, {"user_issue_description": "x"}).evolve(updated_at=LATER)),
    "an answer": (lambda: _asked(applied()), _answered),
    "an incident": (applied, lambda s: s.evolve(
        engine=s.engine.evolve(incidents=(Incident(kind="x", message="y", at=AT),)))),
    "a lease": (applied, lambda s: s.evolve(engine=s.engine.evolve(rev=7, digest="d", journal_bytes=9))),
}  # fmt: skip


@each("name", KEPT)
def test_commands_of_others_are_kept(name: str) -> None:
    make, change = KEPT[name]
    before = make()
    after = change(before)
    assert after != before
    assert keep_own(before, after) == (after, ())


def _forged_end(state: TuningState) -> TuningState:
    return state.evolve(status="completed", pending_fixes=(), engine=state.engine.evolve(outcome="succeeded"))


FORGED: dict[str, tuple[Callable[[], TuningState], Change, str]] = {
    "a score": (applied, lambda s: s.evolve(quality_score=100), "quality_score"),
    "an end": (offered, _forged_end, "status"),
    "a verdict": (
        applied, lambda s: s.evolve(applied_fixes=(s.applied_fixes[0].evolve(verification_result="pass"),)),
        "applied_fixes"),
    "a fix that was not offered to anybody": (
        offered, lambda s: s.evolve(pending_fixes=("FIX-002",)), "pending_fixes"),
    "other contents of a fix": (offered, lambda s: s.evolve(engine=s.engine.evolve(proposals={
        **s.engine.proposals, "FIX-001": s.engine.proposals["FIX-002"]})), "engine.proposals"),
    "a level": (offered, lambda s: s.evolve(engine=s.engine.evolve(level="agent")), "engine.level"),
    "another folder": (offered, lambda s: s.evolve(engine=s.engine.evolve(root="/")), "engine.root"),
    "what is accepted": (offered, lambda s: s.evolve(engine=s.engine.evolve(accepted=("x",))), "engine.accepted"),
    "a stop with something else": (
        applied, lambda s: commands.stop(s, AT).evolve(quality_gate="review"), "quality_gate"),
    "nothing to put back": (applied, lambda s: commands.mark_put_back(commands.stop(s, AT)), "engine.undo"),
    "a question": (applied, _asked, "engine.asked"),
}  # fmt: skip


@each("name", FORGED)
def test_what_is_the_runners_is_put_back(name: str) -> None:
    make, change, words = FORGED[name]
    before = make()
    kept, names = keep_own(before, change(before))
    assert words in names
    assert kept == before or kept.engine.outcome == "stopped"
    assert (kept.quality_score, kept.quality_gate) == (before.quality_score, before.quality_gate)
