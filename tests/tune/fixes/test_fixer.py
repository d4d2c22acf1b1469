"""Proposals of several fixers become one list in which no two are in each other's way."""

from collections.abc import Iterable

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes import propose
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer, proposals
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill

TEXT = "# Title\n\none two three four\n"
SKILL = read_skill("x", {"SKILL.md": TEXT.encode(), "broken.md": b"# A\n\none \xff two\n"})


def finding(word: str, rule: str = "rule", *, file: str = "SKILL.md", confidence: str = "certain") -> Finding:
    start = SKILL.pages[file].text.index(word)
    return Finding.model_validate(
        {
            "rule": rule, "dimension": "agent", "severity": "high", "confidence": confidence, "file": file, "line": 3,
            "line_end": 3, "start": start, "end": start + len(word), "excerpt": "", "subject": word, "message": "m",
            "why": "w", "advice": "a", "strategy": "custom",
        }
    )  # fmt: skip


def proposal(skill: Skill, findings: tuple[Finding, ...], level: FixLevel, new: str, **more: object) -> Proposal:
    page = skill.pages[findings[0].file]
    return Proposal.model_validate(
        {
            "fingerprints": tuple(f.fingerprint for f in findings), "rule": findings[0].rule, "strategy": "custom",
            "level": level, "description": new, "rationale": "r",
            "edits": tuple(edit(page, f.start, f.end, new) for f in findings), **more,
        }
    )  # fmt: skip


def each(new: str, level: FixLevel = "mechanical", rule: str = "rule", **more: object) -> Fixer:
    """One proposal for each finding."""

    def look(skill: Skill, findings: tuple[Finding, ...]) -> Iterable[Proposal]:
        return [proposal(skill, (one,), level, new, **more) for one in findings]

    return Fixer(frozenset({rule}), level, look)


def described(fixers: list[Fixer], *findings: Finding) -> list[str]:
    return [f"{made.description} {made.edits[0].old}" for made in proposals(fixers, SKILL, findings)]


def test_they_come_in_the_order_of_the_findings() -> None:
    assert described([each("x")], finding("three"), finding("one")) == ["x three", "x one"]


def test_the_surer_one_mends_a_finding_that_two_could_mend() -> None:
    fixers = [each("copy", "template"), each("known", "mechanical")]
    assert described(fixers, finding("one"), finding("two")) == ["known one", "known two"]


def test_of_two_that_want_the_same_bytes_the_first_is_kept() -> None:
    fixers = [each("a", rule="a"), each("b", rule="b")]
    assert described(fixers, finding("one two", "a"), finding("two three", "b"), finding("four", "b")) == [
        "a one two",
        "b four",
    ]


def test_several_findings_may_go_with_one_proposal() -> None:
    def together(skill: Skill, findings: tuple[Finding, ...]) -> Iterable[Proposal]:
        return [proposal(skill, findings, "mechanical", "all")]

    both = finding("one"), finding("two")
    (made,) = proposals([Fixer(frozenset({"rule"}), "mechanical", together), each("x")], SKILL, both)
    assert made.fingerprints == tuple(one.fingerprint for one in both)


def test_a_file_that_is_created_or_deleted_is_touched_by_nobody_else() -> None:
    for more in ({"creates": {"new.md": "x"}}, {"deletes": ("SKILL.md",), "edits": ()}):
        (made,) = proposals([each("x", **more)], SKILL, (finding("one"), finding("two")))
        assert made.fingerprints == (finding("one").fingerprint,)


def test_hints_and_files_that_are_no_text_are_left_alone() -> None:
    assert described([each("x")], finding("one", confidence="hint"), finding("two", file="broken.md")) == []


def test_a_fixer_sees_its_own_findings_only() -> None:
    seen: list[tuple[str, ...]] = []

    def look(skill: Skill, findings: tuple[Finding, ...]) -> Iterable[Proposal]:
        seen.append(tuple(one.rule for one in findings))
        return ()

    fixers = [Fixer(frozenset({rule}), "mechanical", look) for rule in ("a", "none")]
    assert proposals(fixers, SKILL, (finding("one", "a"), finding("two", "b"))) == ()
    assert seen == [("a",)]


def test_nothing_found_nothing_proposed() -> None:
    assert propose(SKILL, ()) == ()


def test_of_several_for_one_finding_the_one_that_holds_is_kept() -> None:
    asked: list[str] = []

    def holds(made: Proposal) -> bool:
        asked.append(made.description)
        return made.description == "right"

    one = finding("one")
    several = [each("wrong", "template"), each("right", "template"), each("unasked", "template")]
    assert [made.description for made in proposals(several, SKILL, (one,), holds)] == ["right"]
    assert asked == ["wrong", "right"]


def test_what_has_no_other_is_not_tried_and_what_fails_altogether_is_still_told() -> None:
    def never(made: Proposal) -> bool:
        assert made.edits[0].old != "two", "nothing else mends it"
        return False

    only = each("only", "template", rule="other")
    both = [each("a", "template"), each("b", "template"), only]
    made = proposals(both, SKILL, (finding("one"), finding("two", "other")), never)
    assert [one.description for one in made] == ["a", "only"]
