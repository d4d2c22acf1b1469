"""Two edits as one: what they make of the text, where the second may stand, and that a search makes use of it."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.candidate import Candidate, Compiler, spliced, together
from loopwright.repair.edits.place import Edit
from loopwright.repair.facts import Facts
from loopwright.repair.localize import Location
from loopwright.repair.pool import Pool
from loopwright.repair.source import Source
from loopwright.repair.stream import Stream
from tests.repair.asking import mended, search

TEXT = "def f(a, b):\n    c = a + b\n    return c - 1\n\n\ndef g(a):\n    return a\n"


def edits(length: int) -> st.SearchStrategy[tuple[int, int, str]]:
    places = st.integers(0, length)
    return st.builds(lambda a, b, text: (min(a, b), max(a, b), text), places, places, st.text("xyz\n", max_size=5))


@given(st.data())
def test_two_edits_together_give_the_text_that_one_after_the_other_gives(data: st.DataObject) -> None:
    source = Source("m.py", TEXT)
    start, end, text = data.draw(edits(len(TEXT)))
    first = Candidate(place(source, 2), "one", Edit(start, end, text, 1.0, "a"), "", ())
    second = Edit(*data.draw(edits(len(first.text))), 1.5, "b")
    both = together(first, second)
    assert spliced(source, both) == first.text[: second.start] + second.text + first.text[second.end :]
    assert (both.cost, both.what) == (2.5, "a; b")


def place(source: Source, line: int) -> Location:
    statement = source.by_line[line]
    return Location(source.path, line, source.qualname(statement), "", 1.0, frozenset(), frozenset(), statement, source)


def test_a_second_edit_stays_in_the_function_and_costs_more() -> None:
    source = Source("m.py", TEXT)
    stream = Stream([place(source, 2)], frozenset(), Pool.of([source], Facts()), "/", frozenset())
    alone = {candidate.text: price for price, candidate in stream}
    first = Compiler(source, "/m.py").candidate(place(source, 2), "one", change("a + b", "a - b"))
    assert first is not None
    assert stream.draw() is None
    stream.deepen(first, 1.0)
    pairs = {candidate.text: price for price, candidate in stream}
    both = TEXT.replace("a + b", "a - b").replace("c - 1", "c + 1")
    assert both not in alone
    assert both in pairs
    assert all(text.endswith("def g(a):\n    return a\n") for text in pairs)
    assert min(pairs.values()) >= 2.0
    assert not alone.keys() & pairs.keys()


def change(old: str, new: str) -> Edit:
    start = TEXT.index(old)
    return Edit(start, start + len(old), new, 1.0, "")


SHARED = """def common(first, second):
    found = set()
    for one in first:
        for other in second:
            found.add(one - 1)
    return sorted(found)
"""
TESTS = """from shared import common

def test_the_same(): assert common([4], [4]) == [4]
def test_some(): assert common([1, 4, 3, 34, 653, 2, 5], [5, 7, 1, 5, 9, 653, 121]) == [1, 5, 653]
def test_others(): assert common([5, 3, 2, 8], [3, 2]) == [2, 3]
def test_none(): assert common([5, 3], [8]) == []
def test_empty(): assert common([], [8]) == []
"""


def test_what_helps_one_test_is_the_base_of_what_helps_all(tmp_path: Path) -> None:
    files = {"shared.py": SHARED, "test_shared.py": TESTS}
    found = search(tmp_path, files)
    assert found.patch is not None, found.note
    assert not found.patch.still_failing
    wanted = "            if one == other:\n                found.add(one)\n"
    assert mended(files, found, "            found.add(one - 1)\n", wanted)


def test_the_same_pair_is_found_again(tmp_path: Path) -> None:
    files = {"shared.py": SHARED, "test_shared.py": TESTS}
    texts = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        found = search(tmp_path / name, files)
        texts.append(found.patch and found.patch.new_text)
    assert texts[0] == texts[1] is not None


def test_where_an_edit_has_helped_the_others_come_sooner() -> None:
    source = Source("m.py", TEXT)
    places = [place(source, line) for line in (2, 3, 7)]

    def first(favoured: str) -> list[str]:
        stream = Stream(places, frozenset(), Pool.of([source], Facts()), "/", frozenset())
        stream.favour(frozenset([favoured]))
        stream.favour(frozenset([favoured]))  # counts once
        drawn = [stream.draw() for _ in range(120)]
        assert all(one is not None for one in drawn)
        return [one[1].location.func for one in drawn if one]

    assert first(places[2].point).count("g") > first(places[0].point).count("g")
    assert first(places[0].point) == first(places[0].point)
