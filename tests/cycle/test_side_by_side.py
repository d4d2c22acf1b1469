"""What of a cycle runs at the same time, what never does, and how work that was done side by side comes together."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import pytest

from loopwright.core.ports import MergeResult, TestOrder
from loopwright.core.protocol import AgentOutput
from loopwright.evidence.testing import TestRun
from loopwright.workflows.cycle.model import CycleState
from loopwright.workspace.worktrees import GitWorktrees
from tests.cycle.stage import USUAL, Cast, CycleStage, MakeCycleStage, Play, Turn, planned, said
from tests.fakes import JudgedTests
from tests.waiting import soon, until

Said = AgentOutput | str

SECONDS = 10
"""How long somebody waits for others that are meant to be there at the same time."""

MARKS = re.compile("^(<<<<<<<|>>>>>>>)", re.MULTILINE)

LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def task(number: int, *files: str, after: Sequence[str] = ()) -> dict[str, object]:
    id = f"TASK-{number:03d}"
    return {"id": id, "description": f"Do part {number}", "files": [*files], "depends_on": [*after]}


def plan_of(*tasks: dict[str, object]) -> Play:
    async def plans(turn: Turn) -> str:
        turn.write("plan.json", planned(*tasks))
        return said("ep")

    return plans


def task_of(turn: Turn) -> str:
    found = re.search(r"# Order: cd\.implement (TASK-\d+)", turn.message.text)
    assert found is not None, turn.message.text
    return found[1]


def is_conflict(turn: Turn) -> bool:
    return "cannot be merged" in turn.message.text


def by_task(plays: Mapping[str, Play]) -> list[Play]:
    """Each task's play, as often as it is asked."""

    async def plays_it(turn: Turn) -> Said:
        return await plays[task_of(turn)](turn)

    return [plays_it] * 60


def all_good(project: Path) -> dict[str, str]:
    """Passes as long as nobody has merged the marks of a conflict; once there is work, it has a test of its own."""
    files = [path for path in project.rglob("*") if path.is_file() and not {".workflow", ".git"} & {*path.parts}]
    texts = {file.read_text() for file in files}
    verdicts = {"clean": "failed" if any(map(MARKS.search, texts)) else "passed"}
    return {**verdicts, **({"work": "passed"} if texts - {"bad", LINES} else {})}


def stage_of(make_stage: MakeCycleStage, tasks: Sequence[dict[str, object]], plays: Mapping[str, Play]) -> CycleStage:
    cast = Cast({"ep.plan": [plan_of(*tasks)], "cd.implement": by_task(plays)})
    return make_stage(cast=cast, judge=all_good)


def meets(barrier: asyncio.Barrier, then: Play) -> Play:
    """Goes on once the others have begun too: one after the other, it would wait in vain."""

    async def plays(turn: Turn) -> Said:
        async with asyncio.timeout(SECONDS):
            await barrier.wait()
        return await then(turn)

    return plays


def writes(name: str, text: str) -> Play:
    async def plays(turn: Turn) -> str:
        turn.change(name, text)
        return said("cd", files_written=[name])

    return plays


def read(stage: CycleStage, name: str) -> str:
    return (stage.project / name).read_text()


def statuses(state: CycleState) -> dict[str, str]:
    assert state.plan is not None
    return {task.id: task.status for task in state.plan.tasks}


def assert_succeeded(state: CycleState) -> None:
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), (
        state.failure_reason,
        state.phase_errors,
    )
    assert set(statuses(state).values()) == {"completed"}


class TestAtTheSameTime:
    async def test_the_analyst_and_the_explorer(self, make_stage: MakeCycleStage) -> None:
        both = asyncio.Barrier(2)
        plays = {step: [meets(both, USUAL[step])] for step in ("ra.analyse", "ep.explore")}
        state = await (stage := make_stage(cast=Cast(plays))).drive(stage.create())
        assert_succeeded(state)
        assert stage.cast.most_at_work == 2

    @pytest.mark.parametrize("parallel", [2, 4])
    async def test_as_many_tasks_as_are_allowed(self, make_stage: MakeCycleStage, parallel: int) -> None:
        together, names = asyncio.Barrier(parallel), [f"part{n}.txt" for n in range(1, 2 * parallel + 1)]
        plays = {f"TASK-{n:03d}": meets(together, writes(name, f"{n}")) for n, name in enumerate(names, 1)}
        stage = stage_of(make_stage, [task(n, name) for n, name in enumerate(names, 1)], plays)
        assert_succeeded(await stage.drive(stage.create(parallel=parallel)))
        assert stage.cast.most_at_work == parallel
        assert [read(stage, name) for name in names] == [f"{n}" for n in range(1, 2 * parallel + 1)]
        lanes = {turn.place for turn in stage.cast.turns if turn.message.action == "cd.implement"}
        assert len(lanes) <= parallel
        assert stage.project not in lanes

    async def test_what_one_has_done_is_safe_when_the_other_is_still_at_it(self, make_stage: MakeCycleStage) -> None:
        async def waits(turn: Turn) -> str:
            await soon(lambda: "TASK-001" in completed())
            turn.change("b.txt", "b")
            return said("cd")

        stage = stage_of(
            make_stage, [task(1, "a.txt"), task(2, "b.txt")], {"TASK-001": writes("a.txt", "a"), "TASK-002": waits}
        )
        id = stage.create()

        def completed() -> set[str]:
            return {id for id, status in statuses(stage.service.read(id)).items() if status == "completed"}

        assert_succeeded(await stage.drive(id))

    async def test_what_a_role_writes_is_not_written_over_when_another_ends(self, make_stage: MakeCycleStage) -> None:
        """ra is in the middle of version 1.1.0 when ep ends, and somebody has changed this and that meanwhile."""
        new = "# Requirements\n\nClearer now.\n"

        async def blocked(turn: Turn) -> str:
            return said(
                "cd", "failed", "the plan contradicts itself", blockers=["the plan contradicts itself (TASK-001)"]
            )

        async def writes_anew(turn: Turn) -> str:
            turn.write("requirements.md", new)
            await soon(lambda: "ep.explore" in stage.service.read(id).engine.done)
            await soon(lambda: "ep.explore" not in [one.step for one in stage.service.read(id).engine.under_way])
            await asyncio.sleep(0)
            assert (turn.folder / "requirements.md").read_text() == new
            return said("ra", summary="it is cleared up")

        async def meanwhile(turn: Turn) -> Said:
            await soon(lambda: "Clearer" in (turn.folder.parent / "ra" / "requirements.md").read_text())
            (turn.folder.parent / "cd" / "issues.md").unlink()
            stage.service.edit(id, {"max_iterations": 7})
            return await USUAL["ep.explore"](turn)

        plays: dict[str, list[Play]] = {
            "ra.analyse": [USUAL["ra.analyse"], writes_anew], "ep.explore": [USUAL["ep.explore"], meanwhile],
            "cd.implement": [blocked],
        }  # fmt: skip
        stage = make_stage(cast=Cast(plays))
        state = await stage.drive(id := stage.create())
        assert_succeeded(state)
        assert state.requirements is not None
        assert (state.requirements.version, "Clearer" in state.requirements.specification) == ("1.1.0", True)
        assert "Clearer" in stage.document(id, "ra/requirements.md")
        assert "Clearer" not in stage.document(id, "ra/history/requirements-v1.0.0.md")
        assert (stage.store.progress_path(id) / "cd" / "issues.md").exists()


class TestNeverAtTheSameTime:
    async def test_two_that_share_a_file(self, make_stage: MakeCycleStage) -> None:
        (make := make_stage)(cast=Cast())
        at_work: list[int] = []

        def adds(number: int) -> Play:
            async def plays(turn: Turn) -> str:
                at_work.append(stage.cast.at_work)
                if number == 2:
                    turn.change("docs/a.md", "a\n")
                with (turn.place / "shared.txt").open("a") as file:
                    file.write(f"{number}\n")
                await asyncio.sleep(0.05)
                return said("cd")

            return plays

        tasks = [task(1, "shared.txt"), task(2, "docs/a.md", "shared.txt"), task(3, "./shared.txt"), task(4)]
        stage = stage_of(make, tasks, {f"TASK-{n:03d}": adds(n) for n in range(1, 5)})
        assert_succeeded(await stage.drive(stage.create(parallel=4)))
        assert at_work == [1, 1, 1, 1]
        assert read(stage, "shared.txt") == "1\n2\n3\n4\n"
        assert not any(map(is_conflict, stage.cast.turns))

    async def test_two_agents_where_only_one_may_be(self, make_stage: MakeCycleStage) -> None:
        names = ["a.txt", "b.txt", "c.txt"]
        plays = {f"TASK-{n:03d}": writes(name, "x") for n, name in enumerate(names, 1)}
        stage = stage_of(make_stage, [task(n, name) for n, name in enumerate(names, 1)], plays)
        assert_succeeded(await stage.drive(stage.create(parallel=1)))
        assert stage.cast.most_at_work == 1
        assert {turn.place for turn in stage.cast.turns} == {stage.project}

    async def test_a_task_and_what_it_builds_on(self, make_stage: MakeCycleStage) -> None:
        async def builds(turn: Turn) -> str:
            turn.change("b.txt", (turn.place / "a.txt").read_text() + "b")
            return said("cd")

        tasks = [task(1, "b.txt", after=["TASK-002"]), task(2, "a.txt"), task(3, "c.txt", after=["TASK-001"])]
        plays = {"TASK-001": builds, "TASK-002": writes("a.txt", "a"), "TASK-003": writes("c.txt", "c")}
        stage = stage_of(make_stage, tasks, plays)
        assert_succeeded(await stage.drive(stage.create(parallel=4)))
        assert read(stage, "b.txt") == "ab"
        order = [task_of(turn) for turn in stage.cast.turns if turn.message.action == "cd.implement"]
        assert order == ["TASK-002", "TASK-001", "TASK-003"]


def edits(line: str, new: str, *, file: str = "lines.txt", settles: Play | None = None) -> Play:
    """Changes one line; when it comes back with a conflict, both are kept, unless it is settled in another way."""

    async def plays(turn: Turn) -> Said:
        if is_conflict(turn):
            return await (settles or keeps_both)(turn)
        turn.change(file, (turn.place / file).read_text().replace(line, new))
        return said("cd")

    async def keeps_both(turn: Turn) -> str:
        kept = [
            text for text in (turn.place / file).read_text().splitlines() if not text.startswith(("<<<", ">>>", "==="))
        ]
        turn.change(file, "\n".join(kept) + "\n")
        return said("cd")

    return plays


def conflicts(stage: CycleStage) -> list[Turn]:
    return [turn for turn in stage.cast.turns if turn.message.action == "cd.implement" and is_conflict(turn)]


TWO = [task(1, "a.txt"), task(2, "b.txt")]


def two(first: Play, second: Play) -> dict[str, Play]:
    """They change what their plan says, and what it does not say."""
    return {"TASK-001": beside("a.txt", first), "TASK-002": beside("b.txt", second)}


def beside(name: str, then: Play) -> Play:
    async def plays(turn: Turn) -> Said:
        if not is_conflict(turn):
            turn.change(name, f"{name}\n")
        return await then(turn)

    return plays


@pytest.fixture
def lines(project: Path) -> Path:
    (project / "lines.txt").write_text(LINES)
    return project / "lines.txt"


class TestConflicts:
    async def test_the_same_line_goes_back_to_its_agent(self, make_stage: MakeCycleStage, lines: Path) -> None:
        both = asyncio.Barrier(2)

        def first(turn: Turn, then: Play) -> Awaitable[Said]:
            return then(turn) if is_conflict(turn) else meets(both, then)(turn)

        plays = two(
            lambda turn: first(turn, edits("four", "vier")),
            lambda turn: first(turn, edits("four", "quatre")),
        )
        stage = stage_of(make_stage, TWO, plays)
        state = await stage.drive(stage.create())
        assert_succeeded(state)
        assert sorted(lines.read_text().split()) == sorted(LINES.replace("four", "vier quatre").split())
        (turn,) = conflicts(stage)
        assert "- lines.txt" in turn.message.text
        assert "CONFLICT (content)" in turn.message.text
        assert state.changes is not None
        assert sorted(change.file for change in state.changes.changes) == ["a.txt", "b.txt", "lines.txt", "lines.txt"]

    async def test_one_renames_what_the_other_edits(self, make_stage: MakeCycleStage, lines: Path) -> None:
        both = asyncio.Barrier(2)

        async def renames(turn: Turn) -> str:
            (turn.place / "lines.txt").rename(turn.place / "moved.txt")
            return said("cd")

        plays = two(meets(both, renames), meets(both, edits("four", "quatre")))
        stage = stage_of(make_stage, TWO, plays)
        assert_succeeded(await stage.drive(stage.create()))
        assert not lines.exists()
        assert read(stage, "moved.txt") == LINES.replace("four", "quatre")

    @pytest.mark.parametrize("first", ["deleted", "edited"])
    async def test_one_deletes_what_the_other_edits(self, make_stage: MakeCycleStage, lines: Path, first: str) -> None:
        async def deletes(turn: Turn) -> str:
            if not is_conflict(turn):
                if first == "edited":
                    await soon(lambda: "quatre" in lines.read_text())
                (turn.place / "lines.txt").unlink()
            return said("cd", summary="the edit of the other one stays")

        async def edited(turn: Turn) -> Said:
            if first == "deleted":
                await soon(lambda: not lines.exists() or is_conflict(turn))
            return await edits("four", "quatre", settles=keeps)(turn)

        async def keeps(turn: Turn) -> str:
            assert "modify/delete" in turn.message.text
            return said("cd")

        stage = stage_of(make_stage, TWO, two(deletes, edited))
        assert_succeeded(await stage.drive(stage.create()))
        assert lines.read_text() == LINES.replace("four", "quatre")
        (turn,) = conflicts(stage)
        assert task_of(turn) == ("TASK-002" if first == "deleted" else "TASK-001")

    async def test_marks_that_are_left_are_not_merged(self, make_stage: MakeCycleStage, lines: Path) -> None:
        refused = 2

        async def second(turn: Turn) -> Said:
            nonlocal refused
            if is_conflict(turn) and refused:
                refused -= 1
                return said("cd", summary="all settled, I think")
            await soon(lambda: "vier" in lines.read_text())
            return await edits("four", "quatre")(turn)

        stage = stage_of(make_stage, TWO, two(edits("four", "vier"), second))
        assert_succeeded(await stage.drive(stage.create()))
        assert sorted(lines.read_text().split()) == sorted(LINES.replace("four", "vier quatre").split())
        assert len(conflicts(stage)) == 3
        assert "still there" in conflicts(stage)[1].message.text

    async def test_what_is_never_settled_fails_alone_and_is_not_lost(
        self, make_stage: MakeCycleStage, lines: Path, tmp_path: Path
    ) -> None:
        async def stubborn(turn: Turn) -> Said:
            if is_conflict(turn):
                return said("cd", summary="fine as it is")
            await soon(lambda: "vier" in lines.read_text())
            turn.change("mine.txt", "long work")
            return await edits("four", "quatre")(turn)

        plays = two(edits("four", "vier"), stubborn) | {"TASK-003": writes("c.txt", "c")}
        stage = stage_of(make_stage, [*TWO, task(3, "c.txt")], plays)
        state = await stage.drive(stage.create(max_iterations=1))
        assert (state.status, state.engine.outcome) == ("failed", "exhausted")
        assert statuses(state) == {"TASK-001": "completed", "TASK-002": "blocked", "TASK-003": "completed"}
        assert lines.read_text() == LINES.replace("four", "vier")
        assert not (stage.project / "mine.txt").exists()
        assert "TASK-002" in (state.failure_reason or "")
        kept = tmp_path / "kept"
        stage.workspace.export(state.engine.half["cd.implement TASK-002"], kept)
        assert (kept / "mine.txt").read_text() == "long work"
        assert "quatre" in (kept / "lines.txt").read_text()


class Meddling(GitWorktrees):
    """Somebody does something at the worst moment: when a merge was made, and the project has not taken it yet."""

    meddle: Callable[[], object] | None = None

    def merge(self, owner: str, ours: str, theirs: str, label: str) -> MergeResult:
        merged = super().merge(owner, ours, theirs, label)
        if self.meddle is not None:
            meddle, self.meddle = self.meddle, None
            meddle()
        return merged


def meddled(stage: CycleStage, meddle: Callable[[], object]) -> CycleStage:
    stage.worktrees = Meddling(stage.project, stage.project.parent / "private")
    stage.worktrees.meddle = meddle
    return stage


class TestTheUser:
    async def test_who_edits_meanwhile_loses_nothing(self, make_stage: MakeCycleStage, lines: Path) -> None:
        def user(then: Play, name: str) -> Play:
            async def plays(turn: Turn) -> Said:
                with (stage.project / "notes.txt").open("a") as file:
                    file.write(f"{name}\n")
                return await then(turn)

            return plays

        cast = Cast({
            "ra.analyse": [user(USUAL["ra.analyse"], "ra")], "ep.explore": [user(USUAL["ep.explore"], "ep")],
            "ep.plan": [user(plan_of(*TWO), "plan")], "vas.validate": [user(USUAL["vas.validate"], "vas")],
            "cd.implement": by_task(two(user(edits("one", "eins"), "1"), user(edits("seven", "sept"), "2"))),
        })  # fmt: skip
        stage = make_stage(cast=cast, judge=all_good)
        state = await stage.drive(stage.create(proof="none"))
        assert state.status == "completed"
        assert sorted(read(stage, "notes.txt").split()) == ["1", "2", "ep", "plan", "ra", "vas"]
        assert lines.read_text() == LINES.replace("one", "eins").replace("seven", "sept")

    async def test_another_line_at_the_moment_of_the_merge(self, make_stage: MakeCycleStage, lines: Path) -> None:
        stage = stage_of(make_stage, [task(1, "lines.txt")], {"TASK-001": edits("one", "eins")})
        meddled(stage, lambda: lines.write_text(LINES.replace("seven", "user")))
        assert_succeeded(await stage.drive(stage.create()))
        assert lines.read_text() == LINES.replace("one", "eins").replace("seven", "user")
        assert any("merging again" in note.text for note in stage.notes)

    async def test_the_same_line_at_the_moment_of_the_merge(self, make_stage: MakeCycleStage, lines: Path) -> None:
        stage = stage_of(make_stage, [task(1, "lines.txt")], {"TASK-001": edits("four", "vier")})
        meddled(stage, lambda: lines.write_text(LINES.replace("four", "user")))
        assert_succeeded(await stage.drive(stage.create()))
        assert {"vier", "user"} <= set(lines.read_text().split())
        assert len(conflicts(stage)) == 1


class TestTestsAfterEachMerge:
    async def test_they_run_on_what_is_in(self, make_stage: MakeCycleStage) -> None:
        there: list[list[str]] = []
        stage = stage_of(make_stage, TWO, {"TASK-001": writes("a.txt", "a"), "TASK-002": writes("b.txt", "b")})
        stage.tests.before = lambda: there.append(sorted(path.name for path in stage.project.glob("[ab].txt")))
        assert_succeeded(await stage.drive(stage.create(proof="none")))
        assert [len(files) for files in there] == [0, 1, 2], "and the validation takes over the last of them"

    async def test_what_a_merge_broke_is_told_and_mended(self, make_stage: MakeCycleStage) -> None:
        """Each is right by itself; together they are not."""

        def judge(project: Path) -> dict[str, str]:
            there = {path.name for path in project.glob("*.txt")}
            parts = dict.fromkeys(sorted(there & {"a.txt", "b.txt"}), "passed")
            return {"fit": "failed" if len(parts) == 2 and "fix.txt" not in there else "passed", **parts}

        plays = {"TASK-001": writes("a.txt", "a"), "TASK-002": writes("b.txt", "b"), "TASK-003": writes("fix.txt", "x")}
        stage = make_stage(cast=Cast({"ep.plan": [plan_of(*TWO)], "cd.implement": by_task(plays)}), judge=judge)
        state = await stage.drive(stage.create())
        assert_succeeded(state)
        assert state.current_iteration == 2
        (told,) = [incident.message for incident in state.engine.incidents if incident.kind == "tests_broken"]
        assert told.endswith("1 test more fail: suite::fit")
        assert "suite::fit" in " ".join(state.iterations[0].issues_found)
        (mend,) = [turn for turn in stage.cast.turns if "cd.implement TASK-003" in turn.message.text]
        assert "suite::fit" in mend.message.text
        assert "bug_report from vas" not in mend.message.text, "the order says it itself"


class BrokenOffAfter(JudgedTests):
    """Something happens in the first test run in which a file is there."""

    wanted = "a.txt"

    async def happens(self) -> None:
        raise NotImplementedError

    async def run(self, order: TestOrder) -> TestRun:
        if self.wanted and (self.project / self.wanted).exists():
            self.wanted = ""
            await self.happens()
        return await super().run(order)


class Died(BaseException):
    """The runner, in the middle of it."""


ONE = [task(1, "a.txt")]


class TestBrokenOff:
    async def test_a_pause_in_the_tests_after_a_merge_keeps_what_is_in(self, make_stage: MakeCycleStage) -> None:
        class Paused(BrokenOffAfter):
            async def happens(self) -> None:
                stage.service.pause(id, now=True)
                await asyncio.get_running_loop().create_future()  # until it is cancelled

        stage = stage_of(make_stage, ONE, {"TASK-001": writes("a.txt", "a")})
        stage.tests = Paused(stage.project, all_good)
        state = await stage.drive(id := stage.create())
        assert (state.status, statuses(state)) == ("paused", {"TASK-001": "completed"})
        assert state.changes is not None
        assert [change.file for change in state.changes.changes] == ["a.txt"]
        assert_succeeded(await stage.drive(id))
        assert stage.cast.steps().count("cd.implement") == 1

    async def test_a_pause_in_the_middle_of_a_merge_lets_it_come_to_its_end(self, make_stage: MakeCycleStage) -> None:
        def pauses() -> None:
            stage.service.pause(id, now=True)
            until(lambda: any(task.cancelling() for task in asyncio.all_tasks(loop)), SECONDS)

        loop = asyncio.get_running_loop()
        stage = meddled(stage_of(make_stage, ONE, {"TASK-001": writes("a.txt", "a")}), pauses)
        state = await stage.drive(id := stage.create())
        assert (state.status, statuses(state)) == ("paused", {"TASK-001": "completed"})
        assert read(stage, "a.txt") == "a"
        assert stage.tests.runs == 1
        assert_succeeded(await stage.drive(id))

    async def test_a_runner_that_dies_after_a_merge_finds_what_was_in(self, make_stage: MakeCycleStage) -> None:
        class Dying(BrokenOffAfter):
            async def happens(self) -> None:
                raise Died

        async def once(turn: Turn) -> str:
            if not (turn.place / "a.txt").exists():
                turn.change("a.txt", "a")
            return said("cd", files_written=["a.txt"])

        stage = stage_of(make_stage, ONE, {"TASK-001": once})
        stage.tests = Dying(stage.project, all_good)
        with pytest.raises(BaseExceptionGroup):
            await stage.drive(id := stage.create())
        assert statuses(stage.service.read(id)) == {"TASK-001": "in_progress"}
        state = await stage.drive(id)
        assert_succeeded(state)
        assert state.changes is not None
        assert [(change.file, change.action) for change in state.changes.changes] == [("a.txt", "create")]
        assert not any(incident.kind == "false_claim" for incident in state.engine.incidents)

    async def test_work_half_done_that_the_user_contradicts_goes_back_to_its_agent(
        self, make_stage: MakeCycleStage, lines: Path
    ) -> None:
        async def pauses(turn: Turn) -> Said:
            if is_conflict(turn):
                return await edits("four", "vier")(turn)
            if "vier" not in (turn.place / "lines.txt").read_text():
                turn.change("lines.txt", LINES.replace("four", "vier"))
                stage.service.pause(id, now=True)
                await asyncio.get_running_loop().create_future()  # until it is cancelled
            turn.change("lines.txt", (turn.place / "lines.txt").read_text() + "eight\n")
            return said("cd")

        stage = stage_of(make_stage, [task(1, "lines.txt")], {"TASK-001": pauses})
        state = await stage.drive(id := stage.create())
        assert (state.status, [*state.engine.half]) == ("paused", ["cd.implement TASK-001"])
        assert lines.read_text() == LINES
        lines.write_text(LINES.replace("four", "user"))
        state = await stage.drive(id)
        assert_succeeded(state)
        assert sorted(lines.read_text().split()) == sorted([*LINES.replace("four", "vier user").split(), "eight"])
        assert [is_conflict(turn) for turn in stage.cast.turns if turn.message.action == "cd.implement"] == [
            False, True, False,
        ]  # fmt: skip
        assert state.engine.half == {}


class TestLanes:
    async def test_are_gone_when_the_cycle_is_over(self, make_stage: MakeCycleStage) -> None:
        stage = stage_of(make_stage, ONE, {"TASK-001": writes("a.txt", "a")})
        await stage.drive(stage.create())
        (lane,) = {turn.place for turn in stage.cast.turns if turn.message.action == "cd.implement"}
        assert not lane.exists()
        assert not any(stage.project.parent.glob("private/*.lanes/*"))

    async def test_stay_while_it_is_paused_and_go_when_it_is_deleted(self, make_stage: MakeCycleStage) -> None:
        async def pauses(turn: Turn) -> str:
            stage.service.pause(id)
            return said("cd", "failed", "not yet")

        stage = stage_of(make_stage, ONE, {"TASK-001": pauses})
        await stage.drive(id := stage.create())
        (lane,) = {turn.place for turn in stage.cast.turns if turn.message.action == "cd.implement"}
        assert lane.is_dir()
        stage.service.delete(id)
        assert not any(stage.project.parent.glob("private/*.lanes/*"))

    async def test_an_agent_is_told_that_it_works_beside_the_project(self, make_stage: MakeCycleStage) -> None:
        stage = stage_of(make_stage, ONE, {"TASK-001": writes("a.txt", "a")})
        await stage.drive(stage.create())
        (turn,) = [turn for turn in stage.cast.turns if turn.message.action == "cd.implement"]
        assert f"Work only in {turn.place}." in turn.message.text
        assert "It may be a copy of the project" in " ".join(turn.message.text.split())
        assert "installed packages" in turn.message.text
