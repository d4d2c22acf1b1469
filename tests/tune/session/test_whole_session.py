"""A session from its beginning to its end: what it finds, mends, verifies, writes down, and leaves alone."""

import json
import subprocess
from collections.abc import Iterable
from dataclasses import replace

import pytest

from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.skills import detectors
from loopwright.skills.detectors.detector import DetectorHit
from loopwright.skills.findings import DIMENSIONS
from loopwright.workflows.tuning.commands import choose
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.report.skill_check import check_skill
from tests.tune.session.stage import HEAD, MENDED, SICK, TuneStage, lay_out, texts


async def test_looking_changes_nothing(stage: TuneStage) -> None:
    root = stage.skill()
    state = await stage.tuned(root, level="none")
    assert (state.status, state.quality_gate, state.engine.outcome) == ("completed", "review", "succeeded")
    assert [issue.root_cause for issue in state.issues] == [
        "dead-reference: first/01-listen.md", "dead-reference: second/02-write.md", "dead-reference: specs/style.md",
    ]  # fmt: skip
    assert (state.proposed_fixes, state.engine.level) == ((), "none")
    assert texts(root) == SICK
    known = check_skill(stage.folders.read(root), "skills/notes")
    assert (known.score, known.gate) == (state.quality_score, state.quality_gate)


async def test_names_are_mended_and_proved(stage: TuneStage) -> None:
    root = stage.skill()
    state = await stage.tuned(root)
    assert texts(root) == MENDED
    assert (state.status, state.quality_gate, state.iteration_count) == ("completed", "pass", 1)
    assert [fix.verification_result for fix in state.applied_fixes] == ["pass", "pass"]
    scores = [one.score for one in state.engine.standings]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1]
    assert [one.root_cause for one in state.issues] == ["dead-reference: specs/style.md"]
    assert stage.steps()[-6:] == [*(f"action-diagnose-{one}" for one in DIMENSIONS), "action-report", "action-complete"]


async def test_a_second_run_proposes_nothing(stage: TuneStage) -> None:
    root = stage.skill()
    await stage.tuned(root)
    state = await stage.tuned(root)
    assert (state.proposed_fixes, state.applied_fixes, texts(root)) == ((), (), MENDED)
    assert state.status == "completed"


async def test_what_it_writes_down(stage: TuneStage) -> None:
    root = stage.skill()
    state = await stage.tuned(root)
    id = state.tuning_id
    assert state.work_dir == f".workflow/.scratchpad/{id}"
    assert json.loads(stage.document(id, "findings.sarif"))["version"] == "2.1.0"
    report = stage.document(id, "report.md")
    assert "FIX-001" in report
    assert "specs/style.md" in report
    written = [entry for entry in state.action_history if entry.action == "action-apply-fix"]
    for entry, fix in zip(written, state.applied_fixes, strict=True):
        assert entry.output_files == (f"fixes/{fix.fix_id}.diff", f"backups/{fix.fix_id}")
        assert (stage.project / fix.backup_path / "manifest.json").exists()


async def test_the_diffs_make_of_the_sick_skill_the_mended_one(stage: TuneStage) -> None:
    root = stage.skill()
    state = await stage.tuned(root)
    again = stage.project / "again"
    lay_out(again, SICK)
    folder = stage.store.progress_path(state.tuning_id) / "fixes"
    for fix in state.applied_fixes:
        subprocess.run(["git", "apply", str(folder / f"{fix.fix_id}.diff")], cwd=again, check=True)  # noqa: ASYNC221 - nothing else runs
    assert texts(again) == MENDED


async def test_only_what_was_asked_for_is_looked_at(stage: TuneStage) -> None:
    state = await stage.tuned(stage.skill(), dimensions=("memory",), level="none")
    results = {one: state.diagnosis.of(one) for one in DIMENSIONS}
    assert {one: result.status for one, result in results.items() if result} == {
        "context": "skipped", "memory": "completed", "dataflow": "skipped", "agent": "skipped",
    }  # fmt: skip
    assert (state.issues, state.quality_gate) == ((), "pass")


async def test_a_dimension_that_did_not_run_never_passes(stage: TuneStage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A detector that has a mistake: the others run, and nothing is called good."""

    def stumbles(skill: object) -> Iterable[DetectorHit]:
        raise KeyError("what")

    broken = next(one for one in detectors.DETECTORS if one.dimension == "agent")
    bad = replace(broken, look=stumbles)
    others = (one for one in detectors.DETECTORS if one is not broken)
    monkeypatch.setattr("loopwright.skills.diagnosis.DETECTORS", (bad, *others))
    state = await stage.tuned(stage.skill(MENDED | {"specs/style.md": "# Style\n\nShort sentences.\n"}))
    assert (state.quality_score, state.quality_gate, state.status) == (100, "fail", "completed")
    assert state.diagnosis.agent is not None
    assert state.diagnosis.agent.status == "failed"
    assert "please report it" in state.errors[0].message


async def test_a_comment_changes_no_finding(stage: TuneStage) -> None:
    root = stage.skill()
    before = await stage.tuned(root, level="none")
    for path in root.rglob("*.md"):
        path.write_text(path.read_text() + "\n<!-- fixed: all references are checked and right -->\n")
    after = await stage.tuned(root, level="none")
    assert [one.fingerprint for one in before.engine.findings] == [one.fingerprint for one in after.engine.findings]
    assert after.quality_score == before.quality_score


async def test_what_is_accepted_is_neither_counted_nor_mended(stage: TuneStage) -> None:
    reason = " <!-- loopwright: ignore dead-reference - it is made by the first phase -->"
    text = SICK["SKILL.md"].replace("first/01-listen.md) and follow it.", f"first/01-listen.md) and follow it.{reason}")
    root = stage.skill(SICK | {"SKILL.md": text})
    found = check_skill(stage.folders.read(root), "x").findings
    (second,) = [one.fingerprint for one in found if "second" in one.subject]
    state = await stage.tuned(root, accepted=(second,))
    assert [one.subject for one in state.engine.findings] == ["specs/style.md"]
    assert (state.proposed_fixes, state.quality_gate) == ((), "pass")
    by_reason = {one.reason: one.finding.fingerprint for one in state.engine.silenced}
    assert by_reason.keys() == {None, "it is made by the first phase"}
    assert by_reason[None] == second
    (run,) = json.loads((stage.store.progress_path(state.tuning_id) / "findings.sarif").read_bytes())["runs"]
    assert [[one["kind"] for one in result.get("suppressions", ())] for result in run["results"]].count([]) == 1
    assert texts(root)["SKILL.md"] == text


class TestChoosing:
    async def test_it_waits_for_a_person(self, stage: TuneStage) -> None:
        root = stage.skill()
        state = await stage.tuned(root, choosing=True)
        assert (state.status, texts(root)) == ("running", SICK)
        assert state.engine.waiting is not None
        assert state.engine.waiting.options == ("FIX-001", "FIX-002")
        assert "+1. Read [how to listen](phases/01-listen.md)" in stage.document(state.tuning_id, "fixes/FIX-001.diff")
        with pytest.raises(Invalid, match="no fix FIX-009 is offered; available: FIX-001, FIX-002"):
            stage.service.choose(state.tuning_id, ["FIX-009"])

        ended = await stage.drive(state.tuning_id, take_up=lambda s: choose(s, ["FIX-002"]))
        assert texts(root)["SKILL.md"] == SICK["SKILL.md"].replace("second/", "phases/")
        assert (ended.status, [fix.fix_id for fix in ended.applied_fixes]) == ("completed", ["FIX-002"])
        assert len(ended.proposed_fixes) == 2, "what was not taken is not offered again"

    async def test_none(self, stage: TuneStage) -> None:
        root = stage.skill()
        state = await stage.tuned(root, choosing=True)
        ended = await stage.drive(state.tuning_id, take_up=lambda s: choose(s, []))
        assert (ended.status, ended.applied_fixes, texts(root)) == ("completed", (), SICK)

    @pytest.mark.parametrize(("said", "taken"), [("all", 2), ("none", 0), ("fix-001", 1), ("FIX-002, fix-001", 2)])
    async def test_in_words(self, stage: TuneStage, said: str, taken: int) -> None:
        state = await stage.tuned(stage.skill(), choosing=True)
        answered = stage.service.answer(state.tuning_id, said)
        assert len(answered.pending_fixes) == taken
        assert stage.launcher.launched == [state.tuning_id]
        with pytest.raises(Conflict, match="has no open choice"):
            stage.service.answer(state.tuning_id, said)


class TestRollingBack:
    async def test_the_last_one_first(self, stage: TuneStage) -> None:
        root = stage.skill()
        state = await stage.tuned(root)
        id = state.tuning_id
        with pytest.raises(Conflict, match="FIX-002 changed the same file after FIX-001; roll back first: FIX-002"):
            stage.service.roll_back(id, "FIX-001")
        back = stage.service.roll_back(id, "FIX-002")
        assert texts(root)["SKILL.md"] == SICK["SKILL.md"].replace("first/", "phases/")
        assert (len(back.issues), back.applied_fixes[1].rollback_available) == (2, False)
        assert back.quality_score < state.quality_score
        back = stage.service.roll_back(id, "FIX-001")
        assert texts(root) == SICK
        assert (back.quality_gate, len(back.issues)) == ("review", 3)
        with pytest.raises(Conflict, match="FIX-001 is already rolled back"):
            stage.service.roll_back(id, "FIX-001")
        with pytest.raises(NotFound, match="no fix FIX-009 was applied"):
            stage.service.roll_back(id, "FIX-009")

    async def test_what_somebody_has_changed_since_is_kept(self, stage: TuneStage) -> None:
        root = stage.skill()
        state = await stage.tuned(root)
        mine = MENDED["SKILL.md"] + "\nMy own words.\n"
        (root / "SKILL.md").write_text(mine)
        with pytest.raises(Conflict, match="changed since the fix"):
            stage.service.roll_back(state.tuning_id, "FIX-002")
        assert texts(root)["SKILL.md"] == mine
        after = stage.service.read(state.tuning_id)
        assert (after.applied_fixes, after.issues) == (state.applied_fixes, state.issues)


class TestIterations:
    async def test_the_limit_is_kept(self, stage: TuneStage) -> None:
        state = await stage.tuned(stage.skill(), max_iterations=1)
        assert (state.status, state.iteration_count, len(state.engine.standings)) == ("completed", 1, 2)

    async def test_what_is_clean_is_looked_at_once(self, stage: TuneStage) -> None:
        state = await stage.tuned(stage.skill({"SKILL.md": f"{HEAD}Write the notes of a meeting.\n"}))
        assert (state.iteration_count, state.quality_score, state.quality_gate) == (0, 100, "pass")
        assert stage.steps().count("action-report") == 1


def test_a_session_is_made_only_for_a_skill(stage: TuneStage) -> None:
    empty = stage.project / "empty"
    with pytest.raises(NotFound, match="there is no folder"):
        stage.create(empty)
    empty.mkdir()
    with pytest.raises(Invalid, match=r"a skill's folder contains a file SKILL\.md"):
        stage.create(empty)
    with pytest.raises(Invalid, match="nothing to diagnose; dimensions: context, memory"):
        stage.create(stage.skill(), dimensions=())
    assert stage.service.list().total == 0


async def test_the_state_is_read_back_as_it_is(stage: TuneStage) -> None:
    state = await stage.tuned(stage.skill())
    assert stage.store.read(state.tuning_id) == state
    assert TuningState.model_validate_json(state.model_dump_json(by_alias=True)) == state
