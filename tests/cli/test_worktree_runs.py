"""Runs in a git worktree: the user's tree is theirs, and what the run did can be had as changes, branch or request."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.chance import SEED
from tests.cli.conftest import Desk, planned, said
from tests.waiting import until
from tests.workspace.test_branches import add_hook
from tests.workspace.trees import contents, git

WORK = ("--proof", "none", "--worktree")
LONG = "Teach the export command to write JSON as well as the table that it has always written, for scripts"
SECOND = {"text": said("DEVELOP"), "files": {"second.txt": "second\n"}}


def first(text: str = "first\n") -> dict[str, object]:
    return {"text": said("DEVELOP"), "files": {"first.txt": text}}


@pytest.fixture
def home(desk: Desk) -> Desk:
    """A repository with a commit, whose user has changed things since."""
    git(desk.project, "init", "-q", "-b", "trunk")
    for key, value in (("user.name", "Ann"), ("user.email", "ann@localhost")):
        git(desk.project, "config", key, value)
    (desk.project / "first.txt").write_text("".join(f"{n}\n" for n in range(9)))
    (desk.project / ".gitignore").write_text(".workflow/\n")
    git(desk.project, "add", "-A")
    git(desk.project, "commit", "-q", "-m", "begin")
    (desk.project / "mine.txt").write_text("mine\n")
    return desk


def begin(
    home: Desk, *answers: Mapping[str, object], tasks: tuple[str, ...] = ("One",), more: tuple[str, ...] = ()
) -> str:
    """The id of a run that has come to its end."""
    agent = home.script(planned(*tasks), *answers)
    ran = home.run("run", "Do what is in the script", "--auto", "--json", "--agent", agent, *WORK, *more)
    (id,) = {str(line["loop_id"]) for line in ran.lines if "loop_id" in line}
    assert ran.code in (0, 1, 9), ran
    return id


def facts(home: Desk, id: str) -> dict[str, str]:
    """What the state knows of its branch."""
    engine = home.state(id)["engine"]
    assert isinstance(engine, dict)
    return dict(engine["branch"])


def incidents(home: Desk, id: str) -> list[str]:
    engine = home.state(id)["engine"]
    assert isinstance(engine, dict)
    return [str(one["message"]) for one in engine["incidents"]]


def test_the_users_tree_is_untouched_and_the_run_is_found_as_any_other(home: Desk) -> None:
    before, index = contents(home.project), git(home.project, "ls-files", "--stage")
    id = begin(home, first())
    after = {name: what for name, what in contents(home.project).items() if not name.startswith(b".workflow")}
    assert (after, git(home.project, "ls-files", "--stage")) == (before, index)
    assert (Path(facts(home, id)["path"]) / "first.txt").read_text() == "first\n"
    assert any("1 uncommitted change of yours" in words for words in incidents(home, id))
    assert "+first" in home.run("diff", id).out
    page = home.run("show", id).out
    assert f"branch      loopwright/{id}, from " in page
    assert f"loopwright apply {id}" in page


def test_two_runs_side_by_side(home: Desk) -> None:
    ids = []
    for text in ("one\n", "two\n"):
        ready = home.project.parent / "ready"
        answer = {
            **first(text),
            "signals": str(ready / text.strip()),
            "waits_for": [str(ready / "one"), str(ready / "two")],
        }
        ready.mkdir(exist_ok=True)
        script = home.project.parent / f"{text.strip()}.json"
        script.write_text(json.dumps({"answers": [planned("One"), answer]}))
        ids.append(home.create("--agent", f"scripted:{script}", *WORK))
    for id in ids:
        assert home.run("start", id).code == 0
    for id in ids:
        home.run("watch", id)
    told = [(Path(facts(home, id)["path"]) / "first.txt").read_text() for id in ids]
    assert told == ["one\n", "two\n"]


def test_a_commit_for_each_task(home: Desk) -> None:
    id = begin(home, first(), SECOND, tasks=(LONG, "Write the second file."), more=("--commit",))
    log = git(home.project, "log", "--reverse", "--format=%an|%s", f"trunk..loopwright/{id}").splitlines()
    assert log == [
        "Ann|Teach the export command to write JSON as well as the table that it has…",
        "Ann|Write the second file",
    ]
    assert all(len(line.partition("|")[2]) <= 72 for line in log)
    body = git(home.project, "log", "--format=%b", "-1", f"loopwright/{id}~1")
    assert LONG in body
    assert f"Loopwright-Run: {id}\nLoopwright-Task: " in body
    assert git(home.project, "show", "--name-only", "--format=", f"loopwright/{id}").split() == ["second.txt"]


def test_a_hook_that_refuses_is_told_and_the_next_commit_says_what_else_it_holds(home: Desk) -> None:
    add_hook(home.project, "pre-commit", "test -f second.txt || { echo 'not without the second' >&2; exit 1; }")
    id = begin(home, first(), SECOND, tasks=("The first", "The second"), more=("--commit",))
    assert "the commit was refused, its changes stay: not without the second" in incidents(home, id)
    assert git(home.project, "log", "--format=%s", f"trunk..loopwright/{id}").splitlines() == ["The second"]
    assert "Also: The first" in git(home.project, "log", "-1", "--format=%b", f"loopwright/{id}")


class TestApply:
    def test_with_what_the_user_has_changed_elsewhere_in_the_file(self, home: Desk) -> None:
        id = begin(home, first("run\n" + "".join(f"{n}\n" for n in range(1, 9))))
        (home.project / "first.txt").write_text("".join(f"{n}\n" for n in range(8)) + "user\n")
        ran = home.run("apply", id)
        assert (ran.code, ran.out.partition(";")[0]) == (0, f"1 file of {id} applied")
        assert (home.project / "first.txt").read_text() == "run\n" + "".join(f"{n}\n" for n in range(1, 8)) + "user\n"
        assert git(home.project, "diff", "--cached", "--name-only") == ""
        assert "nothing to apply" in home.run("apply", id).out

    def test_a_conflict_is_told_and_nothing_changes(self, home: Desk) -> None:
        id = begin(home, {"text": said("DEVELOP"), "files": {"first.txt": "run\n", "new.txt": "new\n"}})
        (home.project / "first.txt").write_text("user\n")
        before = contents(home.project)
        ran = home.run("apply", id)
        assert ran.code == 5
        assert "first.txt conflict with what is in your tree, which was left as it is" in ran.err
        after = contents(home.project)
        assert [name for name in after if after[name] != before.get(name) and not name.startswith(b".workflow")] == []

    def test_what_a_run_in_the_users_own_tree_did_is_there_already(self, home: Desk) -> None:
        id = begin(home, first(), more=("--no-worktree",))
        ran = home.run("apply", id)
        assert (ran.code, "its changes are there already" in ran.err) == (2, True)

    def test_nothing_of_a_run_that_is_at_work(self, home: Desk) -> None:
        id = home.create("--agent", home.script(planned("One"), {**first(), "seconds": 250}), *WORK)
        home.run("start", id)
        until(lambda: _develops(home, id, 0))
        assert home.run("apply", id).code == 5
        home.run("stop", id)


class TestBranch:
    def test_of_a_run_without_commits(self, home: Desk) -> None:
        id = begin(home, first())
        assert home.run("branch", id, "fix/it").code == 0
        assert git(home.project, "log", "--format=%s", "trunk..fix/it").splitlines() == ["Do what is in the script"]
        assert home.run("branch", id, "fix/it").code == 0, "a second time changes nothing"
        assert len(git(home.project, "log", "--format=%s", "trunk..fix/it").splitlines()) == 1

    def test_of_a_run_in_the_users_own_tree(self, home: Desk) -> None:
        (home.project / "mine.txt").write_text("still mine\n")
        id = begin(home, first(), more=("--no-worktree",))
        before = contents(home.project), git(home.project, "status", "--porcelain")
        assert home.run("branch", id).code == 0
        assert git(home.project, "show", "--name-only", "--format=", f"loopwright/{id}").split() == ["first.txt"]
        assert git(home.project, "status", "--porcelain") == before[1]
        assert (home.project / "first.txt").read_text() == "first\n"
        assert home.run("apply", id).code == 2

    def test_a_hook_that_refuses(self, home: Desk) -> None:
        id = begin(home, first())
        add_hook(home.project, "pre-commit", "echo never >&2; exit 1")
        ran = home.run("branch", id)
        assert (ran.code, f"its changes stay in {facts(home, id)['path']}: never" in ran.err) == (5, True)


class TestRefused:
    """Before any work, with what would be right."""

    @pytest.mark.parametrize(
        ("options", "words"),
        [(("--commit",), "commit needs worktree"), (("--worktree",), "git init")],
    )
    def test_where_there_is_no_repository(self, desk: Desk, options: tuple[str, ...], words: str) -> None:
        ran = desk.run("create", "x", "--auto", "--agent", "bash", *options)
        assert (ran.code, words in ran.err) == (2, True), ran
        assert not (desk.project / ".workflow").exists()

    def test_where_there_is_no_commit(self, desk: Desk) -> None:
        git(desk.project, "init", "-q")
        ran = desk.run("run", "x", "--auto", "--agent", "bash", "--worktree")
        assert (ran.code, "commit once" in ran.err) == (2, True), ran


def test_a_worktree_that_cannot_be_made_pauses_the_run_with_the_reason(home: Desk) -> None:
    id = home.create("--agent", home.script(planned("One"), first()), *WORK)
    git(home.project, "branch", f"loopwright/{id}")
    ran = home.run("run", "--loop-id", id, "--auto")
    assert (ran.code, "it is not this run's; rename it" in ran.out) == (3, True), ran
    git(home.project, "branch", "-m", f"loopwright/{id}", "other")
    assert "(trunk)" in home.run("run", "--loop-id", id, "--auto").out
    assert (Path(facts(home, id)["path"]) / "first.txt").read_text() == "first\n"


def test_a_run_whose_runner_was_killed_goes_on_in_its_worktree(home: Desk) -> None:
    agent = home.script(planned("One", "Two"), first(), {**SECOND, "seconds": 250})
    runner = home.begin("run", "Do it", "--auto", "--json", "--agent", agent, *WORK, "--commit")
    states = home.project / ".workflow/.loop"
    until(lambda: any(states.glob("*.json")))
    id = next(states.glob("*.json")).stem
    until(lambda: _develops(home, id, 1))
    os.kill(runner.pid, signal.SIGKILL)
    runner.communicate()
    home.script(planned("One", "Two"), first(), SECOND)
    ran = home.run("run", "--loop-id", id, "--auto")
    assert ran.code in (0, 1, 9), ran
    assert git(home.project, "log", "--format=%s", f"trunk..loopwright/{id}").splitlines() == ["Two", "One"]
    assert (home.project / "first.txt").read_text() != "first\n"


def _develops(home: Desk, id: str, after: int) -> bool:
    """Whether a task is being worked on, after so many iterations."""
    state = home.state(id)
    skill = state.get("skill_state")
    return isinstance(skill, dict) and (state["current_iteration"], skill["current_action"]) == (after, "develop")


def test_rewinding_one_leaves_the_users_tree(home: Desk) -> None:
    id = begin(home, first())
    before = (home.project / "first.txt").read_text()
    assert home.run("rewind", id, "--to", "1").code == 0
    assert (Path(facts(home, id)["path"]) / "first.txt").read_text() == before
    assert (home.project / "first.txt").read_text() == before


def test_deleting_one_removes_what_is_the_runs_and_says_what_is_kept(home: Desk) -> None:
    id = begin(home, first())
    path = Path(facts(home, id)["path"])
    ran = home.run("delete", id, "--yes")
    assert (ran.code, "it holds work that is in no other branch" in ran.err) == (0, True)
    assert not path.exists()
    applied = begin(home, first())
    home.run("apply", applied)
    assert home.run("delete", applied, "--yes").err == ""
    assert git(home.project, "branch", "--format=%(refname:short)").split() == [f"loopwright/{id}", "trunk"]


class TestPullRequest:
    """Against a bare repository, with a program in the place of the forge's that records what it is given."""

    ADDRESS = "https://github.com/ann/project/pull/7"

    @pytest.fixture
    def pushing(self, home: Desk) -> Desk:
        bare, tools = home.project.parent / "bare.git", home.project.parent / "tools"
        git(home.project.parent, "init", "-q", "--bare", "-b", "trunk", str(bare))
        git(home.project, "remote", "add", "origin", "git@github.com:ann/project.git")
        git(home.project, "config", "remote.origin.pushurl", str(bare))
        git(home.project, "push", "-q", "origin", "trunk")
        git(home.project, "config", "branch.trunk.remote", "origin")
        git(home.project, "config", "branch.trunk.merge", "refs/heads/trunk")
        tools.mkdir()
        (tools / "gh").write_text(
            f"#!{sys.executable}\nimport json, pathlib, sys\n"
            f"asked = pathlib.Path({str(tools)!r}, 'asked'); opened = asked.with_name('opened')\n"
            "with asked.open('a') as file: file.write(json.dumps(sys.argv[1:]) + '\\n')\n"
            f"if sys.argv[2] == 'create': opened.touch(); print('Creating pull request'); print({self.ADDRESS!r})\n"
            f"elif opened.exists(): print({self.ADDRESS!r})\n"
        )
        (tools / "gh").chmod(0o755)
        return Desk(home.project, {**home.env, "PATH": f"{tools}:{home.env['PATH']}"})

    @staticmethod
    def asked(desk: Desk) -> list[list[str]]:
        path = desk.project.parent / "tools" / "asked"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def test_it_is_pushed_and_opened_with_what_was_measured(self, pushing: Desk) -> None:
        id = begin(pushing, first())
        ran = pushing.run("pr", id, "--draft")
        assert (ran.code, ran.out.strip()) == (0, self.ADDRESS), ran
        (_, created) = self.asked(pushing)
        head, base = created[created.index("--head") + 1], created[created.index("--base") + 1]
        assert (created[:2], head, base) == (["pr", "create"], f"loopwright/{id}", "trunk")
        assert "--draft" in created
        body = created[created.index("--body") + 1]
        assert body.startswith("Do what is in the script\n\n## Changes\n\n- `first.txt` +1 -9\n\n## Proof\n\n")
        assert f"Loopwright-Run: {id}" in body
        assert str(pushing.project) not in body
        bare = pushing.project.parent / "bare.git"
        assert git(bare, "rev-parse", head) == git(pushing.project, "rev-parse", head)

    def test_a_second_time_shows_the_first_and_pushes_what_is_new(self, pushing: Desk) -> None:
        id = begin(pushing, first())
        pushing.run("pr", id)
        (Path(facts(pushing, id)["path"]) / "more.txt").write_text("more\n")
        ran = pushing.run("pr", id, "--json")
        data = ran.lines[0]["data"]
        assert isinstance(data, dict)
        assert (ran.code, data["url"]) == (0, self.ADDRESS)
        assert sum(one[1] == "create" for one in self.asked(pushing)) == 1
        assert "more.txt" in git(pushing.project.parent / "bare.git", "ls-tree", "--name-only", f"loopwright/{id}")

    def test_one_that_was_opened_before_a_kill_is_found(self, pushing: Desk) -> None:
        id = begin(pushing, first())
        (pushing.project.parent / "tools" / "opened").touch()
        assert pushing.run("pr", id).out.strip() == self.ADDRESS
        assert facts(pushing, id)["pull_request"] == self.ADDRESS
        assert [one[1] for one in self.asked(pushing)] == ["list"]

    def test_a_push_that_a_hook_refuses(self, pushing: Desk) -> None:
        id = begin(pushing, first())
        add_hook(pushing.project, "pre-push", "echo 'not on fridays' >&2; exit 1")
        ran = pushing.run("pr", id)
        assert (ran.code, "not on fridays" in ran.err, self.asked(pushing)) == (5, True, [])
        assert "pull_request" not in facts(pushing, id)

    def test_without_the_tool_it_says_what_to_do_by_hand(self, pushing: Desk) -> None:
        id = begin(pushing, first())
        git(pushing.project, "remote", "set-url", "origin", "https://gitlab.example.org/ann/project.git")
        ran = pushing.run("pr", id)
        assert ran.code == 1
        assert "is pushed, but glab is not installed (https://gitlab.com/gitlab-org/cli)" in ran.err
        assert "https://gitlab.example.org/ann/project/-/merge_requests/new?" in ran.err

    def test_an_unknown_forge_and_no_remote(self, pushing: Desk) -> None:
        id = begin(pushing, first())
        git(pushing.project, "remote", "set-url", "origin", "/srv/git/project.git")
        assert pushing.run("pr", id, "--tool", "hub").code == 2
        git(pushing.project, "remote", "remove", "origin")
        ran = pushing.run("pr", id)
        assert (ran.code, "git remote add origin URL" in ran.err) == (4, True)


APPLY = """
import sys
from pathlib import Path
from loopwright.wiring import open_engine

with open_engine(Path(sys.argv[1]), {}) as engine:
    engine.service.apply(sys.argv[2])
"""


def test_an_apply_that_was_killed_at_any_command_is_finished_by_the_next(home: Desk) -> None:
    from tests.workspace.test_killed_in_a_lane import KILLER, WAYS

    files = {f"{n}.txt": f"{n}\n" * 50 for n in range(5)} | {"first.txt": "run\n", ".gitignore": None}
    id = begin(home, {"text": said("DEVELOP"), "files": {**files, ".gitignore": ".workflow/\nx\n"}})
    tools, count = home.project.parent / "bin", home.project.parent / "count"
    tools.mkdir()
    (tools / "git").write_text(KILLER)
    (tools / "git").chmod(0o755)

    def apply(at: int, when: str) -> int:
        count.write_text("0")
        orders = {"KILL_AT": str(at), "KILL_WHEN": when, "KILL_COUNT": str(count), "REAL_GIT": str(shutil.which("git"))}
        env = {**home.env, **orders, "PATH": f"{tools}:{home.env['PATH']}"}
        command = [sys.executable, "-c", APPLY, str(home.project), id]
        subprocess.run(command, env=env, check=at == 0, capture_output=True)
        return int(count.read_text())

    def reset() -> None:
        git(home.project, "checkout", "-q", "--", ".")
        for n in range(5):
            (home.project / f"{n}.txt").unlink(missing_ok=True)

    commands, chance = apply(0, "before"), random.Random(SEED)
    wanted = {name: what for name, what in contents(home.project).items() if not name.startswith(b".workflow")}
    for _ in range(5):
        reset()
        at, when = chance.randint(1, commands), chance.choice(WAYS)
        apply(at, when)
        if chance.random() < 0.5 and (home.project / "3.txt").exists():
            (home.project / "3.txt").write_text("3\n" * 7)  # as if it had been torn
        apply(0, "before")
        found = {name: what for name, what in contents(home.project).items() if not name.startswith(b".workflow")}
        assert found == wanted, f"killed {when} command {at} of {commands}"


def test_one_that_has_begun_stays_where_it_is(home: Desk) -> None:
    id = begin(home, first())
    ran = home.run("run", "--loop-id", id, "--auto", "--no-worktree")
    assert (ran.code, "it has begun in a worktree, and goes on there" in ran.err) == (2, True), ran
    assert home.run("run", "--loop-id", id, "--auto", "--no-worktree", "--commit").code == 2


def test_a_replay_makes_no_branch(home: Desk) -> None:
    id = begin(home, first(), more=("--commit",))
    before = git(home.project, "branch", "-v"), git(home.project, "worktree", "list")
    ran = home.run("replay", id)
    assert ran.code == 0, ran
    assert (git(home.project, "branch", "-v"), git(home.project, "worktree", "list")) == before
