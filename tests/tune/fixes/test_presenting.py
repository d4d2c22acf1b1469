"""A proposal as a fix with contents and diffs, and as what is written."""

import pytest

from loopwright.core.errors import Conflict, Invalid
from loopwright.skills.files import digest
from loopwright.skills.findings import Proposal
from loopwright.skills.fixes.edits import contents_of, make_edit
from loopwright.skills.reader.page import read_page
from loopwright.workflows.tuning.flow import fix_of, rewrite_of

FILES = {"SKILL.md": b"# Title\r\n\r\nRead a.md\r\n", "a.md": b"a", "data.bin": b"\0"}


def proposal(**more: object) -> Proposal:
    page = read_page("SKILL.md", FILES["SKILL.md"])
    assert page is not None
    made = {"edits": (make_edit(page, 2, 7, "Name"),), **more}
    return Proposal.model_validate(
        {
            "fingerprints": ("f",), "rule": "rule", "strategy": "custom", "level": "mechanical", "description": "d",
            "rationale": "r", "risk": "medium", "estimated_impact": "i", "verification_steps": ("v",), **made,
        }
    )  # fmt: skip


def test_a_fix_holds_what_was_and_what_becomes() -> None:
    fix = fix_of(proposal(creates={"b.md": "b\n"}, deletes=("a.md",)), FILES, "FIX-001", ("ISS-001",))
    assert (fix.id, fix.issue_ids, fix.risk, fix.verification_steps) == ("FIX-001", ("ISS-001",), "medium", ("v",))
    assert [(one.file, one.action, one.old_content, one.new_content) for one in fix.changes] == [
        ("SKILL.md", "modify", "# Title\r\n\r\nRead a.md\r\n", "# Name\r\n\r\nRead a.md\r\n"),
        ("a.md", "delete", "a", None),
        ("b.md", "create", None, "b\n"),
    ]
    assert fix.changes[0].diff is not None
    assert "-# Title\r\n+# Name\r\n" in fix.changes[0].diff


def test_a_rewrite_expects_the_files_it_was_made_for() -> None:
    rewrite = rewrite_of(proposal(creates={"b.md": "b\n"}, deletes=("a.md",)), FILES)
    assert rewrite.contents == {"SKILL.md": b"# Name\r\n\r\nRead a.md\r\n", "a.md": None, "b.md": b"b\n"}
    assert rewrite.expected == {"SKILL.md": digest(FILES["SKILL.md"]), "a.md": digest(b"a"), "b.md": None}


@pytest.mark.parametrize(
    ("more", "files", "said"),
    [
        ({"creates": {"a.md": "new"}}, FILES, r"a\.md already exists"),
        ({"deletes": ("gone.md",)}, FILES, r"gone\.md is gone"),
        ({}, {}, r"SKILL\.md is gone"),
        ({}, {"SKILL.md": b"# Other\n"}, "has changed"),
    ],
)
def test_files_that_are_no_longer_what_it_was_made_for(
    more: dict[str, object], files: dict[str, bytes], said: str
) -> None:
    with pytest.raises(Conflict, match=said):
        contents_of(proposal(**more), files)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"deletes": ("SKILL.md",)}, "two ways at once"),
        ({"creates": {"SKILL.md": "x"}}, "two ways at once"),
        ({"edits": ({"file": "a.md", "start": 0, "end": 1, "old": "a", "new": "a"},)}, r"leaves a\.md as it is"),
    ],
)
def test_proposals_that_make_no_sense(more: dict[str, object], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        contents_of(proposal(**more), FILES)


def test_what_is_no_text_can_not_be_a_fix() -> None:
    with pytest.raises(Invalid, match="binary"):
        fix_of(proposal(edits=(), deletes=("data.bin",)), FILES, "FIX-001", ())
