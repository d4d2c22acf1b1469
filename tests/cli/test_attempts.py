"""`run --attempts`: several loops attempt the same, the best proven one is chosen, and nothing else is left behind."""

import json
import os
import re
import shutil
import signal
from collections.abc import Mapping, Sequence

import pytest

from tests.cli.conftest import Desk, Ran, said
from tests.waiting import until
from tests.workspace.trees import contents, git

GOAL = "Fix the failing tests"
FAIL: Mapping[str, object] = {"text": said("DEBUG", "failed", "no idea")}


@pytest.fixture
def home(ledger: Desk) -> Desk:
    """The ledger, in a repository with a commit."""
    git(ledger.project, "init", "-q", "-b", "trunk")
    for key, value in (("user.name", "Ann"), ("user.email", "ann@localhost")):
        git(ledger.project, "config", key, value)
    (ledger.project / ".gitignore").write_text(".workflow/\n__pycache__/\n")
    git(ledger.project, "add", "-A")
    git(ledger.project, "commit", "-q", "-m", "begin")
    return ledger


@pytest.fixture
def large(repaired: str) -> str:
    return repaired + "\n" + "".join(f"# a line of talk: {n}\n" for n in range(40))


def fixes(text: str, **more: object) -> dict[str, object]:
    return {"text": said("DEBUG"), "files": {"ledger.py": text}, **more}


def cheats(home: Desk) -> dict[str, object]:
    tests = (home.project / "test_ledger.py").read_text()
    weak = re.sub(r"^(\s+)assert .*", r"\1assert True", tests, flags=re.MULTILINE)
    return {"text": said("DEBUG"), "files": {"test_ledger.py": weak}}


def agents(home: Desk, **scripts: Sequence[Mapping[str, object]]) -> list[str]:
    """Options that name an agent for each script."""
    options = []
    for name, answers in scripts.items():
        path = home.project.parent / f"{name}.json"
        path.write_text(json.dumps({"answers": answers}))
        options += ["--agent", f"scripted:{path}"]
    return options


def attempt(home: Desk, count: int, *options: str) -> Ran:
    return home.run("run", GOAL, "--auto", "--json", "--max-iterations", "4", "--attempts", str(count), *options)


def family(home: Desk) -> list[dict[str, object]]:
    """The attempts, as `show` of any of them tells."""
    listed = home.run("list", "--json").lines[0]["data"]
    assert isinstance(listed, list)
    told = home.run("show", listed[0]["loop_id"], "--json").lines[0]["attempts"]
    assert isinstance(told, list)
    return told


def outcomes(home: Desk) -> list[object]:
    return [one["outcome"] for one in family(home)]


def check_left(home: Desk, before: dict[bytes, tuple[str, bytes]], *ids: str) -> None:
    """The user's tree is as it was, and there are no branches and worktrees but those of `ids`."""
    after = {name: what for name, what in contents(home.project).items() if not name.startswith(b".workflow")}
    assert after == before
    branches = git(home.project, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    assert branches == [*(f"loopwright/{id}" for id in ids), "trunk"]
    trees = git(home.project, "worktree", "list", "--porcelain").split("\n\n")
    assert len([tree for tree in trees if tree.strip()]) == 1 + len(ids)


def test_the_small_honest_one_wins(home: Desk, repaired: str, large: str) -> None:
    before = contents(home.project)
    named = agents(home, cheat=[cheats(home)], fail=[FAIL], large=[fixes(large)], small=[fixes(repaired)])
    ran = attempt(home, 4, *named, "--all")
    assert ran.code == 0, ran
    last = ran.lines[-1]
    found = family(home)
    assert [one["outcome"] == "succeeded" for one in found] == [False, False, True, True], found
    winner = str(found[3]["loop_id"])
    assert (last["winner"], [one["chosen"] for one in found]) == (winner, [False, False, False, True])
    assert found[2]["changed_lines"] == found[3]["changed_lines"] + 41  # type: ignore[operator]
    check_left(home, before, winner)
    for one, words in ((found[2], "# a line of talk: 39"), (found[3], "entry.day > until")):
        assert words in home.run("diff", str(one["loop_id"])).out
    page = home.run("show", str(found[0]["loop_id"])).out
    assert f"loopwright apply {winner}" in page
    assert f"[4/4, chosen] {GOAL}" in home.run("list").out
    assert home.run("resume", winner).code == 5
    assert home.run("apply", winner).code == 0
    assert (home.project / "ledger.py").read_text() == repaired


def test_the_others_are_stopped_as_soon_as_one_has_succeeded(home: Desk, repaired: str) -> None:
    before = contents(home.project)
    ready = home.project.parent / "ready"
    slow = {"text": said("DEBUG"), "hangs": True, "signals": str(ready)}
    quick = fixes(repaired, waits_for=[str(ready)])
    ran = attempt(home, 3, *agents(home, slow=[slow], quick=[quick], late=[fixes(repaired)]))
    assert ran.code == 0, ran
    found = family(home)
    assert [one["outcome"] for one in found] == ["stopped", "succeeded", "stopped"]
    assert "another attempt has succeeded" in str(found[0]["reason"])
    check_left(home, before, str(found[1]["loop_id"]))


def test_with_none_proven_nothing_is_left_but_the_diffs(home: Desk) -> None:
    before = contents(home.project)
    ran = attempt(home, 2, *agents(home, fail=[FAIL], other=[fixes("broken = True\n")]))
    assert (ran.code, ran.lines[-1]["winner"]) == (1, None)
    other = str(family(home)[1]["loop_id"])
    assert "+broken = True" in home.run("diff", other).out
    check_left(home, before)
    assert "No attempt is proven" in home.run("show", other).out
    assert home.run("branch", other).code == 0, "it can still be had"
    assert git(home.project, "show", f"loopwright/{other}:ledger.py").strip() == "broken = True"
    assert (home.run("apply", other).code, (home.project / "ledger.py").read_text()) == (0, "broken = True\n")
    assert home.run("replay", other).code == 0


@pytest.mark.parametrize("runners", [False, True], ids=["the parent", "the parent and every runner"])
def test_killed_and_resumed_it_ends_the_same_way(home: Desk, repaired: str, large: str, runners: bool) -> None:
    before = contents(home.project)
    ready, go = home.project.parent / "ready", home.project.parent / "go"
    held = {"signals": str(ready), "waits_for": [str(go)]}
    named = agents(home, large=[fixes(large, **held)], small=[fixes(repaired)])
    begun = home.begin("run", GOAL, "--auto", "--json", "--max-iterations", "4", "--attempts", "2", *named, "--all",
                       "--parallel", "1")  # fmt: skip
    until(ready.exists, seconds=60)
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    ids = [str(one["loop_id"]) for one in family(home)]
    if runners:
        lock = home.project / ".workflow" / ".loop"
        pids = {json.loads(p.read_text())["pid"] for p in lock.rglob("*lease*") if p.is_file() and p.stat().st_size}
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert pids
        ready.unlink()
    go.touch()
    ran = home.run("resume", ids[0], "--wait", "--json")
    assert ran.code == 0, ran
    found = family(home)
    assert [one["chosen"] for one in found] == [False, True], found
    assert found[0]["outcome"] == "succeeded"
    check_left(home, before, ids[1])
    for id in ids:
        begins = [line for line in home.run("logs", id, "events", "--json").lines if line.get("type") == "started"]
        assert len(begins) <= 1


def test_a_budget_holds_for_all_together(home: Desk) -> None:
    """Each turn takes 600 of 1000 tokens: the second one is the last, whoever has it."""
    before = contents(home.project)
    turn = {**FAIL, "usage": {"tokens": 600}}
    names = agents(home, **{name: [turn] * 4 for name in ("one", "two", "three", "four")})
    ran = attempt(home, 4, *names, "--parallel", "1", "--max-tokens", "1000")
    assert ran.code == 8, ran
    states = [home.state(str(one["loop_id"])) for one in family(home)]
    spent = [state["engine"]["budget"]["tokens"] or 0 for state in states]  # type: ignore[index]
    assert sum(spent) == 1200, spent
    check_left(home, before)


def test_created_and_started_in_the_background(home: Desk, repaired: str) -> None:
    """`start` of one that is created, and `resume` of one that is paused, go on with all of them."""
    before = contents(home.project)
    ready, go = home.project.parent / "ready", home.project.parent / "go"
    held = fixes(repaired, signals=str(ready), waits_for=[str(go)])
    options = agents(home, held=[held], fail=[FAIL])
    made = home.run("create", GOAL, "--auto", "--json", "--attempts", "2", "--parallel", "1", *options)
    assert made.code == 0, made
    ids = [str(one["loop_id"]) for one in family(home)]
    assert home.run("start", ids[1]).code == 0
    until(ready.exists, seconds=60)
    assert home.run("resume", ids[1]).code == 5, "whoever drives them starts it in its turn"
    assert home.run("pause", ids[0], "--now").code == 0
    until(lambda: home.state(ids[0])["status"] == "paused", seconds=60)
    until(lambda: outcomes(home)[1] == "exhausted", seconds=60)
    go.touch()
    until(lambda: home.run("resume", ids[1]).code == 0, seconds=60)
    until(lambda: [one["chosen"] for one in family(home)] == [True, False], seconds=60)
    assert outcomes(home) == ["succeeded", "exhausted"]
    check_left(home, before, ids[0])


REFUSED = (
    (("--parallel", "2"), "only with several attempts"),
    (("--agent", "builtin", "--agent", "codex"), "only with several attempts"),
    (("--attempts", "1"), "a number from 2 to 16"),
    (("--attempts", "4", "--parallel", "5"), "a number from 1 to 4"),
    (("--attempts", "2", "--no-worktree"), "a worktree each"),
    (("--attempts", "2", "--agent", "a", "--agent", "b", "--agent", "c"), "3 agents for 2 attempts"),
    (("--attempts", "2", "--agent", "a", "--agent", "b", "--model", "m"), "name it with each"),
    (("--attempts", "2", "--agent", "builtin", "--agent", "nobody"), "no agent is named 'nobody'"),
    (("--attempts", "2", "--agent", "builtin", "--fallback", "nobody"), "no agent is named 'nobody'"),
)


@pytest.mark.parametrize("attempts", [(), ("--attempts", "2")], ids=["alone", "attempts"])
def test_a_test_command_that_is_found_and_not_installed_is_said_before_anything_begins(
    home: Desk, attempts: tuple[str, ...]
) -> None:
    (home.project / "test_ledger.py").unlink()
    (home.project / "package.json").write_text('{"scripts": {"test": "vitest"}}')
    (home.project / "pnpm-lock.yaml").touch()
    only_git = home.project.parent / "only-git"
    only_git.mkdir()
    (only_git / "git").symlink_to(str(shutil.which("git")))
    ran = home.run("run", GOAL, "--auto", *attempts, PATH=str(only_git))
    assert (ran.code, "'pnpm test': there is no program 'pnpm'; install it" in ran.err) == (2, True), ran
    assert home.run("list", "--json").lines[0]["data"] == []


def test_what_cannot_be_is_said_before_anything_begins(home: Desk) -> None:
    for options, words in REFUSED:
        ran = home.run("run", GOAL, "--auto", *options)
        assert (ran.code, words in ran.err) == (2, True), (options, ran)
    assert home.run("list", "--json").lines[0]["data"] == []
