import pytest

from depweave import TaskGraph


@pytest.fixture
def diamond():
    """app needs left and right, which both need base."""
    graph = TaskGraph()
    graph.add("app", ["left", "right"], 2)
    graph.add("left", ["base"], 5)
    graph.add("right", ["base"], 3)
    graph.add("base", duration=1)
    return graph


@pytest.fixture
def ring():
    """entry leads into a cycle of a, b and c."""
    graph = TaskGraph()
    graph.add("_entry", ["a"])
    graph.add("a", ["b"])
    graph.add("b", ["c"])
    graph.add("c", ["a"])
    return graph
