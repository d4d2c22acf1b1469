"""Agents that nobody asks for an answer: prompts, and sections about workers, without a word of what comes back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, PARTS
from loopwright.tune.reading.prompts.contracts import points
from loopwright.tune.reading.rules.families import Member, Part, section_families
from loopwright.tune.skill.model import Page, Prompt, Skill

_VERBS = (
    r"(?:returns?|responds?|repl(?:y|ies)|answers?|reports?|outputs?|produces?|delivers?|provides?|lists?|gives?"
    r"|writes?|rates?"
    r"|scores?|grades?|summari[sz]es?|states?|names?|say|cites?|ranks?|emits?|prints?|saves?|creates?|drafts?|flags?"
    r"|records?|posts?"
    r"|classif(?:y|ies)|recommends?|propose|suggest|tell|explain|describe|quote|append|update|end with|finish with"
    r"|conclude)"
)
_ASKS = re.compile(
    rf"(?:^|[.;:!?)\]]\s{1, 8}|[,&]\s{0, 8}(?:and\s{1, 8})?|\b(?:and|then|to|must|should|please|you|will|with|also"
    rf"|only|finally"
    rf"|always|never)\s{1, 8})"
    rf"[*_`\"'\-\d.)\s>\[]{{0,8}}{_VERBS}\b"
    r"|\b(?:outputs?|formats?|returns?|response|answers?|score|rating|verdict|deliver\w*|expected|results?|report"
    r"|recommendation"
    r"|position|reasoning|status|decision|conclusion|schema)s?\b[^:\n]{0,24}[:：]"
    r"|\b(?:json|yaml|in the form|as a (?:list|table|report)|respond with|output format|return format"
    r"|structured (?:output|json|report|answer)|in this format"
    r"|what you (?:found|find)|your findings|come back with)\b"
    r"|返回|回复|汇报|答复|回报|输出|产出|写入|写到|写出|格式|结论|报告|列出|给出|总结|摘要|评分|打分|说明|标出|记录"
    r"|生成|交付|带回|发回",
    re.IGNORECASE | re.MULTILINE,
)
_JUDGES = re.compile(
    r"\b(?:check|evaluat\w+|validat\w+|cross-validat\w+|review\w*|analy[sz]\w+|assess\w*|grad(?:e|ing)|search\w*|find"
    r"|verif\w+"
    r"|compar\w+|research\w*|investigat\w+|inspect\w*|audit\w*|critique|critic|identif\w+|explor\w+|retriev\w+"
    r"|question|decision"
    r"|look for|trace|diagnos\w+|judge|second opinion)\b|审查|评估|检查|分析|核对|校对|查找|搜索|研究|比较|评审|调查"
    r"|验证",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:remove|delete|implement\w*|fix|apply|refactor\w*|commit|migrat\w+|rewrite|edit|add|build|run)\b|实现|修复"
    r"|修改|删除|重构",
    re.IGNORECASE,
)
_USERS = re.compile(
    r"\b(?:what's (?:the|your) call|would you like|choose|do you want|say \"|press)\b|请选择|您", re.IGNORECASE
)
_OF_WORKERS = re.compile(
    r"\b(?:workers?|sub-?agents?|agents?|reviewers?|teammates?|lanes?|researchers?)['’]?s?\s+(?:contracts?|briefs?"
    r"|instructions?"
    r"|protocol|preamble|responsibilit\w+|duties)|(?:代理|子代理|执行者|评审员)(?:约定|契约|职责|须知|说明)",
    re.IGNORECASE,
)
LONG = 100
"""Characters of a prompt that is more than a line of an example."""
LONGER = 160
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_NUMBER = re.compile(r"\d+|<[^>\n]{0,60}>|\$?\{[^}\n]{0,60}\}|\[[^\]\n]{0,60}\]")
SHARED = 2
"""Sentences that two prompts of one kind have in common."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """`start` to `end`: what lacks it; `lacks`: the words that its like has at `model`, empty where there is none."""

    page: Page
    start: int
    end: int
    what: str
    lacks: str = ""
    model: str = ""
    prompt: int = -1


def unasked(skill: Skill) -> Iterator[Unasked]:
    yield from _prompts(skill)
    yield from _twins(skill)
    yield from _sections(skill)
    yield from _workers(skill)


def asks_back(text: str) -> bool:
    return _ASKS.search(text) is not None


def _prompts(skill: Skill) -> Iterator[Unasked]:
    """Whose whole use is the answer, and that ask for none."""
    for index, prompt in enumerate(skill.prompts):
        page = skill.pages[prompt.at.file]
        text = prompt.text.strip()
        if prompt.at.use not in MEANT or page.kind not in PARTS or (page.kind == "role" and prompt.call < 0):
            continue
        if len(text) < LONG or "\n" not in text or _USERS.search(text) or not _JUDGES.search(text):
            continue
        if not asks_back(text) and not points(text) and not _CHANGES.search(text):
            yield Unasked(page, prompt.at.start, min(prompt.at.end, prompt.at.start + LONGER), "prompt", prompt=index)


def _twins(skill: Skill) -> Iterator[Unasked]:
    """Two prompts for one kind of agent that say the same, but for a sentence about the outcome."""
    by_agent: dict[tuple[str, str], list[tuple[int, Prompt]]] = {}
    for index, prompt in enumerate(skill.prompts):
        if prompt.call >= 0 and prompt.agent and prompt.at.use in MEANT:
            by_agent.setdefault((prompt.at.file, prompt.agent), []).append((index, prompt))
    for prompts in by_agent.values():
        said = [(index, prompt, _said(prompt.text)) for index, prompt in prompts]
        for index, prompt, mine in said:
            for _, other, its in said:
                more = [words for words in its if words not in mine]
                if other is prompt or any(words not in its for words in mine) or len(mine) < SHARED or len(more) != 1:
                    continue
                at = other.at
                yield Unasked(
                    skill.pages[prompt.at.file], prompt.at.start, prompt.at.end, "prompt", its[more[0]],
                    f"{at.file}:{at.line}", index,
                )  # fmt: skip
                break


def _said(text: str) -> dict[str, str]:
    """By its words without numbers and names each sentence as it is written."""
    return {_NUMBER.sub("#", one.strip().casefold()): one.strip() for one in _SENTENCE.split(text) if one.strip()}


def _sections(skill: Skill) -> Iterator[Unasked]:
    """Steps of which all but one have a part on what they give, under the same name."""
    for family in section_families(skill):
        parts = [(member, _output(member)) for member in family]
        having = [(member, part) for member, part in parts if part is not None]
        lacking = [member for member, part in parts if part is None]
        if len(lacking) != 1 or len(having) < SHARED or len({part.title for _, part in having}) != 1:
            continue
        member, (model, part) = lacking[0], having[0]
        line = model.page.text.count("\n", 0, part.start) + 1
        end = member.page.text.find("\n", member.start)
        yield Unasked(
            member.page, member.start, end if end > 0 else member.end, "step", part.title, f"{model.page.path}:{line}"
        )


def _output(member: Member) -> Part | None:
    return next((part for part in member.parts if part.concept in ("output", "return")), None)


def _workers(skill: Skill) -> Iterator[Unasked]:
    """A section on what workers do, without a word of what they give back."""
    for page in skill.pages.values():
        for section in page.sections if page.kind in PARTS and page.kind != "role" else ():
            if not _OF_WORKERS.search(section.title) or section.end - section.body < LONG:
                continue
            text = page.text[section.body : section.end]
            if not _RETURNED.search(text):
                yield Unasked(page, section.start, section.body, "section")


_RETURNED = re.compile(
    r"\b(?:returns?|returned|responds?|responses?|repl(?:y|ies)|answers?|reports?|output|deliver\w*|hands? (?:back"
    r"|over)"
    r"|format|send_?message|mailbox|verdict|ACK|commit\w*)\b|返回|回复|汇报|答复|回报|输出|产出|写入|交付",
    re.IGNORECASE,
)
