"""Whole cycles by the real programs, each role by another: documents, reports, lanes, sessions, and what none may."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.agents_real import cycles
from tests.agents_real.cycles import CASTS, Cast, check_both, check_first, check_second
from tests.agents_real.fence import Fence
from tests.model.roles import by_step
from tests.model.server import Model, serving

pytestmark = pytest.mark.real_agents

Begin = Callable[[Mapping[str, str], Model], Cast]


@pytest.fixture
def begin(modules: Path, fence: Fence, project: Path) -> Begin:
    """The project with its agents in one home."""

    def prepare(roles: Mapping[str, str], model: Model) -> Cast:
        for name in sorted(set(roles.values())):
            if shutil.which(name if name != "codex" else "codex-acp", path=str(modules / ".bin")) is None:
                pytest.skip(f"{name} has no package for this machine")
        return cycles.cast(roles, modules, model.url, project, fence)

    return prepare


@pytest.mark.parametrize("name", CASTS)
async def test_two_iterations_and_a_killed_runner_in_the_same_sessions(
    name: str, begin: Begin, fence: Fence, project: Path
) -> None:
    """The second iteration adds to the task, by another process; that is killed in the middle of cd's turn.

    Who tries to write into the project and may not is refused; opencode, told by its user not to ask, does write there,
    and that is put back.
    """
    flag = cycles.told(project) / "stuck"
    with serving(by_step(cycles.courses(flag, CASTS[name])), fence.listen()) as model:
        place = begin(CASTS[name], model)
        place.first(CASTS[name])
        check_first(place)
        kept = place.sessions
        await place.second(flag)
        check_second(place, kept)
        check_both(place, model)
        assert not place.alive()


async def test_an_extension_of_a_running_cycle_is_taken_at_the_border(begin: Begin, fence: Fence) -> None:
    """Nothing is killed: every session is one process from the first step to the last."""
    with serving(by_step(cycles.GOOD), fence.listen()) as model:
        place = begin(CASTS["other"], model)
        async with place.running("cycle", "run", cycles.GOAL, "--auto", *cycles.words(CASTS["other"])) as runner:
            assert place.run("cycle", "extend", place.loop_id, cycles.MORE).code == 0
            assert runner.wait(240) == 0
        assert place.rest == ("completed", "succeeded")
        assert place.touched() == cycles.EXTENDED
        assert not [each for each in place.heard("session") if each["loaded"]]
        check_both(place, model)
        assert not place.alive()
