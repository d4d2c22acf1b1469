"""Mending never makes a skill worse: every sick sample through whole sessions, and what is left is found by nobody."""

import random
import shutil
from pathlib import Path

import pytest

from loopwright.skills.diagnosis import diagnose_skill
from loopwright.skills.findings import Finding
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.fixes.edits import contents_of
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.read import read_skill
from loopwright.skills.score import compute_score
from loopwright.workflows.tuning.gate import judge_fix
from tests.chance import SEED
from tests.tune.session.stage import TuneStage

SAMPLES = Path(__file__).parent.parent / "samples"
SICK = sorted(path for path in SAMPLES.glob("*/sick*"))
FEW = 6
"""Samples that go through a whole session, with the store and the disk."""


def read(files: dict[str, bytes]) -> tuple[Skill, tuple[Finding, ...], float]:
    skill = read_skill("sample", files)
    found = diagnose_skill(skill).findings
    return skill, found, compute_score(found, sum(page.tokens for page in skill.pages.values()))


@pytest.mark.parametrize("folder", SICK, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_no_fix_that_is_kept_lowers_the_score(folder: Path) -> None:
    paths = (path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    before, was, points = read(files)
    size = sum(page.tokens for page in before.pages.values())
    for proposal in propose_mechanical_fixes(before, was):
        contents = {**files, **contents_of(proposal, files)}
        after, now, _ = read({name: data for name, data in contents.items() if data is not None})
        if not judge_fix(proposal, before, after, was, now):
            assert compute_score(now, size) >= points


@pytest.mark.parametrize("n", range(FEW))
async def test_a_session_mends_what_it_can_and_a_second_one_nothing(n: int, stage: TuneStage) -> None:
    folder = random.Random(SEED).sample(SICK, FEW)[n]
    root = stage.project / "skill"
    shutil.copytree(folder, root)
    state = await stage.tuned(root, level="template")
    assert state.status == "completed", folder
    assert state.error_count == 0
    scores = [one.score for one in state.engine.standings]
    assert scores == sorted(scores), folder
    assert state.quality_score == scores[-1]
    again = await stage.tuned(root, level="template")
    assert again.applied_fixes == (), folder
    assert again.quality_score == pytest.approx(state.quality_score, abs=1), "only its size has changed"
