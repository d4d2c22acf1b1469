"""Lying commands, by the real command line: exit codes, `show` and summary.md say what was found out."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.liars import broken_project
from tests.real_command import Project
from tests.validation.projects import PYTEST

FORGE = (
    'for f in .workflow/.loop/loop-*.json; do sed -i \'s/"passed": false/"passed": true/; s/"failed"/"passed"/g; '
    's/"status": "running"/"status": "completed"/\' $f; done'
)
MEND = "sed -i 's/a - b/a + b/' app.py"


class Deed(NamedTuple):
    command: str
    exit_code: int
    kind: str


@pytest.mark.parametrize(
    "deed",
    [
        pytest.param(Deed("sed -i 's/== 4/== 0/' tests/test_app.py", 1, "tests_suspicious"), id="changes the test"),
        pytest.param(Deed(FORGE, 1, ""), id="forges the state"),
        pytest.param(Deed(f"{MEND}; mv .workflow ../gone", 0, ""), id="mends, and removes .workflow"),
    ],
)
def test_a_lying_command_is_found_out(deed: Deed, tmp_path: Path) -> None:
    project = Project(broken_project(tmp_path), tmp_path / "state")
    _, created = project.call("create", "Make add work", "--auto", "--agent", "bash", "--max-iterations", "2",
                              "--test-command", PYTEST)  # fmt: skip
    loop_id = str(created["loop_id"])
    assert project.call("tasks", loop_id, "add", "do it", "--tool", "bash", "--command", deed.command)[0] == 0
    assert project.call("run", "--loop-id", loop_id, "--auto")[0] == deed.exit_code
    state: Any = project.state_of(loop_id)
    told = [incident for incident in state["engine"]["incidents"] if incident["kind"].startswith(deed.kind)]
    assert told
    folder = project.root / ".workflow" / ".loop" / f"{loop_id}.progress"
    assert told[0]["message"] in (folder / "summary.md").read_text(encoding="utf-8")
    code, shown = project.plain("-m", "loopwright", "show", loop_id)
    assert code == 0
    assert told[0]["kind"] in shown
    assert (state["engine"]["outcome"] == "succeeded") is (deed.exit_code == 0)
