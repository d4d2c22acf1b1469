"""What an agent returns gets the limit that its siblings have."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

USUAL = {"en": "at most 15 lines", "zh": "不超过 15 行"}
FIRST = 1000
"""Characters of a file that are given back."""
_CJK = re.compile(r"[\u4e00-\u9fff]")
_TAIL = re.compile(r"(?<![\s`'\"*.。:：;；,，)\]}])[\s`'\"*.。:：;；,，)\]}]*\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        if "file" in finding.facts:
            yield from _of_file(page, finding)
            continue
        language = "zh" if _CJK.search(page.text, finding.start, finding.end) else "en"
        size = finding.facts.get("size") or ""
        known = bool(size) and bool(_CJK.search(size)) == (language == "zh")
        limit = size if known else USUAL[language]
        level: FixLevel = "mechanical" if known else "template"
        at = _end_of_line(page, finding)
        words = f"（{limit}，细节写入文件）" if language == "zh" else f" ({limit}; details go into a file)"
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="context_summarization", level=level,
            description=f"Limit what the agent returns: {limit}",
            rationale="Its siblings have this limit." if known else "A short answer is enough to go on; look if it is.",
            edits=(edit(page, at, at, words),), risk="low" if known else "medium",
            estimated_impact="the caller's context grows by a known amount for each agent",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _of_file(page: Page, finding: Finding) -> Iterator[Proposal]:
    """The first characters of what is read."""
    at = _closing(page.text, page.text.find("(", finding.start, finding.end), finding.end)
    if at < 0:
        return
    yield Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="context_summarization", level="template",
        description=f"Give back the first {FIRST} characters of the file",
        rationale="Who wants more can read the file.", edits=(edit(page, at, at, f"?.slice(0, {FIRST})"),),
        risk="medium", estimated_impact="the caller's context grows by a known amount",
        verification_steps=("diagnose the whole skill again", "see that the beginning is what counts"),
    )  # fmt: skip


def _closing(text: str, opened: int, end: int) -> int:
    """Behind the bracket that closes the one there; -1 where none does."""
    depth = 0
    for at in range(opened, end if opened >= 0 else opened):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at + 1
    return -1


def _end_of_line(page: Page, finding: Finding) -> int:
    """Behind the last word of the first line, before what closes it."""
    end = page.text.find("\n", finding.start)
    line = page.text[finding.start : end if end >= 0 else len(page.text)]
    tail = _TAIL.search(line)
    return finding.start + (tail.start() if tail else len(line))


FIXER = Fixer(frozenset({"unbounded-return"}), "mechanical", propose)
