"""Which files make up a project: all that its git does not ignore, and nothing of ours."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from loopwright.core.private_files import read_regular
from loopwright.core.threads import check_cancelled, tell_progress
from loopwright.workspace.private_git import PrivateGit, run_git

OURS = (b".workflow", b".loop")
"""Folders of the project root that hold our own state."""

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


_GUARDS = tuple(
    word for name in ("index", "info/exclude", "config", "config.worktree") for word in ("--git-path", name)
)


def decode_name(name: bytes) -> str:
    """A file name as text that every JSON reader takes."""
    return name.decode("utf-8", "backslashreplace")


def folders_of(name: bytes) -> Iterator[bytes]:
    """The folders that a file lies in."""
    return (name[:end] for end, letter in enumerate(name) if letter == ord("/"))


def is_among(name: bytes, paths: frozenset[str]) -> bool:
    """Whether the file is one of the paths or lies in a folder that is."""
    text = decode_name(name)
    return text in paths or any(text[:end] in paths for end, letter in enumerate(text) if letter == "/")


class Repository(NamedTuple):
    """The project, or a repository in it. Its own git knows what is tracked and ignored there.

    `prefix`: its place in the project, empty or with a slash at its end. `has_rules`: it has a git of its own, whose
    rules are meant for it; else only the .gitignore files count. Of one in the project only the index and the rules are
    read: a program of the run can write its settings, and settings name programs.
    """

    folder: Path
    prefix: bytes
    has_rules: bool

    def find_guards(self) -> list[Path] | None:
        """Files outside of the project that say what belongs to it. None: that is said in places not known here."""
        if not self.has_rules:
            return None
        done = run_git("rev-parse", "--show-prefix", *_GUARDS, cwd=self.folder)
        if done.returncode != 0:
            return []
        inside, *paths = os.fsdecode(done.stdout).split("\n")[:-1]
        if inside:
            return None  # rules of the folders above it
        named = run_git("config", "--path", "core.excludesFile", cwd=self.folder).stdout.decode().strip()
        usual = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "git" / "ignore"
        return [*(self.folder / path for path in paths), Path(named).expanduser() if named else usual]

    def ask(self, private: PrivateGit, question: Sequence[str | bytes]) -> list[bytes]:
        """The names that git lists, relative to the folder."""
        git = PrivateGit(private.directory, self.folder)
        if self.has_rules and not self.prefix:
            done = run_git(*question, cwd=self.folder)
            if done.returncode == 0:
                return done.stdout.split(b"\0")[:-1]
        elif self.has_rules:
            index, rules = (git_folder(self.folder) / name for name in ("index", "info/exclude"))
            also = (f"--exclude-from={rules}",) if _is_regular(rules) else ()
            if _is_regular(index):
                done = git.attempt(question[0], *also, *question[1:], index=index)
                if done.returncode == 0:
                    return done.stdout.split(b"\0")[:-1]
        with private.scratch_index() as empty:
            return git.run(*question, index=empty).split(b"\0")[:-1]

    def ignores(self, private: PrivateGit, folders: Iterable[bytes]) -> Iterator[bytes]:
        """Those that a rule is about, so that all that comes there is ignored, too. Relative, as they are."""
        asked, question = b"".join(name + b"/\0" for name in folders), ("check-ignore", "-z", "--stdin")
        done = run_git(*question, cwd=self.folder, stdin=asked) if self.has_rules and not self.prefix else None
        if done is None or done.returncode not in (0, 1):  # 1: there is none
            with private.scratch_index() as empty:
                done = PrivateGit(private.directory, self.folder).attempt(*question, stdin=asked, index=empty)
        return (name.rstrip(b"/") for name in done.stdout.split(b"\0")[:-1])


def git_folder(folder: Path) -> Path:
    """Where the repository of a work tree is, which may say so in a file."""
    own = folder / ".git"
    with suppress(OSError):
        text = read_regular(own).decode(errors="surrogateescape")
        return folder / text.strip().removeprefix("gitdir:").strip()
    return own


def _is_regular(path: Path) -> bool:
    seen = _look(os.fsencode(path))
    return seen is not None and stat.S_ISREG(seen.st_mode)


class Listing(NamedTuple):
    """All files and links of a project by their project-relative names, sorted; those of nested `repositories` too."""

    seen: dict[bytes, os.stat_result]
    repositories: tuple[Repository, ...]


def project_files(private: PrivateGit, *, without: Path | None = None) -> list[bytes]:
    """The names alone of what `list_files` tells."""
    return list(list_files(private, without=without).seen)


def list_files(private: PrivateGit, *, without: Path | None = None) -> Listing:
    """`without` is a folder to leave out when it lies inside of the project."""
    seen: dict[bytes, os.stat_result] = {}
    repositories = tuple(_open_repositories(private, private.work_tree, b"", seen))
    left_out = left_out_of(private.work_tree, without)
    folders, at = {b"": True}, os.fsencode(private.work_tree)
    kept = (name for name in sorted(seen) if not is_left_out(name, left_out))
    return Listing(
        {name: seen[name] for name in kept if _is_folder(at, name.rpartition(b"/")[0], folders)}, repositories
    )


def left_out_of(root: Path, without: Path | None) -> tuple[bytes, ...]:
    """What of the project is ours."""
    if without is None or not without.is_relative_to(root):
        return OURS
    return (*OURS, os.fsencode(without.relative_to(root)))


def is_left_out(name: bytes, left_out: tuple[bytes, ...]) -> bool:
    """Whether it is one of these, or lies in it."""
    return any(name.startswith(folder) and name[len(folder) :][:1] in (b"", b"/") for folder in left_out)


def open_repository(folder: Path, prefix: bytes = b"") -> Repository:
    """The one that the folder is the top of, or a folder without."""
    return Repository(folder, prefix, not _is_ignored(folder))


def _open_repositories(
    private: PrivateGit, folder: Path, prefix: bytes, seen: dict[bytes, os.stat_result]
) -> Iterator[Repository]:
    """The project and the repositories in it; `seen` gets their files. Only they, and empty folders, are folders."""
    one = open_repository(folder, prefix)
    yield one
    at = os.fsencode(folder) + b"/"
    for number, name in enumerate(one.ask(private, _LIST)):
        if number % 1000 == 0:
            check_cancelled()
            tell_progress("{:,} files of the project looked at", number)
        bare = name.rstrip(b"/")
        found = _look(at + bare)
        if found is None:
            continue
        if _is_file(found.st_mode):
            seen[prefix + bare] = found
        elif stat.S_ISDIR(found.st_mode) and (nested := folder / os.fsdecode(bare)).joinpath(".git").exists():
            yield from _open_repositories(private, nested, prefix + bare + b"/", seen)


def list_beneath(private: PrivateGit, repositories: Sequence[Repository], names: Iterable[bytes]) -> set[bytes]:
    """Of these files, and of what lies in these folders: what their repositories hold. It may be there or not."""
    return {name.rstrip(b"/") for name in _ask_about(private, repositories, names, _LIST)}


def _ask_about(
    private: PrivateGit, repositories: Sequence[Repository], names: Iterable[bytes], question: Sequence[str]
) -> Iterator[bytes]:
    for one, inside in _by_repository(repositories, names).items():
        paths = [b":(literal)" + name for name in inside]
        yield from (one.prefix + name for name in one.ask(private, (*question, "--", *paths)))


def _by_repository(repositories: Sequence[Repository], names: Iterable[bytes]) -> dict[Repository, list[bytes]]:
    """The names as they are in the innermost one that each lies in."""
    found: dict[Repository, list[bytes]] = {}
    for name in names:
        inner = max((one for one in repositories if name.startswith(one.prefix)), key=lambda one: len(one.prefix))
        found.setdefault(inner, []).append(name[len(inner.prefix) :])
    return found


def list_ignored(
    private: PrivateGit, repositories: Iterable[Repository], beneath: Iterable[bytes] | None = None
) -> Iterator[bytes]:
    """Names of ignored files, and of folders that hold nothing else: these end with a slash. `beneath`: of what."""
    if beneath is not None:
        return _ask_about(private, tuple(repositories), beneath, _IGNORED)
    return (one.prefix + name for one in repositories for name in one.ask(private, _IGNORED))


def list_ignored_folders(
    private: PrivateGit, repositories: Iterable[Repository], beneath: Iterable[bytes] | None = None
) -> frozenset[bytes]:
    """Those that rules ignore. Git lists others, too: those that hold nothing but ignored files, as yet."""
    found, repositories = set[bytes](), tuple(repositories)
    names = [name.rstrip(b"/") for name in list_ignored(private, repositories, beneath) if name.endswith(b"/")]
    for one, folders in _by_repository(repositories, names).items():
        found |= {one.prefix + name for name in one.ignores(private, folders)}
    return frozenset(found)


def look_at(root: Path, names: Iterable[bytes]) -> Iterator[tuple[bytes, os.stat_result]]:
    """Those of the names that are regular files or links below `root`, with no link on the way, and how they look."""
    folders: dict[bytes, bool] = {b"": True}
    at = os.fsencode(root)
    for name in names:
        if _is_folder(at, name.rpartition(b"/")[0], folders):
            seen = _look(at + b"/" + name)
            if seen is not None and _is_file(seen.st_mode):
                yield name, seen


def _is_ignored(folder: Path) -> bool:
    """Whether a repository around the folder ignores it as a whole: then its rules are not meant for the project."""
    return not (folder / ".git").exists() and run_git("check-ignore", "--quiet", ".", cwd=folder).returncode == 0


def _is_file(mode: int) -> bool:
    """A regular file or a link."""
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _is_folder(root: bytes, name: bytes, known: dict[bytes, bool]) -> bool:
    """Whether there is no link on the way to it, either. `known` remembers the way."""
    if name not in known:
        parent, _, _ = name.rpartition(b"/")
        seen = _look(root + b"/" + name) if _is_folder(root, parent, known) else None
        known[name] = seen is not None and stat.S_ISDIR(seen.st_mode)
    return known[name]


def _look(path: bytes) -> os.stat_result | None:
    """None where nothing is there, or a link on the way leads nowhere."""
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
        return None
