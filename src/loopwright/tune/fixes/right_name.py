"""A tool, parameter or value gets the name that the host knows it by."""

from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Call, Page, Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        old = finding.facts.get("old") or finding.facts.get("name") or ""
        new = finding.facts.get("new") or finding.facts.get("instead") or ""
        if not old or not new:
            continue
        at = _place(skill, page, finding, old)
        if at < 0:
            continue
        edits = [edit(page, at, at + len(old), new)]
        if finding.rule == "deprecated-tool":
            edits += _parameters(skill, page, finding, new)
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="custom",
            level="mechanical",
            description=f"Write {new} in place of {old}", rationale=f"{old} is not known here, and {new} "
            f"is.", edits=tuple(edits),
            estimated_impact="the call does what is meant", verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _place(skill: Skill, page: Page, finding: Finding, old: str) -> int:
    if finding.rule != "wrong-parameter" or "call" not in finding.facts:
        return page.text.find(old, finding.start, finding.end)
    call = _call(skill, finding)
    if call is None:
        return -1
    return page.text.rfind(old, call.at.start + len(call.name), finding.start)


def _call(skill: Skill, finding: Finding) -> Call | None:
    index = int(finding.facts["call"])
    return skill.calls[index] if index < len(skill.calls) and skill.calls[index].at.file == finding.file else None


def _parameters(skill: Skill, page: Page, finding: Finding, new: str) -> Iterator[Edit]:
    """The parameters that were renamed with the tool."""
    tool = catalogue_of(skill).tool(new, skill.hosts)
    call = next((one for one in skill.calls if one.at.file == finding.file and one.at.start == finding.start), None)
    for one in call.arguments if call and tool else ():
        name = tool.renamed.get(one.name or "") if tool else None
        if name is None or one.name is None or call is None:
            continue
        at = page.text.rfind(one.name, call.at.start, one.at.start)
        if at > call.at.start:
            yield edit(page, at, at + len(one.name), name)


FIXER = Fixer(frozenset({"wrong-tool", "deprecated-tool", "wrong-parameter"}), "mechanical", propose)
