"""What sentences give the agents they start: "launch a critic with the full task statement and the plan"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.rules.clauses import Clause, sentence_at
from loopwright.tune.reading.words.spots import places
from loopwright.tune.skill.model import Page, Skill

_AGENT = re.compile(
    r"\b(?:sub-?agents?|agents?|reviewers?|critics?|architects?|workers?|lanes?|teammates?|voices?|executors?"
    r"|planners?)\b"
    r"|子代理|代理|智能体",
    re.IGNORECASE,
)
_GIVES = re.compile(
    r"\b(?:with|pass(?:es|ing)?|giv(?:e|es|ing)|given|receives?|gets?|hand(?:s|ing)?)\b(?: (?:it|them|along|in))?"
    r"|给它|传入|附上|带上",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:task (?:statement|description)|full task|original (?:task|request|goal|prompt)|user(?:'s|’s)? "
    r"(?:request|task|goal"
    r"|intent|words|idea|prompt|question)|requests?|goals?|objectives?|brief|intent|requirements?|question|task)\b"
    r"|原话|需求|目标|任务",
    re.IGNORECASE,
)
_STEMS = ("launch", "spawn", "dispatch", "delegate", "start ", "invoke", "run ", "启动", "派")
_STARTS = re.compile(
    r"\b(?:launch|spawn|dispatch|delegate|start|invoke|run)(?:s|es|ed|ing)?\b|启动|派(?:出|发)?", re.IGNORECASE
)
_PART = re.compile(r"[,;，；、]|\band\b")
_SEVERAL = re.compile(r",|\band\b|、|和|以及|，")
_NOT = re.compile(r"\b(?:without|never|not|no|only)\b|不|无", re.IGNORECASE)
AHEAD, LEAST = 200, 15
"""Characters behind the verb in which the agent is named; of what is given."""


@dataclass(frozen=True, slots=True)
class Payload:
    """`start` to `end`: the words that say what the agent gets."""

    page: Page
    agent: str
    start: int
    end: int
    goal: str | None
    given_at: int = 0
    """Where what is given begins."""


def starved(skill: Skill) -> Iterator[tuple[Payload, Payload]]:
    """The one start of an agent without the task, and one beside it that has it."""
    for page in skill.pages.values():
        if page.kind in ("script", "data", "reference", "template"):
            continue
        found = list(_payloads(page))
        fed = [one for one in found if one.goal]
        hungry = [one for one in found if not one.goal]
        if fed and len(hungry) == 1 and _beside(page, hungry[0], fed[0]):
            yield hungry[0], fed[0]


def _payloads(page: Page) -> Iterator[Payload]:
    seen: set[int] = set()
    for at in sorted(at for stem in _STEMS for at in places(page.text, stem)):
        sentence = sentence_at(page, at)
        if sentence is None or sentence.start in seen or sentence.block.use not in ("instruction", "prompt"):
            continue
        seen.add(sentence.start)
        if sentence.block.kind in ("item", "paragraph"):
            yield from _of(page, sentence)


def _of(page: Page, sentence: Clause) -> Iterator[Payload]:
    start = _STARTS.search(sentence.text)
    agent = _AGENT.search(sentence.text, start.end(), start.end() + AHEAD) if start else None
    gives = _GIVES.search(sentence.text, agent.end(), agent.end() + AHEAD // 2) if agent else None
    if agent is None or gives is None:
        return
    given = sentence.text[gives.end() :]
    if len(given) < LEAST or not _SEVERAL.search(given) or _NOT.search(given[:30]):
        return
    goal = next((part.strip(" *`") for part in _PART.split(given) if _GOAL.search(part)), None)
    begin = sentence.start + gives.start()
    yield Payload(page, agent[0], begin, sentence.end, goal, sentence.start + gives.end())


def _beside(page: Page, one: Payload, other: Payload) -> bool:
    """Steps of one list: a page may well start a helper elsewhere that needs nothing."""
    sections = {_section(page, payload.start) for payload in (one, other)}
    return len(sections) == 1


def _section(page: Page, at: int) -> int:
    return next((i for i in range(len(page.sections) - 1, -1, -1) if page.sections[i].start <= at), -1)
