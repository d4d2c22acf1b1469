"""What a copy of a project needs of the files that git ignores: installed packages, data, local settings."""

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from loopwright.core.ports import Workspace
from loopwright.evidence.test_material import is_by_name
from loopwright.workspace.listing import OURS, decode_name, folders_of
from loopwright.workspace.private_git import run_git

_WRITTEN = re.compile(
    rb"\.git|__pycache__|\.\w+_cache|\.hypothesis|\.coverage.*|target|\.gradle|obj|cmake-build-.*"
    rb"|.*\.(?:pyc|o|class|log)"
)
"""Names of what tests and builds write themselves: a link would make the copy write into the project."""

_PACKAGES = ("node_modules", "bower_components", "vendor")
MOST_COPIED, LARGEST_COPIED = 1000, 50_000_000
"""Files, and bytes, of an ignored folder that is copied and not linked."""

_SPECIAL = re.compile(rb"([\\*?\[\]!# ])")


def _all(name: bytes) -> bool:
    return True


def link_ignored(
    root: Path, to: Path, files: Iterable[bytes], home: Path, wanted: Callable[[bytes], bool] = _all
) -> list[bytes]:
    """Links whatever below `root` is not among `files` into the same place below `to`; `home` is not the project's.

    The names of the links that were made; only those that are `wanted` are.
    """
    linked = []
    known = frozenset(files)
    folders = frozenset(folder for name in known for folder in folders_of(name))
    for name in _ignored(os.fsencode(root), known, folders):
        if _stays_behind(root, name, home) or not wanted(name):
            continue
        link = os.path.join(os.fsencode(to), name)
        try:
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.join(os.fsencode(root), name), link)
            linked.append(name)
        except (FileExistsError, NotADirectoryError):  # the copy has something else in that place
            continue
    return linked


def _stays_behind(root: Path, name: bytes, home: Path) -> bool:
    return is_by_name(decode_name(name)) or name in OURS or home == root / os.fsdecode(name)


def list_left_behind(root: Path, ignored: Iterable[bytes], home: Path) -> list[bytes]:
    """Those of the `ignored` files and folders, and of what is git's and ours, that no copy has."""
    names = (name.rstrip(b"/") for name in ignored)
    left = [name for name in names if _WRITTEN.fullmatch(os.path.basename(name)) or _stays_behind(root, name, home)]
    return [*left, *(name for name in (b".git", *OURS) if os.path.lexists(os.path.join(os.fsencode(root), name)))]


def bring_ignored(
    root: Path, to: Path, files: Iterable[bytes], home: Path, wanted: Callable[[bytes], bool] = _all
) -> list[bytes]:
    """The same, with copies in the place of links to what a run could write: what holds no packages, and is not big.

    Links to empty folders would be of no use. The names of all that is there now.
    """
    brought = []
    for name in link_ignored(root, to, files, home, wanted):
        link = Path(os.fsdecode(os.path.join(os.fsencode(to), name)))
        source = Path(os.readlink(link))
        if source.is_dir() and not any(source.iterdir()):
            link.unlink()
            continue
        if not source.is_symlink() and not _holds_packages(source) and _is_small(source):
            _copy_over(source, link)
        brought.append(name)
    return brought


def _copy_over(source: Path, link: Path) -> None:
    """A copy in the place of the link, which stays where something in there cannot be copied."""
    beside = link.with_name(f"{link.name}.copied")
    try:
        if source.is_dir():
            shutil.copytree(source, beside, symlinks=True)
        else:
            shutil.copy2(source, beside)
    except OSError:  # shutil.Error is one
        shutil.rmtree(beside, ignore_errors=True)
        return
    link.unlink()
    beside.rename(link)


def furnish_worktree(root: Path, to: Path, files: Iterable[bytes], home: Path) -> None:
    """Brings the ignored files as `bring_ignored` does, with a real folder in the place of each link to one.

    What lies in it is linked: a rule such as `.venv/` means no link, and what is installed there later stays there.
    """
    for name in bring_ignored(root, to, files, home):
        place, source = to / os.fsdecode(name), root / os.fsdecode(name)
        if place.is_symlink() and source.is_dir() and not source.is_symlink():
            place.unlink()
            _mirror(source, place, str(root), str(to), tops=_REAL_FOLDERS)


_REAL_FOLDERS = (r"@[^/]+", r"s?bin|lib(/python[\d.]+(/site-packages)?)?")
"""Within a folder of packages, those that are real folders too: scopes of npm, and what a virtual environment has."""

_CACHES = re.compile(r"\.cache|\.vite.*|__pycache__")
_LARGEST_REWRITTEN = 1_000_000


def _mirror(source: Path, to: Path, old: str, new: str, tops: tuple[str, ...], inside: str = "") -> None:
    """A folder of links to what is in `source`. Small files are copies, in which the root `old` is called `new`."""
    to.mkdir()
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        path, place = Path(entry.path), to / entry.name
        name = f"{inside}{entry.name}"
        if _CACHES.fullmatch(entry.name):
            continue
        if entry.is_symlink():  # one that leads into the project, as those of a workspace's packages do, stays here
            place.symlink_to(re.sub(rf"^{re.escape(old)}(?=/|$)", lambda _: new, os.readlink(path)))
        elif entry.is_dir() and any(re.fullmatch(top, name) for top in tops):
            _mirror(path, place, old, new, tops, f"{name}/")
        elif entry.is_file() and entry.stat().st_size <= _LARGEST_REWRITTEN:
            _copy_rewritten(path, place, os.fsencode(old), os.fsencode(new))
        else:
            place.symlink_to(path)


def _copy_rewritten(source: Path, to: Path, old: bytes, new: bytes) -> None:
    """A copy. Text that names a path below `old` names the same below `new`."""
    data = source.read_bytes()
    if old in data and b"\0" not in data:
        to.write_bytes(re.sub(re.escape(old) + rb"(?=[/'\"\s:]|$)", lambda _: new, data))
        shutil.copystat(source, to)
    else:
        shutil.copy2(source, to)


def _holds_packages(folder: Path) -> bool:
    return folder.name in _PACKAGES or (folder / "pyvenv.cfg").exists()


def _is_small(path: Path) -> bool:
    """Whether these are regular files, and not too many and too big to be copied."""
    inside = (Path(at, name) for at, _, names in os.walk(path) for name in names)
    files = inside if path.is_dir() else iter((path,))
    size = 0
    try:
        for count, file in enumerate(files, 1):
            found = file.lstat()
            size += found.st_size
            is_plain = stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)
            if not is_plain or count > MOST_COPIED or size > LARGEST_COPIED:
                return False
    except OSError:
        return False
    return True


def as_rule(name: bytes) -> bytes:
    """The line of an ignore file that means this name and no other."""
    return b"/" + _SPECIAL.sub(rb"\\\1", name) + b"\n"


def _ignored(root: bytes, known: frozenset[bytes], folders: frozenset[bytes]) -> Iterator[bytes]:
    """Names of ignored files, and of folders that hold nothing else."""
    for at, inside, files in os.walk(root):
        place = b"" if at == root else os.path.relpath(at, root) + b"/"
        whole = [name for name in inside if place + name not in folders or os.path.islink(os.path.join(at, name))]
        yield from (
            place + name for name in (*files, *whole) if place + name not in known and not _WRITTEN.fullmatch(name)
        )
        inside[:] = [name for name in inside if name not in whole]


def lay_out_copy(source: Workspace, commit: str, to: Path) -> None:
    """Writes the snapshot below `to` and brings the ignored files there. They count as ignored in the copy too.

    Git would not see that by itself: a rule like `node_modules/` is about folders.
    """
    source.export(commit, to)
    brought = source.bring_ignored(to)
    run_git("init", "--quiet", "--template=", cwd=to)
    (to / ".git" / "info").mkdir(exist_ok=True)
    (to / ".git" / "info" / "exclude").write_bytes(b"".join(map(as_rule, brought)))
