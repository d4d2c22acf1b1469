"""What others may change of a cycle: in its file, and by commits while its runner lives."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.core.cycle_names import CycleStep
from loopwright.core.state import INCIDENTS_KEPT, Incident, Limits, PermissionRequest
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.model import Blocker, Coordination, CycleState, Decision
from loopwright.workflows.cycle.reducer import begin_step
from loopwright.workflows.cycle.state_reader import OWN, keep_own, read_cycle, take_in
from tests.domain.cycle_making import AT, begun, created, driven, judged, running
from tests.tables import each

LATER = "2026-01-22T11:00:00+08:00"
INCIDENT = Incident(kind="x", message="y", at=AT)
Change = Callable[[CycleState], CycleState]


def asking() -> CycleState:
    """Running, with a decision and a blocker that are open, and a permission that is asked for."""
    state = begun(running())
    coordination = Coordination(
        pending_decisions=(Decision(id="D1", description="Which?", options=("a", "b")),),
        blockers=(Blocker(id="B1", description="no key", reported_by="cd"),),
    )
    asked = PermissionRequest(id="P1", agent="codex", action="cd.implement", title="rm", since=AT)
    engine = state.engine.evolve(holds={"B1": ("cd.implement TASK-001",), "D1": ("ep.plan",)}, asked=(asked,))
    return state.evolve(coordination=coordination, engine=engine)


def answered(state: CycleState) -> CycleState:
    asked = tuple(request.evolve(answer="allow") for request in state.engine.asked)
    return state.evolve(engine=state.engine.evolve(asked=asked))


# ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────

TAKEN: dict[str, tuple[Callable[[], CycleState], Change, Callable[[CycleState], object], object]] = {
    "a title at rest": (created, lambda s: s.evolve(title="Theirs"), lambda s: s.title, "Theirs"),
    "a limit": (running, lambda s: s.evolve(max_iterations=3), lambda s: s.max_iterations, 3),
    "start": (created, lambda s: s.evolve(status="running"), lambda s: s.status, "running"),
    "pause": (running, lambda s: s.evolve(status="paused"), lambda s: s.status, "paused"),
    "stop": (running, lambda s: read_cycle({**s.model_dump(), "status": "failed"}, fallback_id="", now=AT)[0],
        lambda s: (s.status, s.engine.outcome, s.completed_at), ("failed", "stopped", LATER)),
    "resume": (lambda: commands.pause(running()), lambda s: s.evolve(status="running"), lambda s: s.status, "running"),
    "an unknown key": (created, lambda s: CycleState.model_validate({**s.model_dump(), "x_new": [1]}),
        lambda s: s.model_extra, {"x_new": [1]}),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_taken_in_from_a_file(name: str) -> None:
    make, change, look, expected = TAKEN[name]
    base = make()
    state, accepted, refused = take_in(base, change(base), base, LATER)
    assert look(state) == expected
    assert len(accepted) == 1
    assert refused == ()


def _completed(state: CycleState) -> CycleState:
    return state.evolve(
        status="completed", completed_at=AT, engine=state.engine.evolve(outcome="succeeded"),
        coordination=Coordination(),
    )  # fmt: skip


REFUSED: dict[str, tuple[Callable[[], CycleState], Change, str]] = {
    "a title of a running one": (running, lambda s: s.evolve(title="Theirs"), "title (Cannot edit cycle"),
    "an end that nobody reached": (running, _completed, "status (Cannot set to completed"),
    "requirements": (lambda: driven(running()), lambda s: s.evolve(requirements=None), "requirements"),
    "test results": (lambda: driven(running()), lambda s: s.evolve(test_results=None), "test_results"),
    "agents": (running, lambda s: s.evolve(agents=s.agents.evolve(cd=s.agents.cd.evolve(status="completed"))),
        "agents"),
    "a blocker settled": (asking, lambda s: commands.resolve(s, "B1", "x"), "coordination"),
    "the plan": (lambda: driven(running()), lambda s: s.evolve(plan=None), "plan"),
    "the engine": (running, lambda s: s.evolve(engine=s.engine.evolve(parallel=4)), "engine"),
    "the task": (created, lambda s: s.evolve(description="Another"), "description"),
    "another outcome": (lambda: driven(running(max_iterations=1), {"vas.validate": judged("t")}),
        lambda s: s.evolve(failure_reason="none at all"), "failure_reason"),
}  # fmt: skip


@each("name", REFUSED)
def test_put_back_from_a_file(name: str) -> None:
    make, change, words = REFUSED[name]
    base = make()
    state, accepted, refused = take_in(base, change(base), base, LATER)
    assert state == base
    assert accepted == ()
    assert any(one.startswith(words) for one in refused), refused


def test_what_is_legal_is_taken_in_beside_what_is_not() -> None:
    base = running()
    found = base.evolve(max_iterations=3, title="Theirs", status="paused", task_history=("x",))
    state, accepted, refused = take_in(base, found, base, LATER)
    assert (state.max_iterations, state.title, state.status) == (3, "Theirs", "paused")
    assert accepted == ("status", "max_iterations", "title")
    assert refused == ("task_history",)


# ── commits while a runner lives ─────────────────────────────────────────────────────────────────────────────

COMMANDS: dict[str, tuple[Callable[[], CycleState], Change]] = {
    "pause": (asking, commands.pause),
    "pause now": (asking, lambda s: commands.pause(s, now=True)),
    "pause and resume": (asking, lambda s: commands.resume(commands.pause(s), live=True)),
    "stop": (asking, lambda s: commands.stop(s, LATER)),
    "pause and stop": (asking, lambda s: commands.stop(commands.pause(s), LATER)),
    "decide": (asking, lambda s: commands.decide(s, "D1", "b", "user")),
    "decide and stop": (asking, lambda s: commands.stop(commands.decide(s, "D1", "b", "user"), LATER)),
    "resolve": (asking, lambda s: commands.resolve(s, "B1", "a key")),
    "work around and pause": (asking, lambda s: commands.pause(commands.resolve(s, "B1", "a fake", workaround=True))),
    "answer a permission": (asking, answered),
    "raise limits": (asking, lambda s: commands.set_limits(s, Limits(max_iterations=9, max_minutes=5, max_tokens=3))),
    "queue an extension": (asking, lambda s: commands.extend(s, "more", LATER)),
    "queue two": (asking, lambda s: commands.extend(commands.extend(s, "more", LATER), "and more", LATER)),
    "edit": (asking, lambda s: commands.edit(s, {"max_iterations": 7})),
    "edit a paused one": (lambda: commands.pause(asking()), lambda s: commands.edit(s, {"title": "Theirs"})),
    "extend a paused one": (lambda: commands.pause(asking()), lambda s: commands.extend(s, "more", LATER)),
    "pause and extend": (asking, lambda s: commands.extend(commands.pause(s), "more", LATER)),
    "extend a finished one": (lambda: driven(running()), lambda s: commands.extend(s, "more", LATER)),
    "extend at the limit": (lambda: driven(running(max_iterations=1)), lambda s: commands.extend(s, "more", LATER)),
    "reopen": (lambda: driven(running(max_iterations=1), {"vas.validate": judged("t")}),
        lambda s: commands.reopen(commands.set_limits(s, Limits(max_iterations=4)), LATER)),
    "reopen and pause": (lambda: driven(running(max_iterations=1), {"vas.validate": judged("t")}),
        lambda s: commands.pause(commands.reopen(s.evolve(max_iterations=4), LATER))),
    "extend a stopped one and decide": (lambda: commands.stop(asking(), AT),
        lambda s: commands.decide(commands.extend(s, "more", LATER), "D1", "b", "user")),
    "an incident": (asking, lambda s: s.evolve(engine=s.engine.evolve(incidents=(INCIDENT,)))),
    "nothing": (asking, lambda s: s),
}  # fmt: skip


@each("name", COMMANDS)
def test_what_commands_do_stays(name: str) -> None:
    make, change = COMMANDS[name]
    before = make()
    after = change(before)
    assert (after != before) is (name not in ("nothing", "pause and resume"))
    assert keep_own(before, after) == (after, ())


def _passed(state: CycleState) -> CycleState:
    good = driven(running())
    engine = state.engine.evolve(last_validation=good.engine.last_validation)
    return state.evolve(test_results=good.test_results, engine=engine)


FORGED: dict[str, tuple[Callable[[], CycleState], Change, set[str]]] = {
    "an end": (asking, _completed, {"status", "completed_at", "engine.outcome", "coordination"}),
    "a validation": (asking, _passed, {"test_results", "engine.last_validation"}),
    "a decision with an option of nobody's": (asking, lambda s: s.evolve(coordination=s.coordination.evolve(
        pending_decisions=(s.coordination.pending_decisions[0].evolve(status="made", chosen_option="c"),))),
        {"coordination"}),
    "a blocker less": (asking, lambda s: s.evolve(coordination=s.coordination.evolve(blockers=())), {"coordination"}),
    "a step that is done": (asking, lambda s: s.evolve(engine=s.engine.evolve(done=("ra.analyse",))),
        {"engine.done"}),
    "a step more": (asking, lambda s: begin_step(s, CycleStep("vas.validate"), AT), {"engine.under_way"}),
    "a queue less": (lambda: commands.extend(asking(), "more", AT),
        lambda s: s.evolve(engine=s.engine.evolve(queue=())), {"engine.queue"}),
    "the task": (asking, lambda s: s.evolve(description="Another"), {"description"}),
    "an iteration of nobody's": (lambda: begun(running()), lambda s: driven(s, {"vas.validate": judged("t")}),
        {"iterations"}),
    "a question": (asking, lambda s: s.evolve(engine=s.engine.evolve(asked=(
        *s.engine.asked, s.engine.asked[0].evolve(id="P2")))), {"engine.asked"}),
    "incidents gone": (lambda: asking().evolve(engine=asking().engine.evolve(incidents=(INCIDENT,))),
        lambda s: s.evolve(engine=s.engine.evolve(incidents=())), {"engine.incidents"}),
    "other roles": (asking, lambda s: s.evolve(engine=s.engine.evolve(roles={"cd": "mine"})), {"engine.roles"}),
}  # fmt: skip


@each("name", FORGED)
def test_what_is_the_runners_alone_is_put_back(name: str) -> None:
    make, change, expected = FORGED[name]
    before = make()
    kept, names = keep_own(before, change(before))
    assert expected <= set(names)
    assert keep_own(before, kept) == (kept, ())
    for field in OWN - {"agents", "iterations", "completed_phases", "current_phase"}:
        assert getattr(kept, field) == getattr(before, field), field


def test_a_forgery_does_not_undo_a_command_beside_it() -> None:
    before = asking()
    after = _passed(commands.pause(commands.decide(before, "D1", "b", "user")))
    kept, names = keep_own(before, after)
    assert set(names) == {"test_results", "engine.last_validation"}
    assert kept == commands.pause(commands.decide(before, "D1", "b", "user"))


def test_old_incidents_go_only_where_there_are_too_many() -> None:
    many = tuple(Incident(kind="x", message=str(n), at=AT) for n in range(INCIDENTS_KEPT))
    before = asking().evolve(engine=asking().engine.evolve(incidents=many))
    after = before.evolve(engine=before.engine.evolve(incidents=(*many[1:], Incident(kind="y", message="z", at=AT))))
    assert keep_own(before, after) == (after, ())


def test_unknown_keys_are_anybodys() -> None:
    before = asking()
    raw: dict[str, Any] = {**before.model_dump(), "x": 1}  # Any: a state as a document
    after = CycleState.model_validate(raw)
    assert keep_own(before, after) == (after, ())
