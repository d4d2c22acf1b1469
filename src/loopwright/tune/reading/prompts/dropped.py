"""The user's request on its way into a file of the run, and where it is left behind."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.prompts.requests import USER_WORDS, strength
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, FieldDeclared, Interpolation, Page, PageKind, Schema, Skill
from loopwright.tune.skill.once import once

_WORKED: frozenset[PageKind] = frozenset({"phase", "action", "role", "skill", "other"})
_FUNCTION = re.compile(
    r"\bfunction[ \t]+(?P<name>\w{1,60})[ \t]*\((?P<takes>[^()\n]{1,200})\)[ \t]*\{"
    r"|\bconst[ \t]+(?P<arrow>\w{1,60})[ \t]*=[ \t]*(?:async[ \t]*)?\((?P<given>[^()\n]{1,200})\)[ \t]*=>[ \t]*\{"
)
_KEEPS = re.compile(r"\b[Ww]rite\w{0,30}\(|JSON\.stringify\(|\b(?:save|persist|store)\w{0,40}\(")
_MADE = re.compile(
    r"\b(?:const|let|var)[ \t]+(?P<name>[A-Za-z_]\w{1,40})[ \t]*=[ \t]*\{[ \t]*\n(?P<indent>[ \t]*)(?P<inner>[^\n]*)"
)
_WISHED = re.compile(
    r"task|request|goal|requirement|topic|question|brief|query|idea|prompt|input|objective|description", re.I
)
_NAMED = re.compile(r"[A-Za-z_]\w*")
_WRITES = re.compile(
    r"\b(?:writ|creat|initiali[sz]|sav|stor|persist|record|generat)\w{0,6}\b|写|创建|新建|生成|初始化|保存|记录",
    re.IGNORECASE,
)
_STATE = re.compile(r"session|state|status|run|progress|manifest", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:description|title|subject|goal|task|request|topic|question|requirement|brief|prompt|input|idea|scope"
    r"|objective|query|issue)(?!s)|_(?:description|request|title|topic|input)\b|任务|需求|描述|目标",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:^|[{,])[ \t]*[\"']?(?P<key>[A-Za-z_]\w*)[\"']?[ \t]*(?:[:,}]|$)", re.MULTILINE)
LISTED, LONGEST = 4, 4_000
"""Fields of a schema that a sentence names where it says what is written; characters of a function."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """`name`: the request, as it is called; `where`: what takes it and does not keep it."""

    page: Page
    start: int
    end: int
    name: str
    where: str
    entry_at: int = -1
    entry: str = ""
    also: str = ""


def dropped(skill: Skill) -> Iterator[Dropped]:
    for page in skill.pages.values():
        yield from _unused(page)
    yield from _unlisted(skill)
    yield from _unheard(skill)
    yield from _unmade(skill)


@once
def _unused(page: Page) -> Iterator[Dropped]:
    """A function takes the request, writes a file, and does not use what it has taken."""
    text = page.text
    if page.kind not in _WORKED or not ("function " in text or "=> {" in text):
        return
    for found in _FUNCTION.finditer(text):
        block = page.blocks[block_at(page, found.start())]
        names = _NAMED.findall(found["takes"] or found["given"])
        wished = [name for name in names if _WISHED.search(name) and strength(name) >= 1]
        if not wished or block.kind != "code" or block.use in ("template", "negative", "quotation"):
            continue
        body = _body(text, found.end(), block.end)
        if body is None or not _KEEPS.search(body) or "..." in body:
            continue
        for name in wished:
            if not re.search(rf"(?<![\w.$]){name}\b", body):
                at, entry = _entry(text, found.end(), body, name)
                yield Dropped(page, *found.span(), name, found["name"] or found["arrow"], at, entry)


def _body(text: str, begin: int, end: int) -> str | None:
    """To the brace that closes the function."""
    depth = 1
    for at in range(begin, min(end, begin + LONGEST)):
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return text[begin:at]
    return None


def _entry(text: str, begin: int, body: str, name: str) -> tuple[int, str]:
    """A key of the object that is made there."""
    made = _MADE.search(body)
    if made is None:
        return -1, ""
    at = begin + made.end()
    key = "description" if "description" in name.lower() else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return at, f"{'' if made['inner'].rstrip().endswith((',', '/')) else ','}\n{made['indent']}{key}: {name},"


def _wanted(skill: Skill, schema: Schema) -> list[FieldDeclared]:
    """Fields at the top of the shape that hold what the user said, by their name and what stands beside it."""
    found = []
    page = skill.pages[schema.at.file]
    for field in schema.fields:
        line = page.text[page.text.rfind("\n", 0, field.at.start) + 1 :].split("\n", 1)[0]
        plain = "." not in field.path and "[" not in field.path
        if plain and (strength(field.path) == 2 or (strength(field.path) == 1 and _of_user(line))):
            found.append(field)
    return found


def _of_user(line: str) -> bool:
    return (
        USER_WORDS.search(line) is not None
        or re.search(r"\boriginal\b|\bfull task\b|用户|原始", line, re.I) is not None
    )


def _unlisted(skill: Skill) -> Iterator[Dropped]:
    """`Write session.json with: id, status, roles`: the request, which its shape has, is not among them."""
    for schema in skill.schemas:
        name = schema.name.rsplit("/", 1)[-1]
        wanted = _wanted(skill, schema) if name.endswith(".json") else []
        if not wanted:
            continue
        tops = {field.path for field in schema.fields if "." not in field.path and "[" not in field.path}
        lists = [one for page in skill.pages.values() for one in _lists(page, name, tops)]
        for field in wanted:
            if len(lists) == 1 and not _names(lists[0][1].text, field.path):
                page, block, last = lists[0]
                at = block.body + last
                ticked = block.text[last : last + 1] == "`"
                mark = "`" if ticked else ""
                yield Dropped(
                    page, block.start, block.end, field.path, name, at + ticked, f", {mark}{field.path}{mark}",
                    f"{schema.at.file}:{schema.at.line}",
                )  # fmt: skip


def _unheard(skill: Skill) -> Iterator[Dropped]:
    """What is written as the state of the run has no place for the request, and agents are filled with it later."""
    told = [hole for prompt in skill.prompts if prompt.call >= 0 for hole in prompt.interpolations if _is_task(hole)]
    tops = [field.path for schema in skill.schemas for field in schema.fields if _top(field)]
    if not told or any(strength(top) > 1 or _ABOUT.search(top) for top in tops):
        return
    for schema in skill.schemas:
        name = schema.name.rsplit("/", 1)[-1]
        if not (name.endswith(".json") and _STATE.search(name)):
            continue
        own = {field.path for field in schema.fields if _top(field)}
        lists = [one for page in skill.pages.values() for one in _lists(page, name, own)]
        if len(lists) == 1 and not _ABOUT.search(lists[0][1].text[lists[0][1].text.find(name) + len(name) :]):
            page, block, last = lists[0]
            field = re.sub(r"[ -]", "_", told[0].expression)
            where = f"{told[0].at.file}:{told[0].at.line}"
            yield Dropped(page, block.start, block.end, field, name, block.body + last, f", {field}", where)


def _is_task(hole: Interpolation) -> bool:
    return strength(hole.expression) > 0 and "." not in hole.expression


def _top(field: FieldDeclared) -> bool:
    return "." not in field.path and "[" not in field.path


def _lists(page: Page, name: str, tops: set[str]) -> Iterator[tuple[Page, Block, int]]:
    """Sentences that write the file and name most of what it holds, with the end of the first name."""
    if page.kind not in _WORKED or name not in page.text:
        return
    for block in page.blocks:
        if (
            block.kind not in ("item", "paragraph")
            or name not in block.text
            or block.use not in ("instruction", "prompt")
        ):
            continue
        said = block.text.find(name) + len(name)
        named = [found for found in _NAMED.finditer(block.text, said) if found[0] in tops]
        if len({found[0] for found in named}) >= LISTED and _WRITES.search(block.text, 0, said):
            yield page, block, named[0].end()


def _names(text: str, field: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(field)}\b", text) is not None


def _unmade(skill: Skill) -> Iterator[Dropped]:
    """An object is written out and saved as the state, and others read the request from it, which it has not."""
    for page in skill.pages.values():
        if page.kind not in _WORKED or "JSON.stringify(" not in page.text:
            continue
        for made in _MADE.finditer(page.text):
            block = page.blocks[block_at(page, made.start())]
            name = made["name"]
            if block.kind != "code" or block.use == "template" or f"JSON.stringify({name}" not in page.text:
                continue
            body = _body(page.text, page.text.find("{", made.start("name")) + 1, block.end)
            if body is None or "..." in body:
                continue
            for field, where in _read_elsewhere(skill, page, name).items():
                if field not in {key["key"] for key in _KEY.finditer(body)} and not _set_elsewhere(skill, name, field):
                    entry = _entry_of(page, block, made, field)
                    yield Dropped(
                        page, made.start(), made.end(), field, name, made.end() if entry else -1, entry, where
                    )


def _entry_of(page: Page, block: Block, made: re.Match[str], field: str) -> str:
    """A key with what the code around calls the request."""
    near = page.text[block.body : made.start()]
    names = [name for name in _NAMED.findall(near) if _WISHED.search(name) and strength(name) and not name.isupper()]
    if not names:
        return ""
    comma = "" if made["inner"].rstrip().endswith((",", "{")) or "//" in made["inner"] else ","
    return f"{comma}\n{made['indent']}{field}: {names[-1]},"


def _read_elsewhere(skill: Skill, but: Page, name: str) -> dict[str, str]:
    """Fields of the state with a name of the request that other pages read, with the first place."""
    found: dict[str, str] = {}
    for page in skill.pages.values():
        if page is but or f"{name}." not in page.text or page.kind in ("template", "reference", "data", "script"):
            continue
        for use in re.finditer(
            rf"(?<![\w.$]){re.escape(name)}\.(?P<field>[A-Za-z_]\w*)(?![\w.(])(?!\s*=(?!=))", page.text
        ):
            if strength(use["field"]) == 2 or use["field"] in ("description", "task", "topic", "task_description"):
                found.setdefault(use["field"], f"{page.path}:{page.text.count(chr(10), 0, use.start()) + 1}")
    return found


def _set_elsewhere(skill: Skill, name: str, field: str) -> bool:
    return any(
        re.search(rf"\b{re.escape(name)}\.{field}\s*=(?!=)", page.text) is not None
        for page in skill.pages.values()
        if f"{name}.{field}" in page.text
    )
