"""A file that nobody reads is no longer written: the sentence that asks for it goes, and nothing else."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

_STOP = re.compile(r"[。；;]|\.(?=\s|\Z)")
_NAMED = re.compile(r"[\w\-}]+\.(?:md|jsonl?|csv|tsv|ya?ml|db)\b")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        span = _span(page, finding)
        if span is not None:
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="template",
                description=f"{finding.facts['name']} is no longer written",
                rationale="No step reads it, and no person is named.",
                edits=(edit(page, *span, ""),), risk="medium", estimated_impact="the step costs less",
                verification_steps=("diagnose the whole skill again", "ask whether somebody opens it after the run"),
            )  # fmt: skip


def _span(page: Page, finding: Finding) -> tuple[int, int] | None:
    """The sentence, or the whole line where it says no more; None where it names other files, or is code."""
    text = page.text
    first = text.rfind("\n", 0, finding.start) + 1
    last = text.find("\n", finding.end)
    last = last if last >= 0 else len(text)
    starts = [first, *(found.end() for found in _STOP.finditer(text, first, finding.start))]
    begin = starts[-1]
    stop = _STOP.search(text, finding.end, last)
    end = stop.end() if stop else last
    sentence = text[begin:end]
    if len(set(_NAMED.findall(sentence))) != 1 or "(" in text[begin : finding.start] or "|" in text[first:last]:
        return None
    rest = text[first:begin].strip(" -*\t") + text[end:last].strip()
    if not rest:
        return first, min(len(text), last + 1)
    return begin, end


FIXER = Fixer(frozenset({"written-never-read"}), "template", propose)
