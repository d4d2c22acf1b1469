"""What a probe shows: bounded, and none of the project's code runs for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.probes import LocalsProbe, shorten_value

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=40,
)


@given(values)
def test_any_value_is_shown_in_bounds(value: object) -> None:
    assert len(shorten_value(value)) < 7_000


class Hostile:
    def __init__(self) -> None:
        self.size = 3

    def __repr__(self) -> str:
        raise AssertionError("shown by its own code")

    def __getattr__(self, name: str) -> object:
        raise AssertionError("asked for an attribute")


class HostileInt(int):
    def __repr__(self) -> str:
        raise AssertionError("shown by its own code")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1 << 10_000, "<int of 10001 bits>"),
        ("x" * 500, repr("x" * 80) + "…"),
        ({"a": [1, (2, 3)]}, "{'a': [1, <tuple>]}"),
        (list(range(50)), "[0, 1, 2, 3, 4, 5, …]"),
    ],
)
def test_shown(value: object, shown: str) -> None:
    assert shorten_value(value) == shown


def test_none_of_a_value_s_own_code_runs() -> None:
    assert shorten_value(Hostile()) == "Hostile(size=3)"
    assert shorten_value([Hostile()]) == "[Hostile(size=3)]"
    assert shorten_value(HostileInt(3)) == "<HostileInt>"


def test_a_probe_sees_locals_a_few_times_and_edits_nothing() -> None:
    def watched(n: int) -> int:
        doubled = n * 2
        return doubled + 0

    root, _, file = __file__.rpartition("/")
    line = watched.__code__.co_firstlineno + 2
    probes = LocalsProbe(root, {(file, line): "H7"})
    probes.start()
    for n in range(20):
        watched(n)
    probes.stop()
    assert [hit["data"] for hit in probes.hits] == [{"n": str(n), "doubled": str(2 * n)} for n in range(4)]
    assert {hit["hid"] for hit in probes.hits} == {"H7"}
