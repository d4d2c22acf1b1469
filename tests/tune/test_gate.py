"""The gate: what a right repair looks like passes, and every way of only seeming to repair does not."""

from collections.abc import Mapping

import pytest

from loopwright.skills.findings import Edit, Finding, Proposal, Severity
from loopwright.skills.fixes.edits import contents_of, make_edit
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.read import read_skill
from loopwright.workflows.tuning.gate import judge_fix

MAIN = """---
name: release-notes
description: Writes release notes from merged changes.
allowed-tools: Read, Write, Task
---

# Release notes

Read the list of merged changes and group them by component.

## Workflow

1. Collect the changes since the last tag. Never include reverted ones.
2. Ask the reviewer agent for a summary of every change.
3. Repeat until the reviewer accepts the summary.

```javascript
const review = await Task({ subagent_type: "reviewer", prompt: `Review ${change}` })
```

See [style](references/style.md) for the wording.
"""
STYLE = "# Style\n\nUse the imperative. Keep every entry below 80 characters.\n\n```\nfeat: add x\n```\n"
FILES = {"SKILL.md": MAIN, "references/style.md": STYLE}
LOOP = "Repeat until the reviewer accepts the summary."
BOUNDED = "Repeat until the reviewer accepts the summary, at most 3 times; then report what is open."


def skill(files: Mapping[str, str]) -> Skill:
    return read_skill("release-notes", {name: text.encode() for name, text in files.items()})


def finding(
    text: str = LOOP, *, rule: str = "unlimited-repeat", severity: Severity = "high", file: str = "SKILL.md",
    subject: str = "loop", files: Mapping[str, str] = FILES,
) -> Finding:  # fmt: skip
    start = files[file].index(text)
    line = files[file].count("\n", 0, start) + 1
    return Finding(
        rule=rule, dimension="agent", severity=severity, confidence="certain", file=file, line=line, line_end=line,
        start=start, end=start + len(text), excerpt=text, subject=subject, message=f"{subject} is wrong", why="why",
        advice="advice", strategy="custom",
    )  # fmt: skip


def replaced(old: str, new: str, file: str = "SKILL.md", files: Mapping[str, str] = FILES) -> Edit:
    page = skill(files).pages[file]
    assert page.text.count(old) == 1
    return make_edit(page, page.text.index(old), page.text.index(old) + len(old), new)


def proposal(
    *edits: Edit, about: Finding, creates: Mapping[str, str] | None = None, deletes: tuple[str, ...] = ()
) -> Proposal:
    return Proposal(
        fingerprints=(about.fingerprint,), rule=about.rule, strategy="custom", level="mechanical", description="d",
        rationale="r", edits=edits, creates=dict(creates or {}), deletes=deletes,
    )  # fmt: skip


def after(made: Proposal, files: Mapping[str, str] = FILES) -> dict[str, str]:
    new = contents_of(made, {name: text.encode() for name, text in files.items()})
    return {
        name: data.decode()
        for name, data in {**{n: t.encode() for n, t in files.items()}, **new}.items()
        if data is not None
    }


def reasons(made: Proposal, about: Finding, now: tuple[Finding, ...] = (), files: Mapping[str, str] = FILES) -> str:
    found = judge_fix(made, skill(files), skill(after(made, files)), (about,), now)
    return "\n".join(found)


def test_a_right_repair_passes() -> None:
    about = finding()
    assert reasons(proposal(replaced(LOOP, BOUNDED), about=about), about) == ""


def test_a_reworded_sentence_passes() -> None:
    about = finding()
    made = proposal(replaced(LOOP, "Send it back at most 3 times, until the reviewer is content."), about=about)
    assert reasons(made, about) == ""


def test_the_finding_has_to_be_gone() -> None:
    about = finding()
    assert "still found" in reasons(proposal(replaced(LOOP, BOUNDED), about=about), about, (about,))


@pytest.mark.parametrize(("severity", "holds"), [("critical", False), ("high", False), ("medium", True), ("low", True)])
def test_nothing_as_bad_may_come_in_its_place(severity: Severity, holds: bool) -> None:
    about = finding()
    new = finding("Collect the changes", rule="wrong-tool", severity=severity, subject="Collect")
    assert (reasons(proposal(replaced(LOOP, BOUNDED), about=about), about, (new,)) == "") is holds


def test_many_smaller_ones_are_not_better() -> None:
    about = finding(severity="medium")
    new = tuple(finding("Collect", rule=f"rule-{n}", severity="low", subject="x") for n in range(9))
    assert "score would fall" in reasons(proposal(replaced(LOOP, BOUNDED), about=about), about, new)


def test_a_finding_that_is_only_called_otherwise_is_still_there() -> None:
    about = finding()
    moved = finding(subject="another loop", severity="low")
    assert "only moved" in reasons(proposal(replaced(LOOP, BOUNDED), about=about), about, (moved,))


def test_another_finding_whose_subject_moves_is_not_new() -> None:
    about, other = finding(), finding("Collect", rule="wrong-tool", subject="line 14")
    renamed = finding("Collect", rule="wrong-tool", subject="line 15")
    made = proposal(replaced(LOOP, BOUNDED), about=about)
    new = skill(after(made))
    assert judge_fix(made, skill(FILES), new, (about, other), (renamed,)) == ()
    second = finding("Collect", rule="wrong-tool", subject="line 16")
    assert judge_fix(made, skill(FILES), new, (about, other), (renamed, second)) != ()


def test_a_silencing_comment_mends_nothing() -> None:
    about = finding()
    made = proposal(replaced(LOOP, f"{BOUNDED} <!-- loopwright: ignore unlimited-repeat - it is fine -->"), about=about)
    assert "suppresses" in reasons(made, about)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1. Collect the changes since the last tag. Never include reverted ones.\n", "", "Never include"),
        (MAIN[MAIN.index(" Never include") : MAIN.index("\n\n```javascript")], "", "reverted"),
        (MAIN[MAIN.index("1. Collect") : MAIN.index("```javascript")], "1. Work at most 3 times.\n\n", "reverted"),
    ],
)  # fmt: skip
def test_taking_other_lines_away_mends_nothing(old: str, new: str, said: str) -> None:
    about = finding()
    told = reasons(proposal(replaced(old, new), about=about), about)
    assert "removes" in told
    assert said in told


def test_a_dead_reference_may_go_with_its_sentence() -> None:
    files = {"SKILL.md": MAIN}
    about = finding("references/style.md", rule="dead-reference", files=files)
    made = proposal(replaced("See [style](references/style.md) for the wording.\n", "", files=files), about=about)
    assert reasons(made, about, files=files) == ""
    greedy = proposal(replaced(MAIN[MAIN.index(f"3. {LOOP}") :], "", files=files), about=about)
    assert "removes" in reasons(greedy, about, files=files)


def test_instructions_may_move_to_another_file() -> None:
    about = finding("Collect the changes", rule="oversized-skill")
    block = MAIN[MAIN.index("1. Collect") : MAIN.index("```javascript")]
    made = proposal(
        replaced(block, "Follow [the steps](references/steps.md).\n\n"), about=about,
        creates={"references/steps.md": f"# Steps\n\n{block}"},
    )  # fmt: skip
    assert reasons(made, about) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("allowed-tools: Read, Write, Task\n", "", "lost allowed-tools"),
        ("description: Writes release notes from merged changes.", "description:", "lost description"),
        ("name: release-notes", "name: [release-notes", "can no longer be read"),
        ("---\nname: release-notes", "name: release-notes", "can no longer be read"),
    ],
)
def test_the_front_matter_stays_whole(old: str, new: str, said: str) -> None:
    about = finding()
    made = proposal(replaced(old, new), replaced(LOOP, BOUNDED), about=about)
    assert said in reasons(made, about)


def test_a_tool_may_be_declared() -> None:
    about = finding("allowed-tools: Read, Write, Task", rule="undeclared-tool")
    made = proposal(replaced("allowed-tools: Read, Write, Task", "allowed-tools: Read, Write, Task, Bash"), about=about)
    assert reasons(made, about) == ""


def test_fences_stay_closed() -> None:
    about = finding()
    made = proposal(replaced("\n```\n\nSee", "\n\nSee"), replaced(LOOP, BOUNDED), about=about)
    assert "no longer closed" in reasons(made, about)


def test_no_link_may_die() -> None:
    about = finding()
    made = proposal(replaced("references/style.md", "references/stile.md"), replaced(LOOP, BOUNDED), about=about)
    assert "references/stile.md, which does not exist" in reasons(made, about)
    gone = proposal(replaced(LOOP, BOUNDED), about=about, deletes=("references/style.md",))
    assert "references/style.md, which does not exist" in reasons(gone, about)


@pytest.mark.parametrize(
    "other",
    [
        {"references/style.md": f"{STYLE}more\n"},
        {"references/new.md": "new\n"},
        {"SKILL.md": MAIN.replace(LOOP, f"{BOUNDED} ")},
        {"references/style.md": None},
    ],
)
def test_nothing_else_may_have_changed(other: dict[str, str | None]) -> None:
    about = finding()
    made = proposal(replaced(LOOP, BOUNDED), about=about)
    files = {name: text for name, text in {**after(made), **other}.items() if text is not None}
    told = "\n".join(judge_fix(made, skill(FILES), skill(files), (about,), ()))
    assert "not part of the fix" in told or "is not what the fix makes of it" in told


def test_a_fix_of_other_files_does_not_hold() -> None:
    about = finding()
    made = proposal(replaced(LOOP, BOUNDED), about=about)
    changed = {**FILES, "SKILL.md": f"\n{MAIN}"}
    assert any(
        "not made for these files" in one for one in judge_fix(made, skill(changed), skill(changed), (about,), ())
    )
