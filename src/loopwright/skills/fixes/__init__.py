"""Repairs without a model, where the right text is a fact: the only file of a name, the catalogue's own spelling."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from loopwright.skills.accepted import split_suppressed
from loopwright.skills.catalogue import catalogue_of, is_spelling
from loopwright.skills.detectors import DETECTORS
from loopwright.skills.files import is_encodable
from loopwright.skills.findings import Edit, Finding, Proposal
from loopwright.skills.fixes.edits import edits_overlap, make_edit
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page


def propose_mechanical_fixes(skill: Skill, findings: Sequence[Finding]) -> tuple[Proposal, ...]:
    """What can be mended so, in the order of the findings; no two proposals touch the same bytes. Hints are left.

    Files that are not all UTF-8 are left alone.
    """
    kept: list[Proposal] = []
    for finding in findings:
        page, repair = skill.pages.get(finding.file), REPAIRS.get(finding.rule)
        if repair is None or page is None or not finding.counts or not is_encodable(page.text):
            continue
        edits = tuple(one for place in _places(skill, finding) for one in repair(skill, page, place))
        if edits and not any(edits_overlap(one, other) for made in kept for one in made.edits for other in edits):
            kept.append(_proposal(finding, edits))
    return tuple(kept)


def _places(skill: Skill, finding: Finding) -> tuple[Finding, ...]:
    """All of the same thing in its file that nobody accepts."""
    found = [one for detector in DETECTORS if detector.rule == finding.rule for one in detector.findings(skill)]
    kept, _ = split_suppressed(skill, (one for one in found if one.fingerprint == finding.fingerprint))
    return kept or (finding,)


def _proposal(finding: Finding, edits: tuple[Edit, ...]) -> Proposal:
    first = edits[0]
    return Proposal(
        fingerprints=(finding.fingerprint,),
        rule=finding.rule,
        strategy=finding.strategy,
        level="mechanical",
        description=f"Write {first.new} in place of {first.old}",
        rationale=f"{finding.message}.",
        edits=edits,
        estimated_impact="the name matches what exists",
        verification_steps=("diagnose the whole skill again",),
    )


def _path(skill: Skill, page: Page, finding: Finding) -> Iterator[Edit]:
    """Becomes that of the only file of its name, also in the text of its link where that is the path."""
    right, wrong = finding.facts.get("right", ""), finding.facts.get("wrong", "")
    at = page.text.find(wrong, finding.start, finding.end) if right and wrong and right != wrong else -1
    label = f"[{wrong}]("
    if at >= len(label) and page.text.startswith(label, at - len(label)):
        yield make_edit(page, at - len(label), at + len(wrong), f"[{right}]({right}")
    elif at >= 0:
        yield make_edit(page, at, at + len(wrong), right)


def _name(skill: Skill, page: Page, finding: Finding) -> Iterator[Edit]:
    """A tool or a value gets the catalogue's own spelling; a tool that has another name by now gets that."""
    old, new = finding.facts.get("old", ""), finding.facts.get("new", "")
    at = page.text.find(old, finding.start, finding.end) if old and new else -1
    if at < 0 or not (finding.rule == "deprecated-tool" or is_spelling(old, new)):
        return
    yield make_edit(page, at, at + len(old), new)
    tool = catalogue_of(skill).tool(new, skill.hosts) if finding.rule == "deprecated-tool" else None
    call = next((one for one in skill.calls if (one.at.file, one.at.start) == (page.path, finding.start)), None)
    for argument in call.arguments if tool and call else ():
        if tool and argument.name and argument.name in tool.renamed:
            yield _renamed(page, argument.name, argument.at.start, tool.renamed[argument.name])


def _parameter(skill: Skill, page: Page, finding: Finding) -> Iterator[Edit]:
    """Gets the name that the tool knows it by; one that merely looks like it is no fact."""
    old, new = finding.facts.get("old", ""), finding.facts.get("new", "")
    if finding.facts.get("part") == "value":
        yield from _name(skill, page, finding)
    elif old and new and (is_spelling(old, new) or finding.facts.get("part") == "renamed"):
        yield _renamed(page, old, finding.start, new)


def _renamed(page: Page, name: str, value: int, new: str) -> Edit:
    """Of a parameter with its value at that place."""
    at = page.text.rindex(name, 0, value)
    return make_edit(page, at, at + len(name), new)


REPAIRS: Mapping[str, Callable[[Skill, Page, Finding], Iterator[Edit]]] = {
    "dead-reference": _path,
    "wrong-tool": _name,
    "deprecated-tool": _name,
    "wrong-parameter": _parameter,
}
