"""Files that a skill names: its own, and those that lie outside of it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, normpath
from typing import Literal
from urllib.parse import unquote

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.mentions import Mention
from loopwright.tune.skill.model import Block, Reference
from loopwright.tune.skill.names import HOME, OWN, PLUGIN, parts, variable

Kind = Literal["link", "read", "table", "code", "prose"]
FOLDERS = frozenset({
    "phases", "actions", "specs", "templates", "references", "reference", "roles", "steps", "schemas", "rules",
    "workflows", "prompts", "commands",
})  # fmt: skip
"""Folders of skills: a path that begins with one is meant to be the skill's, though it may not be there."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_PLACEHOLDER = re.compile(
    r"[*{}<>$|…]|\.\.\."
    r"|(?:^|[/_\-.])(?:x{2,}|yyyy|nn|foo|bar|baz|file|filename|your|my|path|example|some|placeholder)(?=[/_\-.\d]|$)",
    re.IGNORECASE,
)
_LOADS = re.compile(
    r"\b(?:read|load|follow|open|consult|execute|include|import|ref)\b|读取|加载|阅读|执行|载入|读|查阅|按照|遵循",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:if (?:it |they |one |any |the file |that file |this file )?(?:is |are )?(?:exist|present|available|there\b|found)|when (?:it is )?"
    r"(?:present|available|exists)|if exists|optional|where present|may exist|does not exist|doesn't exist|not exist"
    r"|if any\b|missing)|若存在|如果存在|如存在|存在则|存在时|可选|如有|若有|不存在",
    re.IGNORECASE,
)
_REF = re.compile(r"(?:\b[Rr]ef(?:erence)?|参考|详见|见)\s*[:：]?\s*[`\[\"'(]*\Z")
_ASK = re.compile(r"\b(?:exists?|existsSync|exist_file|fileExists|glob)\s*\(\s*[\"'`]?\Z", re.IGNORECASE)
_READERS = frozenset({"Read", "read_file", "ReadFile", "readFile", "read_many_files", "view", "cat"})


@dataclass(frozen=True, slots=True)
class Files:
    """All files of the skill, by their names in small letters, too; `folders` that they lie in; `skill`: its name."""

    skill: str
    paths: Mapping[str, str]
    folders: frozenset[str]
    bases: Mapping[str, tuple[str, ...]]

    def find(self, target: str) -> str | None:
        """The file or folder (with a slash at its end) that a path from the skill's folder leads to."""
        small = target.lower().rstrip("/")
        if (found := self.paths.get(small)) is not None:
            return found
        return small + "/" if small in self.folders else None


def files_of(skill: str, files: Mapping[str, object]) -> Files:
    folders: set[str] = set()
    bases: dict[str, tuple[str, ...]] = {}
    for path in files:
        small = path.lower()
        bases[small.rsplit("/", 1)[-1]] = (*bases.get(small.rsplit("/", 1)[-1], ()), path)
        while (small := dirname(small)) and small not in folders:
            folders.add(small)
    return Files(skill.rsplit("/", 1)[-1], {path.lower(): path for path in files}, frozenset(folders), bases)


@dataclass(frozen=True, slots=True)
class _Target:
    """`sure`: written so that only a file of the skill can be meant."""

    path: str
    outside: bool = False
    sure: bool = False


def references(ground: Ground, files: Files, reads: Mapping[int, str]) -> Iterator[Reference]:
    """`reads`: where the arguments of loading calls begin, with the name of the call. In no order."""
    seen: set[int] = set()
    for mention in ground.mentions:
        block = ground.block_at(mention.start)
        seen.add(mention.start)
        if block is None or _is_label(ground.page.text, mention):
            continue
        found = _reference(ground, files, mention, block, reads.get(mention.start) or reads.get(mention.start - 1))
        if found is not None:
            yield found
    yield from _links(ground, files, seen)


def _is_label(text: str, mention: Mention) -> bool:
    """The text of a link, whose target says the same."""
    return text.startswith(("](", "`]("), mention.end)


def _reference(ground: Ground, files: Files, mention: Mention, block: Block, call: str | None) -> Reference | None:
    text = ground.page.text
    raw = mention.raw
    path = raw
    imported = (
        raw.startswith("@") and "/" in raw and text[mention.start - 1 : mention.start] in ("", " ", "\n", "`", "(")
    )
    if imported:
        path = raw[1:]
    target = _target(unquote(path) if "%" in path else path, files.skill)
    if target is None:
        return None
    before = text[max(block.start, mention.start - 120) : mention.start]
    before = before[before.rfind("\n") + 1 :]
    linked = mention.quote == "("
    told = linked or call in _READERS or bool(_REF.search(before))
    at, resolved = _resolve(files, ground.page.path, target.path) if not target.outside else (target.path, None)
    outside = target.outside
    if resolved is None and not outside:
        verdict = _unresolved(files, ground.page.path, target, told, linked, mention, block)
        if verdict is None:
            return None
        outside = verdict
    kind: Kind = _kind(block, linked, call)
    loads = imported or call in _READERS or (block.use in ("instruction", "prompt") and bool(_LOADS.search(before)))
    return Reference(
        raw,
        at,
        resolved,
        kind,
        ground.at(mention.start, mention.end, block),
        loads,
        _optional(text, mention, block),
        outside,
    )


def _kind(block: Block, linked: bool, call: str | None) -> Kind:
    if linked:
        return "link"
    if call in _READERS:
        return "read"
    return "table" if block.kind == "row" else "code" if block.kind == "code" else "prose"


def _optional(text: str, mention: Mention, block: Block) -> bool:
    """The same line or sentence says that it may not be there."""
    start = max(block.start, text.rfind("\n", 0, mention.start) + 1, mention.start - 160)
    end = text.find("\n", mention.end)
    end = min(block.end if end < 0 else end, mention.end + 120)
    window = text[start:end]
    return bool(_MAYBE.search(window)) or bool(_ASK.search(text[start : mention.start]))


def _target(raw: str, skill: str) -> _Target | None:
    """Where a path leads from the skill's folder; None for what is no path of a file (placeholders)."""
    if _SCHEME.match(raw) or raw.startswith(("//", "\\\\")):
        return _Target(raw, outside=True)
    pieces = parts(raw.replace("\\", "/"))
    name = variable(pieces[0])
    if name is None and pieces[0].startswith("$"):
        name = pieces[0].strip("${}").lower()
    rest = "/".join(pieces[1:])
    if name is not None:
        if name in OWN or (name in PLUGIN and not rest.startswith(("skills/",))):
            return _fixed(rest, sure=name in OWN)
        if name in HOME or name in PLUGIN:
            return _workspace(raw, rest, skill)
        return None
    if raw.startswith("/"):
        return None
    return _workspace(raw, raw, skill) or _fixed(raw)


def _fixed(path: str, sure: bool = False) -> _Target | None:
    return None if not path or _PLACEHOLDER.search(path) else _Target(path, sure=sure)


def _workspace(raw: str, path: str, skill: str) -> _Target | None:
    """A path that leads through a folder of skills: into this one, or one beside it."""
    marker = path.find("skills/")
    if marker < 0 or (marker and path[marker - 1] != "/"):
        return (
            _Target(raw, outside=True)
            if raw is not path or (path.startswith(".") and not path.startswith(("./", "../")))
            else None
        )
    before, inner = path[:marker], path[marker + 7 :]
    if before.strip("./") and not before.startswith((".", "plugins")):
        return None
    owner, _, rest = inner.partition("/")
    if not rest or _PLACEHOLDER.search(owner):
        return None
    if owner == skill:
        return _fixed(rest, sure=True)
    return None if _PLACEHOLDER.search(rest) else _Target(f"../{owner}/{rest}", outside=True)


def _resolve(files: Files, page: str, path: str) -> tuple[str, str | None]:
    """As seen from the page, its folders above, and the skill's; the target is what it says from the page."""
    folder = dirname(page)
    first = normpath(f"{folder}/{path}" if folder else path)
    if (found := files.find(first)) is not None:
        return (found, found)
    at_root = normpath(path)
    bare = at_root.lstrip("./")
    while folder:
        folder = dirname(folder)
        if (found := files.find(normpath(f"{folder}/{path}" if folder else path))) is not None:
            return (found, found)
    if (found := files.find(bare)) is not None:
        return (found, found)
    if (found := files.find(bare.removeprefix(files.skill + "/"))) is not None:
        return (found, found)
    if "." not in at_root.rsplit("/", 1)[-1] and (found := files.find(first + ".md")) is not None:
        return (found, found)
    alike = files.bases.get(at_root.rsplit("/", 1)[-1].lower(), ())
    if "/" not in at_root and len(alike) == 1:
        return (alike[0], alike[0])
    relative = path.startswith(("./", "../")) and not first.startswith("..")
    return (first if relative else at_root, None)


def _unresolved(
    files: Files, page: str, target: _Target, told: bool, linked: bool, mention: Mention, block: Block
) -> bool | None:
    """Whether a path that leads nowhere lies outside of the skill; None where it is not even a reference."""
    path = normpath(target.path)
    if path.startswith(".."):
        where = normpath(f"{dirname(page)}/{path}") if dirname(page) else path
        if where.startswith("..") or not linked:
            return True
    first = path.split("/", 1)[0].lower()
    if "/" not in path:
        return False if (linked or target.sure) and block.kind != "code" else None
    if target.sure or linked:
        return False
    here = dirname(page).lower()
    known = first in files.folders or (here and f"{here}/{first}" in files.folders)
    if block.kind == "code" and mention.quote == "" and not told:
        return None
    if known and (first in FOLDERS or told or mention.quote in ("`", '"', "'")):
        return False
    if first in FOLDERS:
        return None if not told else False
    return True if first.startswith(".") else None


def _links(ground: Ground, files: Files, seen: set[int]) -> Iterator[Reference]:
    """Links whose target has no extension that is known: folders, anchors of pages."""
    text = ground.page.text
    at = text.find("](")
    while at >= 0:
        start = at + 2
        end = text.find(")", start, start + 300)
        at = text.find("](", start)
        raw = text[start:end].split(" ", 1)[0] if end >= 0 else ""
        path = raw.split("#", 1)[0].strip("<>")
        if not path or "\n" in path or start in seen or path[0] in "#/" or _SCHEME.match(path):
            continue
        block = ground.block_at(start)
        target = _target(path, files.skill) if "/" in path else None
        if block is None or block.kind == "code" or target is None or target.outside:
            continue
        where, resolved = _resolve(files, ground.page.path, target.path)
        if resolved is not None:
            yield Reference(raw, where, resolved, "link", ground.at(start, start + len(raw), block))
