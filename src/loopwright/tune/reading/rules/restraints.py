"""What forbids or limits: words, sentences, and the parts of a member that are made of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.rules.families import Member, Part, blocks_in
from loopwright.tune.skill.model import Concept, Page

RESTRICTS = re.compile(
    r"\b(?:never|must(?: not|n't)?|do not|don't|not|no|only|at most|at least|no more than|without|always|may not|cannot"
    r"|can't|forbidden|outside|stays?|limit|ceiling|binding)\b"
    r"|不|禁止|只|仅|必须|最多|至多|绝|勿|一律|严禁|不得|上限|以内|逐字|遵守",
    re.IGNORECASE,
)
FOLLOWS = re.compile(
    r"(?:\b(?:follow|obey|comply with|adhere to|abide by|subject to|bound by|respect|hold to)\b"
    r"|遵守|遵循|服从|受.{0,6}约束)"
    r"[^.。\n]{0,80}(?:\b(?:constraints?|rules?|guard-?rails?|polic(?:y|ies)|boundaries|principles|guidelines?"
    r"|limits)\b|约束|规则|规范|守则|纪律|原则|红线)",
    re.IGNORECASE,
)
"""The constraints stand elsewhere, and the text says that they hold here."""
_NEVER: frozenset[Concept] = frozenset(
    {"steps", "output", "return", "input", "errors", "goal", "example", "when", "reference", "auto"}
)
_NEVER_LABEL = re.compile(
    r"\W{0,6}(?:NEVER|MUST NOT|DO NOT|DON'T|Never|Must not|Do not|Don'ts?|禁止|绝不|不得|严禁)(?: do)?\W{0,6}\Z"
)
"""The label of a list of what must not be done."""
_SENTENCE = re.compile(r"[^.;。；\n]+(?:\.(?=\w)[^.;。；\n]+)*")
_NOISE = re.compile(r"[\s*_`\"'“”‘’()（）:：,，、!！🛑✅❌⚠️—–-]+")
SHARE = 0.5
"""Of a part's entries, so many forbid or limit something where it is one of constraints whatever its title says."""


def restrains(page: Page, part: Part) -> bool:
    """The part is one of constraints, by its title or by what it is made of."""
    if part.concept in ("constraints", "limits"):
        return True
    if part.concept in _NEVER or not part.level:
        return False
    blocks = [block for block in blocks_in(page, part.body, part.end) if block.kind in ("item", "paragraph")]
    if any(block.kind == "paragraph" and _NEVER_LABEL.match(block.text) for block in blocks):
        return True
    if len(blocks) < 2 or any(block.kind == "paragraph" for block in blocks):
        return False
    telling = sum(bool(RESTRICTS.search(block.text)) for block in blocks)
    return telling > 1 and telling >= SHARE * len(blocks)


def restraints_of(member: Member) -> Part | None:
    """Its part of constraints: the one that is titled so, else one that is made of them."""
    titled = [part for part in member.parts if part.concept in ("constraints", "limits")]
    named = sorted(titled, key=lambda part: (part.level == 0, part.concept != "constraints"))
    return named[0] if named else next((part for part in member.parts if restrains(member.page, part)), None)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`key` is what it says without marks and case."""

    text: str
    key: str
    start: int
    end: int


def sentences(page: Page, start: int, end: int) -> Iterator[Sentence]:
    """Those of paragraphs and entries in the stretch, in order."""
    for block in blocks_in(page, start, end):
        if block.kind not in ("item", "paragraph"):
            continue
        for found in _SENTENCE.finditer(block.text):
            key = _NOISE.sub(" ", found[0]).strip().casefold()
            if key:
                yield Sentence(found[0].strip(), key, block.body + found.start(), block.body + found.end())
