import pytest

from depweave import CycleError, TaskGraph, find_cycle, layers, topological


def test_needs_come_first(diamond):
    assert topological(diamond) == ["base", "left", "right", "app"]


def test_priority_decides_among_free_tasks(diamond):
    order = topological(diamond, {"right": 5})
    assert order == ["base", "right", "left", "app"]


def test_priority_does_not_beat_needs(diamond):
    assert topological(diamond, {"app": 99})[-1] == "app"


def test_empty_graph():
    assert topological(TaskGraph()) == []
    assert layers(TaskGraph()) == []


def test_cycle_is_named_without_the_way_into_it(ring):
    assert find_cycle(ring) == ["a", "b", "c", "a"]


def test_cycle_error(ring):
    with pytest.raises(CycleError) as caught:
        topological(ring)
    assert caught.value.cycle == ["a", "b", "c", "a"]
    assert str(caught.value) == "cycle: a -> b -> c -> a"


def test_task_that_needs_itself():
    graph = TaskGraph()
    graph.add("a", ["a"])
    assert find_cycle(graph) == ["a", "a"]


def test_no_cycle_in_a_diamond(diamond):
    assert find_cycle(diamond) is None


def test_layers(diamond):
    assert layers(diamond) == [["base"], ["left", "right"], ["app"]]


def test_layer_follows_the_deepest_need():
    graph = TaskGraph()
    graph.add("a", ["b", "d"])
    graph.add("b", ["c"])
    graph.add("c", ["d"])
    assert layers(graph) == [["d"], ["c"], ["b"], ["a"]]
