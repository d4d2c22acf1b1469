"""Roles that write where they may not, or what nobody can read: put back, told, and no way into anything else.

Whatever is written or linked here lies in the test's own folder.
"""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.protocol import AgentOutput
from tests.cycle.stage import USUAL, CycleStage, MakeCycleStage, Play, Turn, planned, said
from tests.cycle.test_misbehaving import all_driven, driven, failed_for_good, incidents, sound, told
from tests.liars import ADD, BROKEN, CountedTests
from tests.validation.projects import PYTEST, lay_out

READERS = ("ra.analyse", "ep.explore", "ep.plan", "vas.validate")


def also_writes(step: str, *files: str, text: str = "mine\n") -> Play:
    """Does its work, and writes these files of the project besides, with tool calls that are known of."""

    async def play(turn: Turn) -> AgentOutput:
        words = await USUAL[step](turn)
        assert isinstance(words, str)
        for file in files:
            path = turn.place / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return AgentOutput(agent_id="", running=False, text=words, wrote=files)

    return play


def progress(stage: CycleStage, cycle_id: str) -> str:
    return str(stage.store.progress_path(cycle_id).relative_to(stage.project))


async def test_what_a_role_that_only_reads_writes_to_the_project_is_put_back(make_stage: MakeCycleStage) -> None:
    """Each writes two files of its own, so that who wrote what can be told of those at work at the same time."""
    stage = make_stage()
    for step in READERS:
        (stage.project / f"old-{step}").write_text("as it was")
    state = await all_driven(stage, {step: [also_writes(step, f"old-{step}", f"new-{step}")] for step in READERS})
    assert state.engine.outcome == "succeeded", state.failure_reason
    messages = told(state, "put_back").splitlines()
    assert len(messages) == len(READERS)
    for step in READERS:
        assert (stage.project / f"old-{step}").read_text() == "as it was"
        assert not (stage.project / f"new-{step}").exists()
        assert any(message.endswith(f"may not write: new-{step}, old-{step}") for message in messages), messages


async def test_documents_of_others_are_put_back(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    cycle_id = stage.create()
    written = {
        "ep.plan": ("ra/requirements.md",),
        "vas.validate": ("cd/implementation.md", "ep/plan.json", "ra/requirements.md"),
    }
    for step, files in written.items():
        stage.cast.plays[step] = [also_writes(step, *(f"{progress(stage, cycle_id)}/{file}" for file in files))]
    state = sound(stage, cycle_id, await stage.drive(cycle_id))
    assert state.engine.outcome == "succeeded", state.failure_reason
    by_ep, by_vas = told(state, "put_back").splitlines()
    for file in written["vas.validate"]:
        assert stage.document(cycle_id, file) != "mine\n"
        assert file in by_vas
        assert (file in by_ep) == (file in written["ep.plan"])


async def test_a_plan_by_ra_is_no_plan(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    cycle_id = stage.create()
    name = f"{progress(stage, cycle_id)}/ep/plan.json"
    text = planned({"id": "TASK-666", "description": "do as ra says"})
    stage.cast.plays["ra.analyse"] = [also_writes("ra.analyse", name, text=text)]
    state = sound(stage, cycle_id, await stage.drive(cycle_id))
    assert state.plan is not None
    assert [task.id for task in state.plan.tasks] == ["TASK-001"]
    assert "TASK-666" not in stage.document(cycle_id, "ep/plan.json")


async def test_state_and_journal_are_the_engines_whoever_writes_them(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    cycle_id = stage.create()
    state_file = f".workflow/.cycle/{cycle_id}.json"
    for step in ("ra.analyse", "vas.validate"):
        stage.cast.plays[step] = [also_writes(step, state_file, text='{"status": "completed"}')]
    state = sound(stage, cycle_id, await stage.drive(cycle_id))
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert stage.store.read(cycle_id) == state
    assert '"cycle_id"' in (stage.project / state_file).read_text()


@pytest.mark.parametrize("step", ["ep.plan"])
async def test_what_was_written_elsewhere_is_told(make_stage: MakeCycleStage, step: str, tmp_path: Path) -> None:
    """It cannot be put back: nobody knows what was there."""
    stage = make_stage()
    outside = str(tmp_path / "outside.txt")
    state = await driven(stage, step, also_writes(step, ".git/config", outside))
    assert state.engine.outcome == "succeeded", state.failure_reason
    words = told(state, "wrote_elsewhere")
    assert step.partition(".")[0] in words
    assert ".git/config" in words
    assert outside in words


async def test_what_a_role_writes_in_its_own_folder_is_nobodys_business(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    cycle_id = stage.create()
    own = f"{progress(stage, cycle_id)}/ra/notes.md"
    stage.cast.plays["ra.analyse"] = [also_writes("ra.analyse", own)]
    state = sound(stage, cycle_id, await stage.drive(cycle_id))
    assert incidents(state) == {}
    assert stage.document(cycle_id, "ra/notes.md") == "mine\n"


DOCUMENTS = {
    "ra.analyse": "requirements.md", "ep.explore": "exploration.md", "ep.plan": "plan.json",
    "vas.validate": "summary.md",
}  # fmt: skip


def linked(path: Path) -> None:
    target = path.parents[5] / "elsewhere.txt"
    target.write_text("# not yours\n")
    path.symlink_to(target)


def looped(path: Path) -> None:
    path.symlink_to(path)


def huge(path: Path) -> None:
    path.write_text("# Much\n" + "words and words\n" * 400_000)


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 2_000)


def foldered(path: Path) -> None:
    path.mkdir()


MAKES: dict[str, Callable[[Path], None]] = {
    "a link": linked, "a link to itself": looped, "a pipe": os.mkfifo, "too much": huge, "a folder": foldered,
}  # fmt: skip


def makes(step: str, make: Callable[[Path], None]) -> Play:
    """Something in the place of the role's document."""

    async def play(turn: Turn) -> str:
        path = turn.folder / DOCUMENTS[step]
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        make(path)
        return said(turn.role)

    return play


def clears(step: str) -> Play:
    """Does its work, where something is in the way."""

    async def play(turn: Turn) -> AgentOutput | str:
        path = turn.folder / DOCUMENTS[step]
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        path.unlink(missing_ok=True)
        return await USUAL[step](turn)

    return play


@pytest.mark.parametrize(
    "by_step", [dict(zip(DOCUMENTS, MAKES, strict=False)), {"ra.analyse": "a folder"}], ids=["each", "ra"]
)
async def test_what_is_no_document_is_asked_for_again(make_stage: MakeCycleStage, by_step: dict[str, str]) -> None:
    stage = make_stage()
    state = await all_driven(stage, {step: [makes(step, MAKES[what]), clears(step)] for step, what in by_step.items()})
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
    for step in by_step:
        assert DOCUMENTS[step] in told(state, "asked_again")


@pytest.mark.parametrize(("step", "what"), list(zip([*reversed(DOCUMENTS), "ra.analyse"], MAKES, strict=True)))
async def test_what_never_is_one_fails_the_role_and_is_never_written_through(
    make_stage: MakeCycleStage, step: str, what: str
) -> None:
    stage = make_stage()
    state = await driven(stage, step, *[makes(step, MAKES[what])] * 4, max_iterations=1)
    failed_for_good(stage, state, step)
    elsewhere = stage.project.parent / "elsewhere.txt"
    if what == "a link":
        assert elsewhere.read_text() == "# not yours\n"


async def test_a_document_of_bytes_is_text_or_nothing(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    state = await driven(stage, "ra.analyse", makes("ra.analyse", binary), clears("ra.analyse"))
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert state.requirements is not None
    assert len(state.requirements.specification) <= 100_000


async def test_cd_deletes_workflow_and_nothing_is_lost(make_stage: MakeCycleStage) -> None:
    """As far as it can: what the process knows is written again."""
    stage = make_stage()

    async def deletes(turn: Turn) -> AgentOutput | str:
        for role in ("ra", "ep", "cd", "vas", "coordination"):
            shutil.rmtree(turn.folder.parent / role)
        words = await USUAL["cd.implement"](turn)
        shutil.rmtree(turn.place / ".workflow", ignore_errors=True)
        return words

    cycle_id = stage.create(parallel=1)
    stage.cast.plays["cd.implement"] = [deletes]
    state = await stage.drive(cycle_id)
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert stage.store.read(cycle_id) == state
    for name in ("ra/requirements.md", "ep/plan.json", "vas/summary.md", "coordination/summary.md"):
        assert stage.document(cycle_id, name)


@pytest.mark.parametrize("parallel", [1, 2])
async def test_cd_deletes_the_roles_folders(make_stage: MakeCycleStage, parallel: int) -> None:
    stage = make_stage()

    async def deletes(turn: Turn) -> AgentOutput | str:
        for role in ("ra", "ep", "cd", "vas"):
            shutil.rmtree(turn.folder.parent / role)
        return await USUAL["cd.implement"](turn)

    state = await driven(stage, "cd.implement", deletes, parallel=parallel)
    assert state.engine.outcome == "succeeded", state.failure_reason
    for name in ("ra/requirements.md", "ep/plan.json", "ep/architecture.md", "vas/summary.md", "cd/implementation.md"):
        assert stage.document(state.cycle_id, name)


async def test_cd_commits_in_its_lane(make_stage: MakeCycleStage) -> None:
    """Its own repository, or an attempt at one: what counts are the files."""
    stage = make_stage()

    async def commits(turn: Turn) -> AgentOutput | str:
        assert turn.place != stage.project
        words = await USUAL["cd.implement"](turn)
        process = await asyncio.create_subprocess_exec(
            "git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qam", "mine", "--allow-empty",
            cwd=turn.place, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(stage.project.parent)},
        )  # fmt: skip
        await process.wait()
        return words

    state = await driven(stage, "cd.implement", commits)
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert (stage.project / "app.txt").read_text() == "good"
    assert state.changes is not None
    assert [change.file for change in state.changes.changes] == ["app.txt"]


async def test_cd_changes_the_tests_so_that_they_pass(make_stage: MakeCycleStage) -> None:
    """The first version of the tests is run again on what is there: with real pytest, as in a loop."""
    stage = make_stage()
    lay_out(stage.project, BROKEN)
    stage.tests = CountedTests(stage.project, is_pristine=False)  # type: ignore[assignment]  # the real runner

    async def cheats(turn: Turn) -> str:
        turn.change("tests/test_app.py", BROKEN["tests/test_app.py"].replace("== 4", "== 0"))
        return said("cd", summary="all tests pass now", files_written=["tests/test_app.py"])

    given = {"test_command": PYTEST, "test_timeout": 60.0, "parallel": 1, "max_iterations": 1}
    state = await driven(stage, "cd.implement", cheats, **given)
    assert (state.status, state.engine.outcome) == ("failed", "exhausted")
    assert f"1 passing only since the tests were changed: {ADD}" in "\n".join(state.iterations[-1].issues_found)
    assert ADD in told(state, "tests_suspicious")
    assert "all tests pass now" in told(state, "false_claim")
