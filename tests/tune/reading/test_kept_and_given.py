"""What a run keeps and hands on: without the request, without a value, without anybody who reads it."""

import pytest

from loopwright.tune.reading.carrying import bare
from loopwright.tune.reading.forms import lacking
from loopwright.tune.reading.keeping import aimless
from loopwright.tune.reading.notes import unread
from loopwright.tune.reading.payloads import starved
from loopwright.tune.reading.recovery import described_only, unsaved
from loopwright.tune.reading.variables import unset
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill

FRONT = "---\nname: sample\ndescription: {description}\n---\n\n# Sample\n\n"


def skill(text: str, description: str = "A sample.", **more: str) -> Skill:
    files = {"SKILL.md": (FRONT.format(description=description) + text).encode()}
    files |= {f"{name.replace('__', '/')}.md": page.encode() for name, page in more.items()}
    return read_skill("sample", files)


SHAPE = (
    "Every {whom} has a `{what}` section.\n\n## {title} format\n\n```markdown\n# x\n\n## A\n\n{more}## B\n\n## C\n```\n"
)


@pytest.mark.parametrize(("more", "found"), [("", ["Memory Scope"]), ("## Memory Scope\n\n", [])])
def test_a_shape_has_the_section_that_every_one_of_its_kind_needs(more: str, found: list[str]) -> None:
    text = SHAPE.format(whom="agent", what="Memory Scope", title="Agent", more=more)
    assert [lack.name for lack in lacking(skill(text))] == found


@pytest.mark.parametrize(("last", "found"), [("- unknowns", 1), ("- what the user asked for", 0)])
def test_a_snapshot_says_what_the_user_wants(last: str, found: int) -> None:
    text = f"Create `notes/context-{{slug}}.md` with:\n\n- facts\n- constraints\n{last}\n"
    assert len(list(aimless(skill(text)))) == found


@pytest.mark.parametrize(
    ("given", "found"),
    [("the plan and the earlier review", 1), ("the full task statement, the plan and the earlier review", 0)],
)
def test_agents_beside_each_other_all_get_the_task(given: str, found: int) -> None:
    text = (
        "1. Launch an architect agent and pass the full task statement, the plan and the files.\n"
        f"2. Launch a critic agent with {given}.\n"
    )
    assert len(list(starved(skill(text)))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Run `cp a $SHELF/` and `ls $SHELF`.", ["SHELF"]),
        ("Keep the answer as `SHELF`. Run `cp a $SHELF/` and `ls $SHELF`.", []),
        ("Run `cp a ${SHELF:-.}` and `ls $SHELF`.", []),
        ("Run `cp a $HOME/` and `ls $HOME`.", []),
    ],
)
def test_variables_are_set_somewhere(text: str, found: list[str]) -> None:
    assert [one.name for one in unset(skill(text))] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The file `diary.md` persists across sessions.", ["diary.md"]),
        ("The file `diary.md` persists across sessions. Read it first.", []),
        ("`diary.md` 跨会话保存。", ["diary.md"]),
        ("`diary.md` 跨会话保存，开始时先读。", []),
    ],
)
def test_what_is_carried_over_is_read(text: str, found: list[str]) -> None:
    assert [one.name for one in unread(skill(text))] == found


def test_a_description_promises_what_the_text_tells() -> None:
    assert described_only(skill("Loop until done.\n", "Loops with recovery controls."))
    assert not described_only(skill("Loop until done.\n\n## Recovery\n\nReplay it.\n", "Loops with recovery controls."))


def test_each_phase_saves_its_progress() -> None:
    said = "Progress is saved: write the state after each phase.\n"
    pages = {f"phases__0{n}-x": f"# Phase {n}\n\nPaint.\n\nSave the progress.\n" for n in (1, 2, 4)}
    found = unsaved(skill(said, **pages, **{"phases__03-x": "# Phase 3\n\nPaint.\n"}))
    assert [page.path for page, _, _ in found] == ["phases/03-x.md"]


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("Expand the brief into a specification of the whole program.", 1),
        ("Expand the brief in `brief.md` into a plan.", 0),
    ],
)
def test_a_prompt_tells_the_brief_it_speaks_of(prompt: str, found: int) -> None:
    assert len(list(bare(skill(f'```bash\nclaude -p "{prompt}"\n```\n')))) == found
