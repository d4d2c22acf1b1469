"""Of two rules that contradict, the one that less rests on is put right or taken away."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.fixes.taking_out import without
from loopwright.tune.reading.rules.clauses import sentence_at
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_SHARE = re.compile(r"0\.\d+")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)([ \t]?%)")
_GAP = re.compile(r"[；;，,]\s*\Z|(?<=[.。！？!?])[ \t]*\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        if finding.facts.get("kind") == "number":
            new = _as_written(finding.facts.get("old", ""), finding.facts["new"])
            yield _proposal(finding, edit(page, finding.start, finding.end, new), _level(skill, finding))
            continue
        for change in dict.fromkeys(_changes(page, finding)):
            if change.old.count("`") % 2 == 0:  # else it would cut code in two
                yield _proposal(finding, change, "template")


def _proposal(finding: Finding, change: Edit, level: FixLevel) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="custom", level=level,
        description=f"Say the same as {finding.also[0] if finding.also else 'the other place'}",
        rationale="More rests on the other." if level == "mechanical" else "Look which of the two is meant.",
        edits=(change,), risk="low" if level == "mechanical" else "medium",
        estimated_impact="one rule where there were two", verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _level(skill: Skill, finding: Finding) -> FixLevel:
    """Certain where several places say the other, or a page that holds for all of them does."""
    other = skill.pages.get(finding.facts.get("other_file", ""))
    holds = other is not None and (other.path == skill.main or other.kind == "spec")
    page = skill.pages[finding.file]
    general = page.path == skill.main or page.kind == "spec"
    return "mechanical" if int(finding.facts.get("count", "1")) > 1 or (holds and not general) else "template"


def _as_written(old: str, new: str) -> str:
    """A share as the place writes its shares: 0.80 for 80 %."""
    percent = _PERCENT.fullmatch(new)
    if percent and _SHARE.fullmatch(old):
        return f"{float(percent[1]) / 100:.{max(len(old) - 2, 1)}f}"
    share = _SHARE.fullmatch(new)
    if share and (mark := _PERCENT.fullmatch(old)):
        return f"{float(new) * 100:g}{mark[2]}"
    return new


def _changes(page: Page, finding: Finding) -> Iterator[Edit]:
    """A paragraph that says nothing else goes as a whole; else the clause, or the sentence over its lines."""
    block = page.blocks[block_at(page, finding.start)]
    said = page.text[finding.start : finding.end].strip(" \t\r\n.。:：!！*")
    whole = without(page, finding.start)
    if whole is not None and block.kind == "paragraph" and said == block.text.strip(" \t\r\n.。:：!！*"):
        yield edit(page, *whole)
    yield _without(page, finding)
    if whole is not None:
        yield edit(page, *whole)


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
