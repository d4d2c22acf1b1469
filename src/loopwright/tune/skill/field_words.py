"""Fields that are named in running text and tables: `state.x`, `x` is `y`, set `x` to `y`."""

import re
from collections.abc import Iterator

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.known import Known, singular
from loopwright.tune.skill.model import Block, FieldUse
from loopwright.tune.skill.names import field_path

NO_FIELD = frozenset(
    {"json", "md", "jsonl", "yaml", "yml", "txt", "py", "js", "ts", "sh", "toml", "csv", "html", "mjs"}
)
"""What stands behind a dot in names of files."""
_TICKED = re.compile(
    r"`([A-Za-z_$][\w$]*(?:\[\w*\]|\.[A-Za-z_$][\w$]*)*)"
    r"(?:\s*(===?|:(?=[\s\"'])|=|!==?|\+=)\s*[\"']?([\w\-]{1,60})[\"']?)?`"
)
_IS = re.compile(
    r"\s*(?:is|to|=|==|===|:|：|→|->|be|equals|as|becomes|是|取|(?:设置?|改|置|更新|变|写|记|标记?)?[为成]|[改置写记])"
    r"\s*(?:not\s+)?"
    r"`[\"']?([\w\-]{1,60})[\"']?`((?:\s*(?:,|or|and|、|或|/)\s*(?:or\s+)?`[\"']?[\w\-]{1,60}[\"']?`){0,8})",
    re.IGNORECASE,
)
_HAS = re.compile(r"\s*(?:is|为|是)\s*(?:not\s+)?(?:null|empty|true|false|set|missing|空|真|假)\b", re.IGNORECASE)
_MORE = re.compile(r"`[\"']?([\w\-]{1,60})[\"']?`")
_WRITES = re.compile(
    r"\b(?:set|update|write|store|record|add|append|put|save|mark|increment|reset|clear|fill)s?\b"
    r"|设置|更新|写入|记录|追加|设为|置为|标记|填写|存入",
    re.IGNORECASE,
)
_BECOMES = re.compile(
    r"\s*(?:置为?\s*`|设[为成]|改[为成]?\s*`|更新为|变[为成]|[记写标][为成]|加一|加 1|增加|→"
    r"|becomes\b|is set\b|goes to\b|gets\b|(?:is )?incremented\b|\+= ?1)",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:if|when|while|where|unless|until|once|whose)\b|若|如果|当|直到", re.IGNORECASE)
_CHANGES = re.compile(
    r"(?:changes?|updates?|writes?) (?:to|of|in) (?:the )?state|state (?:changes|updates?|writes)"
    r"|状态(?:更新|变更|改动|写入)",
    re.IGNORECASE,
)
_INLINE = re.compile(r"`([^`\n]{4,200})`")
_DOTTED = re.compile(r"(?<![\w.$/\-])([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?![\w(/])")
_BY = re.compile(
    r"\b(?:sort|order|group|merg|rank|dedup|key)\w*\b[^\n]{0,60}\bby (?:the |their |its )?\Z", re.IGNORECASE
)
_PER = re.compile(r"按照?\s*(?:`[^`\n]{1,40}`\s*[、和与]\s*){0,3}\Z")
_PER_WHAT = re.compile(
    r"(?:\s*+[、和与]\s*+`[^`\n]{1,40}`){0,3}+\s*+(?:字段)?\s*+(?:分组|排序|合并|归类|聚合|去重|升序|降序)"
)
_THING = re.compile(
    r"\b([A-Za-z]{3,20})\b"
    r"(?:\s{1,8}(?:is|are|becomes?|stays?|remains?|turns?|to|as|(?:that|which) (?:is|are))){0,6}\s{0,8}[:：]?\s{0,8}"
    r"(?:the status\s+)?`([a-z][\w\-]{1,30})`"
)
_TURNS = re.compile(r"\A\w+ (?:becomes|turns(?: to)?) ")
_BECOMING = re.compile(r"\b(?:becomes?|turns?|to|as)\b|[:：]", re.IGNORECASE)
_OF_STATE = re.compile(
    r"\s*(?:in|of|from|into)\s+(?:the\s+|its\s+)?(?:state\b|`[^`\n]{0,60}state[\w\-]*\.json`)", re.IGNORECASE
)


def words(ground: Ground, block: Block, known: Known, declared: frozenset[int]) -> Iterator[FieldUse]:
    """`declared`: where schemas of the page declare their fields, which are no uses."""
    text = ground.page.text
    section = ground.section_of(block)
    changes = section is not None and _CHANGES.search(section.title) is not None
    if known.kinds or known.listed:
        yield from _things(ground, block, known)
    if any(begin in block.text for begin in known.dotted):
        yield from _expressions(ground, block, known)
    # What the last name is set to is a value, no name.
    beyond = 0
    for found in _TICKED.finditer(text, block.start, block.end):
        if found.start() < beyond or found.start(1) in declared:
            continue
        after = _IS.match(text, found.end(), block.end)
        beyond = after.end() if after else 0
        root = _root(text, found, block, known, changes, after is not None)
        if root is None:
            continue
        path = field_path(found[1], root if found[1].startswith((root + ".", root + "[")) else "")
        if not path or path.split(".", 1)[0] in NO_FIELD or path.rsplit(".", 1)[-1] in NO_FIELD:
            continue
        at = ground.at(found.start(1), found.end(1), block)
        yield FieldUse(
            root, path, "write" if changes or _written(text, found, block) else "read", at, _values(found, after)
        )


def _root(text: str, found: re.Match[str], block: Block, known: Known, changes: bool, compared: bool) -> str | None:
    """What it is a field of, empty where that is not said; None for what is no field."""
    name = found[1]
    first = re.split(r"[.\[]", name, maxsplit=1)[0]
    if first in known.roots and first != name:
        return first
    if first in known.firsts and (field_path(name) in known.fields or "." in name):
        return ""
    if _OF_STATE.match(text, found.end(), block.end) is not None or changes:
        return "state" if first == name or first in known.firsts else None
    if known.fields and first == name and _sorted_by(text, found, block):
        return ""
    named = "_" in name and known.fields and first == name
    return "" if named and (compared or _HAS.match(text, found.end(), block.end)) else None


def _sorted_by(text: str, found: re.Match[str], block: Block) -> bool:
    """Merge them by `at`, 按 `order` 排序."""
    before = text[max(block.start, found.start() - 80) : found.start()]
    return bool(_BY.search(before) or (_PER.search(before) and _PER_WHAT.match(text, found.end(), block.end)))


def _expressions(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    """`(step.limit + 60) * 1000`: fields within longer inline code."""
    text = ground.page.text
    for code in _INLINE.finditer(text, block.start, block.end):
        if "." in code[1] and _TICKED.match(code[0]) is None:
            for found in _DOTTED.finditer(text, code.start(1), code.end(1)):
                if found[1] in known.roots and found[2].split(".", 1)[0] not in NO_FIELD and found[2] != "length":
                    yield FieldUse(found[1], found[2], "read", ground.at(found.start(), found.end(), block))


def _things(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    """The chunk becomes `done`: a thing with one field whose values are listed, and one of them."""
    text = ground.page.text
    for found in _THING.finditer(text, block.start, block.end):
        path = known.kinds.get(found[1].lower()) or known.kinds.get(singular(found[1].lower()))
        if path is not None and found[2] not in known.firsts and found[2] not in known.roots:
            at = ground.at(found.start(2), found.end(2), block)
            thing = singular(found[1].lower())
            yield FieldUse(thing, path, "write" if _BECOMING.search(found[0]) else "read", at, (found[2],))
        elif path is None and found[1] in known.listed and _TURNS.search(found[0]):
            yield FieldUse("", found[1], "write", ground.at(found.start(2), found.end(2), block), (found[2],))


def _values(found: re.Match[str], after: re.Match[str] | None) -> tuple[str, ...]:
    if after is not None:
        return (after[1], *_MORE.findall(after[2]))
    return (found[3],) if found[3] and not found[3].isdigit() else ()


def _written(text: str, found: re.Match[str], block: Block) -> bool:
    before = text[max(block.start, found.start() - 80) : found.start()].rsplit(". ", 1)[-1].rsplit("。", 1)[-1]
    if found[2] in ("=", "+=", ":") and not _ONCE.search(before):
        return True
    return bool(_WRITES.search(before) or _BECOMES.match(text, found.end(), block.end))
