"""Whole loops on JavaScript projects, by the real command: bash tasks do the work, the project's own tests judge it."""

import json
import shutil
from pathlib import Path
from typing import Any  # Any: parsed JSON

import pytest

from tests.javascript import SAMPLES, Toolbox
from tests.real_command import Project, carrying

EVERY_SHOP = pytest.mark.parametrize(
    ("shop", "file"),
    [("shop_node", "src/cart.js"), ("shop_vitest", "src/cart.ts"), ("shop_jest", "src/cart.js")],
)
REPAIR = "sed -i 's/item.price$/item.price * item.quantity/' {}"
COUNTS = "total > counts every piece"


def opened(name: str, tmp_path: Path, javascript: Toolbox) -> Project:
    root = tmp_path / "a shop"
    shutil.copytree(SAMPLES / name, root)
    javascript.furnish(root)
    return Project(root, tmp_path / "state")


def driven(project: Project, *commands: str) -> tuple[int, Any]:
    """Creates a loop with these bash tasks, runs it to its end; exit code and the loop's state."""
    _, created = project.call("create", "Count every piece", "--auto", "--agent", "bash", "--max-iterations", "2")
    loop_id = created["loop_id"]
    for command in commands:
        code, _ = project.call("tasks", loop_id, "add", "change the cart", "--tool", "bash", "--command", command)
        assert code == 0
    code, state = project.call("run", "--loop-id", loop_id, "--auto")
    assert list(carrying(loop_id)) == []
    return code, state


def progress(project: Project, state: Any, name: str) -> str:
    folder = project.root / ".workflow" / ".loop" / f"{state['loop_id']}.progress"
    return (folder / name).read_text(encoding="utf-8")


@EVERY_SHOP
def test_a_repair_is_measured_and_done(shop: str, file: str, tmp_path: Path, javascript: Toolbox) -> None:
    project = opened(shop, tmp_path, javascript)
    code, state = driven(project, REPAIR.format(file))
    assert code == 0, state
    assert (state["status"], state["engine"]["outcome"]) == ("completed", "succeeded")
    assert state["engine"]["settings"]["test_command"] == "npm test"
    validate = state["skill_state"]["validate"]
    assert (validate["passed"], validate["failed_tests"], len(validate["test_results"])) == (True, [], 3)
    coverage = json.loads(progress(project, state, "coverage.json"))
    assert 50 < coverage["percent"] < 100
    assert list(coverage["files"]) == [file]
    assert {path.name for path in project.root.iterdir()} == {
        ".gitignore", ".workflow", "node_modules", "package.json", "src",
    }  # fmt: skip


@EVERY_SHOP
def test_what_stays_broken_is_named(shop: str, file: str, tmp_path: Path, javascript: Toolbox) -> None:
    project = opened(shop, tmp_path, javascript)
    code, state = driven(project, f"sed -i 's/empty/nothing/' {file}")
    assert code == 1
    assert state["status"] == "failed"
    test_file = file.replace("cart.", "cart.test.")
    broken = [f"{test_file}::{COUNTS}", f"{test_file}::describeCart > knows an empty cart"]
    assert state["skill_state"]["validate"]["failed_tests"] == broken
    summary = progress(project, state, "summary.md")
    assert all(name in summary for name in broken)
    assert json.loads(progress(project, state, "coverage.json"))["files"].keys() == {file}


def test_an_emptied_assertion_is_no_success(tmp_path: Path, javascript: Toolbox) -> None:
    project = opened("shop_node", tmp_path, javascript)
    code, state = driven(project, "sed -i '/assert.equal.total.cart/d' src/cart.test.js")
    assert code == 1
    assert state["skill_state"]["validate"]["passed"] is False
    summary = progress(project, state, "summary.md")
    assert f"passing only since the tests were changed: src/cart.test.js::{COUNTS}" in summary
