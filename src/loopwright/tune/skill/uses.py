"""What each block is to the model that reads the page: an instruction, or something that only looks like one.

First the sections: a title like "Anti-patterns" or "Examples" speaks for all below it. Then tags like `<example>` that
stand around blocks, the sentence above a block, and at last the block itself.
"""

import re
from typing import Final

from loopwright.tune.skill.code_uses import Around, Stance, use_of_code
from loopwright.tune.skill.labels import BAD, GOOD, TAIL, Label, forbids, label_of, names_prompt
from loopwright.tune.skill.model import PageKind, Section, Use
from loopwright.tune.skill.scanner import Piece

DEFAULTS: Final[dict[PageKind, Use]] = {"template": "template", "reference": "reference", "script": "reference"}
STANCES: Final[dict[Stance, Use]] = {
    "negative": "negative", "example": "reference", "good": "reference", "reference": "reference",
}  # fmt: skip
"""Stances that hold for all kinds of blocks and for sections below; the others are for code and quotes."""
_TEMPLATE_TITLE = re.compile(
    r"\btemplates?\b|\b(?:report|output|file|document|summary|message|commit|response|issue|pr|display|review)"
    r" (?:format|structure|template|layout)\b|\bformat$|模板|格式",
    re.IGNORECASE,
)
_FORMS = re.compile(r"[tT]emplate|[fF]ormat|[sS]tructure|[lL]ayout|模板|格式")
_GOOD_TITLE = re.compile(r"(?:good|correct|right|do|better|recommended|preferred|after)\b|正确|推荐", re.IGNORECASE)
_PASS_TITLE = re.compile(r"(?:pass|good|correct|right|better|正确)[ \t]*[:：]", re.IGNORECASE)
_SHOWN_TITLE = re.compile(
    r"\bworks?\b|\bconcepts?\b|\breference\b|\bintroduction\b|\busage\b(?! examples?)|\bquick ?start\b"
    r"|用法|使用方法|快速开始|原理|方式|概念|参考|介绍|简介|速查",
    re.IGNORECASE,
)
"""Titles of background that often stand above the work itself: only their code is looked away from."""
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][\w:.-]*+)[^>]*?(/?)>")
_TAGS: Final[dict[str, Stance]] = {
    "bad": "negative", "wrong": "negative", "incorrect": "negative", "dont": "negative", "red-flags": "negative",
    "bad-example": "negative", "bad-examples": "negative", "anti-pattern": "negative", "anti-patterns": "negative",
    "antipattern": "negative", "antipatterns": "negative",
    "good": "good", "good-example": "good", "good-examples": "good", "correct": "good",
    "example": "example", "examples": "example", "sample": "example", "usage": "example",
    "template": "template", "output-template": "template", "report-template": "template", "format": "template",
    "output-format": "template", "background": "reference", "why-this-exists": "reference", "commentary": "reference",
    "prompt": "prompt", "prompt-template": "prompt",
}  # fmt: skip
_BAD_LEAD = re.compile(
    r"(?:bad|wrong|incorrect|anti-?pattern|don't|错误(?:示例|做法|写法)?|反例|反模式)(?: example)?[*_]*[ \t]*[:：]",
    re.IGNORECASE,
)
_EXAMPLE_LEAD = re.compile(
    r"(?:for example|for instance|e\.g\.|examples?\b[^.]{0,30}[:：]|例如|比如|示例|举例)", re.IGNORECASE
)
_SPOKEN = re.compile(r"(?:user|human|assistant|用户|助手)[*_]*[ \t]*[:：]", re.IGNORECASE)
_LEADS: Final = frozenset({
    "ba", "wr", "in", "an", "do", "反例", "反模", "fo", "e.", "ex", "例如", "比如", "示例", "举例", "us", "hu",
    "as", "用户", "助手",
})  # fmt: skip
"""How the words of the three patterns above begin: most lines need not be tried."""
_CLOSING = re.compile(r"[*_]*(?:remember|in short|always)\b|[*_]*请?(?:记住|始终)", re.IGNORECASE)
"""How the last words below a title like "Anti-patterns" begin: they say what to do."""
_QUOTES: Final = {'"': '"', "“": "”", "「": "」", "'": "'"}
_CALLOUT = re.compile(
    r"\[!|\*\*|__|[⚠❗‼💡📌🔴🚨ℹ⛔🔥⭐🛑]|注意|重要|警告|提示|说明|关键|必须|禁止|规则|原则"
    r"|(?:note|important|warning|tip|caution|critical|must|never|always|do not|rule|hard)\b",
    re.IGNORECASE,
)
_BAD_COLUMNS: Final = frozenset({
    "bad", "wrong", "don't", "dont", "anti-pattern", "antipattern", "anti-patterns", "mistake", "incorrect", "excuse",
    "avoid", "rationalization", "thought", "wrong way", "instead of", "common mistake", "pitfall", "反例",
    "反模式", "错误做法", "错误示例", "常见错误", "before",
})  # fmt: skip
_OLD: Final = re.compile(r"(?:before|old|previous\w*|v1)\b|旧|之前|原(?:来|版|有)|改前", re.IGNORECASE)
_NEW: Final = re.compile(r"(?:after|new|now|current\w*|v2)\b|新|之后|现(?:在|版|有)|改后", re.IGNORECASE)
"""Columns of a table that tells what an older version did, and what this one does."""
_NAMES: Final = (
    "Task(",
    "Agent(",
    "AskUserQuestion",
    "spawn_agent",
    "subagent",
    "state.json",
    "TodoWrite",
    "sub-agent",
    "phases/",
    "Bash(",
)
"""One of these in a page tells that its code is a course for an agent, not a program to write."""


def uses_of(
    text: str, pieces: list[Piece], sections: tuple[Section, ...], within: list[int], kind: PageKind
) -> list[Use]:
    """One for each piece. `within` is the section of each."""
    default = DEFAULTS.get(kind, "instruction")
    if default == "template":
        return ["template"] * len(pieces)
    stances = _stances(sections)
    reader = _Reader(text, pieces, kind, default)
    tags = _tags(text, pieces)
    return [
        reader.use(at, tags.get(at) or (stances[within[at]] if within[at] >= 0 else "")) for at in range(len(pieces))
    ]


def use_of_file(text: str, kind: PageKind) -> Use:
    """Of a file that is no Markdown: only what declares a shape is looked at."""
    if kind in ("template", "script"):
        return DEFAULTS[kind]
    return "instruction" if '"$schema"' in text or '"properties"' in text or kind == "spec" else "reference"


class _Reader:
    """Goes through the pieces in order, and keeps what tables and lists say of their later lines."""

    def __init__(self, text: str, pieces: list[Piece], kind: PageKind, default: Use) -> None:
        self._text, self._pieces, self._kind, self._default = text, pieces, kind, default
        self._works: bool | None = None
        self._table: Use | None = None
        self._list: Use | None = None
        self._entry: tuple[int, Use | None] = (0, None)

    def use(self, at: int, stance: Stance) -> Use:
        """Must be asked once for each piece, in order."""
        piece = self._pieces[at]
        if piece.kind == "code":
            return self._code(at, stance)
        said = STANCES.get(stance)
        if said == "negative":
            return self._default if _CLOSING.match(self._text, piece.body, piece.stop) else "negative"
        return self._found(at, stance) or said or self._default

    def _found(self, at: int, stance: Stance) -> Use | None:
        """What the block itself tells, or what stands above it."""
        piece = self._pieces[at]
        match piece.kind:
            case "item":
                return self._item(at)
            case "paragraph":
                return self._prose(piece)
            case "row":
                return self._row(at)
            case "quote":
                return self._quote(at, stance)
            case "html" if self._text.startswith("<!--", piece.body):
                return "reference"
        return None

    def _words(self, at: int) -> str:
        """The end of the block above, where it is one that can speak of this one."""
        above = self._pieces[at - 1] if at else None
        if above is None or above.kind not in ("paragraph", "item"):
            return ""
        return self._text[max(above.body, above.stop - TAIL) : above.stop]

    def _code(self, at: int, stance: Stance) -> Use:
        piece = self._pieces[at]
        words = self._words(at)
        if self._works is None:
            self._works = self._kind in ("phase", "action", "role") or any(name in self._text for name in _NAMES)
        around = Around(stance, label_of(words) if words else None, self._kind, self._default, self._works)
        return use_of_code(self._text[piece.body : piece.stop], piece.lang, around)

    def _prose(self, piece: Piece) -> Use | None:
        text = self._text
        lead = text[piece.body : min(piece.body + 48, piece.stop)]
        bare = lead.lstrip("*_( ")
        if bare[:1] in BAD:
            return "negative"
        if bare[:2].casefold() in _LEADS:
            if _BAD_LEAD.match(bare.replace("’", "'")):
                return "negative"
            if _EXAMPLE_LEAD.match(bare):
                return "reference"
            if _SPOKEN.match(bare):
                return "quotation"
        close = _QUOTES.get(lead[:1])
        return "quotation" if close and text[piece.body + 1 : piece.stop].rstrip(" .。,，").endswith(close) else None

    def _item(self, at: int) -> Use | None:
        """What the entry says of itself, the entry it lies below, or the paragraph above the list."""
        piece, above = self._pieces[at], self._pieces[at - 1] if at else None
        if above is None or (above.kind not in ("item", "code") and not (above.kind == "paragraph" and above.level)):
            self._list = _of_list(self._words(at))
            self._entry = (0, None)
        elif piece.level <= self._entry[0]:
            self._entry = (0, None)
        found = self._prose(piece)
        if found and not self._entry[1]:
            self._entry = (piece.level, found)
        return found or self._entry[1] or self._list

    def _row(self, at: int) -> Use | None:
        piece = self._pieces[at]
        cells = [cell.strip(" \t*_`") for cell in self._text[piece.body : piece.stop].split("|")]
        if at == 0 or self._pieces[at - 1].kind != "row":
            bad = cells[0].startswith(BAD) or _column(cells[0]) in _BAD_COLUMNS
            self._table = "negative" if bad or (len(cells) == 2 and _column(cells[1]) in _BAD_COLUMNS) else None
            if _OLD.match(cells[1] if len(cells) > 1 else "") and any(_NEW.match(cell) for cell in cells[2:]):
                self._table = "reference"
        if any(cell.startswith(BAD) and len(cell) > 3 for cell in cells):
            return "negative"
        return self._table

    def _quote(self, at: int, stance: Stance) -> Use:
        piece = self._pieces[at]
        label = label_of(words) if (words := self._words(at)) else None
        if label in _QUOTED:
            return _QUOTED[label]
        if self._text.startswith(BAD, piece.body):
            return "negative"
        if stance in ("template", "prompt"):
            return _QUOTED[stance]
        lead = self._text[piece.body : min(piece.body + 400, piece.stop)]
        close = _QUOTES.get(lead[:1])
        if close and self._text[piece.body + 1 : piece.stop].rstrip(" .。,，").endswith(close):
            return "quotation"
        return "instruction" if _CALLOUT.match(lead) or "**" in lead or "`" in lead else "quotation"


_QUOTED: Final[dict[Label | Stance | None, Use]] = {
    "negative": "negative", "template": "template", "prompt": "prompt", "example": "quotation",
    "quotation": "quotation",
}  # fmt: skip
_LISTED: Final[dict[Label | None, Use]] = {"negative": "negative", "example": "reference"}


def _column(head: str) -> str:
    return head.strip("".join((*BAD, *GOOD, "️ "))).casefold().replace("’", "'")


def _of_list(words: str) -> Use | None:
    """What the paragraph above says of all entries of a list."""
    if not words.endswith((":", "：", "**")):
        return None
    found = _LISTED.get(label_of(words))
    return None if found == "negative" and forbids(words) else found


def _stances(sections: tuple[Section, ...]) -> list[Stance]:
    """Of each section: its own, or that of the section it lies in. The page's own title says nothing."""
    stances: list[Stance] = []
    for number, section in enumerate(sections):
        own = _own(section) if number or section.level > 1 else ""
        above: Stance = stances[section.parent] if section.parent >= 0 else ""
        if above in STANCES and own not in ("negative", "good"):
            own = above
        stances.append(own or (above if above != "shown" else ""))
    return stances


def _own(section: Section) -> Stance:
    title = section.title
    if title.startswith(BAD):
        return "negative"
    if title.startswith(GOOD) and _GOOD_TITLE.match(title.lstrip("".join((*GOOD, "️ ")))):
        return "good"
    if _PASS_TITLE.match(title):
        return "good"
    if section.concept == "example" or section.concept == "reference":
        return "shown" if _SHOWN_TITLE.search(title) else section.concept
    if section.concept == "negative":
        return "negative"
    if ("rompt" in title or "ROMPT" in title or "提示词" in title) and names_prompt(title):
        return "prompt"
    if section.concept in ("output", "return") or (_FORMS.search(title) and _TEMPLATE_TITLE.search(title)):
        return "template"
    return "state" if section.concept == "state" else ""


def _tags(text: str, pieces: list[Piece]) -> dict[int, Stance]:
    """The stance of the pieces that stand between a tag that has one and its end."""
    found: dict[int, Stance] = {}
    opened: dict[str, int] = {}
    for at, piece in enumerate(pieces):
        tag = _TAG_NAME.match(text, piece.body, piece.stop) if piece.kind == "html" else None
        name = tag[2].casefold().replace("_", "-") if tag else ""
        if tag is None or tag[3] or name not in _TAGS:
            continue
        if not tag[1]:
            opened.setdefault(name, at)
        elif name in opened:
            for inside in range(opened.pop(name), at + 1):
                found.setdefault(inside, _TAGS[name])
    return found
