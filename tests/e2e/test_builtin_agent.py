"""The main job, by the real command on projects that are no examples."""

import shutil
from pathlib import Path

import pytest

from tests.real_command import Project, carrying

SAMPLES = Path(__file__).parent.parent / "samples"
RUN = ("run", "Make the tests pass", "--auto", "--agent", "builtin")


def copied(name: str, tmp_path: Path) -> Project:
    shutil.copytree(SAMPLES / name, tmp_path / "project")
    return Project(tmp_path / "project", tmp_path / "state")


def texts(project: Project) -> dict[str, bytes]:
    files = (p for p in project.root.rglob("*.py") if ".workflow" not in p.parts)
    return {str(path.relative_to(project.root)): path.read_bytes() for path in files}


def is_test(name: str) -> bool:
    return Path(name).name.startswith("test_")


@pytest.mark.parametrize(("name", "repaired"), [("ledger", "ledger.py"), ("calendar_unittest", "workdays.py")])
def test_a_fault_is_found_and_fixed(name: str, repaired: str, tmp_path: Path) -> None:
    project = copied(name, tmp_path)
    before = texts(project)
    code, _ = project.call(*RUN)
    after = texts(project)
    assert code == 0
    changed = [file for file in after if after[file] != before[file]]
    assert changed == [repaired]
    assert before.keys() == after.keys()
    assert_tests_really_pass(project)


def assert_tests_really_pass(project: Project) -> None:
    """Measured once more by a process that has never heard of us."""
    code, output = project.plain("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 0, output


def test_what_can_not_be_repaired_is_said_so(tmp_path: Path) -> None:
    project = copied("red_for_good", tmp_path)
    (project.root / "loopwright.toml").write_text("timeout_per_action = 10\n")  # it would look for a minute
    before = texts(project)
    code, _ = project.call(*RUN, "--max-iterations", "3")
    assert code == 1
    assert {f: t for f, t in texts(project).items() if is_test(f)} == {f: t for f, t in before.items() if is_test(f)}
    _, loops = project.call("list")
    (loop,) = loops
    assert (loop["status"], loop["engine"]["outcome"]) == ("failed", "exhausted")
    assert loop["failure_reason"]
    folder = project.root / ".workflow" / ".loop" / f"{loop['loop_id']}.progress"
    summary = (folder / "summary.md").read_text()
    assert "test_the_price_list_of_july" in summary
    assert "H1" in summary
    assert list(carrying(loop["loop_id"])) == []


def test_a_green_project_is_done_at_once(tmp_path: Path) -> None:
    project = copied("healthy", tmp_path)
    before = texts(project)
    assert project.call(*RUN)[0] == 0
    assert texts(project) == before


def test_more_than_it_can_do_is_not_claimed(tmp_path: Path) -> None:
    project = copied("healthy", tmp_path)
    code, _ = project.call("run", "Add a vegetarian menu", "--auto", "--agent", "builtin")
    assert code == 1
    _, loops = project.call("list")
    assert loops[0]["skill_state"]["develop"]["tasks"][0]["status"] == "failed"


def test_a_hanging_test_is_a_failing_test(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    (project.root / "test_it.py").write_text(
        "import time\n\n\ndef test_quick():\n    pass\n\n\ndef test_slow():\n    time.sleep(600)\n"
    )
    code, _ = project.call(*RUN, "--test-timeout", "4", "--max-iterations", "1")
    assert code == 1
    _, loops = project.call("list")
    assert loops[0]["skill_state"]["validate"]["failed_tests"] == ["test_it.py::test_slow"]
    assert list(carrying(loops[0]["loop_id"])) == []
