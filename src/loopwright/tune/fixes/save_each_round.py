"""A state file that was written behind a loop is written at the end of each of its rounds."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.skill.model import Page, Repeat, Skill

_TEXT = re.compile(r"(?<=[`}])[^`${}]*(?=[`$])|'[^'\n]*'|\"[^\"\n]*\"|\b\d[\d.]*")
_NAME = re.compile(r"(?<![.\w])(?!(?:Write|JSON|null|write\w*)\b)[A-Za-z_]\w*")
_STEP = re.compile(r"\n([ \t]+)\S")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, at = skill.pages[finding.file], finding.facts.get("repeat")
        if (calls := finding.facts.get("calls")) is not None:
            yield from _as_others(skill, page, finding, calls.split())
            continue
        repeat = next((r for r in skill.repeats if r.at.file == finding.file and str(r.at.start) == at), None)
        if repeat is None:
            continue
        start, end = _statement(page, finding)
        close = _close(page, repeat)
        statement = page.text[start:end].strip()
        if close < 0 or not _is_one(statement):
            continue
        step = _STEP.search(page.text, repeat.at.start, close)
        indent = step[1] if step else "  "
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="checkpoint_restore", level="mechanical",
            description=f"Write {finding.subject} at the end of each round of the loop",
            rationale="What a round has done is then kept when the next one breaks off.",
            edits=(edit(page, close, close, f"{indent}{statement}\n"), edit(page, start, end, "")),
            estimated_impact="an interrupted run goes on from its last round",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _as_others(skill: Skill, page: Page, finding: Finding, calls: list[str]) -> Iterator[Proposal]:
    """Another page writes it with names that this page has, too."""
    for call in skill.calls:
        if f"{call.at.file}:{call.at.start}" not in calls:
            continue
        other = skill.pages[call.at.file].text
        said = other[call.at.start : call.at.end]
        known = page.text + skill.pages[skill.main].text
        if "\n" in said or not all(name in known for name in _NAME.findall(_TEXT.sub(" ", said))):
            continue
        start, end = line_of(page, finding.start)
        indent = page.text[start : finding.start]
        if indent.strip():
            continue
        semicolon = ";" if page.text[start:end].rstrip().endswith(";") else ""
        newline = page.newline
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="checkpoint_restore", level="mechanical",
            description=f"Write the state at the end of this step, as {call.at.file} does",
            rationale="What this step has done is then kept when a later one breaks off.",
            edits=(edit(page, end, end, f"{newline}{indent}{said}{semicolon}"),),
            estimated_impact="an interrupted run goes on from its last step",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip
        return


def _statement(page: Page, finding: Finding) -> tuple[int, int]:
    """Its lines, with the newline."""
    start = page.text.rfind("\n", 0, finding.start) + 1
    end = page.text.find("\n", finding.end)
    return start, end + 1 if end >= 0 else len(page.text)


def _is_one(statement: str) -> bool:
    """A whole call on lines of its own."""
    code = statement.partition("//")[0].rstrip()
    return code.count("(") == code.count(")") > 0 and code.count("{") == code.count("}") and code[-1:] in ");"


def _close(page: Page, repeat: Repeat) -> int:
    """The beginning of the line with the brace that closes the loop; -1 where there is none of its own."""
    brace = page.text.rfind("}", repeat.at.start, repeat.at.end + 1)
    line = page.text.rfind("\n", 0, brace) + 1
    return line if brace >= 0 and not page.text[line:brace].strip() else -1


FIXER = Fixer(frozenset({"late-checkpoint"}), "mechanical", propose)
