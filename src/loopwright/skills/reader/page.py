"""One text file of a skill. What it holds is parsed when it is first asked for: most pages are never looked at."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from loopwright.skills.reader.markdown import (
    FrontMatter,
    InlineSpan,
    MarkdownBlock,
    PageKind,
    PageParts,
    Section,
    Use,
    nested_fences,
    parse_front_matter,
    parse_markdown,
    sections_of,
)

MARKDOWN: Final = frozenset({"md", "mdx", "markdown", "mdc", "txt"})
DATA: Final = frozenset(
    {"json", "jsonl", "json5", "jsonc", "yaml", "yml", "toml", "csv", "tsv", "xml", "ini", "lock", "env"}
)
FOLDERS: Final[dict[str, PageKind]] = {
    "phases": "phase",
    "steps": "phase",
    "stages": "phase",
    "actions": "action",
    "specs": "spec",
    "schemas": "spec",
    "templates": "template",
    "assets": "template",
    "references": "reference",
    "reference": "reference",
    "docs": "reference",
    "examples": "reference",
    "resources": "reference",
    "guides": "reference",
}
"""What lies in a folder of this name; the innermost that is known decides."""


def suffix_of(path: str) -> str:
    """In small letters; empty where the name has none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].casefold() if "." in name else ""


def is_markdown(path: str) -> bool:
    return suffix_of(path) in MARKDOWN


def kind_of(path: str) -> PageKind:
    """The kind of the file at `path`, relative to the skill's folder."""
    *folders, name = path.casefold().split("/")
    if name == "skill.md":
        return "skill"
    if suffix_of(name) in DATA:
        return "data"
    if not is_markdown(name):
        return "script"
    return next((FOLDERS[folder] for folder in reversed(folders) if folder in FOLDERS), "other")


PROSE, CODE = 4.0, 3.3
"""Characters a token, of Latin prose and of code. Of Chinese, Japanese and Korean each character is about one token."""
_NOT_A_LEAD_BYTE_OF_CJK = bytes(byte for byte in range(256) if not 0xE3 <= byte <= 0xED)
"""Characters of Chinese, Japanese and Korean (U+3000 to U+DFFF) are counted by their first bytes."""


def estimate_tokens(text: str, *, code: bool = False) -> int:
    """A local estimate of the tokens of one text."""
    dense = b"" if text.isascii() else text.encode("utf-8", "surrogateescape").translate(None, _NOT_A_LEAD_BYTE_OF_CJK)
    wide = len(dense)
    return round(wide + (len(text) - wide) / (CODE if code else PROSE))


_MARKUP: Final = str.maketrans(dict.fromkeys("*_`#>") | {"’": "'"})
_BAD_MARK: Final = re.compile(r"\W*[❌✗✘👎❎✖]")
_NEGATIVE: Final = re.compile(
    r"\banti-?patterns?\b|\bcommon mistakes?\b|\bpitfalls?\b|\bred flags?\b|\brationali[sz]ations?\b|\bwhat not to\b"
    r"|^\W*(?:bad|wrong|incorrect|don't|do not|never|avoid|not like)\b[^.:]{0,24}\W*$"
    r"|反例|反模式|错误(?:示例|做法|写法)|常见错误",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"^\W*(?:an? |more |some |full |worked |\d+[.)] )?(?:examples?|samples?|usage|tutorial|quick ?start|changelog"
    r"|history|faq|notation|good|correct|better)\b|\b(?:examples?|samples?)\W*$|\bfor (?:example|instance)\b|\be\.g\."
    r"|\bwhat (?:has )?changed\b|示例|例子|例如|比如|样例|更新日志",
    re.IGNORECASE,
)
_TEMPLATE: Final = re.compile(
    r"\btemplates?\b|\b(?:output|report|message|file|summary|response|result) (?:format|structure|layout)\b|模板|格式",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(r"\W*(?:before|old|instead of)\b|之前|旧", re.IGNORECASE)
_SPOKEN: Final = re.compile(
    r"""["“「']|(?:user|human|assistant|you (?:might|will) see|用户|助手)\b[^\n]{0,20}[:：]""", re.IGNORECASE
)
_CALLOUT: Final = re.compile(r"\[!|\*\*|__|`|[⚠❗‼💡📌🔴🚨ℹ⛔🔥⭐🛑]")
_LEADS: Final = re.compile(r"(?:\W*(?:bad|wrong|don't|反例)\b[^\n]{0,20}[:：])", re.IGNORECASE)
_EXAMPLE_LEADS: Final = re.compile(
    r"\W*(?:for example|for instance|e\.g\.|examples?\s*[:：]|例如|比如|示例)", re.IGNORECASE
)
LEAD = 160
"""Characters at the end of a block that speak for the next one."""


def uses_of(
    blocks: Sequence[MarkdownBlock], sections: Iterable[Section], kind: PageKind, shown: Iterable[tuple[int, int]] = ()
) -> list[Use]:
    """One for each block. `kind` of the page; `shown`: what its author meant as one fence (see `nested_fences`)."""
    if kind == "template":
        return ["template"] * len(blocks)
    titles = iter(_of_sections(sections))
    said: Use | None = None
    table: Use | None = None
    found: list[Use] = []
    for index, block in enumerate(blocks):
        above = blocks[index - 1] if index else None
        if block.kind == "heading":
            said = next(titles)
        if block.kind != "row":
            table = None
        elif above is None or above.kind != "row":
            table = _of_table(block)
        if any(start <= block.start < end for start, end in shown):
            found.append("template")
            continue
        # A title like "Report format" speaks of code and quotations only.
        titled = said if said != "template" or block.kind in ("code", "quote", "row") else None
        found.append(_own(block) or table or _told(block, above, found) or titled or "instruction")
    return found


def _of_sections(sections: Iterable[Section]) -> list[Use | None]:
    """Of each its own, or that of the section it lies in; the page's own title says nothing."""
    uses: list[Use | None] = []
    for number, section in enumerate(sections):
        own = _of_words(section.title) if number or section.level > 1 else None
        uses.append(own or (uses[section.parent] if section.parent >= 0 else None))
    return uses


def _of_words(words: str) -> Use | None:
    plain = words.translate(_MARKUP)
    if _BAD_MARK.match(words) or _NEGATIVE.search(plain):
        return "negative"
    if _EXAMPLE.search(plain):
        return "example"
    return "template" if _TEMPLATE.search(plain) and "prompt" not in plain.casefold() else None


def _of_table(head: MarkdownBlock) -> Use | None:
    """By its first two columns: how it was before, or how it shall not be."""
    first, second, *_ = [*(cell.strip() for cell in head.text.strip().strip("|").split("|")), "", ""]
    cells = (first, second)
    bad = any(_BAD_MARK.match(cell) or _NEGATIVE.search(cell) or _BEFORE.match(cell) for cell in cells)
    return "negative" if bad else None


def _own(block: MarkdownBlock) -> Use | None:
    """What its first words say."""
    lead = block.text[:80].lstrip("-*+ \t0123456789.>|")
    if block.kind == "html":
        return "example" if lead.startswith("<!--") else None
    if block.kind == "quote":
        return None if _CALLOUT.search(lead) else "quotation"
    if block.kind in ("code", "front", "heading"):
        return None
    if _BAD_MARK.match(lead) or _LEADS.match(lead.replace("’", "'")):
        return "negative"
    if _EXAMPLE_LEADS.match(lead):
        return "example"
    return "quotation" if block.kind != "row" and _SPOKEN.match(lead) else None


def _told(block: MarkdownBlock, above: MarkdownBlock | None, found: Sequence[Use]) -> Use | None:
    """What the sentence above says of code, or the line before a list of its entries."""
    if above is None or block.kind not in ("code", "item"):
        return None
    if block.kind == "item" and above.kind == "item":
        return found[-1] if found[-1] in ("negative", "example") and not _own(above) else None
    words = above.text[-LEAD:].rstrip().rpartition("\n")[2]
    if above.kind in ("paragraph", "item") and words.rstrip("*_").endswith((":", "：")):
        return _of_words(re.split(r"[.!?。]\s+", words)[-1])
    return None


HEAD = 8_192
"""Bytes at the beginning that hold no NUL in a text."""
_CODE = re.compile(r"`[^`\n]*`?")
LONGEST_QUOTATION = 4_000
"""Characters that are looked back for where a quotation begins: a page with 50,000 links took a minute."""
UNDECODABLE = 0.3
"""The share of bytes that are no UTF-8, above which a file is no text."""


@dataclass(frozen=True, eq=False)
class Page:
    path: str
    text: str

    @cached_property
    def kind(self) -> PageKind:
        return kind_of(self.path)

    @cached_property
    def newline(self) -> Literal["\n", "\r\n"]:
        return "\r\n" if self.text.count("\r\n") * 2 > self.text.count("\n") else "\n"

    @cached_property
    def tokens(self) -> int:
        """A local estimate; what stands between fences counts as code."""
        if not is_markdown(self.path):
            return estimate_tokens(self.text, code=True)
        pieces = self.text.split("```")
        return estimate_tokens("".join(pieces[::2])) + estimate_tokens("".join(pieces[1::2]), code=True)

    @cached_property
    def front(self) -> FrontMatter | None:
        return parse_front_matter(self.text) if is_markdown(self.path) else None

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return tuple(sections_of(self._parts.blocks, len(self.text)))

    @cached_property
    def blocks(self) -> tuple[MarkdownBlock, ...]:
        blocks = self._parts.blocks
        used = uses_of(blocks, self.sections, self.kind, nested_fences(self.text) if is_markdown(self.path) else ())
        return tuple([block._replace(use=use) for block, use in zip(blocks, used, strict=True)])

    @property
    def links(self) -> tuple[InlineSpan, ...]:
        """Of its prose."""
        return self._parts.links

    @property
    def codes(self) -> tuple[InlineSpan, ...]:
        """Inline code of its prose."""
        return self._parts.codes

    @cached_property
    def _parts(self) -> PageParts:
        if is_markdown(self.path):
            return parse_markdown(self.text, self.front)
        block = MarkdownBlock("code", 0, len(self.text), self.text, 0, lang=suffix_of(self.path))
        return PageParts([block] if self.text.strip() else [], (), ())

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def line(self, at: int) -> int:
        return bisect_right(self._lines, at)

    def begin(self, line: int) -> int:
        """Where a line begins; behind the last one, the end."""
        return self._lines[line - 1] if line <= len(self._lines) else len(self.text)

    def key(self, name: str) -> tuple[int, int] | None:
        """Where this key of the front matter stands, with the lines of its value."""
        written = re.compile(rf"^{re.escape(name)}[ \t]*:.*(?:\r?\n(?:[ \t]|-[ \t]).*)*", re.MULTILINE)
        found = written.search(self.text, self.front.start, self.front.end) if self.front else None
        return found.span() if found else None

    def block(self, at: int) -> MarkdownBlock | None:
        """The block that holds this place."""
        index = bisect_right(self.blocks, at, key=lambda block: block.start) - 1
        return self.blocks[index] if index >= 0 and at < self.blocks[index].end else None

    def use(self, at: int) -> Use:
        """Of the block that holds this place; what stands between quotation marks there is a quotation."""
        block = self.block(at)
        if block is None:
            return "instruction"
        if block.kind in ("code", "front"):
            return block.use
        begin = _CODE.sub("", self.text[max(block.start, at - LONGEST_QUOTATION) : at])
        quoted = begin.count('"') % 2 or begin.count("“") > begin.count("”")
        return "quotation" if quoted else block.use


def read_page(path: str, data: bytes) -> Page | None:
    """The page at `path`, relative to the skill's folder; None where the bytes are no text."""
    if b"\0" in data[:HEAD]:
        return None
    try:
        return Page(path, data.decode())
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    strange = sum("\udc80" <= char <= "\udcff" for char in text)
    return None if strange > UNDECODABLE * len(data) else Page(path, text)
