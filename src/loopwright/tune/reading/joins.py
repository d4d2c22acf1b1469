"""How the agents that a page starts are joined again: by a call that waits, or by words that say so."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.tune.reading.agency import Act, acts
from loopwright.tune.skill.model import Page, Prompt, Skill

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_WAITS = re.compile(
    r"\bwait(?:s|ed|ing)?\b|\bblocks? until\b|\buntil (?:it|they|all|each|every|both)\b|\b(?:once|when|after) (?:it"
    r"|they|all|each|every|both|the)\b[^.\n]{0,40}"
    r"\b(?:finish\w*|complet\w*|return\w*|done|report\w*|end\w*|come|came|back|answer\w*)\b|\bcallbacks?\b|\bnotif\w+"
    r"|\bmailbox\b|\bjoin(?:s|ed)?\b|\bpoll\w*"
    r"|\bcollect(?:s|ed|ing)? (?:them|all|each|every|both|(?:the|their) (?:results?|answers?|outputs?))\b"
    r"|\bfire[- ]and[- ]forget\b|\bin the background\b|(?-i:\bSTOP\b)|\bend (?:the|your|this) turn\b"
    r"|等待|等到|等(?:它|他|全部|所有)|(?:完成|返回|结束|回来|回报)(?:后|之后|时|再)|回调|通知|轮询|后台",
    re.IGNORECASE,
)

_COLLECTORS = frozenset({"TaskOutput", "AgentOutputTool", "AgentOutput"})

_OF_AGENTS = re.compile(
    r"agent|worker|task|spawn|dispatch|parallel|background|reader|writer|review|they|them\b|\bwait\(|代理|子任务|任务|后台"
    r"|并行|派",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Spawn:
    """A call that starts agents whose host does not wait for them by itself. `joined`: something waits for them.

    `to`: the end of what may be said of it: the next such call, or the end of the page.
    """

    act: Act
    page: Page
    joined: bool
    to: int
    ended: Act | None = None
    """The call that ends them before anything has waited."""


def spawns(skill: Skill) -> tuple[Spawn, ...]:
    """Those that are written as a call in instructions and have to be waited for, page by page."""
    all_acts = acts(skill)
    found = []
    by_page: dict[str, list[Act]] = {}
    collects = _collects(skill, all_acts)
    for act in all_acts:
        if act.call.prompt < 0 and act.call.arguments and _has_to_be_joined(act, collects=collects):
            by_page.setdefault(act.call.at.file, []).append(act)
    for file, started in by_page.items():
        page = skill.pages[file]
        waits = [act for act in all_acts if act.does == "wait" and act.call.at.file == file]
        stops = [act for act in all_acts if act.does == "stop" and act.call.at.file == file]
        for number, act in enumerate(started):
            to = started[number + 1].call.at.start if number + 1 < len(started) else len(page.text)
            names = _names(skill, act)
            ended = next(
                (one for one in stops if act.call.at.end <= one.call.at.start < to and names & _said(one)), None
            )
            joined = _is_joined(skill, page, act, ended.call.at.start if ended else to, names, waits)
            found.append(Spawn(act, page, joined, to, None if joined else ended))
    return tuple(found)


def _has_to_be_joined(act: Act, *, collects: bool) -> bool:
    """Its host goes on at once: always, or because it is told to, in a skill that collects what ran so."""
    tool = act.known.tool
    if tool is None or act.does != "spawn":
        return False
    apart = act.call.argument(tool.background) if tool.background else None
    return bool(tool.joined_by) or (collects and apart is not None and apart.value.lower() == "true")


def _collects(skill: Skill, made: Sequence[Act]) -> bool:
    """The skill fetches what ran in the background by itself, and does not only wait to be told of its end."""
    return bool(skill.tools and _COLLECTORS & skill.tools) or any(act.known.name in _COLLECTORS for act in made)


def _names(skill: Skill, act: Act) -> frozenset[str]:
    """The variables that hold the agents: the one that takes the result, and what that is put into."""
    names = set(_WORD.findall(act.call.target or ""))
    for one in skill.assignments:
        if one.at.file == act.call.at.file and (
            names & {*_WORD.findall(one.value)} or one.at.start <= act.call.at.start < one.at.end
        ):
            names.update(_WORD.findall(one.name))
    return frozenset(names - {"const", "let", "var"})


def _is_joined(skill: Skill, page: Page, act: Act, to: int, names: frozenset[str], waits: Sequence[Act]) -> bool:
    for wait in waits:
        at = wait.call.at.start
        if at > act.call.at.start and (at < to or names & _said(wait)):
            return True
    return says_wait(skill, page, act.call.at.end, to)


def _said(act: Act) -> set[str]:
    return {word for one in act.call.arguments for word in _WORD.findall(one.value)}


def says_wait(skill: Skill, page: Page, start: int, end: int) -> bool:
    """Words of instructions in the stretch say that one waits, or need not."""
    return _WAITS.search(outside_of_prompts(skill, page, start, end)) is not None


def says_wait_for_agents(skill: Skill, page: Page) -> bool:
    """A line of the page says so of agents: what else is waited for, such as a lock, does not count."""
    text = outside_of_prompts(skill, page, page.front.end if page.front else 0, len(page.text))
    return any(_WAITS.search(line) and _OF_AGENTS.search(line) for line in text.splitlines())


def outside_of_prompts(skill: Skill, page: Page, start: int, end: int) -> str:
    """The text of the stretch without what agents are told in it."""
    inner: list[Prompt] = [
        one for one in skill.prompts if one.at.file == page.path and one.call >= 0 and start <= one.at.start < end
    ]
    pieces, at = [], start
    for one in sorted(inner, key=lambda prompt: prompt.at.start):
        if one.at.start >= at:
            pieces.append(page.text[at : one.at.start])
            at = one.at.end
    return " ".join([*pieces, page.text[at:end]])
