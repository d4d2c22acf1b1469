"""What an agent is told of measured hypotheses, and how they stay up to date."""

from loopwright.evidence.debugging import (
    LEADING,
    MOST,
    OTHERS,
    Diagnosis,
    ProbeHit,
    anchor,
    merge_diagnoses,
    render_hypotheses,
)
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis, HypothesisStatus

AT = "2026-01-22T10:00:00+08:00"


def suspect(
    n: int, code: str, *, line: int = 3, status: HypothesisStatus = "pending", rank: float = 1, **more: object
) -> Hypothesis:
    return Hypothesis.model_validate({
        "id": f"H{n}", "description": f"`{code}` may be wrong", "testable_condition": "", "status": status,
        "logging_point": f"shop.py:total:{line}", "evidence_criteria": EvidenceCriteria(confirm="", reject=""),
        "likelihood": rank, "verdict_reason": "tried" if status != "pending" else None,
        "evidence": {"file": "shop.py", "func": "total", "code": code, "line": line, "failing_tests": 1,
                     "passing_tests": 3, **more},
    })  # fmt: skip


def proposed(n: int, words: str) -> Hypothesis:
    return suspect(n, "x").evolve(evidence=None, description=words)


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| rank")]


def test_the_leading_ones_are_a_table_with_their_evidence() -> None:
    values = [{"total": "100", "member": "True", "not a name": "1"}, {"total": "7"}]
    text = render_hypotheses((
        suspect(1, "if member and total > 100:", exceptions=["ValueError"], probe_values=values, rank=2),
        suspect(2, "return a | b", line=9, rank=1),
    ))  # fmt: skip
    assert rows(text) == [
        r"| 1 | H2: shop.py:9 in total | `return a \| b` | 1, 3 | nothing |",
        "| 2 | H1: shop.py:3 in total | `if member and total > 100:` | 1, 3 | ValueError came from it, total=100,"
        " member=True |",
    ]


def test_it_is_short_and_names_what_is_judged_before_all_else() -> None:
    many = [suspect(n, f"line{n}()", line=n, rank=n) for n in range(1, 31)]
    judged = suspect(40, "tried()", status="inconclusive", rank=40)
    text = render_hypotheses((*many, proposed(31, "the cache is stale"), judged))
    assert len(rows(text)) == LEADING
    named = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(named) == OTHERS
    assert named[0] == "- H40 (inconclusive) shop.py:total:3: `tried()` may be wrong (tried)"


def test_what_was_seen_steers_nothing_and_is_cut() -> None:
    text = render_hypotheses((suspect(1, "x = '|\n'" + "y" * 500, probe_values=[{"a": "\x1b[2J|" * 200}]),))
    (row,) = rows(text)
    assert len(row) < 400
    assert "\x1b" not in row
    assert row.count(" | ") == 4


def test_without_any_it_says_so() -> None:
    assert render_hypotheses(()) == "- none yet"
    assert (
        render_hypotheses((proposed(1, "the cache is stale"),)) == "- H1 (pending) shop.py:total:3: the cache is stale"
    )


def diagnosis(*hypotheses: Hypothesis) -> Diagnosis:
    hits = tuple(ProbeHit(hid=one.id, ts=AT, func="total", line=3, data={}) for one in hypotheses)
    return Diagnosis(active_bug="b", hypotheses=hypotheses, probes=hits)


def test_a_new_measurement_takes_the_place_of_the_old_one_and_keeps_its_id() -> None:
    known = (
        suspect(1, "a", line=3),
        suspect(2, "b", line=5),
        proposed(3, "mine"),
        suspect(4, "c", status="inconclusive"),
    )
    fresh = diagnosis(suspect(5, "b", line=7, rank=1), suspect(6, "c", line=8, rank=2), suspect(7, "d", line=9, rank=3))
    found = merge_diagnoses(known, fresh)
    assert [one.id for one in found.hypotheses] == ["H1", "H2", "H3", "H4", "H5"]
    first, second, third, fourth, fifth = found.hypotheses
    assert (second.logging_point, second.likelihood, anchor(second)) == (
        "shop.py:total:7",
        1,
        ("shop.py", "total", "b"),
    )
    assert first.likelihood > fifth.likelihood, "what is not found any more comes last"
    assert (third, fourth) == (known[2], known[3]), "words of an agent and verdicts stay"
    assert anchor(fifth) == ("shop.py", "total", "d")
    assert [hit.hid for hit in found.probes] == ["H2", "H4", "H5"]


def test_measured_again_and_again_they_do_not_grow_without_end() -> None:
    known: tuple[Hypothesis, ...] = (proposed(1, "mine"), suspect(2, "tried", status="rejected"))
    for n in range(20):
        fresh = [suspect(k, f"round {n}, line {k}", rank=k) for k in range(1, 11)]
        known = merge_diagnoses(known, diagnosis(*fresh)).hypotheses
    assert len(known) <= MOST
    assert [one.id for one in known[:2]] == ["H1", "H2"]
    assert {one.description for one in known} >= {one.description for one in fresh}
    assert len({one.id for one in known}) == len(known)


def test_the_first_measurement_stands_as_it_is() -> None:
    fresh = diagnosis(suspect(1, "a"), suspect(2, "b"))
    assert merge_diagnoses((), fresh) == fresh.evolve(measured=("H1", "H2"))
