"""A copied passage becomes the name of the file that has it."""

from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    """Each by itself; copies of one passage in several files together, all with the name of the same file."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_said(skill, finding), []).append(finding)
    for group in groups.values():
        if len(group) > 1:
            yield _proposal(skill, tuple(group), _home(skill, group))
    for finding in findings:
        yield _proposal(skill, (finding,), finding.facts["other"])


def _said(skill: Skill, finding: Finding) -> str:
    lines = skill.pages[finding.file].text[finding.start : finding.end].splitlines()
    return " ".join(next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "").split())


def _home(skill: Skill, group: list[Finding]) -> str:
    """The file that is none of the copies; SKILL.md among several."""
    copies = {finding.file for finding in group}
    homes = sorted({finding.facts["other"] for finding in group} - copies, key=lambda path: (path != skill.main, path))
    return homes[0] if homes else group[0].facts["other"]


def _proposal(skill: Skill, group: tuple[Finding, ...], other: str) -> Proposal:
    level: FixLevel = "mechanical" if all(one.facts.get("told") or len(group) > 1 for one in group) else "template"
    return Proposal(
        fingerprints=tuple(one.fingerprint for one in group), rule=group[0].rule, strategy="context_summarization",
        level=level, description=f"Name {other} in place of the {'copies' if len(group) > 1 else 'copy'}",
        rationale=f"{other} says the same, word for word.",
        edits=tuple(_edit(skill.pages[one.file], one, other) for one in group if one.file != other),
        risk="low" if level == "mechanical" else "medium",
        estimated_impact="the passage is read once, and changed in one place",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _edit(page: Page, finding: Finding, other: str) -> Edit:
    """The passage without headings at its ends: the one before it stays where something of it is kept."""
    start, end = finding.start, finding.end
    for block in page.blocks:
        if block.kind == "heading" and start < block.start < end and not page.text[block.end : end].strip():
            end = start + len(page.text[start : block.start].rstrip())
    first = page.text[start:end].lstrip()
    if first.startswith("#"):
        start += len(page.text[start:end]) - len(first) + first.find("\n") + 1
        start += len(page.text[start:end]) - len(page.text[start:end].lstrip())
    mark = "- " if page.text[start:end].lstrip().startswith(("- ", "* ", "+ ")) else ""
    words = f"{mark}以 `{other}` 中的规定为准。" if page.language == "zh" else f"{mark}See `{other}`."
    return edit(page, start, end, words)


FIXER = Fixer(frozenset({"duplicated-block"}), "mechanical", propose)
