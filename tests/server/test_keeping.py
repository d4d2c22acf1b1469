"""Loops that nobody drives are taken up while the server runs: not too early, and not for ever."""

import json
from datetime import timedelta

from loopwright.core.state import Parked
from loopwright.surfaces.server.app import AT_ONCE, TRIES, RunKeeper
from tests.server.office import LOOPS, Office


def running(office: Office) -> str:
    """A loop whose runner does not come."""
    loop = office.create()
    office.ask("POST", f"{LOOPS}/{loop}/start")
    return loop


NOW = timedelta()
"""Nobody is on the way any more."""


def test_a_loop_is_taken_up_once_its_runner_can_not_be_on_the_way_any_more(office: Office) -> None:
    loop = running(office)
    assert [RunKeeper(office.projects).look() for _ in range(3)] == [()] * 3
    (taken,) = RunKeeper(office.projects, NOW).look()
    assert (taken.id, taken.problem) == (loop, None)
    assert office.launcher is not None
    assert office.launcher.launched == [loop, loop]


def test_one_that_another_program_lets_run_is_taken_up_at_once(office: Office) -> None:
    """That program has sent no runner."""
    office.create()
    store, id = office.service().store, "loop-v2-20260122-abc123"
    at = "2026-01-22T10:00:05+08:00"
    seed = {
        "loop_id": id, "title": "Mend it", "description": "Mend it", "max_iterations": 10, "current_iteration": 0,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    path, keeper = store.progress_path(id).with_name(f"{id}.json"), RunKeeper(office.projects)
    path.write_text(json.dumps({**seed, "status": "paused"}))
    assert keeper.look() == ()
    path.write_text(json.dumps({**seed, "status": "running"}))
    (taken,) = keeper.look()
    assert (taken.id, taken.problem) == (id, None)
    assert office.launcher is not None
    assert office.launcher.launched == [id]


def test_one_with_a_runner_or_at_rest_is_left_alone(office: Office) -> None:
    loop, keeper = running(office), RunKeeper(office.projects)
    office.create()
    with office.service().store.lease(loop):
        assert [keeper.look() for _ in range(3)] == [()] * 3
    office.ask("POST", f"{LOOPS}/{loop}/pause")
    assert [keeper.look() for _ in range(3)] == [()] * 3


def test_one_whose_runner_never_gets_further_is_given_up(office: Office) -> None:
    keeper = RunKeeper(office.projects, NOW)
    loop = running(office)
    taken = [len(keeper.look()) for _ in range(6 * TRIES)]
    assert sum(taken) == TRIES
    office.service().commit(loop, lambda s: s.evolve(current_iteration=1), "test")
    assert sum(len(keeper.look()) for _ in range(6 * TRIES)) == TRIES


def test_a_parked_loop_goes_on_once_its_time_has_come(office: Office) -> None:
    loop, keeper = running(office), RunKeeper(office.projects)
    office.ask("POST", f"{LOOPS}/{loop}/pause")

    def park(until: str) -> None:
        parked = Parked(until=until, reason="a limit")
        office.service().commit(loop, lambda s: s.evolve(engine=s.engine.evolve(parked=parked)), "test")

    park("2999-01-01T00:00:00+00:00")
    assert keeper.look() == ()
    park("2020-01-01T00:00:00+00:00")
    assert [taken.id for taken in keeper.look()] == [loop]
    assert office.ask("GET", f"{LOOPS}/{loop}").data["status"] == "running"


def test_what_an_earlier_server_left_is_taken_up_at_once_some_at_a_time(office: Office) -> None:
    loops, keeper = {running(office) for _ in range(2 * AT_ONCE + 1)}, RunKeeper(office.projects, NOW)
    assert office.launcher is not None
    office.launcher.launched.clear()
    assert [len(keeper.look(first=n == 0)) for n in range(2)] == [AT_ONCE, AT_ONCE]
    assert len(set(office.launcher.launched)) == 2 * AT_ONCE
    keeper.look()
    assert set(office.launcher.launched) == loops, "whoever was not taken up yet comes first"
