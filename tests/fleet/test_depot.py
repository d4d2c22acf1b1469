"""Runs' files through a git remote: what arrives, what it costs, and what must not harm it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, Invalid, NotFound, WorkspaceError
from loopwright.fleet.depot import GitDepot, find_url, public_url
from loopwright.processes.process_tree import find_process
from loopwright.processes.user_git import choose_remote
from loopwright.workspace.private_git import PrivateGit
from loopwright.workspace.pruning import prune_snapshots
from tests.fleet.machines import GitMachine, make_remote, refs_of
from tests.waiting import until
from tests.workspace.trees import ODD_NAMES, contents, git

ID = "loop-1"
EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without files."""


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def first(tmp_path: Path, remote: Path) -> GitMachine:
    return GitMachine(tmp_path / "first", remote)


@pytest.fixture
def second(tmp_path: Path, remote: Path) -> GitMachine:
    return GitMachine(tmp_path / "second", remote, name="elsewhere")


def submitted(machine: GitMachine, base: str, *commits: str) -> None:
    machine.depot.push_base(ID, base)
    for commit in commits:
        machine.depot.push_checkpoint(ID, 1, base, commit)


def taken_over(machine: GitMachine, base: str, last: str) -> None:
    machine.depot.check_out(ID, base)
    machine.depot.fetch_checkpoints(ID, last)
    machine.workspace.restore(last)


def programs(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return folder


SSH_TO_HERE = 'while [ "$1" != host ] && [ "$1" != "git:hidden-word@host" ]; do shift; done; shift; exec sh -c "$*"'
"""An ssh that runs here what it shall run on the host."""


# ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_kind_of_file_arrives_as_it_was(first: GitMachine, second: GitMachine) -> None:
    place = first.project
    first.begin(**{".gitignore": "*.log\n", "plain": "one\n", "gone": "x\n", "mode": "x\n"})
    (place / ".gitattributes").write_text("*.txt text eol=crlf\n*.up filter=up ident\n* -merge\n")
    first.git("config", "filter.up.clean", "tr a-z A-Z")
    base = first.commit(**{"lines.txt": "a\nb\n", "loud.up": "quiet $Id$\n"})
    for name in ODD_NAMES:
        path = place / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\0\r\n" + name)
    (place / "gone").unlink()
    (place / "mode").chmod(0o755)
    (place / "deep" / "er").mkdir(parents=True)
    (place / "deep" / "er" / "link").symlink_to(os.fsdecode(b"\xff/nowhere"))
    (place / "empty").touch()
    begun = first.keep(**{"lines.txt": "mixed\r\nends\n", "big": "x" * 200_000})
    kept = contents(place)
    (place / "left.log").write_text("ignored")
    for path in place.iterdir():
        if path.name != ".git":
            subprocess.run(["rm", "-rf", "--", str(path)], check=True)
    bare = first.keep()
    assert first.workspace.tree() == EMPTY
    submitted(first, base, begun, bare)

    taken_over(second, base, bare)
    assert contents(second.project) == {}
    second.workspace.restore(begun)
    assert contents(second.project) == kept
    after = second.keep(plain="two\n")
    parent = git(second.private, "rev-parse", f"{after}^").strip()
    assert parent == bare, "the next follows the last, whatever was restored"


def test_a_run_comes_home(first: GitMachine, second: GitMachine) -> None:
    base = first.begin(a="one\n")
    submitted(first, base, first.keep(a="two\n"))
    taken_over(second, base, first.keep())
    last = second.keep(a="three\n", b="new\n")
    second.depot.push_checkpoint(ID, 2, base, last)
    refs = refs_of(first.project)
    first.depot.fetch_checkpoints(ID, last)
    first.workspace.restore(last)
    assert contents(first.project) == contents(second.project)
    assert refs_of(first.project) == refs, "the user's repository has nothing to do with it"
    (second.project.parent / "mirrors").rename(second.project.parent / "lost")
    assert git(first.private, "fsck", "--connectivity-only", "--no-dangling") == "", "it borrows nothing"


def test_a_place_where_nothing_was_kept_yet(remote: Path, first: GitMachine, second: GitMachine) -> None:
    """Fetched to a clone of the user's own: all of every checkpoint comes, and none of the user's history."""
    base = first.begin(a="one\n")
    last = first.keep(b="new\n")
    submitted(first, base, last)
    git(first.private, "push", "-q", str(remote), f"{last}:refs/tags/v1")
    second.begin(other="x\n")
    second.depot.fetch_checkpoints(ID, last)
    second.workspace.restore(last)
    assert sorted(contents(second.project)) == [b"a", b"b"]
    assert git(second.private, "fsck", "--connectivity-only", "--no-dangling") == ""
    assert PrivateGit(second.private, second.project).attempt("cat-file", "-e", base).returncode != 0
    assert "refs/tags/v1" not in refs_of(second.private)


def test_a_project_is_laid_out_as_by_an_ordinary_clone(tmp_path: Path, remote: Path, second: GitMachine) -> None:
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", str(inner))
    (inner / "part").write_text("of a submodule\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "x")
    first = GitMachine(tmp_path / "first", remote)
    first.begin(a="one\n", **{".gitattributes": "*.txt eol=crlf\n", "lines.txt": "a\n"})
    first.git("tag", "-am", "x", "v1")
    first.git("push", "-q", str(remote), "v1")
    first.git("submodule", "--quiet", "add", str(inner), "inner")
    base = first.commit(a="two\n")
    submitted(first, base)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_COUNT", "1")  # what the user says of their git counts
        patch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
        patch.setenv("GIT_CONFIG_VALUE_0", "always")
        second.depot.check_out(ID, base)
    place = second.project
    assert (place / "inner" / "part").read_text() == "of a submodule\n"
    assert (place / "lines.txt").read_bytes() == b"a\r\n"
    assert second.git("status", "--porcelain") == ""
    assert second.git("describe").startswith("v1-1-g")
    assert second.git("rev-parse", "HEAD") == base
    assert second.git("remote", "get-url", "origin") == str(remote)
    assert subprocess.run(["git", "symbolic-ref", "-q", "HEAD"], cwd=place, check=False).returncode == 1


def test_a_folder_that_another_project_had_before(tmp_path: Path) -> None:
    """Its private git still needs what it borrowed then."""
    place, kept = tmp_path / "worker" / "project", dict[str, dict[bytes, tuple[str, bytes]]]()
    for name in ("a", "b"):
        url = make_remote(tmp_path / f"{name}.git")
        machine = GitMachine(tmp_path / name, url)
        base = machine.begin(a="one\n")
        commit = machine.keep(b=f"{url}\n")
        submitted(machine, base, commit)
        shutil.rmtree(place, ignore_errors=True)
        worker = GitMachine(tmp_path / "worker", url)
        taken_over(worker, base, commit)
        kept[commit] = contents(place)
        for one, files in kept.items():
            worker.workspace.restore(one)
            assert contents(place) == files


# ── what it costs ────────────────────────────────────────────────────────────────────────────────────────────────


def imported(project: Path, files: int) -> str:
    """A commit of so many files, in a repository without a work tree."""
    git(project, "init", "-q", "--bare", ".")
    blobs = b"".join(b"blob\nmark :%d\ndata 9\nfile%05d\n" % (n, n) for n in range(1, files + 1))
    entries = b"".join(b"M 100644 :%d d%02d/e/f%d\n" % (n, n % 100, n) for n in range(1, files + 1))
    head = b"commit refs/heads/main\ncommitter u <u@localhost> 1700000000 +0000\ndata 1\nx\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=project, input=blobs + head + entries, check=True)
    return git(project, "rev-parse", "main").strip()


def added(machine: GitMachine, tree_of: str, edit: str, parent: str = "") -> str:
    """A checkpoint of the private git: the tree of a commit there, edited by commands of the shell."""
    environment = {**os.environ, "GIT_DIR": str(machine.private), "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": "scratch"}
    identity = "git -c user.name=u -c user.email=u@localhost"
    script = f"git read-tree {tree_of} && {edit} && {identity} commit-tree -m x {parent} $(git write-tree)"
    done = subprocess.run(["sh", "-c", script], env=environment, cwd=machine.private, capture_output=True, check=True)
    return done.stdout.decode().strip()


def objects_in(repository: Path) -> tuple[int, int]:
    """How many, and bytes on disk without what a disk rounds up."""
    listed = git(repository, "count-objects", "-v").split()
    numbers = dict(zip(listed[::2], map(int, listed[1::2]), strict=True))
    files = [path for path in (repository / "objects").rglob("*") if path.is_file()]
    return numbers["count:"] + numbers["in-pack:"], sum(path.stat().st_size for path in files)


def test_only_what_the_base_does_not_have_is_sent(remote: Path, first: GitMachine, second: GitMachine) -> None:
    base = imported(first.project, 10_000)
    git(first.project, "clone", "-q", "--bare", ".", str(first.private))
    change = 'blob=$(echo {0} | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,"$blob",{0}'
    move = "git read-tree --empty; git read-tree --prefix=moved/ {0}:; git read-tree --prefix=d01/ {0}:d02"
    begun = added(first, base, change.format("new"))
    moved = added(first, begun, move.format(base), f"-p {begun}")
    last = added(first, begun, change.format("newer"), f"-p {moved}")
    first.depot.push_base(ID, base)
    count, size = objects_in(remote)
    for commit, most in ((begun, 4), (moved, 2), (last, 3)):
        first.depot.push_checkpoint(ID, 1, base, commit)
        more, now = objects_in(remote)
        assert (more - count <= most, now - size < 10_000) == (True, True), (more - count, now - size)
        count, size = more, now

    emptied = git(first.project, "commit-tree", "-m", "x", "-p", base, EMPTY).strip()
    first.depot.push_base("loop-2", emptied)
    second.depot.check_out("loop-2", emptied)
    count, size = objects_in(second.mirror)
    second.clear()
    second.depot.check_out(ID, base)
    second.depot.fetch_checkpoints(ID, last)
    more, now = objects_in(second.mirror)
    assert (more - count <= 9, now - size < 30_000) == (True, True), (more - count, now - size)
    assert git(second.private, "count-objects").startswith("0 objects"), "it borrows them from the mirror"
    assert not list(second.private.glob("objects/pack/*"))


# ── whose git it is ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_user_s_repository_stays_as_it_is(remote: Path, first: GitMachine) -> None:
    first.git("init", "-q", "-b", "main")
    first.git("remote", "add", "origin", str(remote))
    base = first.commit(a="one\n")
    first.git("tag", "-am", "x", "v1")
    programs(first.project / ".git" / "hooks", **{"pre-push": "exit 1", "reference-transaction": "exit 1"})
    before = refs_of(first.project), first.git("count-objects")
    for setting in ("push.followTags", "push.gpgSign", "fetch.pruneTags", "fetch.prune"):
        first.git("config", setting, "true")
    commit = first.keep(a="two\n")
    submitted(first, base, commit)
    first.depot.fetch_checkpoints(ID, commit)
    first.depot.push_result(ID, commit, "result", None)
    first.depot.drop(ID)
    assert (refs_of(first.project), first.git("count-objects")) == before
    assert refs_of(remote) == {"refs/heads/result": commit}


@pytest.mark.parametrize("shape", ["worktree", "bare", "shallow"])
def test_other_shapes_of_repositories(tmp_path: Path, remote: Path, second: GitMachine, shape: str) -> None:
    origin = GitMachine(tmp_path / "origin", remote)
    origin.begin(a="one\n")
    origin.commit(a="two\n")
    origin.git("push", "-q", str(remote), "main")
    first = GitMachine(tmp_path / "first", remote)
    first.project.rmdir()
    if shape == "worktree":
        origin.git("worktree", "add", "-q", "-b", "other", str(first.project))
    else:
        how = "--bare" if shape == "bare" else "--depth=1"
        git(tmp_path, "clone", "-q", how, f"file://{remote}", str(first.project))
    base = first.git("rev-parse", "HEAD") if shape == "bare" else first.commit(c="unpushed\n")
    commit = first.keep(b="new\n")
    submitted(first, base, commit)
    taken_over(second, base, commit)
    assert (second.project / "b").read_text() == "new\n"
    assert len(second.git("rev-list", base).split()) == (2 if shape == "bare" else 3), "with all history"
    first.depot.push_result(ID, base, "result", None)
    assert refs_of(remote)["refs/heads/result"] == base


def test_the_user_s_way_of_reaching_it_counts(tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ssh command of the repository's own settings, on both ways; and of the environment on other machines."""
    ssh = programs(tmp_path / "bin", here=SSH_TO_HERE) / "here"
    url = f"ssh://git:hidden-word@host{remote}"
    first, second = GitMachine(tmp_path / "first", url), GitMachine(tmp_path / "second", url)
    base = first.begin(a="one\n")
    with pytest.raises(WorkspaceError, match=r"ssh://git@host/") as told:
        first.depot.push_base(ID, base)
    assert "hidden-word" not in str(told.value)
    first.git("config", "core.sshCommand", str(ssh))
    commit = first.keep(a="two\n")
    submitted(first, base, commit)
    first.depot.fetch_checkpoints(ID, commit)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    taken_over(second, base, commit)
    assert second.git("remote", "get-url", "origin") == f"ssh://git@host{remote}"
    kept = [path.read_bytes() for path in second.project.parent.rglob("*") if path.is_file()]
    assert not any(b"hidden-word" in data for data in kept)


# ── trouble ──────────────────────────────────────────────────────────────────────────────────────────────────────


class AskingHandler(BaseHTTPRequestHandler):
    """Wants a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Basic")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


def test_nobody_is_asked_and_no_password_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "asked"
    asking = programs(tmp_path / "bin", asks=f"touch {asked}; sleep 60", ssh=f": < /dev/tty && touch {asked}; exit 255")
    monkeypatch.setenv("SSH_ASKPASS", str(asking / "asks"))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("PATH", str(asking), prepend=os.pathsep)
    with ThreadingHTTPServer(("127.0.0.1", 0), AskingHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        for n, url in enumerate(
            (f"http://ann:secret%2Dword@127.0.0.1:{port}/x.git", f"http://127.0.0.1:{port}/x.git", "h:x")
        ):
            machine = GitMachine(tmp_path / str(n), url)
            base = machine.begin(a="one\n")
            calls: tuple[Callable[[], None], ...] = (
                lambda machine=machine, base=base: machine.depot.push_base(ID, base),  # type: ignore[misc]  # defaults
                lambda machine=machine, base=base: machine.depot.check_out(ID, base),  # type: ignore[misc]  # defaults
                lambda machine=machine: machine.depot.drop(ID),  # type: ignore[misc]  # defaults
            )
            for call in calls:
                with pytest.raises(WorkspaceError) as told:
                    call()
                assert "secret" not in str(told.value)
        server.shutdown()
    assert not asked.exists()


def test_one_that_is_silent_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = tmp_path / "pid"
    stalling = programs(tmp_path / "bin", stalls=f"echo $$ > {pid}; exec sleep 60") / "stalls"
    monkeypatch.setenv("GIT_SSH_COMMAND", str(stalling))
    machine = GitMachine(tmp_path / "first", "ssh://host/x.git", patience=0.4)
    base = machine.begin(a="one\n")
    with pytest.raises(WorkspaceError, match="ended after 0 seconds of silence"):
        machine.depot.push_base(ID, base)
    until(lambda: find_process(int(pid.read_text())) is None)


def test_one_that_tells_something_is_not(tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")  # or it would be tried first
    slow = f"for n in 1 2 3 4; do echo $n >&2; sleep 0.2; done; {SSH_TO_HERE}"
    monkeypatch.setenv("GIT_SSH_COMMAND", str(programs(tmp_path / "bin", slow=slow) / "slow"))
    machine = GitMachine(tmp_path / "first", f"ssh://host{remote}", patience=0.5)
    machine.depot.push_base(ID, machine.begin(a="one\n"))
    assert f"refs/loopwright/{ID}/base" in refs_of(remote)


def test_what_a_hook_of_the_remote_says_is_told(remote: Path, first: GitMachine) -> None:
    base = first.begin(a="one\n")
    commit = first.keep(a="two\n")
    programs(remote / "hooks", update='case $1 in */1|refs/heads/*) echo "not on Fridays"; exit 1; esac')
    first.depot.push_base(ID, base)
    calls: tuple[Callable[[], None], ...] = (
        lambda: first.depot.push_checkpoint(ID, 1, base, commit),
        lambda: first.depot.push_result(ID, commit, "result", None),
    )
    for call in calls:
        with pytest.raises(WorkspaceError) as told:
            call()
        assert "not on Fridays" in str(told.value)
        assert "[remote rejected] (hook declined)" in str(told.value)
        assert "objects" not in str(told.value)
        assert "\n" not in str(told.value)
    first.depot.push_checkpoint(ID, 2, base, commit)


def test_machines_push_at_the_same_time(tmp_path: Path, remote: Path, first: GitMachine) -> None:
    """Also the first time, when both make the ref that they share."""
    base = first.begin(a="one\n")
    commits = [first.keep(a=f"{n}\n") for n in range(4)]
    with ThreadPoolExecutor(4) as pool:
        pushes = [
            pool.submit(first.depot.push_checkpoint, ID, token, base, commit) for token, commit in enumerate(commits)
        ]
        for push in pushes:
            push.result()
        results = [pool.submit(first.depot.push_result, ID, commit, "result", None) for commit in commits]
        told = [result.exception() for result in results]
    refs = refs_of(remote)
    assert [refs[f"refs/loopwright/{ID}/{token}"] for token in range(4)] == commits
    assert [commits[n] for n, error in enumerate(told) if error is None] == [refs["refs/heads/result"]]
    assert {type(error) for error in told} == {type(None), Conflict}


def test_two_jobs_of_one_project_on_one_machine(tmp_path: Path, remote: Path, first: GitMachine) -> None:
    base = first.begin(a="one\n")
    submitted(first, base, first.keep(a="two\n"))
    folders = [tmp_path / "worker" / str(n) for n in range(4)]
    depots = [GitDepot(one, str(remote), one / "private", tmp_path / "mirrors") for one in folders]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda depot: depot.check_out(ID, base), [*depots]))
    assert [(one / "a").read_text() for one in folders] == ["one\n"] * 4
    assert len([*(tmp_path / "mirrors").glob("*.git")]) == 1


CHECK_OUT = """
import sys
from pathlib import Path
from loopwright.fleet.depot import GitDepot
url, folder, base = sys.argv[1:]
GitDepot(Path(folder, "elsewhere"), url, Path(folder, "private"), Path(folder, "mirrors")).check_out("loop-1", base)
"""


def test_a_fetch_that_was_killed(tmp_path: Path, remote: Path) -> None:
    """Its git lives on, and has locks in the mirror: both are gone with the next."""
    url, pid, block = f"ssh://host{remote}", tmp_path / "pid", tmp_path / "block"
    ssh = programs(tmp_path / "bin", ssh=f"[ -e {block} ] && echo $$ > {pid} && exec sleep 60; {SSH_TO_HERE}")
    environment = {**os.environ, "PATH": f"{ssh}{os.pathsep}{os.environ['PATH']}"}
    first, second = GitMachine(tmp_path / "first", str(remote)), GitMachine(tmp_path / "second", url, name="elsewhere")
    base = first.begin(a="one\n")
    commit = first.keep(a="two\n")
    submitted(first, base, commit)
    block.touch()
    argv = [sys.executable, "-c", CHECK_OUT, url, str(second.project.parent), base]
    with subprocess.Popen(argv, env=environment) as killed:
        until(lambda: pid.exists() and pid.read_text() != "")
        killed.send_signal(signal.SIGKILL)
    orphan = int(pid.read_text())
    assert find_process(orphan)
    block.unlink()
    for lock in (f"refs/loopwright/{ID}/base.lock", "packed-refs.lock", "config.lock", "HEAD.lock"):
        (second.mirror / lock).parent.mkdir(parents=True, exist_ok=True)
        (second.mirror / lock).touch()
    (second.mirror / "HEAD").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", environment["PATH"])
        taken_over(second, base, commit)
    assert contents(second.project) == contents(first.project)
    until(lambda: find_process(orphan) is None)
    assert not list(second.mirror.rglob("*.lock"))


def test_a_base_that_was_lost(remote: Path, first: GitMachine, second: GitMachine) -> None:
    base = first.begin(a="one\n")
    with pytest.raises(NotFound, match=f"{base} under the name of {ID}"):
        second.depot.check_out(ID, base)
    assert list(second.project.iterdir()) == [], "it can be tried again"
    submitted(first, base)
    second.depot.check_out(ID, base)


def test_what_was_fetched_goes_with_its_run(first: GitMachine) -> None:
    base = first.begin(a="one\n")
    commit = first.keep(a="two\n")
    submitted(first, base, commit)
    first.depot.fetch_checkpoints(ID, commit)
    private = PrivateGit(first.private, first.project)
    assert f"refs/depot/{ID}/1" in refs_of(first.private)
    assert prune_snapshots(private, lambda: None, known=[ID]).dropped == ()
    assert prune_snapshots(private, lambda: None, known=[]).dropped == (ID,)
    assert not [ref for ref in refs_of(first.private) if ID in ref]


# ── which remote ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_remote_that_is_chosen() -> None:
    assert choose_remote(["a", "origin", "b"], "b") == "b"
    assert choose_remote(["a", "origin"], "") == "origin"
    assert choose_remote(["a", "origin"], ".") == "origin", "of a branch that follows another one here"
    assert choose_remote(["a"], "gone") == "a"
    with pytest.raises(NotFound, match="git remote add origin URL"):
        choose_remote([], "origin")
    with pytest.raises(Invalid, match="a, b"):
        choose_remote(["a", "b"], "")


def test_the_address_of_a_project(tmp_path: Path, first: GitMachine) -> None:
    first.begin(a="one\n")
    with pytest.raises(NotFound):
        find_url(first.project)
    first.git("remote", "add", "fork", "../x.git")
    assert find_url(first.project) == str(tmp_path / "first" / "x.git")
    first.git("remote", "add", "origin", "https://host/x")
    first.git("remote", "set-url", "--push", "origin", "git@host:x.git")
    assert find_url(first.project) == "git@host:x.git"
    first.git("config", "branch.main.remote", "fork")
    first.git("remote", "set-url", "fork", "file:///srv/x.git")
    assert find_url(first.project) == "file:///srv/x.git"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ann:p@ss@host:1/x.git", "https://host:1/x.git"),
        ("http://ghp_token@host/a@b", "http://host/a@b"),
        ("https://host/a:b@c", "https://host/a:b@c"),
        ("ssh://git@host:22/x", "ssh://git@host:22/x"),
        ("ssh://git:p:w@host/x", "ssh://git@host/x"),
        ("git@host:a/b", "git@host:a/b"),
        ("/srv/a:b@c", "/srv/a:b@c"),
    ],
)
def test_an_address_without_its_secrets(url: str, shown: str) -> None:
    assert public_url(url) == public_url(shown) == shown


@pytest.mark.parametrize("url", ["", "-x", "--upload-pack=x", "a\nb", "x\0"])
def test_what_is_no_remote(tmp_path: Path, url: str) -> None:
    with pytest.raises(Invalid, match="no git remote"):
        GitMachine(tmp_path, url)


def test_a_remote_that_would_run_a_program(tmp_path: Path) -> None:
    """Whoever can submit a run cannot make workers run what they like."""
    ran = tmp_path / "ran"
    urls = f"ext::touch {ran}", f"ssh://-oProxyCommand=touch${{IFS}}{ran}/x", "ssh://[x", "http://a:b@[x/y", "?://x"
    for n, url in enumerate(urls):
        machine = GitMachine(tmp_path / str(n), url)
        with pytest.raises(WorkspaceError):
            machine.depot.check_out(ID, "0" * 40)
    assert not ran.exists()
