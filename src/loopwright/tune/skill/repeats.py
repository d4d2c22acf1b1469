"""Words that say something is done again and again, and what limits it."""

import re
from dataclasses import dataclass

from loopwright.tune.skill.limits import limit_in
from loopwright.tune.skill.loops import Loop
from loopwright.tune.skill.model import Page, Use
from loopwright.tune.skill.places import Places, Stretch

_MARKS = (
    "repeat", "loop", "retr", "poll", "until", "iterat", "keep ", "re-run", "rerun", "go back to", "return to",
    "循环", "重复", "直到", "重试", "轮询", "反复", "直至", "for each", "for every",
)  # fmt: skip
_SAYS = re.compile(
    r"""\b(?:repeat|loop|iterate|keep\s+\w+ing|continue|re-?run|re-?try|retries|re-?check|re-?review|re-?validate|re-?execute|re-?spawn|refine|revise)\b
        [^.\n|。]{0,160}?\b(?:until|while\s+(?!you)|as\s+long\s+as)\b
    |(?:^|[.;:(]\s*|\*\*\s?|[-–—>→]\s*|\b(?:and|then|or|must|should|to|,|will|can|may|automatically|loop:)\s+)(?:repeat|retry|re-try|poll|loop\s+(?:back|over|through|again)|iterate|retries|polls|repeats)\b(?!\s*(?:logic|polic|count|limit|mechanism|config|budget|queue|interval|strateg|behavio|setting|ing|-|_|/|\())
    |\b(?:go|loop|jump|return)\s+back\s+to\s+(?:step|phase|stage|\#?\d|the\s+(?:start|beginning|top|loop))
    |\b(?:return|goto|go)\s+to\s+(?:step|phase|stage)\s*\d
    |\bfor\s+(?:each|every)\s+[\w`*{]
    |\bin\s+a\s+loop\b|\bloop\s+until\b|\buntil\s+(?:all|every|no|none|the|it|they|tests?|both)\b[^.\n|]{0,60}?\b(?:pass(?:es)?|approved?|succeeds?|clean|green|converge[sd]?|fixed|resolved|accepted|satisfied)\b
    |(?:循环(?!依赖|引用|体|导入|链|图|复杂)(?:执行|处理|进行|调用|检查|直|，|：|:)?)|重复(?:执行|步骤|以上|上述|进行|直|第|阶段|该|此|这)|直[到至][^，。；\n|]{1,40}?(?:为止|通过|满足|成功|完成|达标|收敛|全部|没有|合格|无|确认|满意|批准)
    |(?<!不)(?<!不要)(?<!勿)(?<!无需)(?<!不再)重试(?!次数|机制|策略|逻辑|上限|间隔|配置)|轮询(?!间隔|次数|上限)|反复(?:执行|修改|检查|迭代|审|直)""",
    re.VERBOSE | re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:\b(?:do\s+not|don't|don’t|never|no|not|without|cannot|can't|instead\s+of|avoid|stop)\s+(?:\w+\s+){0,2}|不要|不再|禁止|切勿|无需|不得|避免)$",
    re.IGNORECASE,
)
_EACH = re.compile(r"for\s+(?:each|every)\s+([^,:.\n(]{1,60})", re.IGNORECASE)
_LIMITS_ROW = re.compile(
    r"\bmax|limit|retr|round|attempt|iteration|times|cap\b|timeout|重试|轮|次|上限|最多|超时|迭代", re.IGNORECASE
)
_STEMS = re.compile(r"[a-z]{4,}|[\u4e00-\u9fff]{2}", re.IGNORECASE)
_NO_STEM = frozenset(
    [
        "until",
        "with",
        "each",
        "repeat",
        "step",
        "steps",
        "this",
        "that",
        "then",
        "when",
        "again",
        "from",
        "back",
        "the",
        "into",
        "they",
        "have",
        "continue",
        "keep",
        "phase",
        "pass",
    ]
)
_ROUNDS = ("retr", "round", "attempt", "iterat", "loop", "cycle", "poll", "repeat", "重试", "轮", "循环", "迭代")
_SENTENCE = 400


@dataclass(frozen=True, slots=True)
class Said:
    """Words of repetition: the sentence, and the use of the block it stands in."""

    loop: Loop
    use: Use
    block: int


def may_repeat(text: str) -> bool:
    """Whether any word of repetition is in the text at all."""
    low = text.lower()
    return any(mark in low for mark in _MARKS)


def said_repeats(page: Page, places: Places, parts: list[Stretch]) -> list[Said]:
    """What the prose of a page says to repeat: one for each sentence that says so."""
    found: list[Said] = []
    for part in parts:
        low = page.text[part.start : part.end].lower()
        if not any(mark in low for mark in _MARKS):
            continue
        after = part.start
        for match in _SAYS.finditer(page.text, part.start, part.end):
            if match.start() < after or _NOT.search(page.text, max(part.start, match.start() - 40), match.start()):
                continue
            start, end = _sentence(page.text, match.start(), match.end(), part)
            after = end
            found.append(_said(page, places, part, start, end))
    return found


def _sentence(text: str, start: int, end: int, part: Stretch) -> tuple[int, int]:
    begin = start
    while begin > part.start and begin > start - _SENTENCE and not _breaks(text, begin - 1):
        begin -= 1
    while end < part.end and end < start + _SENTENCE and not _breaks(text, end):
        end += 1
    while begin < start and text[begin].isspace():
        begin += 1
    return begin, min(end + 1, part.end)


def _breaks(text: str, at: int) -> bool:
    char = text[at]
    if char in "。；;！？\n":
        return char != "\n" or text[at + 1 : at + 2] in ("\n", "", "-", "*", "|", "#") or text[at - 1] in "\n|"
    return char in ".!?" and text[at + 1 : at + 2].isspace()


def _said(page: Page, places: Places, part: Stretch, start: int, end: int) -> Said:
    text = page.text
    head = text[start:end].strip()
    each = _EACH.search(text, start, end)
    bound = limit_in(text, part.start, part.end)
    if bound is None and not each:
        bound = _near(page, part, head)
    return Said(
        Loop("prose", part.start, part.end, head, bound, each[1].strip() if each else None), part.use, part.block
    )


def _near(page: Page, part: Stretch, head: str) -> str | None:
    """A limit said beside it: in the same section, or in a row of a table that speaks of the same."""
    block = page.blocks[part.block]
    stems = {stem.lower()[:6] for stem in _STEMS.findall(head)} - _NO_STEM
    for index in range(part.block + 1, min(part.block + 6, len(page.blocks))):
        other = page.blocks[index]
        if other.section != block.section or other.kind == "heading":
            break
        if other.kind != "code" and (bound := limit_in(page.text, other.body, other.end)):
            return bound
    for other in page.blocks:
        if other.kind == "row" and _LIMITS_ROW.search(other.text) and any(char.isdigit() for char in other.text):
            low = other.text.lower()
            if any(stem in low for stem in stems) or any(word in low and word in head.lower() for word in _ROUNDS):
                return other.text.strip()
    return None
