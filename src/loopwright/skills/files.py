"""A skill's folder as it was read, and what is written into it. Bytes by name, relative to the folder, with `/`."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MAIN = "skill.md"
"""The file that makes a folder a skill; whatever its case, `SKILL.md` first."""


def main_among(names: Iterable[str]) -> str | None:
    """The main file of a folder that holds these names, or None where it is no skill."""
    return max(
        (name for name in names if name.lower() == MAIN), key=lambda name: (name == "SKILL.md", name), default=None
    )


def is_encodable(text: str) -> bool:
    """Whether all of it is UTF-8: bytes that are none are read as halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class SkillFiles:
    """`digests`: of every file, but for those of nested skills.

    `unread`: sizes of files that exist and are not read: too large to be text for a model, reached through a link, not
    for us to read, or of a skill nested in this one. `catalogues`: what the user has written of tools, as (file, TOML).
    `above`: files of its plugin and of its project that a page of the skill may mean, as seen from there.
    """

    name: str
    files: Mapping[str, bytes]
    unread: Mapping[str, int]
    digests: Mapping[str, str]
    catalogues: tuple[tuple[str, str], ...] = ()
    above: frozenset[str] = frozenset()

    @property
    def tree(self) -> str:
        """One digest of all."""
        return tree_digest(self.digests)


def digest(data: bytes) -> str:
    """Of a file's content: 32 hex digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def tree_digest(digests: Mapping[str, str]) -> str:
    """Of a whole folder, out of its files' digests."""
    lines = (f"{name}\0{one}\n" for name, one in sorted(digests.items()))
    return digest("".join(lines).encode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class Rewrite:
    """New contents by name; None: the file is deleted. `expected`: the digests that they have now, None for no file."""

    contents: Mapping[str, bytes | None]
    expected: Mapping[str, str | None]
