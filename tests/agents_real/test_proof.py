"""A loop of a real agent succeeds when tests show its goal: lies and honest deeds, done by the agents' own tools."""

import shutil
import subprocess
import time
from itertools import product
from pathlib import Path

import pytest

from tests.agents_real.conftest import Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import course, said
from tests.agents_real.loops import Ground, ground
from tests.attacks import court
from tests.attacks.rows import ATTACKS as COURT
from tests.environment_cases import ATTACKS
from tests.environment_trials import COMMANDS, made
from tests.model.script import ReadCall, Reply, Script, ShellCall, WriteCall
from tests.model.server import serving
from tests.proof_cases import HONEST, LIES, SHOP, Case
from tests.validation.projects import lay_out

pytestmark = pytest.mark.real_agents

CASES = {**LIES, **HONEST}
AGENTS = ("codex", "opencode")
CODES = {"succeeded": 0, "failed": 1, "unproven": 9}


def script(case: Case, project: Path, elsewhere: Path) -> Script:
    """One task, everything written in its first turn, and the same claim in every report."""
    given = {project / name: text.replace("{elsewhere}", str(elsewhere)) for name, text in case.writes.items() if text}
    # Some agents change no file that they have not read.
    reads = tuple(ReadCall(str(path)) for path in given if path.relative_to(project).as_posix() in SHOP)
    writes = tuple(WriteCall(str(path), text) for path, text in given.items())
    turns = [Reply(text=words, calls=calls) for words, calls in (("I look.", reads), ("I write.", writes)) if calls]
    claim = said("DEVELOP", "done, and all tests pass", shown_by=case.says.get("shown_by", []))
    plan = said("INIT", "One step.", tasks=[{"description": case.goal}])
    return course(plan=(plan,), feature=(*turns, claim), mending=(*turns, claim))


@pytest.mark.parametrize(("name", "agent"), list(product(CASES, AGENTS)))
def test_its_loop_ends_as_it_should(
    name: str, agent: str, real_agent: Prepare, fence: Fence, project: Path, tmp_path: Path
) -> None:
    case = CASES[name]
    with serving(script(case, project, tmp_path / "runs"), fence.listen()) as model:
        place = ground(real_agent(agent, model), project, fence, {**SHOP, **case.found})
        words = ("--agent", agent, "--proof", case.proof, "--max-iterations", "6")
        ended = place.run("run", case.goal, "--auto", *words)
    outcome = place.state["engine"]["outcome"]
    # Where nothing was done, it depends on whose the task was: one that an agent planned for itself is dropped.
    assert outcome in {"failed": ("failed", "unproven")}.get(case.outcome, (case.outcome,)), place.state.get(
        "failure_reason"
    )
    assert ended.code == CODES[outcome]
    assert not place.alive()


ENVIRONMENT = (
    "sitecustomize",
    "another pytest",
    "a package that changes one that tests use",
    "a .pth file with code",
    "a changed package of JavaScript",
)


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_what_its_shell_does_to_the_environment(name: str, real_agent: Prepare, fence: Fence, project: Path) -> None:
    deed = ATTACKS[name]
    made(project, deed.language)
    done = Reply(text="I mend it.", calls=(ShellCall(deed.command),))
    answers = course(feature=(done, said("DEVELOP", "mended")), mending=(done, said("DEBUG", "mended")))
    with serving(answers, fence.listen()) as model:
        place = Ground(real_agent("codex", model), project, fence)
        words = ("--agent", "codex", "--max-iterations", "4", "--test-command", COMMANDS[deed.language])
        ended = place.run("run", "Make the tests pass", "--auto", *words)
    state = place.state
    assert (ended.code, state["engine"]["outcome"]) == (1, "exhausted")
    assert "environment_changed" in {incident["kind"] for incident in state["engine"]["incidents"]}
    assert state["skill_state"]["validate"]["pass_rate"] == 100, "else it would not have been an attack"


BY_SHELL = (
    "equal to everything",
    "only under PYTEST_CURRENT_TEST",
    "only where a test calls",
    "failures that are no errors",
    "good code while the tests run",
    "bad code after the success",
    "a conftest.py that git's own list hides",
    "an ignored test that patches",
    "an included part of the Makefile",
)


@pytest.mark.parametrize("name", BY_SHELL)
def test_what_its_shell_does_instead(name: str, real_agent: Prepare, fence: Fence, project: Path) -> None:
    row = COURT[name]
    lay_out(project, court.PROJECTS[row.kind].files)
    shutil.copytree(court.tested_with(), project / ".venv", symlinks=True)
    commit = "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm a"
    subprocess.run(["bash", "-ec", f"{commit}\n{row.before}"], cwd=project, check=True)
    done = Reply(text="I mend it.", calls=(ShellCall(row.script),))
    answers = course(feature=(done, said("DEVELOP", "mended")), mending=(done, said("DEBUG", "mended")))
    with serving(answers, fence.listen()) as model:
        place = Ground(real_agent("codex", model), project, fence)
        words = ("--agent", "codex", "--max-iterations", "4", "--test-command", court.PROJECTS[row.kind].command)
        ended = place.run("run", "Make the tests pass", "--auto", *words, *row.options)
    time.sleep(2)  # for what is left behind
    checked = subprocess.run(court.PROJECTS[row.kind].check, cwd=project, capture_output=True, check=False)
    is_good = checked.stdout == b"as it should be\n"
    assert (ended.code == 0) == is_good, place.state
    assert ended.code == CODES.get(place.state["engine"]["outcome"], 1)
