"""Comments that accept findings: where they hold, what they must say, and what never counts as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.skills.accepted import find_comments, split_suppressed
from loopwright.skills.findings import Finding
from loopwright.skills.reader.page import read_page
from tests.tables import each
from tests.tune.making import finding, page, skill


def silenced(text: str, *places: str, rule: str = "dead-reference") -> list[bool]:
    """For each place whether a finding there is silenced."""
    made = skill(SKILL=text)
    findings = [finding(made.pages["SKILL.md"], place, rule=rule) for place in places]
    _, away = split_suppressed(made, findings)
    return [one in away for one in findings]


def test_at_the_end_of_a_line_it_holds_for_that_line() -> None:
    text = "Before.\n\nRead a.md. <!-- loopwright: ignore dead-reference - made at run time -->\nRead b.md.\n"
    assert silenced(text, "Before", "a.md", "b.md") == [False, True, False]


def test_alone_on_a_line_it_holds_for_the_block_that_follows() -> None:
    text = (
        "Read a.md.\n\n<!-- loopwright: ignore dead-reference - made at run time -->\n\nRead b.md,\nthen c.md.\n\n"
        "Read d.md.\n"
    )
    assert silenced(text, "a.md", "b.md", "c.md", "d.md") == [False, True, True, False]


def test_in_a_list_it_holds_for_the_next_entry() -> None:
    text = "- a.md\n  <!-- loopwright: ignore dead-reference - so -->\n- b.md\n- c.md\n"
    assert silenced(text, "a.md", "b.md", "c.md") == [False, True, False]


def test_before_a_table_it_holds_for_all_of_it_and_in_a_row_for_that_row() -> None:
    before = "<!-- loopwright: ignore dead-reference - so -->\n| a |\n|---|\n| b.md |\n| c.md |\n\nd.md\n"
    assert silenced(before, "b.md", "c.md", "d.md") == [True, True, False]
    within = "| a |\n|---|\n| b.md <!-- loopwright: ignore dead-reference - so --> |\n| c.md |\n"
    assert silenced(within, "b.md", "c.md") == [True, False]


def test_before_a_fence_it_holds_for_all_of_it() -> None:
    text = "<!-- loopwright: ignore dead-reference - so -->\n```js\nRead('a.md')\nRead('b.md')\n```\nc.md\n"
    assert silenced(text, "a.md", "b.md", "c.md") == [True, True, False]


@pytest.mark.parametrize("comment", ["// {}", "# {}", "/* {} */"])
def test_in_code_it_holds_for_its_line_or_the_next(comment: str) -> None:
    told = comment.format("loopwright: ignore dead-reference - so")
    text = f"```\nRead('a.md')\n{told}\nRead('b.md')\nRead('c.md')\nRead('d.md') {told}\nRead('e.md')\n```\n"
    assert silenced(text, "a.md", "b.md", "c.md", "d.md", "e.md") == [False, True, False, True, False]


def test_in_front_matter_it_holds_for_the_next_line() -> None:
    text = "---\nname: x\n# loopwright: ignore dead-reference - so\nallowed-tools: Read\nother: Bash\n---\nText\n"
    assert silenced(text, "name", "allowed", "other") == [False, True, False]


def test_a_section_is_its_heading_and_all_below() -> None:
    text = "# A\na.md\n## B\nb.md\n<!-- loopwright: ignore-section dead-reference - so -->\n### C\nc.md\n## D\nd.md\n"
    assert silenced(text, "a.md", "B\n", "b.md", "c.md", "d.md") == [False, True, True, True, False]


def test_before_the_first_heading_a_section_ends_there() -> None:
    text = "<!-- loopwright: ignore-section dead-reference - so -->\na.md\n\n# B\nb.md\n"
    assert silenced(text, "a.md", "b.md") == [True, False]


def test_a_file_is_accepted_in_its_first_lines_only() -> None:
    comment = "<!-- loopwright: ignore-file dead-reference - so -->\n"
    front = "---\nname: x\ndescription: y\n---\n"
    assert silenced(f"{front}{comment}# A\n\na.md\n", "name", "a.md") == [True, True]
    assert silenced(f"# A\n{comment}a.md\n", "a.md") == [True]
    assert silenced("# A\n" + "text\n\n" * 10 + comment + "a.md\n", "a.md") == [False]
    assert silenced("---\nname: x\n# loopwright: ignore-file dead-reference - so\n---\na.md\n", "a.md") == [True]


def test_only_the_rules_it_names_are_accepted() -> None:
    text = "a.md <!-- loopwright: ignore enum-drift, dead-reference - so -->\n"
    assert silenced(text, "a.md") == [True]
    assert silenced(text, "a.md", rule="enum-drift") == [True]
    assert silenced(text, "a.md", rule="dead") == [False]
    assert silenced("a.md <!-- loopwright: ignore all - generated -->\n", "a.md", rule="no-recovery") == [True]


@pytest.mark.parametrize("dash", ["-", "--", "–", "—", ":", "："])
def test_the_reason_stands_behind_a_dash(dash: str) -> None:
    assert silenced(f"a.md <!-- loopwright: ignore dead-reference {dash} 运行时生成 -->\n", "a.md") == [True]


def test_a_reason_of_several_lines_is_one() -> None:
    made = page("SKILL.md", "<!-- loopwright: ignore all - one\n  two -->\nText\n")
    (found,) = find_comments(made)
    assert found.reason == "one two"
    assert made.text[found.start : found.end].endswith("Text\n")


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- loopwright: ignore dead-reference -->", "<!-- loopwright: ignore dead-reference - -->",
        "<!-- loopwright: ignore dead-reference - ... -->", "<!-- loopwright: ignore dead-reference because -->",
    ],
)  # fmt: skip
def test_without_a_reason_the_finding_stays_and_says_so(comment: str) -> None:
    made = skill(SKILL=f"Text\n\na.md {comment}\n")
    known = finding(made.pages["SKILL.md"], "a.md", advice="Make it.")
    (kept,), away = split_suppressed(made, [known])
    assert away == ()
    assert kept.advice == (
        "Make it. The comment in line 3 is ignored because it gives no reason;"
        " write: loopwright: ignore dead-reference - why it is right here."
    )
    assert kept.fingerprint == known.fingerprint
    assert kept.evolve(advice=known.advice) == known


def test_a_comment_that_names_no_rule_is_told_by_the_findings_it_may_be_about() -> None:
    made = skill(SKILL="a.md <!-- loopwright: ignore ded-reference, unbounded-work - so -->\nb.md\n")
    here, there = (finding(made.pages["SKILL.md"], place, advice="") for place in ("a.md", "b.md"))
    kept, away = split_suppressed(made, [here, there])
    assert [one.advice for one in kept] == [
        "The comment in line 1 names an unknown rule (ded-reference);"
        " write: loopwright: ignore dead-reference - why it is right here.",
        "",
    ]
    assert away == ()


def test_one_of_two_comments_with_a_reason_is_enough() -> None:
    text = (
        "<!-- loopwright: ignore-file dead-reference - so -->\n# A\na.md <!-- loopwright: ignore dead-reference -->\n"
    )
    assert silenced(text, "a.md") == [True]


@each(
    "text",
    [
        "a.md loopwright: ignore dead-reference - so\n",
        "# loopwright: ignore dead-reference - so\na.md\n",
        "// loopwright: ignore dead-reference - so\na.md\n",
        "a.md <!-- loopwright: ignored dead-reference - so -->\n",
        "a.md <!-- loopwright: ignore DEAD-REFERENCE - so -->\n",
        "a.md <!-- loopwright: ignore dead-reference-x - so -->\n",
        "a.md <!-- loopwright: ignore - dead-reference -->\n",
        "```html\n<!-- loopwright: ignore-file dead-reference - so -->\n```\na.md\n",
        "```html\n<!-- loopwright: ignore-section dead-reference - so -->\n```\na.md\n",
    ],
)
def test_what_is_no_such_comment(text: str) -> None:
    assert silenced(text, "a.md") == [False]


def test_scripts_have_comments_of_their_own() -> None:
    made = page("scripts/x.py", "# loopwright: ignore all - generated\nrun('a')\nrun('b')\n")
    (found,) = find_comments(made)
    assert made.text[found.start : found.end].endswith("run('a')\n")


def test_files_are_apart_and_order_is_kept() -> None:
    made = skill(SKILL="a.md\nb.md\n", phases__one="a.md <!-- loopwright: ignore all - so -->\n")
    here, there = made.pages["SKILL.md"], made.pages["phases/one.md"]
    findings = [finding(here, "b.md"), finding(there, "a.md"), finding(here, "a.md")]
    kept, away = split_suppressed(made, findings)
    assert kept == (findings[0], findings[2])
    assert away == (findings[1],)
    assert split_suppressed(made, []) == ((), ())


def test_a_finding_about_a_file_that_is_no_page_stays() -> None:
    made = skill(SKILL="a.md <!-- loopwright: ignore all - so -->\n")
    lost = finding(made.pages["SKILL.md"], "a.md").evolve(file="gone.md")
    assert split_suppressed(made, [lost]) == ((lost,), ())


COMMENTS = st.sampled_from([
    "<!-- loopwright: ignore all - x -->", "<!-- loopwright: ignore-section dead-reference -->", "loopwright:", "<!--",
    "-->", "// loopwright: ignore-file all - y", "# loopwright: ignore all", "```", "---\n", "| a |", "# H", "\n", " ",
])  # fmt: skip


@given(st.lists(COMMENTS | st.text(max_size=5), max_size=25), st.integers(0, 40))
def test_any_text_is_split_without_loss(pieces: list[str], at: int) -> None:
    text = "".join(pieces)
    made = read_page("SKILL.md", text.encode("utf-8", "surrogatepass"))
    if made is None:
        return
    for found in find_comments(made):
        assert 0 <= found.start < found.end <= len(made.text) + 1 + 3
    base = finding(page("SKILL.md", "x"), "x")
    one: Finding = base.evolve(start=min(at, len(made.text)), end=len(made.text))
    kept, away = split_suppressed(skill(SKILL=made.text), [one])
    assert [finding.fingerprint for finding in (*kept, *away)] == [one.fingerprint]


def test_thousands_of_comments_that_are_never_closed_are_read() -> None:
    made = page("SKILL.md", "<!-- loopwright: ignore all - x\n" * 3000)
    assert [found.line for found in find_comments(made)] == list(range(1, 3001))
