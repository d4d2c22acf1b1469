"""Fixes that an agent writes: whatever it does in its copy, only what mends and harms nothing gets into the skill."""

from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.errors import AgentError
from loopwright.core.protocol import AgentOutput, Message, Usage
from tests.tune.session.stage import MENDED, STYLE, Play, TuneStage, texts

WRITE = "phases/02-write.md"


def writes(name: str, text: str) -> Play:
    def play(folder: Path, message: Message) -> str:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return "done"

    return play


def changes(name: str, change: Callable[[str], str]) -> Play:
    return lambda folder, message: str((folder / name).write_text(change((folder / name).read_text())))


def raises(error: Exception) -> Play:
    def play(folder: Path, message: Message) -> str:
        raise error

    return play


def binary(folder: Path, message: Message) -> str:
    (folder / WRITE).write_bytes(b"\x00\xff\xfe not text")
    return "done"


def grown(folder: Path, message: Message) -> str:
    """More than is read of a file: it must not look as if it were deleted."""
    (folder / WRITE).write_text("word " * 300_000)
    return "done"


def linked(folder: Path, message: Message) -> str:
    (folder / WRITE).unlink()
    (folder / WRITE).symlink_to("/etc/hostname")
    return "done"


def no_skill(folder: Path, message: Message) -> str:
    (folder / "SKILL.md").unlink()
    return "done"


right = writes("specs/style.md", STYLE)
commented = changes(WRITE, lambda text: text + "\n<!-- specs/style.md is checked, fixed -->\n")
deleting = changes(WRITE, lambda text: "# Write\n")
breaking = changes("SKILL.md", lambda text: text.replace("---\nname: notes\n", "---\nname notes: [\n"))
elsewhere = changes("phases/01-listen.md", lambda text: text.replace("who says what", "nothing at all"))
too_much = changes(WRITE, lambda text: text + "".join(f"Line {n} of many.\n" for n in range(60)))


async def test_the_right_one_holds(stage: TuneStage) -> None:
    root = stage.skill(MENDED)
    stage.plays = [right]
    state = await stage.tuned(root, agent="writer")
    assert texts(root) == MENDED | {"specs/style.md": STYLE}
    assert (state.status, state.quality_gate, state.quality_score) == ("completed", "pass", 100)
    (fix,) = state.proposed_fixes
    (change,) = fix.changes
    assert (change.file, change.action, change.new_content) == ("specs/style.md", "create", STYLE)
    assert state.engine.budget.tokens == 100
    (order,) = stage.orders
    assert "specs/style.md does not exist in the skill" in order.text
    assert order.policy == "workspace"
    assert not Path(order.folder).exists(), "the copy is gone"
    assert Path(order.folder).name == "notes"
    stage.service.roll_back(state.tuning_id, "FIX-001")
    assert texts(root) == MENDED
    assert not (root / "specs").exists()


async def test_what_needs_no_agent_is_not_written_by_one(stage: TuneStage) -> None:
    root = stage.skill()
    stage.plays = [right]
    state = await stage.tuned(root, agent="writer")
    assert texts(root) == MENDED | {"specs/style.md": STYLE}
    assert [state.engine.proposals[fix.fix_id].level for fix in state.applied_fixes] == [
        "mechanical", "mechanical", "agent",
    ]  # fmt: skip


REJECTED: dict[str, tuple[Play, str]] = {
    "only a comment": (commented, "dead-reference is still found"),
    "deletes the paragraph": (deleting, "it also removes from phases/02-write.md"),
    "breaks the front matter": (breaking, "the front matter of SKILL.md can no longer be read"),
    "touches another file": (elsewhere, "dead-reference is still found"),
    "changes too much": (too_much, "writer changed 60 lines for dead-reference in phases/02-write.md; at most 40"),
    "changes nothing": (lambda folder, message: "all is well", "writer changed nothing for dead-reference"),
    "writes what is no text": (
        binary,
        "not a plain text file for dead-reference in phases/02-write.md: phases/02-write",
    ),
    "writes too large a file": (grown, "not a plain text file"),
    "makes a link": (linked, "not a plain text file"),
    "takes SKILL.md away": (no_skill, "writer left no valid skill for dead-reference"),
    "dies": (raises(AgentError("died", "it is gone")), "writer did not finish for dead-reference"),
}


@pytest.mark.parametrize("name", REJECTED)
async def test_what_does_not_hold(name: str, stage: TuneStage) -> None:
    """Nothing of it stays; it is said why, and the next try is told of it; after that the right one is taken."""
    play, why = REJECTED[name]
    root = stage.skill(MENDED)
    stage.plays = [play] * (2 if name == "dies" else 1) + [right]  # who dies is started again once
    state = await stage.tuned(root, agent="writer")
    assert texts(root) == MENDED | {"specs/style.md": STYLE}
    assert (state.status, state.quality_score) == ("completed", 100)
    ((tried,),) = state.engine.tried.values()
    assert why in tried
    assert tried in stage.orders[-1].text, "the second try knows of the first"
    assert any(why in incident.message for incident in state.engine.incidents)


@pytest.mark.parametrize("name", REJECTED)
async def test_what_never_holds(name: str, stage: TuneStage) -> None:
    play, why = REJECTED[name]
    root = stage.skill(MENDED)
    stage.plays = [play] * 8
    state = await stage.tuned(root, agent="writer")
    assert texts(root) == MENDED
    assert (state.status, len(state.issues), state.error_count) == ("completed", 1, 0)
    (given_up,) = state.engine.rejected.values()
    assert why in given_up
    assert len(stage.orders) == (4 if name == "dies" else 2), "it is tried twice"
    assert why in stage.document(state.tuning_id, "report.md")


async def test_a_fix_that_was_applied_and_did_not_hold_is_rolled_back(stage: TuneStage) -> None:
    root = stage.skill(MENDED)
    stage.plays = [deleting, commented]
    state = await stage.tuned(root, agent="writer")
    assert texts(root) == MENDED
    assert [(fix.success, fix.verification_result, fix.rollback_available) for fix in state.applied_fixes] == [
        (False, "fail", False), (False, "fail", False),
    ]  # fmt: skip
    report = stage.document(state.tuning_id, "report.md")
    assert "applied, and rolled back: it also removes from phases/02-write.md" in report
    assert "applied, and rolled back: dead-reference is still found" in report
    verified = [entry.result for entry in state.action_history if entry.action == "action-verify"]
    assert verified == ["failure", "failure"]


async def test_one_that_hangs_is_cut_off(stage: TuneStage) -> None:
    root = stage.skill(MENDED)
    stage.plays = [lambda folder, message: None, right]
    state = await stage.tuned(root, agent="writer")
    assert texts(root) == MENDED | {"specs/style.md": STYLE}
    assert "took longer than" in str(state.engine.tried) or "did not finish" in str(state.engine.tried)


async def test_one_that_can_not_be_used_at_all_fails_the_session(stage: TuneStage) -> None:
    root = stage.skill(MENDED)
    stage.plays = [raises(AgentError("auth", "log in first"))] * 5
    state = await stage.tuned(root, agent="writer")
    assert (state.status, texts(root)) == ("failed", MENDED)
    assert state.failure_reason is not None
    assert "log in first" in state.failure_reason


async def test_a_budget_ends_it(stage: TuneStage) -> None:
    """What it has found out by then is told."""
    root = stage.skill(MENDED)
    stage.plays = [commented, right]
    state = await stage.tuned(root, agent="writer", tokens=100)
    assert (state.status, state.engine.outcome) == ("failed", "over_budget")
    assert state.failure_reason == "the budget of 100 tokens is used up; 1 issue left"
    assert (texts(root), len(stage.orders)) == (MENDED, 1)
    assert "dead-reference" in stage.document(state.tuning_id, "report.md")


async def test_a_budget_ends_the_writing_too(stage: TuneStage) -> None:
    files = MENDED | {"phases/01-listen.md": "# Listen\n\nListen as [the ears](../specs/ears.md) say.\n"}
    root = stage.skill(files)
    spent = AgentOutput(agent_id="", running=False, text="done", usage=Usage(tokens=500))
    stage.plays = [lambda folder, message: spent] * 4
    state = await stage.tuned(root, agent="writer", tokens=400)
    assert (len(stage.orders), state.engine.outcome, texts(root)) == (1, "over_budget", files)


async def test_a_stop_ends_its_turn(stage: TuneStage) -> None:
    root = stage.skill(MENDED)
    id = stage.create(root, agent="writer")

    def stopping(folder: Path, message: Message) -> None:
        stage.stop(id)

    stage.plays = [stopping]
    state = await stage.drive(id)
    assert (state.engine.outcome, texts(root)) == ("stopped", MENDED)
    assert not Path(stage.orders[0].folder).exists()


async def test_two_files_are_mended_one_after_the_other(stage: TuneStage) -> None:
    files = MENDED | {"phases/01-listen.md": "# Listen\n\nListen as [the ears](../specs/ears.md) say.\n"}
    root = stage.skill(files)

    def mends(folder: Path, message: Message) -> str:
        name = "ears" if "ears.md does not exist" in message.text else "style"
        return str(writes(f"specs/{name}.md", STYLE.replace("Style", name))(folder, message))

    stage.plays = [mends] * 4
    state = await stage.tuned(root, agent="writer")
    assert (state.quality_score, len(stage.orders)) == (100, 2)
    assert {"specs/ears.md", "specs/style.md"} < texts(root).keys()
