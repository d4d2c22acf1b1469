"""A recorded course played again comes to the same; one that was tampered with does not, or says which line it was."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.scripted import ReplayedAgent, ScriptedTurn
from loopwright.core.errors import Conflict, Corrupt, Invalid, NotFound
from loopwright.core.run_events import RunNote
from loopwright.core.state import Limits
from loopwright.core.transcript import TRANSCRIPT
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.replay import (
    CourseDifference,
    LoopReplay,
    ReplayClock,
    ReplayResult,
    compare_courses,
    read_recording,
)
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.copies import lay_out_copy
from tests.fakes import FakeClock, JudgedTests, ListedPerson, NoDebugger, NoProcesses
from tests.stage import MakeStage, Stage, said

GOOD: dict[str, str | None] = {"app.txt": "good"}
BAD: dict[str, str | None] = {"app.txt": "worse"}
PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "Write it"}, {"description": "Polish it"}]))
POLISHED = ScriptedTurn(text=said("DEVELOP"), files={"polish.txt": "bright"})
ASKS = ScriptedTurn(text=said("DEVELOP", "needs_input", "Which colour?"))


async def replayed(stage: Stage, loop_id: str, folder: Path) -> tuple[ReplayResult, tuple[CourseDifference, ...]]:
    """The loop's course once more, in an empty folder."""
    project, beside = folder / "again" / "project", folder / "again" / "recorded"
    project.mkdir(parents=True)
    beside.mkdir()
    clock = ReplayClock(FakeClock())
    recording = read_recording(stage.store, loop_id)
    again = LoopReplay(recording, stage.workspace, clock)
    lay_out_copy(stage.workspace, recording.start, project)
    with FileStore(project, LOOPS, clock) as store:
        runner = LoopRunner(
            project=str(project),
            store=store,
            workspace=GitWorkspace(project, folder / "again" / "private"),
            tests=JudgedTests(project, stage.judge),
            clock=clock,
            processes=NoProcesses(),
            debugger=lambda id, bus: NoDebugger(),
            agents=lambda name, around: ReplayedAgent(name, recording.able(name), again.answer),
        )
        end = await again.play(runner)
        other = GitWorkspace(beside, folder / "again" / "private")
        then = stage.store.events(loop_id)
        return end, compare_courses(recording, then, end, stage.workspace, runner.workspace, other)


COURSES: dict[str, list[ScriptedTurn]] = {
    "straight": [PLAN, ScriptedTurn(text=said("DEVELOP"), files=GOOD), POLISHED],
    "after debug": [
        PLAN,
        ScriptedTurn(text=said("DEVELOP"), files=BAD),
        POLISHED,
        ScriptedTurn(text=said("DEBUG"), files=GOOD),
    ],
    "after two rounds, with hypotheses": [
        PLAN,
        ScriptedTurn(text=said("DEVELOP"), files=BAD),
        POLISHED,
        ScriptedTurn(text=said("DEBUG", hypotheses=[{"description": "It is bad"}]), files={"b/c.txt": "x"}),
        ScriptedTurn(text=said("DEBUG"), files=GOOD),
    ],
    "a failed task": [
        PLAN,
        ScriptedTurn(text=said("DEVELOP", "failed")),
        ScriptedTurn(text=said("DEVELOP"), files=GOOD),
    ],
    "a liar": [
        PLAN,
        ScriptedTurn(text=said("DEVELOP", message="All tests pass now.")),
        ScriptedTurn(text=said("DEVELOP")),
        *[ScriptedTurn(text=said("DEBUG", message="All tests are green."))] * 12,
    ],
    "no report, asked again": [
        PLAN,
        ScriptedTurn(text="Done, I think.", files=GOOD),
        ScriptedTurn(text=said("DEVELOP")),
        POLISHED,
    ],
    "dies twice": [
        PLAN,
        ScriptedTurn(dies=True, files={"half.txt": "x"}),
        ScriptedTurn(dies=True),
        ScriptedTurn(text=said("DEVELOP"), files=GOOD),
        POLISHED,
    ],
    "asks": [PLAN, ASKS, ASKS],
    "has a login to do": [PLAN, ScriptedTurn(error="auth")],
    "waits for a limit": [
        PLAN,
        ScriptedTurn(error="quota", until="2026-01-22T12:00:00+08:00"),
        ScriptedTurn(text=said("DEVELOP"), files=GOOD),
        POLISHED,
    ],
    "says nothing at all": [],
}


@pytest.mark.parametrize("course", COURSES)
async def test_a_course_comes_to_the_same(course: str, stage: MakeStage, tmp_path: Path) -> None:
    made = stage(*COURSES[course])
    loop_id = made.create(max_iterations=12)
    end = await made.drive(loop_id)
    again, other = await replayed(made, loop_id, tmp_path)
    assert (other, again.strayed, again.reworded) == ((), None, 0)
    assert again.state.status == end.status
    assert task_ids(again.state) == task_ids(end)


def task_ids(state: LoopState) -> list[str]:
    return [task.id for task in state.skill_state.develop.tasks] if state.skill_state else []


async def test_what_people_did_meanwhile_happens_again(stage: MakeStage, tmp_path: Path) -> None:
    """A pause, a new task, a higher limit, an answer, a reopening: each at its own place."""
    works = [ScriptedTurn(text=said("DEVELOP"), files={f"{n}.txt": "x"}) for n in range(3)]
    answers = [PLAN, ASKS, ASKS, *works, ScriptedTurn(text=said("DEBUG"), files=GOOD)]
    made = stage(*answers, ScriptedTurn(text=said("DEVELOP"), files={"more.txt": "x"}))
    loop_id = made.create(max_iterations=4)
    assert (await made.drive(loop_id)).engine.waiting is not None
    made.service.answer(loop_id, "blue")
    made.service.resume(loop_id)
    made.service.tasks.add(loop_id, {"description": "One more", "tool": "scripted"})
    first = await made.drive(loop_id, on_note=lambda note: made.pause_after(note, loop_id, "DEVELOP"))
    assert first.status == "paused"
    made.service.resume(loop_id)
    assert (await made.drive(loop_id)).engine.outcome == "exhausted"
    made.service.reopen(loop_id, Limits(max_iterations=9))
    assert (await made.drive(loop_id)).engine.outcome == "succeeded"
    again, other = await replayed(made, loop_id, tmp_path)
    assert (other, again.strayed, again.state.engine.outcome) == ((), None, "succeeded")


async def test_a_runner_that_died_dies_again(stage: MakeStage, tmp_path: Path) -> None:
    made = stage(PLAN, ScriptedTurn(hangs=True), ScriptedTurn(text=said("DEVELOP"), files=GOOD))
    loop_id = made.create()

    def die(note: RunNote) -> None:
        if note.text == "scripted works on DEVELOP":
            (made.project / "half.txt").write_text("half")
            driving.cancel()

    driving = asyncio.ensure_future(made.drive(loop_id, on_note=die))
    await asyncio.wait({driving})
    assert driving.cancelled()
    assert (await made.drive(loop_id)).engine.outcome is not None
    assert "taken_over" in [entry.event.type for entry in made.store.events(loop_id)]
    again, other = await replayed(made, loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)
    assert (tmp_path / "again" / "project" / "half.txt").exists()


async def test_a_turn_that_was_cancelled_is_cancelled_again(stage: MakeStage, tmp_path: Path) -> None:
    made = stage(PLAN, ScriptedTurn(hangs=True), ScriptedTurn(text=said("DEVELOP"), files=GOOD), POLISHED)
    loop_id = made.create()

    def hasten(note: RunNote) -> None:
        if note.text == "scripted works on DEVELOP" and not made.service.read(loop_id).engine.sightings:
            made.service.pause(loop_id, now=True)

    assert (await made.drive(loop_id, on_note=hasten)).status == "paused"
    made.service.resume(loop_id)
    assert (await made.drive(loop_id)).engine.outcome == "succeeded"
    again, other = await replayed(made, loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)


async def test_a_person_at_the_menu_chooses_again(stage: MakeStage, tmp_path: Path) -> None:
    made = stage(PLAN, ScriptedTurn(text=said("DEVELOP"), files=GOOD))
    loop_id = made.create(mode="interactive")
    person = ListedPerson(["develop", "validate", "status", "exit"])
    assert (await made.drive(loop_id, person=person)).status == "user_exit"
    again, other = await replayed(made, loop_id, tmp_path)
    assert (other, again.strayed, again.state.status) == ((), None, "user_exit")
    assert again.actions == ("INIT", "DEVELOP", "VALIDATE")


async def test_a_bash_task_is_played_and_not_run(stage: MakeStage, tmp_path: Path) -> None:
    made = stage()
    loop_id = made.create()
    counted = tmp_path / "counted"
    command = f"echo ran >> {counted}; printf good > app.txt"
    made.service.tasks.add(loop_id, {"description": "Write", "tool": "bash", "command": command})
    assert (await made.drive(loop_id)).engine.outcome == "succeeded"
    again, other = await replayed(made, loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)
    assert counted.read_text() == "ran\n"


async def test_what_was_removed_is_removed_again(stage: MakeStage, tmp_path: Path) -> None:
    made = stage(
        PLAN, ScriptedTurn(text=said("DEVELOP"), files={"old/a.txt": "x", "kept.txt": "y"}),
        ScriptedTurn(text=said("DEVELOP"), files={"old/a.txt": None, **GOOD}),
    )  # fmt: skip
    loop_id = made.create()
    await made.drive(loop_id)
    _, other = await replayed(made, loop_id, tmp_path)
    assert other == ()
    assert not (tmp_path / "again" / "project" / "old" / "a.txt").exists()


async def recorded(stage: MakeStage) -> tuple[Stage, str, Path]:
    made = stage(PLAN, ScriptedTurn(text=said("DEVELOP"), files=GOOD), POLISHED)
    loop_id = made.create()
    await made.drive(loop_id)
    return made, loop_id, made.store.progress_path(loop_id) / TRANSCRIPT


def rewrite(path: Path, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
    """`change` gets each recorded turn, and gives another one, or None for no line."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    kept = (change(line) if line["kind"] == "turn" else line for line in lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in kept if line))


async def test_another_answer_comes_to_something_else(stage: MakeStage, tmp_path: Path) -> None:
    made, loop_id, path = await recorded(stage)

    def fail(turn: dict[str, Any]) -> dict[str, Any]:
        if turn["action"] == "DEVELOP":
            turn["output"]["report"]["status"] = "failed"
        return turn

    rewrite(path, fail)
    again, other = await replayed(made, loop_id, tmp_path)
    assert "tasks" in {difference.what for difference in other} or again.strayed


async def test_another_tree_is_noticed(stage: MakeStage, tmp_path: Path) -> None:
    """The agent wrote less than what is recorded: the tests and the files say so."""
    made, loop_id, path = await recorded(stage)
    rewrite(path, lambda turn: {**turn, "output": None, "error": {"kind": "timeout"}})
    again, other = await replayed(made, loop_id, tmp_path)
    assert other
    assert again.strayed or again.state.status == "failed"


async def test_an_answer_that_is_missing_is_missed(stage: MakeStage, tmp_path: Path) -> None:
    made, loop_id, path = await recorded(stage)
    rewrite(path, lambda turn: turn if turn["action"] == "INIT" else None)
    again, other = await replayed(made, loop_id, tmp_path)
    assert again.strayed == "DEVELOP asked scripted more often than the transcript does"
    assert other


async def test_another_order_is_noticed(stage: MakeStage, tmp_path: Path) -> None:
    made, loop_id, path = await recorded(stage)
    rewrite(path, lambda turn: {**turn, "digest": "0" * 16})
    again, other = await replayed(made, loop_id, tmp_path)
    assert (again.reworded, other) == (3, ())


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda lines: [*lines[:4], b'{"ts": "20', *lines[5:]], "line 5: cannot be read"),
        (lambda lines: [b"\xff\xfe", *lines[1:]], "line 1: cannot be read"),
        (lambda lines: [lines[0].replace(b'"able"', b'"gossip"'), *lines[1:]], "line 1: .*no kind 'gossip'"),
        (lambda lines: [line.replace(b'"form": 1', b'"form": 2') for line in lines], "recorded by another version"),
        (lambda lines: [line.replace(b'"digest"', b'"digits"') for line in lines], "line 6: .*digest"),
        (lambda lines: lines[1:], "no line of the kind able for scripted"),
    ],
)
async def test_a_damaged_transcript_is_named_with_its_line(
    damage: Callable[[list[bytes]], list[bytes]], words: str, stage: MakeStage, tmp_path: Path
) -> None:
    made, loop_id, path = await recorded(stage)
    path.write_bytes(b"".join(line + b"\n" for line in damage(path.read_bytes().splitlines())))
    with pytest.raises(Corrupt, match=words):
        await replayed(made, loop_id, tmp_path)


async def test_what_can_not_be_replayed_says_why(stage: MakeStage, tmp_path: Path) -> None:
    made, loop_id, path = await recorded(stage)
    with pytest.raises(Conflict, match="wait until it ends or pauses"), made.store.lease(loop_id):
        read_recording(made.store, loop_id)
    path.unlink()
    with pytest.raises(NotFound, match="no transcript"):
        read_recording(made.store, loop_id)
    with pytest.raises(Invalid, match="not done anything yet"):
        read_recording(made.store, made.create())
    made.service.rewind(loop_id, 1)
    with pytest.raises(Invalid, match="was rewound"):
        read_recording(made.store, loop_id)


async def test_the_copy_has_the_ignored_files_and_leaves_them_alone(stage: MakeStage, tmp_path: Path) -> None:
    made = stage(PLAN, ScriptedTurn(text=said("DEVELOP"), files={"empty/new.txt": "x", **GOOD}), POLISHED)
    (made.project / ".gitignore").write_text("packages/\n*.local\n")
    for folder in ("packages", "empty"):
        (made.project / folder).mkdir()
    (made.project / "packages" / "one.py").write_text("1")
    (made.project / "a b[1].local").write_text("mine")
    loop_id = made.create()
    await made.drive(loop_id)
    again, other = await replayed(made, loop_id, tmp_path)
    copy = tmp_path / "again" / "project"
    assert (other, again.strayed) == ((), None)
    assert (copy / "packages" / "one.py").read_text() == "1"
    assert (copy / "a b[1].local").read_text() == "mine"
    assert (copy / "empty" / "new.txt").read_text() == "x"
    assert made.workspace.tree() == GitWorkspace(copy, tmp_path / "other").tree()
