"""Two edits as one: what they make of the text, where the second may stand, and that a search makes use of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.candidate import Candidate, Compiler, combine_edits, splice_edit
from loopwright.repair.edits import FAMILIES
from loopwright.repair.edits.site import Edit, EditSite
from loopwright.repair.facts import FailureFacts
from loopwright.repair.localize import SuspectLocation
from loopwright.repair.pool import EditVocabulary
from loopwright.repair.source import SourceText
from loopwright.repair.stream import CandidateStream
from tests.repair.asking import search

TEXT = "def f(a, b):\n    c = a + b\n    return c - 1\n\n\ndef g(a):\n    return a\n"


def edits(length: int) -> st.SearchStrategy[tuple[int, int, str]]:
    places = st.integers(0, length)
    return st.builds(lambda a, b, text: (min(a, b), max(a, b), text), places, places, st.text("xyz\n", max_size=5))


@given(st.data())
def test_two_edits_together_give_the_text_that_one_after_the_other_gives(data: st.DataObject) -> None:
    source = SourceText("m.py", TEXT)
    start, end, text = data.draw(edits(len(TEXT)))
    first = Candidate(place(source, 2), "one", Edit(start, end, text, 1.0, "a"), "", ())
    second = Edit(*data.draw(edits(len(first.text))), 1.5, "b")
    both = combine_edits(first, second)
    assert splice_edit(source, both) == first.text[: second.start] + second.text + first.text[second.end :]
    assert (both.cost, both.what) == (2.5, "a; b")


def place(source: SourceText, line: int) -> SuspectLocation:
    statement = source.by_line[line]
    return SuspectLocation(
        source.path, line, source.qualname(statement), "", 1.0, frozenset(), frozenset(), statement, source
    )


def test_a_second_edit_stays_in_the_function_and_costs_more() -> None:
    source = SourceText("m.py", TEXT)
    stream = CandidateStream(
        [place(source, 2)], frozenset(), EditVocabulary.of([source], FailureFacts()), "/", frozenset()
    )
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


SHARED = """def kept(values, limit):
    total = 0
    for value in values:
        if value > limit:
            continue
        total += value
    return total + 1
"""
TESTS = """from shared import kept

def test_below(): assert kept([1, 2], 9) == 3
def test_at(): assert kept([1, 9, 2], 9) == 3
def test_above(): assert kept([1, 30], 9) == 1
def test_several(): assert kept([5, 5, 1], 5) == 1
def test_nothing(): assert kept([], 9) == 0
"""


@pytest.mark.parametrize("time", ["once", "again"])
def test_what_helps_some_tests_is_the_base_of_what_helps_all(time: str, tmp_path: Path) -> None:
    files = {"shared.py": SHARED, "test_shared.py": TESTS}
    right = SHARED.replace("> limit", ">= limit").replace("total + 1", "total")
    found = search(tmp_path, files)
    assert found.patch is not None, found.note
    assert not found.patch.still_failing
    assert found.patch.new_text == right, found.patch.diff


def test_however_near_an_edit_came_every_other_candidate_is_a_single_one() -> None:
    source = SourceText("m.py", TEXT)
    stream = CandidateStream(
        [place(source, line) for line in (2, 3, 7)],
        frozenset(),
        EditVocabulary.of([source], FailureFacts()),
        "/",
        frozenset(),
    )
    first = Compiler(source, "/m.py").candidate(place(source, 2), "one", change("a + b", "a - b"))
    assert first is not None
    stream.deepen(first, -5.0)
    kinds = [bool(drawn[1].base) for drawn in (stream.draw() for _ in range(60)) if drawn]
    assert kinds == [False, True] * 30


def test_a_second_edit_that_adds_nothing_to_the_first_is_no_survivor(tmp_path: Path) -> None:
    files = {
        "tariff.py": "def fee(days, rate):\n    total = days * rate - 10\n    extra = days > 50\n"
        "    return total + extra\n",
        "test_tariff.py": "from tariff import fee\n\n"
        "def test_never(): assert fee(2, 3) is fee\n"
        "def test_free(): assert fee(1, 3) == fee(2, 4) == fee(3, 3) == 0\n"
        "def test_some(): assert (fee(4, 5), fee(9, 2), fee(3, 7)) == (10, 8, 11)\n",
    }
    found = search(tmp_path, files)
    assert found.patch is not None, found.note
    assert found.candidates > 500, "no second edits were tried"
    assert not [one.description for one in (found.patch, *found.rivals) if ";" in one.description]


def test_a_kind_of_edit_that_fails_is_told_and_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(place: EditSite) -> Iterator[Edit]:
        yield from ()
        raise LookupError(place.stmt)

    source = SourceText("m.py", TEXT)
    monkeypatch.setitem(FAMILIES, "comparison", (1.0, broken))
    stream = CandidateStream(
        [place(source, 2)], frozenset(), EditVocabulary.of([source], FailureFacts()), "/", frozenset()
    )
    assert {candidate.family for _, candidate in stream} >= {"operator", "off by one"}
    assert stream.troubles == ["the edits of the kind 'comparison' could not be made for m.py:f:2"]
    assert stream.tallies["m.py:f:2"].exhausted


def test_where_an_edit_has_helped_the_others_come_sooner() -> None:
    source = SourceText("m.py", TEXT)
    places = [place(source, line) for line in (2, 3, 7)]

    def first(favoured: str, without_harm: int = 1) -> list[str]:
        stream = CandidateStream(places, frozenset(), EditVocabulary.of([source], FailureFacts()), "/", frozenset())
        stream.tallies[favoured].turned = 1
        stream.tallies[favoured].survived = without_harm
        stream.favour()
        stream.favour()  # counts once
        drawn = [stream.draw() for _ in range(120)]
        assert all(one is not None for one in drawn)
        return [one[1].location.func for one in drawn if one]

    assert first(places[2].point).count("g") > first(places[0].point).count("g")
    assert first(places[2].point).count("g") > first(places[2].point, without_harm=0).count("g")
    assert first(places[0].point) == first(places[0].point)
