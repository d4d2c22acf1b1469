"""Answers that must be one thing only, with something beside it; parameters that must not be passed, and are."""

import re
from collections.abc import Iterator

from loopwright.tune.reading.rules.clauses import NEGATION, Clause, holds_in, sentence_at, speaks
from loopwright.tune.reading.rules.opposites import EXCEPT, clause_at, whole
from loopwright.tune.reading.words.spots import begun, places
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Call, Page, Skill

_FORM = r"(?P<form>JSON|YAML|XML|CSV|Markdown|code|diff)"
_ONLY = re.compile(
    rf"\b(?:only|nothing but|nothing else than|solely|just|exactly one)\b(?: \w+){{0,3}} {_FORM}\b"
    rf"|\b{_FORM.replace('form', 'what')}"
    rf"[ *-]+only\b|\bno (?:prose|preamble|commentary|explanation)s?\b|只(?:返回|输出|回复"
    rf"|写)\s*{_FORM.replace('form', '形')}",
    re.IGNORECASE,
)
_ONLIES = dict.fromkeys(("only", "nothing but", "no prose", "no preamble", "no commentary", "只返回", "只输出"), _ONLY)
_BESIDE = re.compile(
    r"\b(?:add|put|write|include|begin|start|append|prepend|precede|follow|wrap|introduce)\w*\b[^.\n]{0,60}?"
    r"\b(?:prose|text|sentences?|paragraphs?|summary|explanation|introduction|preamble|commentary|heading"
    r"|greeting|note|markdown)\b"
    r"[^.\n]{0,40}?\b(?P<place>above|before|below|after|around|beneath|ahead of|in front of|alongside|next to"
    r"|beside) (?:the |your |this )?"
    r"(?P<form>JSON|YAML|XML|CSV|code|diff)\b"
    r"|在\s*(?P<形>JSON|YAML|XML|CSV)\s*(?:之?前|上面|之?后|下面|外)[^。\n]{0,20}(?:加|写|附)[^。\n]{0,"
    r"12}(?:说明|文字|总结|解释|一句|几句)",
    re.IGNORECASE,
)
_PASSES = re.compile(
    r"(?:never|do \*{0,3}not\*{0,3}|don't|must not|不要|不得|禁止|勿)\*{0,3}\s{0,8}(?:pass|set|specify|use|include"
    r"|override|add|provide|传|指定|设置?)\w{0,20}\s"
    r"(?P<rest>[^.。;；:：(（\n]{3,160})",
    re.IGNORECASE,
)
_SIGNS = ("never", "do not", "do **not", "don't", "must not", "不要", "不得", "禁止", "勿")
_TICKED = re.compile(r"`([A-Za-z_]\w*)`")
_WORD = re.compile(r"[A-Za-z]+")
FEWEST = 2
"""Words of a parameter's name that stand in a rule which does not quote it."""


def impure(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """JSON only, and: put two sentences above the JSON."""
    rules = [
        (clause, (found["form"] or found["what"] or found["形"] or "").lower())
        for page in skill.pages.values()
        if page.kind not in ("script", "data", "reference")
        for stem, pattern in _ONLIES.items()
        for at in places(page.text, stem)
        if (found := pattern.search(page.text, max(0, at - 20), at + 60)) and (clause := clause_at(page, found.start()))
    ]
    for rule, form in rules:
        for page in holds_in(rule.page, skill):
            for at in places(page.text, form or "json"):
                order = sentence_at(page, at)
                told = _BESIDE.search(order.text) if order is not None and speaks(order.block, page) else None
                if order is None or told is None or order.start == rule.start:
                    continue
                if not NEGATION.search(order.text[: told.end()]) and not EXCEPT.search(order.text):
                    yield order, rule, f"text beside the {(told['form'] or told['形']).upper()}"


def passed(skill: Skill) -> Iterator[tuple[Page, Call, str, Clause]]:
    """A call with a parameter that a rule of its page, or of SKILL.md, forbids."""
    calls = [call for call in skill.calls if call.arguments and call.at.use in ("instruction", "prompt")]
    for page in skill.pages.values() if calls else ():
        if page.kind in ("template", "script", "data", "reference"):
            continue
        for found in begun(page.text, _SIGNS, _PASSES):
            rule = clause_at(page, found.start())
            if rule is None or EXCEPT.search(whole(rule)):
                continue
            quoted, words = {*_TICKED.findall(found["rest"])}, {*stems(found["rest"])}
            pages = {other.path for other in holds_in(page, skill)}
            for call in calls:
                name = next((a.name for a in call.arguments if a.name and _forbidden(a.name, quoted, words)), None)
                if name and call.at.file in pages and not rule.start <= call.at.start < rule.end:
                    yield skill.pages[call.at.file], call, name, rule


def _forbidden(name: str, quoted: set[str], words: set[str]) -> bool:
    parts = stems(" ".join(_WORD.findall(name.replace("_", " "))))
    return name in quoted or (len(parts) >= FEWEST and {*parts} <= words)
