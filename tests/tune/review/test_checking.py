"""What an agent reports is held against the files: only what is there counts."""

from hypothesis import given
from hypothesis import strategies as st

from loopwright.reports.tools import JudgeFinding, QuotedPlace, ReportSkillFinding
from loopwright.skills.findings import DIMENSIONS
from loopwright.skills.review.cards import cards_of, list_cards
from loopwright.skills.review.report_check import MOST, CheckedReports, carry_findings, check_refutation, check_reports
from tests.tables import each
from tests.tune.skill.reading import skill

MAIN = """\
---
name: notes
description: Writes notes. Use it for meetings.
---

# Notes

Always ask before you write a file.

1. Read [how to write](phases/write.md).

For example:

```js
Write("example.md", all)
```

> Somebody said: never write anything.
"""
WRITE = "# Write\n\nWrite the report without asking.\n\nRepeat until the reviewer is content.\n"
SKILL = skill({"SKILL.md": MAIN, "phases/write.md": WRITE}, "notes")
ASK, WITHOUT = "Always ask before you write a file.", "Write the report without asking."


def report(*quotes: tuple[str, str], card: str = "contradicting-rules", **more: object) -> ReportSkillFinding:
    given = {
        "card": card, "severity": "high", "claim": "Both cannot be followed.", "scenario": "It asks, or not.",
        "evidence": [{"file": file, "quote": quote} for file, quote in quotes], "fix": "Say which holds.", **more,
    }  # fmt: skip
    return ReportSkillFinding.model_validate(given)


def look(*reports: ReportSkillFinding) -> CheckedReports:
    return check_reports(SKILL, "dataflow", "codex", reports)


def test_both_sides_of_an_honest_finding_are_found() -> None:
    found = look(report(("SKILL.md", ASK), other_side=[{"file": "phases/write.md", "quote": WITHOUT}]))
    (one,) = found.findings
    assert (found.refused, one.file, one.line, one.excerpt, one.confidence) == ((), "SKILL.md", 8, ASK, "hint")
    assert one.also == ("phases/write.md:3",)
    assert one.review is not None
    assert [(quote.file, quote.line, quote.text) for quote in one.review.quotes] == [
        ("SKILL.md", 8, ASK), ("phases/write.md", 3, WITHOUT),
    ]  # fmt: skip
    assert (one.rule, one.strategy, one.message) == ("contradicting-rules", "custom", "Both cannot be followed.")


@each(
    ("made", "why"),
    [
        (report(("SKILL.md", "Always ask before you delete a file.")), "does not occur in SKILL.md"),
        (report(("SKILL.md", ASK.lower())), "exactly as quoted"),
        (report(("SKILL.md", 'Write("example.md", all)')), "part of an example"),
        (report(("gone.md", ASK)), "no file 'gone.md'"),
        (report(("../../etc/passwd", ASK)), "no file"),
        (report(("SKILL.md", "a file")), "too short"),
        (report(), "quotes nothing"),
        (report(("SKILL.md", ASK), card="taste"), "no card 'taste'"),
        (report(("SKILL.md", ASK), card="unbounded-work"), "no card"),
        (report(("SKILL.md", ASK), severity="fatal"), "severity 'fatal'"),
        (report(("SKILL.md", ASK), other_side=[{"file": "phases/write.md", "quote": "Write it all."}]), "does not"),
        (report(("SKILL.md", ASK), absent=[{"what": "x", "searched_for": ["REPEAT  until"]}]), "write.md, line 5"),
        (report(("SKILL.md", ASK), absent=[{"what": "a bound"}]), "not what was searched for"),
        (report(("SKILL.md", ASK), absent=[{"what": "x", "searched_for": ["x"]}]), "too short"),
    ],
)  # fmt: skip
def test_what_is_not_so_is_refused_with_the_reason(made: ReportSkillFinding, why: str) -> None:
    found = look(made)
    assert found.findings == ()
    (told,) = found.refused
    assert why in told


def test_what_is_missing_is_searched_for() -> None:
    absent = [{"what": "a bound", "searched_for": ["at most", "no more than"]}]
    (one,) = look(report(("phases/write.md", WITHOUT), card="nobody-reads-it", absent=absent)).findings
    assert one.review is not None
    assert one.review.absent == ("at most", "no more than")


def test_of_two_hundred_the_first_are_taken_and_the_rest_is_told() -> None:
    many = [report(("SKILL.md", ASK), absent=[{"what": "x", "searched_for": [f"words {n}"]}]) for n in range(200)]
    found = look(*many)
    assert len(found.findings) == MOST
    assert found.refused == (f"{200 - MOST} more than the {MOST} accepted ones were left out",)


def test_what_is_reported_again_with_the_right_words_is_taken() -> None:
    absent = [f"Not there, number {n}." for n in range(MOST)]
    wrong = [report(("SKILL.md", words)) for words in absent]
    right = [report(("SKILL.md", ASK), absent=[{"what": "x", "searched_for": [words]}]) for words in absent]
    assert len(look(*wrong, *right).findings) == MOST


def test_only_a_verdict_that_refutes_does() -> None:
    quotes = (QuotedPlace(file="SKILL.md", quote=ASK),)
    said = [JudgeFinding(id="F1", verdict=words, why="x", quotes=quotes) for words in ("not refuted", "Refuted")]
    assert [len(check_refutation(SKILL, one)[0]) for one in said] == [0, 1]


def test_the_fingerprint_is_of_the_quotes_and_not_of_their_lines() -> None:
    (one,) = look(report(("SKILL.md", ASK))).findings
    moved = skill({"SKILL.md": MAIN.replace("# Notes", "# Notes\n\nMore."), "phases/write.md": WRITE}, "notes")
    (other,) = check_reports(moved, "dataflow", "other", [report(("SKILL.md", ASK), claim="In other words.")]).findings
    assert (one.fingerprint, one.line + 2) == (other.fingerprint, other.line)
    (kept,) = carry_findings(moved, [one])
    assert (kept.fingerprint, kept.line) == (one.fingerprint, one.line + 2)
    gone = skill({"SKILL.md": MAIN.replace(ASK, "Ask."), "phases/write.md": WRITE}, "notes")
    assert carry_findings(gone, [one]) == ()


def test_a_refutation_needs_words_that_are_there() -> None:
    verdict = JudgeFinding.model_validate(
        {"id": "F1", "verdict": "refuted", "why": "So.", "quotes": [{"file": "SKILL.md", "quote": ASK}, "x" * 20]}
    )  # fmt: skip
    quotes, wrong = check_refutation(SKILL, verdict)
    assert [quote.text for quote in quotes] == [ASK]
    assert len(wrong) == 1


WORDS = st.lists(st.sampled_from([*MAIN.split(), *WRITE.split(), "\n", "é", "invented"]), min_size=1, max_size=8)


@given(st.lists(WORDS.map(" ".join), max_size=3), st.sampled_from(["SKILL.md", "phases/write.md", "x.md"]))
def test_whatever_is_reported_every_quote_of_a_finding_stands_in_its_file(quotes: list[str], file: str) -> None:
    reports = [report((file, quote), ("SKILL.md", ASK)) for quote in quotes if quote.strip()]
    for one in look(*reports).findings:
        assert one.review is not None
        for quote in one.review.quotes:
            page = SKILL.pages[quote.file]
            at = page.text.index(quote.text)
            assert page.line(at) == quote.line


def test_the_cards_ask_all_that_there_is_to_ask() -> None:
    assert all(3 <= len(cards_of(dimension)) <= 5 for dimension in DIMENSIONS)
    assert {card.strategy for card in list_cards()} == {
        "context_summarization", "sliding_window", "structured_state", "constraint_injection", "checkpoint_restore",
        "schema_enforcement", "orchestrator_refactor", "state_centralization", "custom",
    }  # fmt: skip
    parts = ("What goes wrong", "What it does to a model at work", "What is not a fault", "Example")
    assert all(f"**{part}.**" in card.text for card in list_cards() for part in parts)
