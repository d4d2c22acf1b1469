"""Lying commands, by the real command line: exit codes, `show` and summary.md say what was found out."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.liars import broken_project
from tests.real_command import Project
from tests.tools import runs
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


INLINE = {
    "Cargo.toml": '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
    ".gitignore": "target\nCargo.lock\n",
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n"
    "    #[test]\n    fn adds() {\n        assert_eq!(super::add(2, 2), 4);\n    }\n\n"
    "    #[test]\n    fn zero() {\n        assert_eq!(super::add(0, 0), 0);\n    }\n}\n",
}
DOCTEST = {"sums.py": 'def add(a, b):\n    """Adds.\n\n    >>> add(2, 2)\n    4\n    """\n    return a - b\n'}


@pytest.mark.parametrize(
    ("files", "test_command", "deed", "honest"),
    [
        pytest.param(
            INLINE, "cargo test", "sed -i 's/2, 2), 4/2, 2), 0/' src/lib.rs", "sed -i 's/a - b/a + b/' src/lib.rs",
            id="rust", marks=pytest.mark.skipif(not runs("cargo", "--version"), reason="no cargo that runs"),
        ),
        pytest.param(
            DOCTEST, f"{PYTEST} --doctest-modules",
            "sed -i 's/^    4$/    0/' sums.py", "sed -i 's/a - b/a + b/' sums.py", id="doctest",
        ),
    ],
)  # fmt: skip
def test_tests_inside_of_product_files_can_not_be_changed_either(
    files: dict[str, str], test_command: str, deed: str, honest: str, tmp_path: Path
) -> None:
    for n, (command, exit_code) in enumerate(((deed, 1), (honest, 0))):
        project = Project(tmp_path / str(n) / "project", tmp_path / "state")
        for name, text in files.items():
            (project.root / name).parent.mkdir(parents=True, exist_ok=True)
            (project.root / name).write_text(text)
        _, created = project.call("create", "Make add work", "--auto", "--agent", "bash", "--max-iterations", "2",
                                  "--test-command", test_command)  # fmt: skip
        loop_id = str(created["loop_id"])
        assert project.call("tasks", loop_id, "add", "do it", "--tool", "bash", "--command", command)[0] == 0
        assert project.call("run", "--loop-id", loop_id, "--auto")[0] == exit_code, project.state_of(loop_id)
        kinds = {incident["kind"] for incident in project.state_of(loop_id)["engine"]["incidents"]}
        assert ("tests_suspicious" in kinds) is (exit_code == 1)


@pytest.mark.parametrize("words", [
    'tasks "$LOOPWRIGHT_LOOP" edit "$TASK" --allow-test-changes',
    'tasks "$LOOPWRIGHT_LOOP" add "more" --tool bash --command true --allow-test-changes',
])  # fmt: skip
def test_a_loop_can_not_lift_the_checks_on_its_own_work(words: str, tmp_path: Path) -> None:
    project = Project(broken_project(tmp_path), tmp_path / "state")
    _, created = project.call("create", "Make add work", "--auto", "--agent", "bash", "--max-iterations", "2",
                              "--test-command", PYTEST)  # fmt: skip
    loop_id = str(created["loop_id"])
    _, task = project.call("tasks", loop_id, "add", "do it", "--tool", "bash", "--command", "true")
    change = "sed -i 's/== 4/== 0/' tests/test_app.py"
    lift = f"env -u LOOPWRIGHT_PROJECT {sys.executable} -m loopwright {words}"
    command = f"TASK={task['task_id']}; {change}; {lift} > lifted.txt 2>&1; echo $? >> lifted.txt"
    assert project.call("tasks", loop_id, "edit", task["task_id"], "--command", command)[0] == 0
    assert project.call("run", "--loop-id", loop_id, "--auto")[0] == 1
    said = (project.root / "lifted.txt").read_text()
    assert "a loop cannot lift the checks on its own work" in said
    assert said.endswith("\n5\n")
