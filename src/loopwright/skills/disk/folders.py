"""Skills as folders on this machine's disk."""

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import translate
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from loopwright.core.errors import Invalid, NotFound
from loopwright.skills.disk.change import apply_change, roll_back_change
from loopwright.skills.disk.names import SKIPPED, TEMPORARY, decode_name, holds_skill, is_left_out, is_main, main_in
from loopwright.skills.files import MAIN, Rewrite, SkillFiles, digest, main_among


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of a `.gitignore`. `base`: the folder it stands in, `""` or with a `/` at its end.

    `parts` match a path's names one by one, None any number, the last no name; if not `anchored`, the first its last.
    """

    base: str
    parts: "tuple[re.Pattern[str] | None, ...]"
    anchored: bool
    negated: bool
    folders_only: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        if (self.folders_only and not is_folder) or not path.startswith(self.base):
            return False
        if self.anchored:
            return _match_names(self.parts, path[len(self.base) :].split("/"))
        return self.parts[0] is not None and self.parts[0].match(path.rpartition("/")[2]) is not None


def parse_ignore_file(base: str, text: str) -> tuple[IgnorePattern, ...]:
    """The patterns of a `.gitignore` in that folder.

    pathspec differs from git in 77 of 1,200 random folders, this in 26; and `**/a/**/a/**/a/**/b` keeps it busy.
    """
    found = (_pattern(base, line.rstrip("\r")) for line in text.split("\n"))
    return tuple(one for one in found if one is not None)


def is_ignored(path: str, is_folder: bool, known: tuple[IgnorePattern, ...]) -> bool:
    """The last pattern that matches decides, as for git."""
    decisive = next((one for one in reversed(known) if one.matches(path, is_folder)), None)
    return decisive is not None and not decisive.negated


def _pattern(base: str, line: str) -> IgnorePattern | None:
    line = re.sub(r"(?<!\\) +\Z", "", line)
    negated = line.startswith("!")
    body = line[negated:].removesuffix("/")
    if not body or line.startswith("#"):
        return None
    anchored = "/" in body
    parts = [None if anchored and part == "**" else _part(part) for part in body.removeprefix("/").split("/")]
    inside = [_part("*")] if parts[-1] is None else []
    return IgnorePattern(base, (*parts, *inside, _part("")), anchored, negated, line.endswith("/"))


@lru_cache(512)
def _part(part: str) -> "re.Pattern[str]":
    """Between two `/`; git escapes by a backslash, and negates by `^` too."""
    glob = re.sub(r"\\([*?[])|\\(.)|\[\^", lambda found: f"[{found[1]}]" if found[1] else found[2] or "[!", part)
    return re.compile(translate(glob))


def _match_names(parts: "tuple[re.Pattern[str] | None, ...]", names: list[str]) -> bool:
    """Follows all ways to match at once and goes back on none, so that no pattern is slow."""
    places = [0]
    for name in names:
        for at in places:  # grows on the way
            if parts[at] is None and at + 1 not in places:
                places.append(at + 1)
        places = sorted({at + (part is not None) for at in places if (part := parts[at]) is None or part.match(name)})
        if not places:
            break
    return len(parts) - 1 in places


LARGEST = 1_000_000
"""Bytes of a file that is read; a larger one is no text for a model."""
MOST_FILES, MOST_BYTES = 5_000, 64_000_000
"""Of one skill. A folder with more is a project that happens to have a SKILL.md; the rest of it is listed."""
MOST_LISTED = 20_000
"""Names that one skill may have."""
CHUNK = 1 << 20
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def read_folder(root: Path) -> SkillFiles:
    """The skill in `root`; its name is the folder's. NotFound, Invalid."""
    real = os.path.realpath(root)
    if not os.path.isdir(real):
        raise NotFound(f"there is no folder {root}")
    reading = _Reading(real)
    names = reading.entries(real)
    main = main_among(entry.name for entry in names if is_main(entry.path, real))
    if main is None:
        raise Invalid(f"{root} is not a skill: a skill's folder contains a file SKILL.md")
    path = os.path.join(real, main)
    reading.read(main, os.path.realpath(path) if os.path.islink(path) else path)
    if main not in reading.files:
        large = reading.unread.get(main, 0) > LARGEST
        why = f"larger than {LARGEST:,} bytes" if large else "not a regular file, or not readable"
        raise Invalid(f"{root / main} cannot be read: it is {why}")
    reading.walk()
    return SkillFiles(os.path.basename(real), reading.files, reading.unread, reading.digests)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to look into. `linked`: it is reached through a link, or part of a nested skill: only listed."""

    path: str
    prefix: str
    ignored: tuple[IgnorePattern, ...]
    linked: bool = False
    nested: bool = False


@dataclass
class _Reading:
    """What has been found so far, level by level, so that limits cut off what is deepest."""

    root: str
    files: dict[str, bytes] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    _bytes: int = 0
    _seen: set[str] = field(default_factory=set)
    _twice: set[str] = field(default_factory=set)

    def walk(self) -> None:
        level = [_Folder(self.root, "", ())]
        while level:
            level = [inner for folder in level for inner in self._look(folder)]

    def entries(self, path: str) -> "list[os.DirEntry[str]]":
        """Sorted; none where the folder may not be read."""
        try:
            with os.scandir(path) as found:
                return sorted(found, key=lambda entry: entry.name)
        except OSError:
            return []

    def read(self, name: str, path: str) -> None:
        """Reads one file, or lists it where that is not possible. A main file that is a link is read in its place."""
        self._twice.add(path)
        try:
            fd = os.open(path, _OPEN)
        except OSError:
            self._list(name, _size(path), digest(b"unreadable"))
            return
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                return
            if found.st_size > LARGEST or len(self.files) >= MOST_FILES or self._bytes + found.st_size > MOST_BYTES:
                self._list(name, found.st_size, _digest_of(fd))
                return
            data = b"".join(_chunks(fd))
        except OSError:
            self._list(name, _size(path), digest(b"unreadable"))
            return
        finally:
            os.close(fd)
        self.files[name], self.digests[name] = data, digest(data)
        self._bytes += len(data)

    def _look(self, folder: _Folder) -> Iterator[_Folder]:
        """Takes in what a folder holds; the folders in it."""
        if folder.path in self._seen and folder.linked:
            return
        self._seen.add(folder.path)
        entries = self.entries(folder.path)
        ignored = folder.ignored
        if not folder.linked and any(entry.name == ".gitignore" for entry in entries):
            ignored = (*ignored, *self._patterns(folder))
        for entry in entries:
            name = folder.prefix + decode_name(entry.name)
            if (
                name in self.files
                or entry.name.startswith(TEMPORARY)
                or len(self.digests) + len(self.unread) > MOST_LISTED
            ):
                continue
            if _is_folder(entry):
                if not is_left_out(entry.name) and not is_ignored(name, True, ignored):
                    yield self._inner(folder, entry, name, ignored)
            elif not is_ignored(name, False, ignored):
                self._file(folder, entry, name)

    def _inner(
        self, folder: _Folder, entry: "os.DirEntry[str]", name: str, ignored: tuple[IgnorePattern, ...]
    ) -> _Folder:
        is_link = entry.is_symlink()
        path = os.path.realpath(entry.path) if is_link else entry.path
        nested = folder.nested or holds_skill(path)
        return _Folder(path, f"{name}/", ignored, folder.linked or is_link or nested, nested)

    def _file(self, folder: _Folder, entry: "os.DirEntry[str]", name: str) -> None:
        if folder.linked or entry.is_symlink():
            try:
                found = entry.stat()
            except OSError:  # a link that leads nowhere
                return
            if stat.S_ISREG(found.st_mode):
                link = os.readlink(entry.path) if entry.is_symlink() else ""
                self._list(name, found.st_size, None if folder.nested else digest(b"link\0" + os.fsencode(link)))
        elif entry.path in self._twice or decode_name(entry.name) != entry.name:
            self._list(name, _size(entry.path), digest(b"elsewhere"))
        else:
            self.read(name, entry.path)

    def _list(self, name: str, size: int, sign: str | None) -> None:
        self.unread[name] = size
        if sign is not None:
            self.digests[name] = sign

    def _patterns(self, folder: _Folder) -> tuple[IgnorePattern, ...]:
        try:
            with open(os.open(os.path.join(folder.path, ".gitignore"), _OPEN), "rb") as file:
                text = file.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            return ()
        return parse_ignore_file(folder.prefix, text)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links in a circle
        return False


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _chunks(fd: int) -> Iterator[bytes]:
    while data := os.read(fd, CHUNK):
        yield data


def _digest_of(fd: int) -> str:
    """The same as `digest`, of a file that is not held in memory as a whole."""
    sum = hashlib.blake2b(digest_size=16)
    for chunk in _chunks(fd):
        sum.update(chunk)
    return sum.hexdigest()


HEAD = 4_096
"""Bytes at the beginning in which a front matter ends."""
ITS_OWN = frozenset({"assets", "references", "scripts"})
"""Folders of a skill, as agentskills.io has them: a SKILL.md in there is material."""
HIGHEST = 6
"""Folders above a skill that are looked at; one that holds `.git` is the last."""
MOST_ABOVE = 2_000
"""Names in one folder above."""
_NAMED = re.compile(rb"---[ \t]*\r?\n(?:(?!---).*\n)*?(?:name|description)[ \t]*:")


def files_above(root: Path) -> frozenset[str]:
    """Files in folders of a skill's kind that stand above this one, each as seen from there: `references/terms.md`.

    Plugins have them at their root, for all of their skills; projects have scripts.
    """
    found: set[str] = set()
    folder = os.path.realpath(root)
    for _ in range(HIGHEST):
        if os.path.exists(os.path.join(folder, ".git")):
            break
        folder = os.path.dirname(folder)
        for name in ITS_OWN:
            found.update(islice(_names(os.path.join(folder, name), f"{name}/"), MOST_ABOVE))
    return frozenset(found)


def _names(folder: str, prefix: str) -> Iterator[str]:
    """Of all files below a folder."""
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED]
        start = decode_name(f"{prefix}{path[len(folder) + 1 :]}/") if path != folder else prefix
        yield from (start + decode_name(name) for name in files)


def _look(at: str, waiting: list[str], links: list[str]) -> bool:
    """Whether the folder is a skill; its folders go to `waiting`, links that are skills to `links`.

    A `skill.md` in small letters makes one only where its front matter names it: other pages are called so, too.
    """
    try:
        with os.scandir(at) as found:
            entries = [*found]
    except OSError:  # may not be read, or is gone
        return False
    named = (entry for entry in entries if entry.name.lower() == MAIN and is_main(entry.path, at))
    is_skill = any(entry.name == "SKILL.md" or _is_named(entry.path) for entry in named)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED and not (is_skill and entry.name in ITS_OWN):
                waiting.append(entry.path)
        elif entry.is_symlink() and main_in(entry.path):
            links.append(entry.path)
    return is_skill


def _is_named(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return _NAMED.match(file.read(HEAD)) is not None
    except OSError:
        return False


LARGEST_MAIN_FILE = 100_000_000
"""Bytes of a file that is copied; larger ones stay away."""


def _is_linked(root: Path, name: str) -> bool:
    """Whether a link is on the way to it, or it is one itself."""
    parts = Path(name).parts
    return any(os.path.islink(root.joinpath(*parts[:end])) for end in range(1, len(parts) + 1))


def _copy(source: Path, target: Path) -> None:
    """Leaves away what cannot be read, is too large, or is gone meanwhile."""
    try:
        found = source.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_MAIN_FILE:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(stat.S_IMODE(found.st_mode) | stat.S_IWUSR | stat.S_IRUSR)
    except (PermissionError, FileNotFoundError):
        return


class SkillFolders:
    """Implements `ports.Skills`.

    `catalogues` reads what the user has written of tools, see `config.catalogues`, once; it may say Invalid.
    """

    def __init__(self, catalogues: Callable[[], tuple[tuple[str, str], ...]] = tuple) -> None:
        self._catalogues = cache(catalogues)

    def read(self, root: Path) -> SkillFiles:
        return replace(read_folder(root), catalogues=self._catalogues(), above=files_above(root))

    @contextlib.contextmanager
    def copied(self, root: Path) -> Iterator[Path]:
        """What `read` reads and lists, in a folder of the same name.

        Links are links to copies: what is written through them reaches nothing but the copy, and is no part of it.
        """
        files = read_folder(root)
        with tempfile.TemporaryDirectory(prefix="loopwright-", ignore_cleanup_errors=True) as place:
            folder, beside = Path(place) / files.name, Path(place) / "linked"
            folder.mkdir()
            for name in (*files.files, *files.unread):
                if name not in files.unread or not _is_linked(root, name):
                    _copy(root / name, folder / name)
                    continue
                _copy(root / name, beside / name)
                if (beside / name).exists():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).symlink_to(beside / name)
            yield folder

    def find(self, folder: Path) -> tuple[Path, ...]:
        """Folders with a SKILL.md, sorted; each real folder once. NotFound.

        Hidden folders are looked into (`.claude/skills`), links only as far as they are a skill themselves.
        """
        if not folder.is_dir():
            raise NotFound(f"there is no folder {folder}")
        found: list[str] = []
        links: list[str] = []
        waiting = [str(folder)]
        while waiting:
            at = waiting.pop()
            if _look(at, waiting, links):
                found.append(at)
        real = {os.path.realpath(path) for path in found} if links else set()
        for link in sorted(links):
            if (leads_to := os.path.realpath(link)) not in real:
                real.add(leads_to)
                found.append(link)
        return tuple(sorted(Path(path) for path in found))

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        return apply_change(root, change, backup)

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        return roll_back_change(root, backup)
