"""A name that is written wrongly becomes the one that the rest of the skill has."""

from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Skill


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        right, wrong = finding.facts.get("right", ""), finding.facts.get("wrong", "")
        edits = tuple(_edits(skill, finding, wrong, right)) if right and wrong and right != wrong else ()
        if edits:
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="mechanical",
                description=f"{wrong} becomes {right}",
                rationale=finding.facts.get("since", f"{right} is what the skill has; nothing is called {wrong}."),
                edits=edits, estimated_impact="one thing has one name again",
                verification_steps=("diagnose the whole skill again",),
            )  # fmt: skip


def _edits(skill: Skill, finding: Finding, wrong: str, right: str) -> Iterator[Edit]:
    """Where it was found, the text of its link, and the other places that are told; whole lines."""
    places = [(finding.file, finding.start, finding.end), *_others(finding)]
    found: dict[tuple[str, int], list[int]] = {}
    for file, start, end in dict.fromkeys(places):
        page = skill.pages[file]
        at = page.text.find(wrong, start, end)
        if at >= 0:
            label = at - len(wrong) - 2
            linked = page.text.startswith(f"[{wrong}](", label - 1)
            line = page.text.rfind("\n", 0, at) + 1
            found.setdefault((file, line), []).extend([label, at] if linked else [at])
    for (file, line), ats in found.items():
        page = skill.pages[file]
        yield edit(page, *_replaced(page.text, line, sorted(set(ats)), wrong, right))


def _replaced(text: str, line: int, ats: list[int], wrong: str, right: str) -> tuple[int, int, str]:
    end = text.find("\n", ats[-1])
    end = len(text) if end < 0 else end - (text[end - 1] == "\r")
    pieces, done = [], line
    for at in ats:
        pieces += [text[done:at], right]
        done = at + len(wrong)
    return line, end, "".join([*pieces, text[done:end]])


def _others(finding: Finding) -> Iterator[tuple[str, int, int]]:
    for place in filter(None, finding.facts.get("places", "").split("\n")):
        file, start, end = place.rsplit(":", 2)
        yield file, int(start), int(end)


RULES = ("dead-reference", "field-drift", "enum-drift", "artefact-drift", "example-breaks-schema", "tables-disagree")
FIXER = Fixer(frozenset(RULES), "mechanical", propose)
"""Only findings that say what is right, in `facts`; the rest is left to people."""
