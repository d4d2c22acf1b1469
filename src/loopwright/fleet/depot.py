"""Runs' files between machines: bases, checkpoints and results, by way of the git remote of their project.

Of a run ID, the remote has `refs/loopwright/ID/base`, a commit of the project's history; `refs/loopwright/ID/TOKEN`,
the last checkpoint of each claim; and `refs/loopwright/ID/merge`, of the base and the first checkpoint. By that alone
git knows that whoever has the base has most of a checkpoint, and sends only the rest, to the remote and from there.
"""

import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from loopwright.core.errors import Conflict, Invalid, NotFound, WorkspaceError
from loopwright.core.ids import check_id
from loopwright.core.private_files import make_private_folder
from loopwright.policy.secrets import SecretFilter
from loopwright.processes.process_tree import ProcessMark, kill_marked
from loopwright.processes.user_git import GitAnswer, UserGit, choose_remote

PATIENCE = 120.0
"""Seconds for which git may be silent."""

_QUIETLY = {"SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never"}
"""There is no terminal either: whoever would ask gets no answer, and fails at once."""

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "pack.useSparse=false",  # what was moved is known, too
    "advice.pushUpdateRejected=false",
    "advice.detachedHead=false",
    "checkout.workers=0",
    "gc.pruneExpire=never",  # work trees borrow what the mirrors hold
)
_FETCH = ("fetch", "--progress", "--no-write-fetch-head", "--no-prune", "--no-recurse-submodules")
_PUSH = ("push", "--porcelain", "--progress", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")

_NOISE = re.compile(r"\d+% \(|, done\.?$|^(remote: )?(Total|Delta|To|From|POST) |^error: failed to push some refs")
"""Lines of git's that tell no reason."""

_LOCK = "loopwright.lock"
"""Of a private git directory: whoever holds it takes every other lock there for a dead process's."""


class GitDepot:
    """See ports.Depot. `remote`: its URL or path. `private`: the git directory with the checkpoints of this project.

    `mirrors`: a folder that keeps what has been fetched of each remote; work trees that are laid out borrow from there.
    """

    def __init__(self, project: Path, remote: str, private: Path, mirrors: Path, patience: float = PATIENCE) -> None:
        if not remote or remote.startswith("-") or not remote.isprintable():
            raise Invalid(f"{remote!r} is no git remote; write its URL, or the path of a repository")
        self._project, self._private = project.resolve(), private.resolve()
        self._remote, self._url, self._patience = remote, public_url(remote), patience
        self._mirror = mirrors.resolve() / f"{hashlib.sha256(os.fsencode(self._url)).hexdigest()[:16]}.git"

    def push_base(self, id: str, base: str) -> None:
        done = self._push(id, f"{_commit(base)}:{_ref(id, 'base')}")
        if "[rejected]" in done.output:
            raise Conflict(f"another base of {id} is on {self._url}; remove {_ref(id, 'base')} there")
        self._check(done, "push")

    def push_checkpoint(self, id: str, token: int, base: str, commit: str) -> None:
        ref = _ref(id, str(int(token)))
        with tempfile.TemporaryDirectory(prefix="loopwright-depot-") as objects:
            merge = self._merge(id, _commit(base), _commit(commit), objects)
            done = self._push(id, f"+{merge}:{_ref(id, 'merge')}", f"{commit}:{ref}", borrowed=objects)
        if "[rejected]" not in done.output:
            self._check(done, "push")
        elif not self._lender(id).run("merge-base", "--is-ancestor", commit, self._list(id).get(ref, "")).is_good:
            raise Conflict(f"other checkpoints of {id} than those before {commit[:10]} are on {self._url}, as {ref}")

    def check_out(self, id: str, base: str) -> None:
        refs, wanted = _ref(id, "*"), f"{_commit(base)}^{{commit}}"
        with self._mirror_locked() as mirror:
            done = mirror.run(*_FETCH, "--", self._remote, f"+{refs}:{refs}", settings=_SETTINGS)
            self._check(done, "fetch")
            if not mirror.run("cat-file", "-e", wanted).is_good:
                raise NotFound(f"{self._url} has no commit {base} under the name of {id}; submit the run once more")
        self._lay_out(id, base)
        lenders, ours = self._private / "objects" / "info" / "alternates", os.fsencode(self._mirror / "objects")
        make_private_folder(lenders.parent)
        with lenders.open("ab+") as file:
            file.seek(0)
            if ours not in file.read().splitlines():
                file.write(ours + b"\n")

    def fetch_checkpoints(self, id: str, last: str) -> None:
        private = self._git(id, self._private, GIT_DIR=str(self._private))
        theirs = f"+{_ref(id, '*')}:refs/depot/{id}/*", f"^{_ref(id, 'base')}", f"^{_ref(id, 'merge')}"
        own = self._git(id).run("rev-parse", "--path-format=absolute", "--git-path", "config")
        settings = [f"include.path={own.output}"] if own.is_good else []
        make_private_folder(self._private)
        with _locked(self._private / _LOCK):
            self._make_repository(private)
            how = (*_FETCH, "--no-tags", "--no-auto-gc")
            done = private.run(*how, "--", self._remote, *theirs, settings=[*settings, *_SETTINGS])
            self._check(done, "fetch")
            if not private.run("cat-file", "-e", f"{_commit(last)}^{{commit}}").is_good:
                raise NotFound(f"{self._url} has no checkpoint {last} of {id}")
            self._check(private.run("update-ref", f"refs/loopwright/{id}", last), "update-ref")

    def push_result(self, id: str, commit: str, branch: str, expected: str | None) -> None:
        checked = self._git(id).run("check-ref-format", "--branch", branch)
        if not checked.is_good or checked.output != branch:
            raise Invalid(f"{branch!r} is no name for a branch; write one like fix/export")
        lease = f"--force-with-lease=refs/heads/{branch}:{_commit(expected) if expected else ''}"
        done = self._push(id, f"{_commit(commit)}:refs/heads/{branch}", lease=(lease,))
        if "[rejected]" in done.output:
            where = f"does not stand at {expected[:10]} any more" if expected else "is there already"
            raise Conflict(f"the branch {branch} of {self._url} {where}; choose another name, or remove it there")
        self._check(done, "push")

    def drop(self, id: str) -> None:
        if refs := [f":{ref}" for ref in self._list(id)]:
            self._check(self._push(id, *refs), "push")

    # ── git, on either side ──────────────────────────────────────────────────────────────────────────────────────

    def _git(self, id: str, folder: Path | None = None, **variables: str) -> UserGit:
        """In the project, if not elsewhere."""
        return UserGit(folder or self._project, check_id(id), self._project, self._patience, {**_QUIETLY, **variables})

    def _run(self, git: UserGit, *words: str) -> GitAnswer:
        return git.run(*words, settings=_SETTINGS)

    def _lender(self, id: str, objects: str = "") -> UserGit:
        """Git in the project, which knows what the private one has and what is in the folder `objects`."""
        folders = [folder for folder in (str(self._private / "objects"), objects) if os.path.isdir(folder)]
        return self._git(id, GIT_ALTERNATE_OBJECT_DIRECTORIES=os.pathsep.join(map(_quoted, folders)))

    def _push(self, id: str, *refs: str, borrowed: str = "", lease: tuple[str, ...] = ()) -> GitAnswer:
        """Twice where the remote itself did not take it: it may have been about to take another's."""
        command = (*_PUSH, *lease, "--", self._remote, *refs)
        done = self._run(self._lender(id, borrowed), *command)
        if "[remote rejected]" in done.output and "declined" not in done.output:
            done = self._run(self._lender(id, borrowed), *command)
        return done

    def _merge(self, id: str, base: str, commit: str, objects: str) -> str:
        """Makes the merge of the base and the run's first checkpoint, always the same, in that folder."""
        git = self._lender(id)
        first = git.run("rev-list", "--max-parents=0", "--format=%T %ct", "--end-of-options", commit)
        self._check(first, "rev-list")
        *_, root, tree, time = first.output.split()
        who = f"loopwright <loopwright@localhost> {time} +0000"
        text = f"tree {tree}\nparent {base}\nparent {root}\nauthor {who}\ncommitter {who}\n\nwhere {id} begins\n"
        keeper = self._git(id, GIT_OBJECT_DIRECTORY=objects)
        made = keeper.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text)
        self._check(made, "hash-object")
        return made.output

    def _list(self, id: str) -> dict[str, str]:
        """What the remote has of the run: the commits of its refs."""
        listed = self._run(self._git(id), "ls-remote", "--", self._remote, _ref(id, "*"))
        self._check(listed, "ls-remote")
        found = (line.partition("\t") for line in listed.output.splitlines())
        return {ref: commit for commit, _, ref in found if ref.startswith(_ref(id, ""))}

    def _lay_out(self, id: str, base: str) -> None:
        """As an ordinary clone, but for the objects, which stay in the mirror, and the branches, which nobody needs."""
        clone = ("clone", "--quiet", "--shared", "--no-checkout", "--origin=origin", "--")
        self._check(self._run(self._git(id, self._mirror), *clone, str(self._mirror), str(self._project)), "clone")
        git = self._git(id)
        self._check(git.run("remote", "set-url", "--", "origin", self._url), "remote")
        self._check(self._run(git, "checkout", "--progress", "--detach", base), "checkout")
        if (self._project / ".gitmodules").is_file():
            self._check(self._run(git, "submodule", "update", "--init", "--recursive", "--progress"), "submodule")

    @contextmanager
    def _mirror_locked(self) -> Iterator[UserGit]:
        """Git in the mirror, which is made where it is missing, for us alone. It may outlive us, if we are killed."""
        make_private_folder(self._mirror)
        variables = {**_QUIETLY, "GIT_DIR": str(self._mirror)}
        git = UserGit(self._mirror, "mirror", self._mirror, self._patience, variables)
        with _locked(self._mirror.with_suffix(".lock")):
            locks = [*self._mirror.glob("*.lock"), *self._mirror.glob("refs/**/*.lock")]
            if locks:
                kill_marked(ProcessMark("mirror", str(self._mirror)))
            for lock in locks:
                lock.unlink(missing_ok=True)
            self._make_repository(git)
            yield git

    def _make_repository(self, git: UserGit) -> None:
        """Where it is missing, or half made."""
        self._check(git.run("init", "--quiet", "--bare", "--template=", "--object-format=sha1"), "init")

    def _check(self, done: GitAnswer, command: str) -> None:
        if not done.is_good:
            found = re.match(r"\w[\w+.-]*://[^/:@]*:([^/]*)@", self._remote)
            secrets = (found[1], unquote(found[1])) if found else ()
            words = SecretFilter(secrets).masked(public_url(_words(done)))
            raise WorkspaceError(f"git {command} failed with {self._url}: {words}")


def find_url(project: Path) -> str:
    """Where the project's runs are pushed, as its git has it: a URL, secrets included, or an absolute path.

    NotFound, Invalid: see `choose_remote`.
    """
    git = UserGit(project, "fleet", project)
    branch = git.run("symbolic-ref", "--quiet", "--short", "HEAD").output
    followed = git.run("config", "--get", f"branch.{branch}.remote").output
    url = git.run("remote", "get-url", "--push", "--", choose_remote(git.run("remote").output.splitlines(), followed))
    return url.output if re.match(r"[^/]*:", url.output) else str((project / url.output).resolve())


def public_url(url: str) -> str:
    """A remote's URL as it may be shown and kept: without password, and for HTTP without user, which may be a token.

    In a text, the same of all URLs.
    """
    return re.sub(r"(https?://)[^/\s]*@|(\w[\w+.-]*://[^/\s:@]*):[^/\s]*(@)", r"\1\2\3", url)


def _ref(id: str, name: str) -> str:
    return f"refs/loopwright/{check_id(id)}/{name}"


def _commit(name: str) -> str:
    if re.fullmatch(r"[0-9a-f]{40}", name) is None:
        raise Invalid(f"{name!r} is no commit; write all 40 digits of one, in a repository with SHA-1")
    return name


def _quoted(path: str) -> str:
    """In a list that colons part."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _words(done: GitAnswer) -> str:
    """What a person should read of what git has said, and of what it told of refs that were not pushed."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", done.said)]
    told = [line for line in lines if line and not _NOISE.search(line)]
    refused = [line.split(":", 1)[1] for line in done.output.splitlines() if line.startswith("!")]
    return " ".join("; ".join((*told, *refused)).split()) or done.words


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
