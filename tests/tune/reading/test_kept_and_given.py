"""What a run keeps and hands on: without the request, without a value, without anybody who reads it."""

import pytest

from loopwright.tune.detectors import (
    contradicting_constraints,
    goal_not_in_prompt,
    request_not_persisted,
    state_not_loaded,
)
from loopwright.tune.reading.prompts.carrying import bare
from loopwright.tune.reading.prompts.forms import lacking
from loopwright.tune.reading.prompts.payloads import starved
from loopwright.tune.reading.shell.variables import unset
from loopwright.tune.reading.state.keeping import aimless
from loopwright.tune.reading.state.notes import unread
from loopwright.tune.reading.state.recovery import described_only, mentions, tells_how, unsaved
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
        ("Below, `$SHELF` is the day's folder. Run `cp a $SHELF/` and `ls $SHELF/b`.", []),
        ("Ask for the folder (`$SHELF`). Run `cp a $SHELF/` and `ls $SHELF/b`.", []),
        ("下文记作 $SHELF。运行 `cp a $SHELF/`、`ls $SHELF/b`。", []),
        ("| Name | What |\n|--|--|\n| $SHELF | a folder |\n\nRun `cp a $SHELF/` and `ls $SHELF/b`.", []),
        ("The state has `shelf`. Run `cp a $SHELF/` and `ls $SHELF/b`.", []),
        ("The shelf is full. Run `cp a $SHELF/` and `ls $SHELF/b`.", ["SHELF"]),
        ("Look at `/shelf/a`. Run `cp a $SHELF/` and `ls $SHELF/b`.", ["SHELF"]),
        ("Keep bookShelf. Run `cp a $BOOK_SHELF/` and `ls $BOOK_SHELF/b`.", []),
        ("```powershell\n$SHELF = Get-Item .\n```\n\nRun `ls $SHELF/a` and `ls $SHELF/b`.", []),
        ("They sell $SHELF and buy $SHELF.", []),
        ("Let $SHELF$ be it; then $SHELF$ is more.", []),
        ("```text\nTell of ${SHELF} and ${SHELF}\n```", []),
        ("```bash\nls ${SHELF}/a ${SHELF}/b\n```", ["SHELF"]),
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


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("会话断掉是常事。不要紧，重新打开就会从断的地方接着做。", False),
        ("会话断掉是常事。打开 `state.json`，从第一个没做完的步骤接着做。", True),
        ("Start it again: it continues from where it stopped.", False),
        ("Start it again; it continues with the first entry of `state.json` that is open.", True),
    ],
)
def test_to_go_on_where_it_stopped_tells_nothing_to_do(said: str, found: bool) -> None:
    assert tells_how(mentions(skill(f"## Crash recovery\n\n{said}\n"))) == found


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


TOLD = "The user asked: ${session.request}\n"


@pytest.mark.parametrize(
    ("before", "prompt", "found"),
    [
        ("", "", 1),
        ("", "Read ${dir}/grid.json.", 1),
        ("", "Target: ${outPath}", 1),
        ("", "State: ${JSON.stringify(session)}", 0),
        ("", "Session: ${dir}/session.json (fields request and beds)", 0),
        ("", "Read ${dir}/plan.md, which begins with what the user wants.", 0),
        ("const wish = `The user asked: ${session.request}`;\n", "${wish}", 0),
        ("const day = dayOf(session.request);\n", "Day: ${day}", 1),
        ("", "Your role: roles/water.md", 0),
    ],
)
def test_what_the_user_wants_comes_in_many_ways(before: str, prompt: str, found: int) -> None:
    calls = [
        f"{first}Task({{ subagent_type: 'general-purpose', prompt: `{told}\nLook after the plants of bed {number} and "
        f"write down what you did there.` }});\n"
        for number, (first, told) in enumerate([("", TOLD)] * 3 + [(before, prompt)])
    ]
    role = {"roles__water": "# Water\n\n- Read `session.json` first: `request` is what the user asked for.\n"}
    read = skill("".join(f"```javascript\n{call}```\n\n" for call in calls), **role)
    assert len(list(goal_not_in_prompt.DETECTOR.look(read))) == found


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("Change the score file.", True),
        ("Tell the user how to change the score file.", False),
        ("The user may change the score file.", False),
        ("Suggest to change the score file.", False),
        ("Tell the agents to change the score file.", True),
    ],
)
def test_what_others_may_do_is_no_order(order: str, found: bool) -> None:
    text = f"## Rules\n\n- Never change the score file.\n\n## Course\n\n1. Read it.\n2. {order}\n"
    assert bool(list(contradicting_constraints.DETECTOR.look(skill(text)))) == found


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("request: { beds, day: now() }", 1),
        ("request: { text: userMessage, beds }", 0),
        ("request: { ...asked, beds }", 0),
        ("request: asked", 0),
    ],
)
def test_an_object_holds_what_is_taken_from_it(kept: str, found: int) -> None:
    first = f"Write(`${{dir}}/state.json`, JSON.stringify({{ {kept}, day: 1 }}));"
    later = (
        "const state = JSON.parse(Read(`${dir}/state.json`));\nTask({ subagent_type: 'general-purpose', prompt: `The "
        "user asked: ${state.request.text}\nWater the beds and write down how much it was, with the text: of each.` });"
    )
    pages = {
        "phases__1-note": f"# Note\n\n```javascript\n{first}\nsay({{ text: 'noted' }});\n```\n",
        "phases__2-water": f"# Water\n\n```javascript\n{later}\n```\n",
    }
    said = "1. [phases/1-note.md](phases/1-note.md)\n2. [phases/2-water.md](phases/2-water.md)\n"
    assert len(list(request_not_persisted.DETECTOR.look(skill(said, **pages)))) == found


def test_the_folder_of_that_name_is_not_what_was_read() -> None:
    """`Read(`${HUNT}/causes.json`)` loads no `hunt`."""
    read = "Read(`${{HUNT}}/causes/${{one.id}}.json`)"
    code = f"```javascript\n{{load}}for (const one of hunt.suspects) look(one, {read});\n```\n"
    load = "const hunt = JSON.parse(Read(`${HUNT}/hunt.json`));\n"
    pages = {f"phases__{n}-x": f"# {n}\n\n" + code.format(load=load if n != 3 else "") for n in (1, 2, 3, 4)}
    said = "".join(f"{n}. [phases/{n}-x.md](phases/{n}-x.md)\n" for n in (1, 2, 3, 4))
    assert [hit.file for hit in state_not_loaded.DETECTOR.look(skill(said, **pages))] == ["phases/3-x.md"]
