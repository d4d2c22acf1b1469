"""Where a path leads that a page of a skill names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import dirname, normpath

from loopwright.tune.skill.names import HOME, OWN, PLUGIN, PROJECT, parts, variable

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:")
_VARIABLE = re.compile(r"[*{}<>$|…]|\.\.\.")
_INVENTED = re.compile(
    r"(?:^|[/_\-.])(?:x{2,}|yyyy|nn)(?=[/_\-.\d]|$)|(?:^|/)(?:your|my|some)[\-_]"
    r"|(?:^|/)(?:foo|bar|baz|file|filename|path|example|placeholder|something|other|name)\d*(?=[/.]|$)",
    re.IGNORECASE,
)
_HOSTS = (".claude/", ".codex/", ".gemini/", ".agents/", ".github/", ".cursor/", ".opencode/")
_PRODUCED = frozenset({"templates", "template", "assets", "examples"})
"""Folders of what is copied: a document that is written often has the name of its template."""


@dataclass(frozen=True, slots=True)
class Files:
    """All files of the skill by their paths in small letters; `skill` is its name, `bases` the paths by last name."""

    skill: str
    paths: Mapping[str, str]
    folders: Mapping[str, str]
    bases: Mapping[str, tuple[str, ...]]

    def find(self, target: str) -> str | None:
        """The file, or the folder with a slash at its end, that a path from the skill's folder leads to."""
        small = target.lower().rstrip("/")
        if (found := self.paths.get(small)) is not None:
            return found
        folder = self.folders.get(small)
        return folder + "/" if folder else None


def files_of(skill: str, files: Mapping[str, object]) -> Files:
    folders: dict[str, str] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for path in files:
        base = path.rsplit("/", 1)[-1].lower()
        bases[base] = (*bases.get(base, ()), path)
        folder = dirname(path)
        while folder and folder.lower() not in folders:
            folders[folder.lower()] = folder
            folder = dirname(folder)
    return Files(skill.rsplit("/", 1)[-1], {path.lower(): path for path in files}, folders, bases)


@dataclass(frozen=True, slots=True)
class Target:
    """`sure`: written so that only a file of the skill can be meant. `home`: by where it lies once installed."""

    path: str
    outside: bool = False
    sure: bool = False
    home: bool = False


def is_placeholder(path: str) -> bool:
    """A name that stands for any: `path/to/file.md`, `xxx.md`, `your-skill/…`."""
    return bool(_INVENTED.search(path) or _VARIABLE.search(path))


def target_of(raw: str, skill: str) -> Target | None:
    """None for what is no path of a file: placeholders, and what a run makes."""
    if _SCHEME.match(raw) or raw.startswith(("//", "\\\\")):
        return Target(raw, outside=True)
    pieces = parts(raw.replace("\\", "/"))
    name = variable(pieces[0])
    rest = "/".join(pieces[1:])
    if name is None:
        return None if raw.startswith("/") else _through_skills(raw, skill) or _hosts(raw) or _fixed(raw)
    if name in OWN:
        return _fixed(rest, sure=True)
    if name in PLUGIN or name in HOME:
        return _through_skills(rest, skill) or (_fixed(rest) if name in PLUGIN else _outside(raw, rest))
    return (_through_skills(rest, skill) or _hosts(rest)) if name in PROJECT else None


def _fixed(path: str, sure: bool = False) -> Target | None:
    if not path or _VARIABLE.search(path) or (path[0] == "." and path[1:2] not in (".", "/")):
        return None
    return Target(path, sure=sure)


def _outside(raw: str, rest: str) -> Target | None:
    return None if _VARIABLE.search(rest) else Target(raw, outside=True)


def _hosts(path: str) -> Target | None:
    """A path in a folder of a host, but of no skill: `.claude/agents/x.md`."""
    clean = path.removeprefix("./")
    return Target(clean, outside=True) if clean.startswith(_HOSTS) and not _VARIABLE.search(clean) else None


def _through_skills(path: str, skill: str) -> Target | None:
    """A path through a folder of skills: into this one, or one beside it, which is `../other/…`."""
    marker = path.find("skills/")
    if marker < 0 or (marker and path[marker - 1] != "/"):
        return None
    before, (owner, _, rest) = path[:marker], path[marker + 7 :].partition("/")
    if not rest or _VARIABLE.search(rest) or (before.strip("./") and not before.startswith((".", "plugins"))):
        return None
    if owner == skill or variable(owner) in ("skill_name", "name", "skill", "this_skill"):
        away = before.startswith("../../../")
        return Target(path if away else rest, outside=away, sure=owner == skill, home=not before.startswith(".."))
    return None if is_placeholder(owner) else Target(f"../{owner}/{rest}", outside=True)


def resolve(files: Files, page: str, path: str, named: bool) -> tuple[str, str | None]:
    """As seen from the page, from the folders above it, and from the skill's; else what the page says.

    `named`: it is told that this is a file of the skill, so that its last name is enough to find it.
    """
    folder = dirname(page)
    first = normpath(f"{folder}/{path}" if folder else path)
    at_root = normpath(path)
    bare = at_root.lstrip("./")
    tries = [first]
    while folder:
        folder = dirname(folder)
        tries.append(normpath(f"{folder}/{path}") if folder else at_root)
    tries += (bare, bare.removeprefix(files.skill + "/"))
    if "." not in at_root.rsplit("/", 1)[-1]:
        tries.append(first + ".md")
    for one in tries:
        if (found := files.find(one)) is not None:
            return found, found
    if "/" not in at_root:
        alike = files.bases.get(at_root.lower(), ())
        if len(alike) == 1 and (named or not _PRODUCED & set(alike[0].lower().split("/"))):
            return alike[0], alike[0]
    return (first if path.startswith(("./", "../")) else at_root), None
