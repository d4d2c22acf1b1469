import pytest

from depweave import TaskGraph, UnknownTask


def test_needs_are_added_as_tasks(diamond):
    assert len(diamond) == 4
    assert "base" in diamond
    assert diamond.duration("base") == 1


def test_needs_and_users(diamond):
    assert diamond.needs("app") == ["left", "right"]
    assert diamond.needed_by("base") == ["left", "right"]


def test_all_needs_and_users(diamond):
    assert diamond.all_needs("app") == ["base", "left", "right"]
    assert diamond.all_users("base") == ["app", "left", "right"]
    assert diamond.all_needs("base") == []


def test_reach_ends_in_a_cycle(ring):
    assert ring.all_needs("a") == ["a", "b", "c"]


def test_unknown_task(diamond):
    with pytest.raises(UnknownTask, match="unknown task: nope"):
        diamond.needs("nope")
    with pytest.raises(UnknownTask):
        diamond.remove("nope")


def test_adding_again_keeps_the_duration(diamond):
    diamond.add("left", ["extra"])
    assert diamond.duration("left") == 5
    assert diamond.needs("left") == ["base", "extra"]


def test_duration_zero_is_a_duration(diamond):
    diamond.add("left", duration=0)
    assert diamond.duration("left") == 0


def test_negative_duration(diamond):
    with pytest.raises(ValueError):
        diamond.add("left", duration=-1)


def test_remove_hands_needs_on(diamond):
    diamond.remove("left")
    assert "left" not in diamond
    assert diamond.needs("app") == ["base", "right"]
    assert diamond.needed_by("base") == ["app", "right"]


def test_remove_leaf(diamond):
    diamond.remove("base")
    assert diamond.needs("left") == []
    assert diamond.needs("right") == []


def test_removed_task_can_come_back(diamond):
    diamond.remove("app")
    diamond.add("app")
    assert diamond.needs("app") == []
    assert diamond.needed_by("left") == []


def test_copy_is_equal(diamond):
    assert diamond.copy() == diamond


def test_copy_is_independent(diamond):
    twin = diamond.copy()
    twin.add("base", ["tool"], 9)
    twin.remove("left")
    assert diamond.needs("base") == []
    assert diamond.duration("base") == 1
    assert diamond.needed_by("base") == ["left", "right"]


def test_subgraph(diamond):
    part = diamond.subgraph(["left"])
    assert sorted(part) == ["base", "left"]
    assert part.duration("left") == 5


def test_subgraph_keeps_a_cycle(ring):
    assert sorted(ring.subgraph(["b"])) == ["a", "b", "c"]


def test_reduce_drops_the_long_way_round():
    graph = TaskGraph()
    graph.add("a", ["b", "c"])
    graph.add("b", ["c"])
    assert graph.reduce() == [("a", "c")]
    assert graph.needs("a") == ["b"]
    assert graph.needed_by("c") == ["b"]


def test_reduce_leaves_a_diamond(diamond):
    assert diamond.reduce() == []
