"""Two ways of doing one thing that exclude each other: in parallel and one by one, kept and deleted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.rules.ban_lists import is_banned
from loopwright.tune.reading.rules.clauses import Clause, holds_in
from loopwright.tune.reading.rules.opposites import EXCEPT, clause_at, whole
from loopwright.tune.reading.words.spots import places
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import PageKind, Skill

_Sides = tuple[tuple[str, re.Pattern[str]], tuple[str, re.Pattern[str]]]
_WAYS: tuple[tuple[tuple[str, ...], _Sides], ...] = tuple(
    (stems, ((one, re.compile(left, re.IGNORECASE)), (other, re.compile(right, re.IGNORECASE))))
    for stems, one, left, other, right in (
        (
            (
                "parallel", "simultan", "concurren", "at the same", "at once", "in one go", "sequen", "one at",
                "one by", "one after", "serial", "并行", "同时", "串行", "逐", "依次",
            ),
            "in parallel",
            r"\b(?:in parallel|simultaneous\w*|concurrent(?:ly)?|parallel (?:batch|call|task|agent)\w*|at the same time"
            r"|all at once|in one go)\b|并行|同时",
            "one by one",
            r"\b(?:sequential(?:ly)?|one (?:at a time|by one|after (?:the other|another))|serially|in "
            r"sequence)\b|串行|逐一|逐个"
            r"|依次",
        ),
        (
            ("background", "detached", "foreground", "synchron", "blocking", "后台", "前台", "同步"),
            "in the background",
            r"\bin the background\b|\brun_in_background: ?true|\bbackgrounded\b|\bdetached\b|后台",
            "waited for",
            r"\b(?:in the foreground|synchronous(?:ly)?|blocking (?:call|task)\w*)\b|前台|同步(?:等待|执行)",
        ),
        (
            ("keep", "retain", "preserv", "leave", "delete", "remove", "discard", "clear", "wipe", "保留", "删", "清"),
            "by keeping it",
            r"\b(?:keep|retain|preserve|leave)\b|保留",
            "by deleting it",
            r"\b(?:delete|remove|discard|clear|wipe)\b|删除|清除|清理",
        ),
        (
            ("open", "alive", "reuse", "close", "terminat", "长期", "保留", "关闭", "复用"),
            "by keeping it open",
            r"\bkeep\w* (?:\w+ ){0,3}(?:open|alive|running)\b|\bstays? (?:open|alive)\b|长期保留|保持(?:打开|存活)",
            "by closing it each time",
            r"\bclos(?:e|es|ed) (?:\w+ ){0,3}(?:after each|after every|immediately|at once|right away)\b"
            r"|用完(?:即|就)(?:关|弃)|立即关闭",
        ),
    )
)  # fmt: skip
"""With the stems that one of its words has, the first way and the other one."""
_STRONG = re.compile(
    r"\b(?:MUST|NEVER|ALWAYS|IMPORTANT|CRITICAL|MANDATORY|REQUIRED|always|never|must)\b|必须|一律|绝不|禁止|严禁"
)
_NOT = re.compile(r"\b(?:not|never|no|nor|without|avoid)\b|n't|不|无|别|禁", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:^|[:：*(（])[\s*]{0,4}(?:which|what|whether|how|who|is|are|does|can)\b|哪些|是否|如何", re.IGNORECASE
)
"""What is only asked for, as in a list of what to find out."""
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec", "other"})
MANY, SHARED = 60, 2
"""Places of a page that are looked at; words that two sentences share which speak of one thing."""


@dataclass(frozen=True, slots=True)
class _Way:
    clause: Clause
    side: int
    words: frozenset[str]
    strong: bool


def excluding(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """A sentence, the rule that wants it otherwise, and the two ways."""
    for named, sides in _WAYS:
        ways = list(islice(_ways(skill, named, sides), MANY))
        for rule in (way for way in ways if way.strong):
            pages = holds_in(rule.clause.page, skill)
            for way in ways:
                if way.side != rule.side and way.clause.page in pages and _one_thing(way, rule):
                    yield way.clause, rule.clause, f"{sides[way.side][0]}, and {sides[rule.side][0]}"


def _ways(skill: Skill, named: tuple[str, ...], sides: _Sides) -> Iterator[_Way]:
    for page in skill.pages.values():
        if page.kind not in _SAID:
            continue
        seen: set[tuple[int, int]] = set()
        for at in (at for stem in named for at in places(page.text, stem)[:MANY]):
            for side, (_, pattern) in enumerate(sides):
                found = pattern.search(page.text, max(0, at - 16), at + 24)
                if found is None or not found.start() <= at < found.end() or (found.start(), side) in seen:
                    continue
                seen.add((found.start(), side))
                clause = clause_at(page, found.start())
                if clause is not None and clause.block.kind != "row":
                    yield from _of(clause, side, found)


def _of(clause: Clause, side: int, found: re.Match[str]) -> Iterator[_Way]:
    strong = _STRONG.search(clause.text) is not None
    if EXCEPT.search(clause.text if strong else whole(clause)):
        return
    before = clause.text[: found.start() - clause.start]
    if _ASKS.search(before):
        return
    turned = 1 - side if _NOT.search(before) or is_banned(clause.page, clause.block) else side
    words = frozenset(stems(clause.text)) - {*stems(found[0])}
    if len(words) >= SHARED:
        yield _Way(clause, turned, words, strong)


def _one_thing(way: _Way, rule: _Way) -> bool:
    shared = len(way.words & rule.words)
    return (
        way.clause.block is not rule.clause.block
        and shared >= SHARED
        and 2 * shared >= min(len(way.words), len(rule.words))
        and not (way.clause.text.rstrip(" *").endswith((":", "：", "?")))
    )
