"""A file that nobody reads is no longer written: the sentence that asks for it goes, and nothing else."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.taking_out import renumbered
from loopwright.tune.skill.model import Page, Skill

_STOP = re.compile(r"[。；;]|\.(?=\s|\Z)")
_MARK = re.compile(r"^[\s>*+\-]*(?:\d+[.)、])?\s*")
_STATEMENT = re.compile(r"[ \t]*+(?:await[ \t]++)?[Ww]rite\w*+\([^\n]*\)[ \t]*+;?[ \t]*+(?://[^\n]{0,300})?\r?\Z")
_NAMED = re.compile(r"(?<![\w\-}])[\w\-}]++\.(?:md|jsonl?|csv|tsv|ya?ml|db)\b")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        span = _span(page, finding)
        if span is not None:
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="template",
                description=f"{finding.facts['name']} is no longer written",
                rationale="No step reads it, and no person is named.",
                edits=(edit(page, *span),), risk="medium", estimated_impact="the step costs less",
                verification_steps=("diagnose the whole skill again", "ask whether somebody opens it after the run"),
            )  # fmt: skip


def _span(page: Page, finding: Finding) -> tuple[int, int, str] | None:
    """The sentence, or the whole line where it says no more; None where it names other files, or is code."""
    text = page.text
    first = text.rfind("\n", 0, finding.start) + 1
    last = text.find("\n", finding.end)
    last = last if last >= 0 else len(text)
    starts = [first, *(found.end() for found in _STOP.finditer(text, first, finding.start))]
    begin = starts[-1]
    full = _STOP.search(text, finding.end, last)
    end = full.end() if full else last
    sentence = text[begin:end]
    if _STATEMENT.match(text, first, last) and text.count("(", first, last) == text.count(")", first, last):
        return first, min(len(text), last + 1), ""
    if len(set(_NAMED.findall(sentence))) != 1 or "(" in text[begin : finding.start] or "|" in text[first:last]:
        return None
    rest = _MARK.sub("", text[first:begin]) + text[end:last].strip()
    if rest:
        return begin, end, ""
    stop = min(len(text), last + 1)
    return first, *renumbered(text, first, stop)


FIXER = Fixer(frozenset({"written-never-read"}), "template", propose)
