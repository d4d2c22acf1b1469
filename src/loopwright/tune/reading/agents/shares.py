"""How many of one thing there are for another: one agent per task, one agent per phase."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.rules.ban_lists import governed, is_banned
from loopwright.tune.reading.rules.clauses import NEGATION, Clause, sentence_at, speaks
from loopwright.tune.reading.words.spots import begun, spotted
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Page, PageKind, Skill

_UNITS = r"(?:sub-?)?agent|worker|commit|branch|session|file|process|thread|worktree|pull request"
_PER = re.compile(
    rf"\b(?:exactly |only |strictly )?(?:one|a single|1) (?P<unit>{_UNITS})"
    r"(?: instance)?(?: ?= ?(?:exactly )?(?:one|1) | (?:per|for each|for every) (?:single )?)"
    r"(?P<per>[a-z]+(?: (?:json|file|id|list))?)"
    r"|每个?(?P<每>任务|阶段|模块|文件|步骤|角色|问题|issue)(?:只|仅|恰好)?(?:对应|启动|使用|派)?(?:一|1) ?个"
    r"(?P<元>代理|智能体|子代理|worker|提交|分支|会话)",
    re.IGNORECASE,
)
_STEMS = dict.fromkeys((" per ", " for each", " for every", " = "), _PER)
_STRICT = re.compile(
    r"\b(?:ONE|EXACTLY|ONLY|MUST|NEVER|ALWAYS|exactly|strictly|always|never|must)\b|必须|一律|只|恰好|仅"
)
_ANY = frozenset({"time", "run", "day", "line", "call", "turn", "message", "the", "a", "an", "each", "of"})
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec", "other"})
MANY = 60


@dataclass(frozen=True, slots=True)
class _Share:
    clause: Clause
    unit: str
    per: frozenset[str]
    said: str
    strict: bool


def shared_out(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """A sentence, the rule that shares it out otherwise, and what the sentence says."""
    found = [share for page in skill.pages.values() for share in islice(_shares(page), MANY)]
    for rule in (share for share in found if share.strict):
        pages = governed(skill, rule.clause.page)
        for other in found:
            if (
                other.unit == rule.unit
                and not other.per & rule.per
                and not other.strict
                and other.clause.page in pages
                and other.clause.block is not rule.clause.block
            ):
                yield other.clause, rule.clause, other.said


def _shares(page: Page) -> Iterator[_Share]:
    if page.kind not in _SAID:
        return
    for found in (*spotted(page.text, _STEMS), *begun(page.text, ("每",), _PER)):
        clause = sentence_at(page, found.start())
        if clause is None or not speaks(clause.block, page) or is_banned(page, clause.block):
            continue
        per = frozenset(stems(found["per"]) if found["per"] else (found["每"],)) - _ANY
        before = clause.text[: max(0, found.start() - clause.start)]
        if not per or (found["per"] or "").lower() in _ANY or NEGATION.search(before):
            continue
        unit = (found["unit"] or found["元"]).lower().replace("-", "").removeprefix("sub").removeprefix("子")
        yield _Share(clause, unit, per, " ".join(found[0].split()).lower(), _STRICT.search(found[0]) is not None)
