"""A real agent in a worktree: what it reads, writes and runs is there, and the user's files stay as they are."""

from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import BROKEN, FEATURE, GOAL, MENDED, good
from tests.model.server import serving
from tests.workspace.trees import git

pytestmark = pytest.mark.real_agents


def worktree_of(project: Path) -> Path:
    """The newest one beside the project."""
    listed = git(project, "worktree", "list", "--porcelain").splitlines()
    return Path([line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")][-1])


@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_a_feature_and_a_fix_each_in_a_commit(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(lambda asked: good(worktree_of(project))(asked), fence.listen()) as model:
        place = ground(name, model)
        for key, value in (("user.name", "Ann"), ("user.email", "ann@localhost")):
            git(project, "config", key, value)
        rested = place.run("run", GOAL, "--auto", "--agent", name, "--worktree", "--commit")
        assert rested.code == 0, rested.stderr
        state = place.state
        at, branch = worktree_of(project), state["engine"]["branch"]
        assert str(at) == branch["path"]
        assert place.touched() == set()
        assert (project / "temperature.py").read_text() == BROKEN
        assert [(at / file).read_text() for file in ("kelvin.py", "temperature.py")] == [FEATURE, MENDED]
        log = git(project, "log", "--format=%an %s", f"{branch['base']}..{branch['name']}").splitlines()
        assert log == ["Ann It rounds no more", "Ann Write kelvin.py with to_kelvin"]
        proof = git(project, "log", "-1", "--format=%(trailers:key=Loopwright-Proof,valueonly)", branch["name"])
        assert "tests/test_kelvin.py::test_freezing" in proof
    assert not place.alive()
