"""Of two rules that contradict, the one that less rests on is put right or taken away."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.clauses import sentence_at
from loopwright.tune.reading.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_GAP = re.compile(r"[；;，,]\s*\Z|(?<=[.。！？!?])[ \t]*\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        level: FixLevel
        if finding.facts.get("kind") == "number":
            change, level = edit(page, finding.start, finding.end, finding.facts["new"]), "mechanical"
            if int(finding.facts.get("count", "1")) < 2:
                level = "template"
        else:
            change, level = _without(page, finding), "template"
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="custom", level=level,
            description=f"Say the same as {finding.also[0] if finding.also else 'the other place'}",
            rationale="More places say the other." if level == "mechanical" else "Look which of the two is meant.",
            edits=(change,), risk="low" if level == "mechanical" else "medium",
            estimated_impact="one rule where there were two", verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _without(page: Page, finding: Finding) -> Edit:
    """The page without the clause, with what joins it; an entry of a list goes as a whole."""
    block = page.blocks[block_at(page, finding.start)]
    sentence = sentence_at(page, finding.start)
    text = block.text.strip().rstrip(".。")
    if sentence is not None and sentence.text.strip().rstrip(".。") == text and block.kind in ("item", "row"):
        start, end = line_of(page, block.start)[0], page.text.find("\n", block.end)
        return edit(page, start, len(page.text) if end < 0 else end + 1, "")
    start, end = _stripped(sentence.text, sentence.start) if sentence else (finding.start, finding.end)
    if block.kind == "row":
        return edit(page, start, end, "")
    gap = _GAP.search(page.text, block.body, start)
    if gap and gap.group():
        stop = page.text[end : end + 1]
        begins_sentence = page.text[gap.start() - 1 : gap.start()] in ".。!?！？" and not gap.group().strip()
        return edit(page, gap.start(), end + (1 if begins_sentence and stop in ".。" else 0), "")
    follow = re.compile(r"[.。；;，,]?[ \t]*").match(page.text, end)
    return edit(page, start, follow.end() if follow else end, "")


def _stripped(text: str, start: int) -> tuple[int, int]:
    """Where the words of a sentence begin and end."""
    begin = start + len(text) - len(text.lstrip())
    return begin, start + len(text.rstrip())


FIXER = Fixer(frozenset({"contradicting-constraints"}), "mechanical", propose)
