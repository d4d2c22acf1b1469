"""Cycles as text: nothing breaks a line, nothing steers the terminal, and what can be typed next is right."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import get_args

import pytest
import typer.main
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.cycle_names import TITLES, CycleStep
from loopwright.core.names import CycleStatus
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.run_events import RunNote
from loopwright.core.state import Baseline, BaselineTest, Budget, Incident, Outcome, Parked, PermissionRequest, Waiting
from loopwright.surfaces.cli.cycle_rendering import CONTINUE, CYCLE, RESTART, SETTLE, TASKS_SHOWN, CycleScene
from loopwright.surfaces.cli.main import app
from loopwright.surfaces.cli.plain import LineView, NdjsonView
from loopwright.surfaces.cli.run_rendering import DamagedRun
from loopwright.surfaces.cli.text import measure_width
from loopwright.workflows.cycle.commands import extend, pause, stop, wait_for_person
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision
from tests.domain.cycle_making import AT, begun, created, driven, ended, judged, running, task, usual

NOW = datetime(2026, 1, 22, 3, 0, tzinfo=UTC)
EVIL = "hi\x1b[31m\x07\u202e\r\nthere"
STEERING = set("\x1b\x07\x9b\r\u202e\u202d\u2028")


def page(state: CycleState, *, live: bool = False, cells: int = 160, whole: bool = False) -> str:
    return CYCLE.page(state, live=live, elsewhere="", cells=cells, whole=whole)


def evil() -> CycleState:
    """Everything that somebody else has written, hostile."""
    state = driven(running(), {"ep.plan": usual(CycleStep("ep.plan"), (task("TASK-001", EVIL),))})
    coordination = state.coordination.evolve(
        pending_decisions=(
            Decision(id="DEC-001", description=EVIL, options=(EVIL,)),
            Decision(id="DEC-002", description=EVIL, options=("a",), chosen_option=EVIL, made_by="auto", status="made"),
        ),
        blockers=(Blocker(id="B", description=EVIL, reported_by="cd", status="resolved", resolution=EVIL),),
    )
    engine = state.engine.evolve(incidents=(Incident(kind="k", message=EVIL, at=AT),), roles={"ra": EVIL})
    agents = state.agents.evolve(cd=state.agents.cd.evolve(last_message=EVIL))
    return state.evolve(title=EVIL, coordination=coordination, engine=engine, agents=agents, task_history=(EVIL, EVIL))


def scene_text(scene: CycleScene, cells: int = 100) -> str:
    return "\n".join(line.text for line in scene.lines(cells))


@given(st.integers(20, 200))
def test_hostile_texts_stay_in_their_lines(cells: int) -> None:
    state = evil()
    asked = PermissionRequest(id="a", agent=EVIL, action="cd.implement", title=EVIL, command=EVIL, since=AT)
    now = begun(running())
    drawn = now.evolve(title=EVIL, agents=state.agents.evolve(cd=state.agents.cd.evolve(status="running")))
    drawn = drawn.evolve(coordination=state.coordination, plan=state.plan)
    scene = CycleScene(drawn.evolve(engine=now.engine.evolve(asked=(asked,), roles={"ra": EVIL})))
    for note in (RunNote("activity", EVIL, role="cd"), RunNote("output", EVIL, role="cd"), RunNote("activity", EVIL)):
        scene = scene.noted(note)
    told = (
        page(state, cells=cells), scene_text(scene, cells), CYCLE.restored(state),
        CYCLE.ending(state, diff="", summary=None, elsewhere=""),
        CYCLE.table([(state, True)], 1, damaged=[DamagedRun("x", EVIL, None)], cells=cells),
    )  # fmt: skip
    for text in told:
        assert "hi" in text or text == CYCLE.restored(state)
        assert not set(text) & STEERING
    assert all(measure_width(line.text) <= cells for line in scene.lines(cells))


def states() -> Iterator[CycleState]:
    """One of every way to stand there."""
    now = running()
    yield created()
    yield begun(now)
    yield pause(begun(now))
    yield now.evolve(status="paused", engine=now.engine.evolve(parked=Parked(until=AT, reason="limit")))
    yield wait_for_person(now, Waiting(question="Which?", since=AT))
    yield driven(now)
    yield stop(begun(now), AT)
    yield driven(running(max_iterations=1), {"vas.validate": judged("tests/test_a.py::test_x")})
    yield extend(begun(now), "also this", AT)
    undecided = now.coordination.evolve(pending_decisions=(Decision(id="DEC-1", description="d", options=("a b",)),))
    asks = now.engine.evolve(settings=now.engine.settings.evolve(mode="interactive"))
    yield now.evolve(coordination=undecided, engine=asks)
    blocked = now.coordination.evolve(blockers=(Blocker(id="BLK-1", description="b", reported_by="cd"),))
    waits = now.engine.evolve(waiting=Waiting(question="Settle it", since=AT, by_resuming=True))
    yield now.evolve(status="paused", coordination=blocked, engine=waits)
    request = PermissionRequest(id="ask-1", agent="codex", action="cd.implement", title="make", since=AT)
    yield now.evolve(engine=now.engine.evolve(asked=(request,)))


def commands() -> dict[str, set[str]]:
    """Every command on cycles, with the options it takes."""
    group = typer.main.get_command(app).commands["cycle"]  # type: ignore[attr-defined]  # a group has them
    return {
        name: {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
        for name, command in group.commands.items()
    }


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("state", list(states()), ids=lambda state: CYCLE.headline(state)[:30])
def test_what_is_suggested_can_be_typed(state: CycleState, live: bool) -> None:
    lines = CYCLE.next_lines(state, live, " --project x")
    assert lines
    for line in lines:
        words = line.split()
        assert words[1:3] == ["loopwright", "cycle"]
        known = commands()[words[3]]
        assert {word for word in words if word.startswith("--")} <= known, line
        assert line.endswith(" --project x")
    assert page(state, live=live).endswith("\n".join(CYCLE.next_lines(state, live, "")))
    assert CYCLE.status(state, live=live).startswith(state.status)


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_what_is_suggested_at_an_end_can_be_typed(outcome: Outcome) -> None:
    for _, pattern in (*RESTART[outcome], *SETTLE):
        words = pattern.replace("{at}", "").split()
        assert words[:2] == ["loopwright", "cycle"]
        assert {word for word in words if word.startswith("--")} <= commands()[words[2]]


def test_every_end_and_every_status_has_its_next_step() -> None:
    assert RESTART.keys() == set(get_args(Outcome))
    assert CONTINUE.keys() | {"completed", "failed"} == set(get_args(CycleStatus))


def test_how_a_cycle_came_to_rest() -> None:
    done = driven(running())
    assert CYCLE.headline(done) == "Succeeded in 1 iteration: 1 test passes, coverage 80 %."
    failed = driven(running(max_iterations=1), {"vas.validate": judged("tests/test_a.py::test_x")})
    told = CYCLE.ending(failed, diff="", summary="s.md", elsewhere="")
    assert told.startswith("Not done, exhausted: ")
    assert "failing     tests/test_a.py::test_x" in told
    assert "summary     s.md" in told
    assert "--max-iterations 6" in told
    spent = Budget(max_tokens=10, tokens=10)
    over = failed.evolve(engine=failed.engine.evolve(outcome="over_budget", budget=spent))
    assert "--max-tokens 20" in CYCLE.ending(over, diff="", summary=None, elsewhere="")
    undecided = CYCLE.ending(evil(), diff="", summary=None, elsewhere="")
    assert "to decide   DEC-001" in undecided
    assert "decided     DEC-002: hi[31m there (hi" in undecided.replace("\n", "")


def test_the_page_tells_plan_iterations_and_roles() -> None:
    tasks = tuple(task(f"TASK-{n:03}", f"f{n}.py") for n in range(12))
    state = driven(running(), {"ep.plan": usual(CycleStep("ep.plan"), tasks)})
    text = page(state)
    assert re.search(r"cd +Code Developer +scripted +completed", text)
    assert "Plan 1.0.0: 12 small" in text
    assert "… and 4 more" in text
    assert "--all shows every line" in text
    assert "TASK-011" in page(state, whole=True)
    assert re.search(r"1  .* ra completed, ep completed, cd completed, vas completed", text)


def test_the_page_tells_the_task_and_what_was_added_to_it() -> None:
    text = page(extend(extend(driven(running()), "Also MFA", AT), "And logs", AT))
    assert "task        Add OAuth2 login support with Google and GitHub providers\n" in text
    assert "extension   Also MFA\n" in text
    assert "to come     And logs\n" in text


def test_the_four_roles_are_drawn_with_what_they_do() -> None:
    state = begun(running())
    scene = CycleScene(state).noted(RunNote("activity", "reading the task", role="ra")).aged(65)
    text = scene_text(scene.noted(RunNote("output", "collected 3 items", role="vas")))
    for title in TITLES.values():
        assert title in text
    assert "▶ Requirements Analyst  scripted  running: analyse" in text
    assert "1:05 reading the task" in text
    assert "collected 3 items" in text
    assert "tests not run yet" in text
    first = Baseline(tree="t", at=AT, tests={"a": BaselineTest(status="passed"), "b": BaselineTest(status="failed")})
    known = state.evolve(engine=state.engine.evolve(baseline=first))
    assert "2 tests, 1 failing at first" in scene_text(CycleScene(known))
    later = CycleScene(ended(state, CycleStep("ra.analyse"), usual(CycleStep("ra.analyse"))), 70).after(scene)
    assert "✔ Requirements Analyst  scripted  completed: ra did its part" in scene_text(later)
    assert "reading the task" not in scene_text(later)


def test_many_tasks_do_not_fill_the_screen() -> None:
    tasks = tuple(task(f"TASK-{n:03}", f"f{n}.py") for n in range(40))
    state = running()
    for key in ("vas.baseline", "ra.analyse", "ep.explore"):
        state = begun(state)
        step = CycleStep(key)
        state = ended(state, step, usual(step))
    state = ended(begun(state), CycleStep("ep.plan"), usual(CycleStep("ep.plan"), tasks))
    text = scene_text(CycleScene(state))
    assert "plan: 0 of 40 tasks" in text
    assert len(re.findall(r"TASK-\d+ do", text)) == TASKS_SHOWN
    assert f"… and {40 - TASKS_SHOWN} more" in text


def test_lines_say_whose_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    state = driven(running())
    entry = JournalEntry(
        seq=1, ts=AT, actor="runner", event=JournalEvent(type="step_started", data={"task": "TASK-001"})
    )
    assert CycleScene(state).about(entry) == ": do TASK-001"
    LineView().note(RunNote("activity", "looking around", role="ep"), NOW)
    NdjsonView().note(RunNote("activity", "looking around", role="ep"), NOW)
    plain, json = capsys.readouterr().out.splitlines()
    assert plain.endswith("  ep: looking around")
    assert '"role": "ep"' in json
