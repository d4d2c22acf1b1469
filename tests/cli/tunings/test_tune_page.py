"""What docs/tune.md and docs/findings.md say is so."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from loopwright.skills.diagnosis import diagnose_skill
from loopwright.skills.findings import DIMENSIONS
from loopwright.skills.score import MOST_HIGH, PASS, REVIEW, WEIGHTS
from loopwright.surfaces.cli.tune import TUNE
from loopwright.surfaces.cli.tuning_commands import COMMANDS
from tests.tune.skill.reading import skill

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = (ROOT / "docs" / "tune.md").read_text()


def test_the_table_of_rules_is_that_of_the_detectors() -> None:
    checked = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "rules_table.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_every_command_on_sessions_is_named() -> None:
    table = PAGE[PAGE.index("## Sessions") : PAGE.index("## In CI")]
    assert {name for name in COMMANDS if not re.search(rf"\b{name}\b", table)} == set()


def test_the_dimensions_of_the_help_are_those_there_are() -> None:
    (option,) = TUNE["focus"].__metadata__
    assert option.help == f"Only some of {','.join(DIMENSIONS)}."


def test_score_and_gate_are_told_as_they_are() -> None:
    assert all(f"{severity} {weight:g}" in PAGE for severity, weight in WEIGHTS.items())
    assert f"| pass | score {PASS:g} or more, no critical finding, at most {MOST_HIGH['pass']} of severity high" in PAGE
    assert f"| review | score {REVIEW:g} or more, no critical finding, at most {MOST_HIGH['review']} of" in PAGE


def test_the_example_of_a_comment_accepts_a_finding() -> None:
    text = (ROOT / "docs" / "findings.md").read_text().partition("```markdown\n")[2].partition("```")[0]
    found = diagnose_skill(skill(f"---\nname: sample\ndescription: Shows a report.\n---\n\n{text}"))
    assert [(one.finding.rule, one.reason) for one in found.silenced] == [("dead-reference", "the build writes it")]
    assert not found.findings


def test_the_hook_takes_the_files_of_skills_and_no_others() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "loopwright-tune"
    taken = [".claude/skills/a/phases/01.md", "SKILL.md", "kit/skill.md", "plugins/p/skills/a/state.schema.json"]
    left = ["docs/SKILLS.md", "README.md", "skills/README.md", "src/skills.py"]
    assert [path for path in (*taken, *left) if re.search(hook["files"], path)] == taken
