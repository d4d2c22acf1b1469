"""When a loop has stalled: the labelled traces, noise over them, and each sign by itself."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.stall import CLASSES, HALVES, Trace, judged, traces
from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.state import SIGHTINGS_KEPT, EngineState, Sighting
from loopwright.evidence.testing import TestResult
from loopwright.workflows.loop.model import SkillState
from loopwright.workflows.loop.stall import (
    BARREN,
    FAILURES_KEPT,
    IDLE,
    NEWS,
    PROGRESS,
    QUIET,
    SIGNS,
    count_causes,
    course_of,
    find_stall,
    keep_sightings,
    list_failures,
    sighting,
)
from tests.domain.loop_making import hypothesis, result, validated
from tests.tables import each
from tests.tiers import examples

TRACES = traces()


def test_there_are_enough_traces_of_each_class_in_each_half() -> None:
    assert len(TRACES) >= 60
    for label in CLASSES:
        of_class = [trace for trace in TRACES if trace.label == label]
        assert len(of_class) >= 20
        assert {trace.half for trace in of_class} == set(HALVES)
    assert sum(trace.name.startswith("recorded-") for trace in TRACES) >= 10


@each("trace", TRACES, ids=lambda trace: trace.name)
def test_a_trace_is_judged_as_it_is_labelled(trace: Trace) -> None:
    verdict = judged(trace)
    assert verdict.right, verdict


def noisy(trace: Trace, chance: random.Random) -> Trace:
    """The same course with other trees, another order of the tests, and chance in every message."""

    def line(text: str) -> str:
        name, _, message = text.partition(": ")
        address = f"<Thing at 0x{chance.randrange(2**40):x}>"
        return f"{name}: {address} {message.split('  @ ')[0]} ({chance.uniform(0, 9):.3f} s)"

    def step(number: int, lines: tuple[str, ...]) -> tuple[str, ...]:
        head = re.sub(r"^validate \w+", f"validate tree{number}", lines[0])
        return (head, *map(line, chance.sample(lines[1:], len(lines) - 1)))

    return replace(trace, steps=tuple(step(n, lines) for n, lines in enumerate(trace.steps)))


@settings(max_examples=examples(150))
@given(st.sampled_from(TRACES), st.randoms(use_true_random=False))
def test_noise_hides_no_stall_and_makes_none(trace: Trace, chance: random.Random) -> None:
    if "@ >" in "".join(line for step in trace.steps for line in step) and trace.label == "progressing":
        return  # its very point is the quoted line, which the noise leaves out
    verdict = judged(noisy(trace, chance))
    assert not verdict.false_alarm, trace.name
    # Some traces end soon after they are found by their trees, which the noise takes away.
    assert verdict.found is not None or trace.onset is None or len(trace.steps) - trace.onset < 2 * QUIET + 2, (
        trace.name
    )


def seen(failing: str = "f", tree: str = "t", **fields: object) -> Sighting:
    """One failing test of that name, which says what it always says."""
    test = (failing * 6)[:6]
    told = {"failures": f"{test}{'k' * 6}{'n' * 6}" if failing else "", "failed": 1 if failing else 0, "passed": 5}
    return Sighting.model_validate({"failing": failing, "tree": tree, **told, **fields})


def failing_as(test: str, kind: str, numbers: str = "n", tree: str = "t") -> Sighting:
    return seen(test, tree, failures="".join(text * 6 for text in (test, kind, numbers)))


def anew(n: int, failing: str = "f") -> list[Sighting]:
    """So many validations of ever new code that fail in the same way."""
    return [seen(failing, f"t{k}") for k in range(n)]


NOT_YET: dict[str, Sequence[Sighting]] = {
    "nothing": [],
    "one": anew(1),
    "as many as may be": anew(QUIET),
    "green in the end": [*anew(QUIET + 3), seen("", "g")],
    "fewer fail": [*(seen(tree=str(n), failed=4) for n in range(QUIET)), seen(tree="x", failed=3)],
    "fails in another way": [*anew(QUIET), failing_as("f", "K", tree="x")],
    "other numbers": [*anew(QUIET), failing_as("f", "k", "N", tree="x")],
    "another test fails": [*anew(QUIET), seen("g", "x")],
    "one of two is repaired, another was added": [
        *(seen(tree=str(n), failures="a" * 18 + "b" * 18, failed=2) for n in range(QUIET)),
        seen(tree="x", failures="a" * 18, failed=2, passed=6),
    ],
    "a task was done": [*anew(QUIET), seen(tree="x", tasks=1)],
    "coverage": [*anew(QUIET), seen(tree="x", coverage=0.5)],
    "a new cause": [*anew(QUIET), seen(tree="x", ideas=1)],
    "looked and named a new cause each time": [seen(), *(seen(tested=False, ideas=n) for n in range(1, IDLE + 2))],
    "worse and back again": [seen(tree="a"), seen("g", "b"), seen(tree="a")],
    "sightings of an earlier version": [Sighting(failing=f, tree=t) for f, t in ("f1", "f2", "g1", "h2")],
}  # fmt: skip

STALLED: dict[str, tuple[Sequence[Sighting], str]] = {
    "written anew": (anew(QUIET + 1),
        "the same test failed with the same messages in 7 validations, although the code was changed each time"),
    "to and fro": ([seen(tree=t, failed=3) for t in "aba"],
        "the same 3 tests failed with the same messages in 3 validations, "
        "while the code went back and forth between 2 versions"),
    "standing still": ([seen()] * 3,
        "the same test failed with the same messages in 3 validations, and the code did not change"),
    "two in turn": ([seen(f, t) for f, t in ("fa", "gb", "fa", "gb")],
        "the last 2 validations saw nothing new: 2 states of the failing tests take turns"),
    "a circle of new code": ([seen(f, str(n)) for n, f in enumerate("fghfghfgh")],
        "the last 6 validations saw nothing new: 3 states of the failing tests take turns"),
    "a circle of messages": ([failing_as("f", k, tree=str(n)) for n, k in enumerate("KLKLKLKL")],
        "the last 6 validations saw nothing new: 2 states of the failing tests take turns"),
    "ever new words": ([seen(tree=str(n), ideas=n) for n in range(BARREN + 1)],
        "8 validations in a row brought new explanations, numbers or breakages, but no progress"),
    "idle": ([seen(), *[seen(tested=False)] * IDLE],
        "6 rounds of debugging in a row changed nothing and named no new cause"),
    "sightings of an earlier version": ([Sighting(failing="f", tree=t) for t in ("1", "2", "1")],
        "the same tests failed with the same messages in 3 validations, "
        "while the code went back and forth between 2 versions"),
}  # fmt: skip


@pytest.mark.parametrize("history", NOT_YET.values(), ids=NOT_YET.keys())
def test_it_may_still_get_somewhere(history: Sequence[Sighting]) -> None:
    assert find_stall(history) is None


@pytest.mark.parametrize(("history", "words"), STALLED.values(), ids=STALLED.keys())
def test_it_has_stalled_and_says_why(history: Sequence[Sighting], words: str) -> None:
    assert find_stall(history) == words
    assert find_stall(history[:-1]) is None


def test_every_sign_is_the_one_that_tells_somewhere() -> None:
    told = {next(sign.name for sign in SIGNS if sign.holds(course_of(history))) for history, _ in STALLED.values()}
    assert told == {sign.name for sign in SIGNS}
    assert not set(PROGRESS) & set(NEWS)


def look(*messages: str, trace: str | None = None) -> Sighting:
    results = tuple(
        TestResult(test_name=f"t{n}", status="failed", error_message=m, stack_trace=trace)
        for n, m in enumerate(messages)
    )
    outcome = ValidationOutcome("t", "t", False, True, results, 0.0)
    return sighting(outcome, outcome.failing, SkillState())


SAME = [
    ("<A object at 0x7f3a> is odd", "<A object at 0x99ff01> is odd"),
    ("took 3.02 s", "took 11.7 s"),
    ("order 6f9619ff-8b86-d011-b42d-00c04fc964ff", "order 00000000-8b86-d011-b42d-00c04fc964ff"),
    ("not before 2026-01-22T10:00:00.123Z", "not before 2026-11-02 23:59:59"),
    ("no '/tmp/pytest-of-me/pytest-1/out.csv'", "no '/tmp/pytest-of-me/pytest-27/out.csv'"),
    ("app.py:14: unexpected", "app.py:1433: unexpected"),
    ("bad yaml, line 4, column 2", "bad yaml, line 71, column 19"),
    ("{'a', 'b'} == {'c'}", "{'b', 'a'} == {'c'}"),
    ("killed, pid 812", "killed, pid 9"),
]
OTHER = [
    ("KeyError: 'a'", "KeyError: 'b'"),
    ("TypeError", "ValueError"),
    ("assert None == 1", "assert '' == 1"),
]


@each(("one", "other"), SAME)
def test_what_differs_by_chance_is_the_same_failure(one: str, other: str) -> None:
    assert look(one).failures == look(other).failures


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_message_is_another_kind_of_failure(one: str, other: str) -> None:
    assert [f.kind for f in list_failures(look(one))] != [f.kind for f in list_failures(look(other))]


def test_other_numbers_are_the_same_kind_of_failure() -> None:
    (one,), (other,) = list_failures(look("57 of 100 rows differ")), list_failures(look("12 of 100 rows differ"))
    assert (one.test, one.kind) == (other.test, other.kind)
    assert one.numbers != other.numbers


@pytest.mark.parametrize(
    "trace",
    [
        "def test_x():\n>       {}\nE       assert 0\n\nt.py:{}: AssertionError",
        'Traceback (most recent call last):\n  File "/p/t.py", line {1}, in test_x\n    {0}\nAssertionError',
    ],
)
def test_the_line_a_test_fails_at_counts_by_what_it_says_not_by_its_number(trace: str) -> None:
    first = look("AssertionError", trace=trace.format("assert opened()", 7)).failures
    assert first == look("AssertionError", trace=trace.format("assert opened()", 90)).failures
    assert first != look("AssertionError", trace=trace.format("assert closed()", 7)).failures


def test_another_place_in_the_test_itself_is_news_and_another_place_in_the_program_is_not() -> None:
    trace = "at Object.<anonymous> ({}:12:5)"
    one, other, third = (
        list_failures(look("not equal", trace=trace.format(place) + f"\nat total (src/sum.js:{n}:9)"))[0]
        for n, place in enumerate(("sum.test.js:12", "sum.test.js:12", "sum.test.js:30"))
    )
    assert one == other
    assert (one.kind, one.numbers == third.numbers) == (third.kind, False)


def test_causes_count_by_their_words_and_again_by_their_verdict() -> None:
    told = [hypothesis(f"H{n}", description=text) for n, text in enumerate(("Off by one", "off by  one.", "no lock"))]
    assert count_causes(told) == 2
    rejected = told[0].evolve(status="rejected", evidence={}, verdict_reason="seen")
    assert count_causes([*told, rejected]) == 3


def test_a_thousand_failures_are_kept_small_and_alike() -> None:
    names = [f"test_{n}" for n in range(1000)]
    one = validated("t", names)
    other = replace(one, results=tuple(reversed(one.results)))
    kept = [sighting(outcome, outcome.failing, SkillState()) for outcome in (one, other)]
    assert kept[0] == kept[1]
    assert len(list_failures(kept[0])) == FAILURES_KEPT
    engine = EngineState(sightings=(kept[0],) * SIGHTINGS_KEPT)
    assert len(engine.model_dump_json(include={"sightings"})) < 12_000


@pytest.mark.parametrize(
    "text", ["test" * 1000, "test.py" * 600, "\n" * 4000, "1" * 4000, ":1" * 2000, "File " * 800, "/tmp" * 999]
)
def test_hostile_messages_take_no_time(text: str) -> None:
    for message, trace in ((text, None), ("", text), (f"{text}!", f'  File "{text}"\n{text}')):
        assert look(message, trace=trace).failed == 1


def test_only_what_has_to_be_repaired_is_seen() -> None:
    outcome = ValidationOutcome("t", "t", True, True, (result("old", "failed"), result("green")), 0.0)
    spared = sighting(outcome, (), SkillState())
    assert (spared.failing, spared.failures, spared.failed, spared.passed) == ("", "", 0, 1)


def test_the_oldest_are_forgotten() -> None:
    many = tuple(seen(tree=str(n)) for n in range(SIGHTINGS_KEPT))
    assert keep_sightings(many, seen(tree="new")) == (*many[1:], seen(tree="new"))


@given(
    st.lists(
        st.builds(
            seen,
            st.sampled_from(["", "f", "g"]),
            st.sampled_from("abc"),
            tested=st.booleans(),
            ideas=st.integers(0, 3),
            failed=st.none() | st.integers(0, 3),
            coverage=st.floats(0, 100),
        ),
        max_size=SIGHTINGS_KEPT,
    )
)
def test_any_history_has_an_answer_and_a_green_end_is_no_stall(history: list[Sighting]) -> None:
    reason = find_stall(history)
    assert reason is None or (reason and history[-1].failing)
