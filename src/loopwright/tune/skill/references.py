"""Files that a skill names: its own, and those that lie outside of it."""

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, normpath
from typing import Literal
from urllib.parse import unquote

from loopwright.tune.skill.artefacts import PROJECT_FILES
from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.mentions import Mention
from loopwright.tune.skill.model import Block, Reference
from loopwright.tune.skill.names import DIR
from loopwright.tune.skill.targets import Files, Target, is_placeholder, resolve, target_of
from loopwright.tune.skill.ways import maybe

Kind = Literal["link", "read", "table", "code", "prose"]
FOLDERS = frozenset({
    "phases", "actions", "specs", "templates", "references", "reference", "roles", "steps", "schemas", "rules",
    "workflows", "prompts", "commands",
})  # fmt: skip
"""Folders of skills: a path that begins with one is meant to be the skill's, though it may not be there."""
_LOADS = re.compile(
    r"\b(?:read|load|follow|open|consult|execute|include|import|ref)\b|读取|加载|阅读|执行|载入|读|查阅|按照|遵循",
    re.IGNORECASE,
)
_ORIGIN = re.compile(
    r"> ?[*_]{0,2}(?:source|origin|(?:converted|ported|derived|adapted|migrated) from|来源|源自|改编自|迁移自)"
    r"[*_]{0,2} ?[:：]?[*_]{0,2} ?[`\"'(]?\Z",
    re.IGNORECASE,
)
"""A quotation above the page tells what it was made from."""
_STORED = frozenset({"json", "jsonl", "log", "db", "csv", "txt"})
"""What a skill may keep in its own folder once it has run."""
_REF = re.compile(r"(?:\b[Rr]ef(?:erence)?|参考|详见|见)\s{0,8}[:：]?\s{0,8}[`\[\"'(]{0,8}\Z")
_SENDS = re.compile(
    r"(?:\b(?:read|load|follow|open|consult|see|per|content of|schemas?:|against|defined in|described in|schemas? in"
    r"|according to|refer to)(?: the)?(?: \w+)?|读取?|加载|查阅|参考|参见|详见|遵循|按照?)"
    r"\s*(?:[^\s`，。；]{1,12} )?`\Z",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"(?:\b(?:per|following|according to|fill in)(?: the)? |按照?|依照?|参照|套用|填写) ?\Z")
_WORD = re.compile(r"[a-z]+")
_PART = re.compile(r"[`\"')]*,? ?(?:sections?|§|chapter|第)\s?\d", re.IGNORECASE)
LOADERS = frozenset({"Read", "read_file", "ReadFile", "readFile", "read_many_files", "view", "cat"})


def references(ground: Ground, files: Files, reads: Mapping[int, str], run: frozenset[str]) -> Iterator[Reference]:
    """`reads`: mentions that a call loads, by where they begin, with its name. `run`: artefacts of the skill's run.

    In no order.
    """
    seen: set[int] = set()
    for mention in ground.mentions:
        seen.add(mention.start)
        if mention.quote != "(" and f"{DIR}/{mention.raw}" in run and files.find(mention.raw) is None:
            continue
        block = ground.block_at(mention.start)
        if block is not None:
            found = _reference(ground, files, mention, block, reads.get(mention.start))
            if found is not None:
                yield found
    yield from _links(ground, files, seen)


def _reference(ground: Ground, files: Files, mention: Mention, block: Block, call: str | None) -> Reference | None:
    text, raw, page = ground.page.text, mention.raw, ground.page.path
    imported = (
        raw.startswith("@") and "/" in raw and text[mention.start - 1 : mention.start] in ("", " ", "\n", "`", "(")
    )
    path = raw[1:] if imported else raw
    target = target_of(unquote(path) if "%" in path else path, files.skill)
    if target is None:
        return None
    before = text[max(block.start, mention.start - 120) : mention.start]
    before = before[before.rfind("\n") + 1 :]
    linked = mention.quote == "("
    told = linked or call in LOADERS or bool(_REF.search(before))
    where, resolved, outside = target.path, None, target.outside
    if not outside and not linked and _ORIGIN.match(before):
        return None
    if not outside:
        where, resolved = resolve(files, page, target.path, told)
        if resolved == page and not linked:
            return None
        if resolved is None:
            verdict = None if is_placeholder(target.path) else _unresolved(files, page, target, told, mention, block)
            if verdict is None:
                return None
            outside = verdict
    loads = imported or call in LOADERS or (block.use in ("instruction", "prompt") and bool(_LOADS.search(before)))
    at = ground.at(mention.start, mention.end, block)
    absent = resolved is None and maybe(text, mention.start, mention.end, block.start, block.end)
    return Reference(raw, where, resolved, _kind(block, linked, call), at, loads, absent, outside)


def _kind(block: Block, linked: bool, call: str | None) -> Kind:
    if linked:
        return "link"
    if call in LOADERS:
        return "read"
    return "table" if block.kind == "row" else "code" if block.kind == "code" else "prose"


def _unresolved(files: Files, page: str, target: Target, told: bool, mention: Mention, block: Block) -> bool | None:
    """Whether a path that leads nowhere lies outside of the skill; None where it is not even a reference."""
    path = normpath(target.path)
    if target.home and path.rsplit(".", 1)[-1] in _STORED:
        return None
    linked = mention.quote == "("
    folder = dirname(page)
    if path.startswith(".."):
        where = normpath(f"{folder}/{path}") if folder else path
        if where.startswith(".."):
            return True
        return None if block.kind == "code" and not linked else False
    if "/" not in path:
        sent = linked or target.sure or _is_sent_to(files, path, mention, block)
        return False if sent and block.kind != "code" else None
    if target.sure or linked:
        return False
    if path.rsplit("/", 1)[-1].lower() in PROJECT_FILES:
        return None
    first = path.split("/", 1)[0].lower()
    known = first in files.folders or (folder and f"{folder}/{first}".lower() in files.folders)
    if block.kind == "code" and mention.quote == "" and not told:
        return None
    if known and (first in FOLDERS or told or mention.quote in ("`", '"', "'")):
        return False
    if first not in FOLDERS:
        return None
    parted = any(folder in FOLDERS for folder in files.folders) and block.kind != "code"
    before = block.text[: max(0, mention.start - block.body)]
    ordered = mention.quote == "`" or (mention.quote == "" and _ORDERED.search(before[-40:]))
    return False if told or (parted and ordered) else None


def _is_sent_to(files: Files, path: str, mention: Mention, block: Block) -> bool:
    """The reader is told to read a page of this name, and the skill has pages beside its main one."""
    if (
        not path.endswith(".md")
        or block.use not in ("instruction", "prompt")
        or path[0].isupper()
        or path == "index.md"
    ):
        return False
    at = mention.start - block.body
    before, after = (
        block.text[max(0, at - 60) : max(0, at)].rsplit("\n", 1)[-1],
        block.text[at + len(mention.raw) :][:20],
    )
    if _PART.match(after) is not None:
        return sum(one.endswith(".md") for one in files.paths) > 1
    words = {word for word in _WORD.findall(path.lower()) if len(word) > 3}
    like = any(words & {*_WORD.findall(base)} for base in files.bases if base.endswith(".md"))
    return like and mention.quote == "`" and _SENDS.search(before) is not None


def _links(ground: Ground, files: Files, seen: set[int]) -> Iterator[Reference]:
    """Links to folders, and to pages whose extension is left out."""
    text = ground.page.text
    at = text.find("](")
    while at >= 0:
        start = at + 2
        end = text.find(")", start, start + 300)
        at = text.find("](", start)
        raw = text[start:end].split(" ", 1)[0] if end >= 0 else ""
        path = raw.split("#", 1)[0].strip("<>")
        if not path or "\n" in path or start in seen or path[0] in "#/" or "/" not in path:
            continue
        block = ground.block_at(start)
        target = target_of(path, files.skill)
        if block is None or block.kind == "code" or target is None or target.outside:
            continue
        where, resolved = resolve(files, ground.page.path, target.path, True)
        if resolved is not None:
            yield Reference(raw, where, resolved, "link", ground.at(start, start + len(raw), block))
