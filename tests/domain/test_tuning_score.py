"""The score and the gate: fixing something never lowers them, and hints count nothing."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.skills.findings import DIMENSIONS, SEVERITIES, Confidence, Finding, Gate, Severity
from loopwright.skills.score import REPEATED, USUAL_SIZE, WEIGHTS, compute_score, count_issues, decide_gate
from tests.domain.tuning_making import RULES, finding
from tests.tables import each

SURE: tuple[Confidence, ...] = ("certain", "likely", "hint")
GATES: tuple[Gate, ...] = ("fail", "review", "pass")

findings = st.lists(
    st.builds(
        finding,
        st.sampled_from("abcdefgh"),
        st.sampled_from(DIMENSIONS),
        st.sampled_from(SEVERITIES),
        st.sampled_from(SURE),
        rule=st.sampled_from([*RULES.values(), "field-drift", "enum-drift"]),
        line=st.integers(1, 50),
    ),
    max_size=30,
)
sizes = st.integers(0, 200_000)


def milder(one: Finding, severity: int, confidence: int) -> Finding:
    """At most as bad: further down in one of both orders, or in both."""
    at = SEVERITIES.index(one.severity) + severity
    sure = SURE.index(one.confidence) + confidence
    return one.evolve(severity=SEVERITIES[min(at, 3)], confidence=SURE[min(sure, 2)])


def judged(found: list[Finding], size: int) -> tuple[float, int]:
    points = compute_score(found, size)
    return points, GATES.index(decide_gate(points, found, all_ran=True))


@given(findings, sizes, st.data())
def test_taking_one_away_or_making_it_milder_never_lowers_anything(
    found: list[Finding], size: int, data: st.DataObject
) -> None:
    before = judged(found, size)
    gone = [one for one in found if data.draw(st.booleans())]
    weaker = [milder(one, data.draw(st.integers(0, 3)), data.draw(st.integers(0, 2))) for one in found]
    for after in (judged(gone, size), judged(weaker, size)):
        assert after[0] >= before[0]
        assert after[1] >= before[1]


@given(findings, sizes)
def test_hints_count_nothing(found: list[Finding], size: int) -> None:
    without = [one for one in found if one.counts]
    assert judged(found, size) == judged(without, size)
    assert count_issues(found) == count_issues(without)


@given(findings, sizes, st.randoms())
def test_the_order_does_not_matter(found: list[Finding], size: int, chance: Random) -> None:
    other = [*found]
    chance.shuffle(other)
    assert judged(found, size) == judged(other, size)


@given(findings, sizes)
def test_the_score_is_within_its_bounds_and_has_one_decimal(found: list[Finding], size: int) -> None:
    points = compute_score(found, size)
    assert 0 <= points <= 100
    assert points == round(points, 1)
    assert (points == 100) == (not any(one.counts for one in found)) or size > USUAL_SIZE


@given(findings, sizes, sizes)
def test_a_larger_skill_has_more_room(found: list[Finding], size: int, more: int) -> None:
    assert compute_score(found, size + more) >= compute_score(found, size)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_one_rule_costs_no_more_than_its_worst_finding_some_times(severity: Severity) -> None:
    many = [finding(f"{n}", severity=severity) for n in range(200)]
    assert compute_score(many, 0) == max(0, 100 - WEIGHTS[severity] * REPEATED)
    assert compute_score([*many, *(finding(f"{n}", severity="low") for n in range(200))], 0) == compute_score(many, 0)
    assert compute_score([*many, finding(rule="field-drift", severity=severity)], 0) <= max(
        0, compute_score(many, 0) - 1
    )


def test_what_each_costs() -> None:
    assert [compute_score([finding(severity=one)], USUAL_SIZE) for one in SEVERITIES] == [70, 88, 96, 99]
    assert [compute_score([finding(severity="high", confidence=one)], 0) for one in SURE] == [88, 91, 100]
    assert compute_score([finding(severity="critical")], 16 * USUAL_SIZE) == 85


def many(**number: int) -> list[Finding]:
    return [
        finding(f"{severity} {n}", severity=severity) for severity in SEVERITIES for n in range(number.get(severity, 0))
    ]


@each(
    ("points", "found", "all_ran", "expected"),
    [
        (80, many(), True, "pass"), (79.9, many(), True, "review"), (60, many(), True, "review"),
        (59.9, many(), True, "fail"), (100, many(), False, "fail"), (100, many(critical=1), True, "fail"),
        (100, many(high=2), True, "pass"), (100, many(high=3), True, "review"), (100, many(high=5), True, "review"),
        (100, many(high=6), True, "fail"), (80, many(high=2, medium=99), True, "pass"),
        (100, [finding(severity="critical", confidence="hint")], True, "pass"),
        (100, [finding(severity="critical", confidence="likely")], True, "fail"),
    ],
)  # fmt: skip
def test_gate(points: float, found: list[Finding], all_ran: bool, expected: Gate) -> None:
    assert decide_gate(points, found, all_ran=all_ran) == expected


def test_the_same_thing_in_several_places_is_one_and_the_worst_of_them_counts() -> None:
    found = [finding("a", line=1), finding("a", line=2, severity="high"), finding("a", line=3, confidence="hint")]
    assert count_issues(found).model_dump() == {"critical": 0, "high": 1, "medium": 0, "low": 0}
