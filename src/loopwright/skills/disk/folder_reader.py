"""Reads all files of one skill.

Read is what the folder itself holds. What is only reached through a link, belongs to a skill nested in this one, is too
large or may not be read is listed as `unread`: it exists, so that nobody calls a path to it dead.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from loopwright.core.errors import Invalid, NotFound
from loopwright.skills.disk.names import TEMPORARY, decode_name, holds_skill, is_left_out, is_main
from loopwright.skills.files import SkillFiles, digest, main_among

_TOKENS = re.compile(r"\*\*/|/\*\*\Z|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of a `.gitignore`. `base`: the folder it stands in, `""` or with a `/` at its end."""

    base: str
    regex: "re.Pattern[str]"
    negated: bool
    folders_only: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        return path.startswith(self.base) and self.regex.fullmatch(path, len(self.base)) is not None


def parse_ignore_file(base: str, text: str) -> tuple[IgnorePattern, ...]:
    """The patterns of a `.gitignore` in that folder; what git would not understand is skipped."""
    found = (_pattern(base, line.rstrip("\r")) for line in text.split("\n"))
    return tuple(one for one in found if one is not None)


def is_ignored(path: str, is_folder: bool, known: tuple[IgnorePattern, ...]) -> bool:
    """The last pattern that matches decides, as for git."""
    decisive = next((one for one in reversed(known) if one.matches(path, is_folder)), None)
    return decisive is not None and not decisive.negated


def _pattern(base: str, line: str) -> IgnorePattern | None:
    line = re.sub(r"(?<!\\) +\Z", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[negated:]
    folders_only = body.endswith("/")
    body = body.rstrip("/")
    if not body:
        return None
    regex = _regex(body.removeprefix("/"), anchored="/" in body)
    return IgnorePattern(base, regex, negated, folders_only) if regex else None


@lru_cache(512)
def _regex(body: str, *, anchored: bool) -> "re.Pattern[str] | None":
    parts = "".join(_translated(token.group()) for token in _TOKENS.finditer(body))
    try:
        return re.compile(parts if anchored else f"(?:[^/]+/)*+{parts}", re.DOTALL)
    except re.error:
        return None


def _translated(token: str) -> str:
    match token:
        case "**/":
            return "(?:[^/]+/)*"
        case "/**":
            return "/.+"
        case "?":
            return "[^/]"
        case _ if token[0] == "*":
            return "[^/]*"
        case _ if token[0] == "[" and len(token) > 2:
            inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&")
            return f"(?!/)[{'^' + inner[1:] if inner[0] in '!^' else inner}]"
        case _ if token[0] == "\\" and len(token) > 1:
            return re.escape(token[1])
        case _:
            return re.escape(token)


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
        raise Invalid(f"{root / main} cannot be read: it is {_why_unread(reading.unread.get(main, 0))}")
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
            with open(os.path.join(folder.path, ".gitignore"), "rb", opener=_opened) as file:
                text = file.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            return ()
        return parse_ignore_file(folder.prefix, text)


def _opened(path: str, flags: int) -> int:
    return os.open(path, _OPEN)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links in a circle
        return False


def _why_unread(size: int) -> str:
    return f"larger than {LARGEST:,} bytes" if size > LARGEST else "not a regular file, or not readable"


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
