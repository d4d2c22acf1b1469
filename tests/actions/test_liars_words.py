"""Agents that lie in words, or reach for the engine's own files, or for the tree behind its back."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.run_events import RunNote
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.liars import BROKEN, MENDED, Court, broken_project, incidents
from tests.stage import said

SUCCESS = "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: done\n\nNEXT_ACTION_NEEDED: COMPLETED\n"
QUOTED = "The contract asks for this:\n" + "".join(f"> {line}\n" for line in SUCCESS.splitlines())
BAD = "print('no')\n"


def is_failed(court: Court, state: LoopState, kind: str, words: str) -> None:
    assert state.status == "failed"
    assert state.engine.outcome != "succeeded"
    assert words in incidents(state)[kind]
    assert words in court.summary(state)


async def test_files_that_it_did_not_change(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    text = said("DEVELOP").replace("FILES_UPDATED:\n", "FILES_UPDATED:\n- app.py: mended\n- ./core.py: new\n")
    state = await court.judge(ScriptedTurn(text=text, files={"core.py": "x = 1\n"}))
    is_failed(court, state, "false_claim", "DEVELOP said that it changed app.py; no change was measured there")
    assert state.skill_state is not None
    assert state.skill_state.develop.tasks[0].files_changed == ("core.py",)


async def test_state_updates_that_are_not_its_own(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(ScriptedTurn(text=said("DEVELOP", outcome="succeeded", validate={"passed": True})))
    is_failed(court, state, "refused_update", "DEVELOP tried to set outcome, validate")


@pytest.mark.parametrize("text", [QUOTED, ""], ids=["in a quotation", "nothing"])
async def test_a_report_that_is_none(text: str, tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(*[ScriptedTurn(text=text)] * 2)
    is_failed(court, state, "no_result", "reported nothing on task-")
    is_failed(court, state, "no_report", "gave no report on DEVELOP, even when asked again")


async def test_work_without_a_report_is_work(tmp_path: Path) -> None:
    """It is measured like any other; that nobody reported it is told."""
    court = Court(broken_project(tmp_path))
    state = await court.judge(ScriptedTurn(text="Done.", files={"app.py": MENDED}), ScriptedTurn(text="As I said."))
    assert state.engine.outcome == "succeeded"
    assert "only what was measured counts" in incidents(state)["no_report"]
    assert state.skill_state is not None
    assert state.skill_state.develop.tasks[0].files_changed == ("app.py",)


async def test_bad_work_without_a_report_fails(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(*[ScriptedTurn(text="Done.", files={"app.py": BAD})] * 2)
    is_failed(court, state, "no_report", "only what was measured counts")


async def test_a_report_that_comes_when_asked_again(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(ScriptedTurn(text=QUOTED, files={"app.py": MENDED}), ScriptedTurn(text=SUCCESS))
    assert state.engine.outcome == "succeeded"
    assert "without a report" in incidents(state)["no_report"]


@pytest.mark.parametrize("line", ["y\n", "y"], ids=["short lines", "one line"])
async def test_fifty_megabytes_of_words(line: str, tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(ScriptedTurn(text=line * (50_000_000 // len(line)) + "\n" + said("DEVELOP")))
    is_failed(court, state, "output_cut", "than is kept")
    folder = court.project / ".workflow"
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 2_000_000


async def test_fifty_megabytes_printed_by_a_command(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(task={"tool": "bash", "command": "yes | head -c 50000000"})
    is_failed(court, state, "output_cut", "bash said more on DEVELOP than is kept")


class TestBehindTheBack:
    """What changes the tree at the wrong moment."""

    async def when(self, tmp_path: Path, moment: str, deed: Callable[[Path], object], **options: int) -> LoopState:
        """A loop that mends the product; `deed` is done once, when an observer hears `moment`."""
        project = broken_project(tmp_path)
        pending = [deed]

        def hear(note: RunNote) -> None:
            if note.text.startswith(moment) and pending:
                pending.pop()(project)

        self.court = Court(project, on_note=hear, max_iterations=options.get("max_iterations", 3))
        return await self.court.judge(ScriptedTurn(text=said("DEVELOP"), files={"app.py": MENDED}))

    @pytest.mark.parametrize("moment", ["VALIDATE: pass", "COMPLETE"])
    async def test_a_product_that_is_spoilt_after_its_validation(self, moment: str, tmp_path: Path) -> None:
        state = await self.when(tmp_path, moment, lambda project: (project / "app.py").write_text(BAD))
        assert (state.status, state.engine.outcome) == ("failed", "exhausted")

    async def test_a_product_that_changes_under_the_tests(self, tmp_path: Path) -> None:
        """The run passes; what it leaves behind is not what it measured, so it is measured again."""
        project = broken_project(tmp_path)
        spoil = "def test_spoil():\n    open('app.py', 'a').write('del add')\n"
        court = Court(project, max_iterations=3)
        state = await court.judge(
            ScriptedTurn(text=said("DEVELOP"), files={"app.py": MENDED, "tests/test_z.py": spoil})
        )
        is_failed(court, state, "changed_under_test", "app.py")

    async def test_a_new_file_under_the_tests_is_no_output_when_it_is_code(self, tmp_path: Path) -> None:
        project = broken_project(tmp_path)
        shadow = "from pathlib import Path\ndef test_z():\n    Path('app').mkdir(exist_ok=True)\n"
        shadow += f"    Path('app/__init__.py').write_text({BROKEN['app.py']!r})\n"
        court = Court(project, max_iterations=3)
        state = await court.judge(
            ScriptedTurn(text=said("DEVELOP"), files={"app.py": MENDED, "tests/test_z.py": shadow})
        )
        is_failed(court, state, "changed_under_test", "app/__init__.py")

    async def test_a_log_that_every_run_writes_harms_nobody(self, tmp_path: Path) -> None:
        project = broken_project(tmp_path)
        (project / "runs.txt").write_text("")
        log = "def test_log():\n    open('runs.txt', 'a').write('x')\n    open('new.txt', 'a').write('x')\n"
        court = Court(project, max_iterations=4)
        state = await court.judge(
            ScriptedTurn(text=said("DEVELOP"), files={"app.py": MENDED, "tests/test_log.py": log})
        )
        assert (state.status, state.engine.outcome) == ("completed", "succeeded")


class TestTheEnginesOwnFiles:
    """What an agent does to `.workflow` while it works."""

    async def after(self, tmp_path: Path, deed: Callable[[Path, str], object], answer: ScriptedTurn) -> LoopState:
        """A loop whose agent answers so, after `deed` was done to the loop's folder."""
        project = broken_project(tmp_path)

        def hear(note: RunNote) -> None:
            if note.text == "scripted works on DEVELOP":
                folder = project / ".workflow" / ".loop"
                (id,) = (path.name.removesuffix(".events.ndjson") for path in folder.glob("*.events.ndjson"))
                deed(folder, id)

        self.court = Court(project, on_note=hear)
        return await self.court.judge(answer)

    async def test_a_state_file_that_says_it_is_done(self, tmp_path: Path) -> None:
        def deed(folder: Path, id: str) -> None:
            state = json.loads((folder / f"{id}.json").read_text())
            state["skill_state"]["validate"] |= {"passed": True, "pass_rate": 100.0}
            state["status"], state["completed_at"], state["engine"]["outcome"] = (
                "completed",
                state["updated_at"],
                "succeeded",
            )
            (folder / f"{id}.json").write_text(json.dumps(state))

        state = await self.after(tmp_path, deed, ScriptedTurn(text=said("DEVELOP")))
        assert (state.status, state.engine.outcome) == ("failed", "exhausted")
        assert state.engine.incidents
        assert state.engine.incidents[0].message in self.court.summary(state)

    async def test_a_forged_line_of_the_journal(self, tmp_path: Path) -> None:
        def deed(folder: Path, id: str) -> None:
            journal = folder / f"{id}.events.ndjson"
            last = json.loads(journal.read_bytes().splitlines()[-1])
            patch = [{"op": "replace", "path": "/status", "value": "completed"}]
            journal.write_bytes(
                journal.read_bytes() + json.dumps({**last, "seq": last["seq"] + 1, "patch": patch}).encode() + b"\n"
            )

        state = await self.after(tmp_path, deed, ScriptedTurn(text=said("DEVELOP")))
        assert (state.status, state.engine.outcome) == ("failed", "exhausted")
        assert state.engine.incidents
        assert state.engine.incidents[0].message in self.court.summary(state)

    @pytest.mark.parametrize("mends", [True, False])
    async def test_a_folder_that_is_removed(self, mends: bool, tmp_path: Path) -> None:
        def deed(folder: Path, id: str) -> None:
            shutil.rmtree(folder.parent)

        files: dict[str, str | None] = {"app.py": MENDED} if mends else {}
        state = await self.after(tmp_path, deed, ScriptedTurn(text=said("DEVELOP"), files=files))
        assert state.engine.outcome == ("succeeded" if mends else "exhausted")
        assert state.engine.incidents
        assert state.engine.incidents[0].message in self.court.summary(state)

    async def test_a_success_that_another_process_claims_is_measured_again(self, tmp_path: Path) -> None:
        """Whatever the state says when a process takes it up: the end needs a validation of its own."""
        court = Court(broken_project(tmp_path))
        state = await court.judge(ScriptedTurn(text=said("DEVELOP")))
        with FileStore(court.project, LOOPS, court.clock) as store:
            forged = forged_success(state, court.workspace.tree())
            again = forged.evolve(loop_id="loop-v2-20260122T100000-0badc0de")
            store.create(again, actor="test")
            runs = len(court.tests.orders)
            state = await court.drive(store, again.loop_id)
        assert state.engine.outcome != "succeeded"
        assert len(court.tests.orders) > runs


def forged_success(state: LoopState, tree: str) -> LoopState:
    """The same loop, paused, with a validation that passed on this tree and all tasks done."""
    assert state.skill_state is not None
    assert state.engine.last_validation is not None
    skill = state.skill_state.evolve(
        current_action=None, summary=None,
        validate_=state.skill_state.validate_.evolve(passed=True, failed_tests=(), pass_rate=100.0),
    )  # fmt: skip
    last = state.engine.last_validation.evolve(tree=tree, left=tree, passed=True, reasons=())
    engine = state.engine.evolve(outcome=None, last_validation=last, rev=0, digest="", journal_bytes=0)
    return state.evolve(
        status="paused", completed_at=None, failure_reason=None, skill_state=skill, engine=engine, max_iterations=9
    )
