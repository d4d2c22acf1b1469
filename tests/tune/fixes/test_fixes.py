"""What is mended without a model: only where the right text is a fact."""

import pytest

from loopwright.skills.diagnosis import diagnose_skill
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.fixes.edits import contents_of
from tests.tune.skill.reading import skill

HEAD = "---\nname: sample\ndescription: Does it. Use when asked.\n---\n\n# S\n\n"


def mended(text: str, **more: str) -> list[str]:
    """SKILL.md after each proposal by itself, without its head."""
    read = skill({"SKILL.md": HEAD + text, **more})
    files = {path: page.text.encode("utf-8", "surrogateescape") for path, page in read.pages.items()}
    made = (
        contents_of(one, files)["SKILL.md"] or b""
        for one in propose_mechanical_fixes(read, diagnose_skill(read).findings)
    )
    return [one.decode().removeprefix(HEAD) for one in made]


OTHER = {"a/b.md": "# B\n"}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("See [it](c/b.md).", "See [it](a/b.md)."),
        ("See [c/b.md](c/b.md).", "See [a/b.md](a/b.md)."),
        ("Then `AskUserQuestions({ questions: q })`.", "Then `AskUserQuestion({ questions: q })`."),
        ("Then `Task({ subagentType: x, prompt: y })`.", "Then `Task({ subagent_type: x, prompt: y })`."),
    ],
)
def test_what_is_a_fact_is_mended(text: str, right: str) -> None:
    assert mended(text, **OTHER) == [right]


@pytest.mark.parametrize(
    "text",
    ["See [it](c/d.md).", "Then `AskUserQuestoin({ questions: q })`.", "Then `Task({ promt: y, subagent_type: x })`.",
     "See [\udcff](c/b.md)."],
)  # fmt: skip
def test_what_would_be_a_guess_or_is_no_text_is_left(text: str) -> None:
    assert mended(text, **OTHER) == []


def test_all_that_is_mended_at_once_touches_other_bytes() -> None:
    assert mended("[c/b.md](c/b.md) and [x](d/b.md)", **OTHER) == [
        "[a/b.md](a/b.md) and [x](d/b.md)", "[c/b.md](c/b.md) and [x](a/b.md)",
    ]  # fmt: skip
