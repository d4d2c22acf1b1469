"""From findings to issues."""

import time

from loopwright.workflows.tuning.reducer import issues_of, number_issues, rank_findings, result_of
from tests.domain.tuning_making import diagnosed, finding


def test_the_most_urgent_is_first() -> None:
    found = [
        finding("low", severity="low"), finding("likely", severity="high", confidence="likely"),
        finding("sure", severity="high"), finding("worst", severity="critical"), finding("later", line=9),
        finding("earlier", line=4), finding("other", file="a.md"),
    ]  # fmt: skip
    order = [one.subject for one in rank_findings(found, "")]
    assert order == ["worst", "sure", "likely", "earlier", "later", "other", "low"]
    assert [one.subject for one in rank_findings(reversed(found), "")] == order


def test_what_the_user_has_described_is_more_urgent_than_others_as_bad() -> None:
    found = [finding("alpha"), finding("状态"), finding("beta", severity="low")]
    assert rank_findings(found, "beta")[-1].subject == "beta", "but never than worse ones"
    assert rank_findings(found, "找不到状态文件")[0].subject == "状态"
    assert rank_findings(found, "ALPHA?")[0].subject == "alpha"


def test_numbers_go_on_and_hints_have_none() -> None:
    one, two, hint = finding("one"), finding("two"), finding("hint", confidence="hint")
    assert number_issues([two, hint, one], {}) == {two.fingerprint: "ISS-001", one.fingerprint: "ISS-002"}
    known = {one.fingerprint: "ISS-007", "gone": "ISS-009"}
    assert number_issues([two, one], known) == {two.fingerprint: "ISS-010", one.fingerprint: "ISS-007"}
    assert number_issues([two], {"strange": "nothing like it", "ISS-": "²"}) == {two.fingerprint: "ISS-001"}


def test_the_same_thing_in_several_places_is_one_issue() -> None:
    places = [finding("a", line=1, severity="high"), finding("a", line=5), finding("a", line=9, confidence="hint")]
    in_order = rank_findings(places, "")
    (issue,) = issues_of(in_order, number_issues(in_order, {}))
    assert (issue.id, issue.severity, issue.location.line_start) == ("ISS-001", "high", 1)
    assert issue.evidence == ("SKILL.md:1: a line about a", "SKILL.md:5: a line about a")
    result = result_of(diagnosed("dataflow", *places))
    assert (result.issues_found, result.severity, len(result.details.evidence)) == (1, "high", 3)


def test_issues_of_one_subject_are_related() -> None:
    found = rank_findings(
        [finding("a"), finding("a", "agent"), finding("b"), finding("a", "memory", confidence="hint")], ""
    )
    issues = issues_of(found, number_issues(found, {}))
    related = {issue.id: issue.related_issues for issue in issues}
    ids = [issue.id for issue in issues if "a is" in issue.description]
    assert {id: related[id] for id in ids} == {ids[0]: (ids[1],), ids[1]: (ids[0],)}
    assert [related[issue.id] for issue in issues if "b is" in issue.description] == [()]


def test_what_an_issue_says() -> None:
    one = finding("x", "agent", "critical", line=7).evolve(phase="phases/1.md", also=("b.md:2",))
    (issue,) = issues_of([one], number_issues([one], {}))
    assert issue.model_dump() == {
        "id": "ISS-001", "type": "agent_failure", "severity": "critical", "priority": 1,
        "location": {"file": "SKILL.md", "line_start": 7, "line_end": 7, "phase": "phases/1.md"},
        "description": "x is wrong", "evidence": ("SKILL.md:7: a line about x", "b.md:2"),
        "root_cause": "undeclared-tool: x", "impact": "a model stumbles over it", "suggested_fix": "mend x",
        "related_issues": (),
    }  # fmt: skip


def test_very_many_findings_do_not_take_long() -> None:
    """Related issues were once looked for among all pairs: a minute for what takes a moment now."""
    found = rank_findings([finding(f"{n}", line=n + 1) for n in range(5000)], "word " * 50)
    since = time.process_time()
    assert len(issues_of(found, number_issues(found, {}))) == 5000
    assert time.process_time() - since < 5
