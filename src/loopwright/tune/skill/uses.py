"""What each block is to the model that reads the page: an instruction, or something that only looks like one.

A title like "Anti-patterns" or "Examples" speaks for all below it, the last words above a block for that block, and
a block's own first words for itself. Where nothing tells, it is an instruction.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from loopwright.tune.skill.blocks import Block, PageKind, Section, Use

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
    blocks: Sequence[Block], sections: Iterable[Section], kind: PageKind, shown: Iterable[tuple[int, int]] = ()
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
        found.append(_own(block) or table or _told(block, above, found) or _below(block, said) or "instruction")
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


def _of_table(head: Block) -> Use | None:
    """By its first two columns: how it was before, or how it shall not be."""
    first, second, *_ = [*(cell.strip() for cell in head.text.strip().strip("|").split("|")), "", ""]
    cells = (first, second)
    bad = any(_BAD_MARK.match(cell) or _NEGATIVE.search(cell) or _BEFORE.match(cell) for cell in cells)
    return "negative" if bad else None


def _own(block: Block) -> Use | None:
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


def _told(block: Block, above: Block | None, found: Sequence[Use]) -> Use | None:
    """What the sentence above says of code, or the line before a list of its entries."""
    if above is None or block.kind not in ("code", "item"):
        return None
    if block.kind == "item" and above.kind == "item":
        return found[-1] if found[-1] in ("negative", "example") and not _own(above) else None
    words = above.text[-LEAD:].rstrip().rpartition("\n")[2]
    if above.kind in ("paragraph", "item") and words.rstrip("*_").endswith((":", "：")):
        return _of_words(re.split(r"[.!?。]\s+", words)[-1])
    return None


def _below(block: Block, said: Use | None) -> Use | None:
    """A title like "Report format" speaks of code and quotations only."""
    return said if said != "template" or block.kind in ("code", "quote", "row") else None
