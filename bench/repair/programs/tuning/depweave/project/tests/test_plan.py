import pytest

from depweave import (
    Slot,
    TaskGraph,
    UnknownTask,
    critical_path,
    finish_times,
    schedule,
    stale,
)


def test_stale_follows_users(diamond):
    assert stale(diamond, ["left"]) == ["left", "app"]
    assert stale(diamond, ["base"]) == ["base", "left", "right", "app"]


def test_nothing_changed(diamond):
    assert stale(diamond, []) == []


def test_tasks_never_done_are_stale_with_their_users(diamond):
    done = {"base", "left", "app"}
    assert stale(diamond, [], done) == ["right", "app"]


def test_never_done_task_reaches_far_users():
    graph = TaskGraph()
    graph.add("a", ["b"])
    graph.add("b", ["c"])
    graph.add("x")
    assert stale(graph, [], {"a", "b", "x"}) == ["c", "b", "a"]
    assert stale(graph, ["x"], {"a", "c", "x"}) == ["b", "a", "x"]


def test_nothing_done_yet(diamond):
    assert stale(diamond, [], set()) == ["base", "left", "right", "app"]


def test_stale_unknown(diamond):
    with pytest.raises(UnknownTask):
        stale(diamond, ["nope"])


def test_finish_times(diamond):
    assert finish_times(diamond) == {"base": 1, "left": 6, "right": 4, "app": 8}


def test_critical_path(diamond):
    assert critical_path(diamond) == ["base", "left", "app"]


def test_critical_path_of_nothing():
    assert critical_path(TaskGraph()) == []


def test_critical_path_takes_first_name_of_equals():
    graph = TaskGraph()
    graph.add("b")
    graph.add("a")
    assert critical_path(graph) == ["a"]


def test_one_worker_does_all_in_turn(diamond):
    slots = schedule(diamond, 1)
    assert [slot.name for slot in slots] == ["base", "left", "right", "app"]
    assert slots[-1].end == 11


def test_two_workers(diamond):
    assert schedule(diamond, 2) == [
        Slot("base", 0, 0, 1),
        Slot("right", 0, 1, 4),
        Slot("left", 1, 1, 6),
        Slot("app", 0, 6, 8),
    ]


def test_long_chain_goes_first():
    graph = TaskGraph()
    graph.add("a", duration=1)
    graph.add("z1", duration=1)
    graph.add("z2", ["z1"], 5)
    assert [slot.name for slot in schedule(graph, 1)] == ["z1", "z2", "a"]


def test_no_task_starts_before_its_needs(diamond):
    diamond.add("extra", ["right"], 4)
    slots = {slot.name: slot for slot in schedule(diamond, 3)}
    for name, slot in slots.items():
        for need in diamond.needs(name):
            assert slots[need].end <= slot.start


def test_schedule_without_workers(diamond):
    with pytest.raises(ValueError):
        schedule(diamond, 0)


def test_schedule_of_nothing():
    assert schedule(TaskGraph(), 2) == []
