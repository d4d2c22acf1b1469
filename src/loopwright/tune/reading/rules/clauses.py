"""Sentences that forbid, order or allow something, and what they speak of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page, Skill

VERBS: dict[str, str] = {
    verb: kind
    for kind, verbs in {
        "change": "write writes edit edits modify modifies change changes alter touch rewrite overwrite fix "
        "correct patch update revise"
        " 改 修改 改写 写 写入 改动 覆盖 编辑 更新 改掉 改进 修正",
        "delete": "delete deletes remove removes drop erase 删 删除 移除 删掉",
        "read": "read reads load loads open opens 读 读取 加载 打开",
        "ask": "ask asks 问 询问 提问",
        "run": "run runs execute executes 运行 执行",
        "start": "spawn spawns launch start dispatch 启动 派",
        "commit": "commit commits push pushes 提交 推送",
        "create": "create creates 新建 创建",
        "skip": "skip skips 跳过",
    }.items()
    for verb in verbs.split()
}
NEGATION = re.compile(
    r"\b(?:never|not|no|n't|n’t|without|avoid|refuse|forbidden|prohibited|instead of|rather than|nor|neither"
    r"|cannot)\b|n't\b|n’t\b|不|禁|勿|别|无需|未|没",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"\b(?:if|unless|until|before|except|when|whenever|only|while|without|after|once|otherwise|than"
    r"|as long as|other|outside|beyond|else|in case|during|for)\b"
    r"|除非|除了|之前|之后|如果|若|当|时[,，：:]|才|只有|以外|之外|否则|前提|另有|其他|其余|以后|仅",
    re.IGNORECASE,
)
BEFORE = re.compile(r"\b(?:before|until)\b|之前|以前|才能|前[,，]", re.IGNORECASE)
AT_ONCE = re.compile(
    r"\b(?:directly|right away|straight away|immediately|at once|without asking|first)\b|直接|先|立刻"
    r"|马上|顺手",
    re.IGNORECASE,
)
MAY = re.compile(
    r"\b(?:may|can|is allowed|are allowed|feel free|go ahead|directly|straight|right away|yourself)\b"
    r"|可以|允许|直接|顺手|自行",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?](?=[\s*_\"”)\]]|$)|[;。；！？\n]|\|")
_COMMA = re.compile(r"[,，:：]")


NEAR, LONGEST = 150, 1_000
"""Characters before a word in which its sentence mostly begins; those on each side that one may have."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence of a block, or the part of one between commas."""

    page: Page
    block: Block
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def sentence_at(page: Page, position: int) -> Clause | None:
    """The sentence that holds the position, in its block."""
    index = block_at(page, position)
    if index < 0:
        return None
    block = page.blocks[index]
    least, stop = max(block.body, position - LONGEST), min(block.body + len(block.text), position + LONGEST)
    # Most sentences are short: the nearer characters are looked at first.
    near = max(least, position - NEAR)
    begin, after = _around(page.text, near, stop, position)
    if begin < 0:
        begin = least if near == least else max(least, _around(page.text, least, stop, position)[0])
    stop = after
    return Clause(page, block, page.text[begin:stop], begin) if begin <= position < stop else None


def _around(text: str, begin: int, end: int, position: int) -> tuple[int, int]:
    """Where the sentence of the position begins and ends, from `begin` to `end`; -1 where none ends before it."""
    first = -1
    for found in _STOP.finditer(text, begin, end):
        if found.end() <= position:
            first = found.end()
        elif found.start() >= position:
            return first, found.start()
    return first, end


def clause_of(sentence: Clause, position: int) -> Clause:
    """The part of the sentence between the commas around the position."""
    begin, stop = sentence.start, sentence.end
    for found in _COMMA.finditer(sentence.text):
        if sentence.start + found.end() <= position:
            begin = sentence.start + found.end()
        elif sentence.start + found.start() >= position:
            stop = sentence.start + found.start()
            break
    return Clause(sentence.page, sentence.block, sentence.page.text[begin:stop], begin)


def speaks(block: Block, page: Page) -> bool:
    """Its words are meant: an instruction, or prose of a page that is read for reference."""
    if block.kind not in ("item", "paragraph", "row"):
        return False
    return block.use in ("instruction", "prompt") or (block.use == "reference" and page.kind == "reference")


def holds_in(page: Page, skill: Skill) -> tuple[Page, ...]:
    """Where a rule of this page holds: of SKILL.md and of specs everywhere, else only in the page."""
    if page.path != skill.main and page.kind != "spec":
        return (page,)
    return tuple(other for other in skill.pages.values() if other.kind not in ("template", "script", "data"))


def places_of(page: Page, word: str) -> Iterator[int]:
    at = page.text.find(word)
    while at >= 0:
        yield at
        at = page.text.find(word, at + len(word))


_NOT_ORDERED = re.compile(
    r"\b(?:enough|able|ready|easy|easier|hard|harder|likely|possible|impossible|tempting|tempted|how|useful) to \Z"
    r"|\b(?:suggest|recommend|propose|offer|refuse|decline)(?:s|ed|ing)? (?:not )?to \Z"
    r"|\b(?:ask|tell|invite|remind|advise|allow|let|want|expect|wait for|for)(?:s|ed|ing)? (?:the |a |an |your )?"
    r"(?:users?|humans?|people|person|owners?|customers?|clients?|maintainers?|authors?|designers?|readers?|team"
    r"|scripts?|program|server|tests?)(?: to)? \Z"
    r"|\b(?:users?|humans?|people|person|owners?|customers?|clients?|maintainers?|authors?|designers?|readers?|team"
    r"|they) (?:may|can|should|must|will|could|might)(?: also| then| still)? \Z"
    r"|(?:用户|人工)(?:自己|自行|可以|可|来|再|去){0,2}\Z|(?:建议|足以|可能)\Z",
    re.IGNORECASE,
)


def not_ordered(text: str, at: int) -> bool:
    """What is done there is somebody else's, or only possible: ask the user to …, the user may …, raw enough to …."""
    return _NOT_ORDERED.search(text, max(0, at - 60), at) is not None
