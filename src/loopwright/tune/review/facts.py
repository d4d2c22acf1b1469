"""What is known of a skill before anybody reviews it, in words for who does. Pure."""

from collections.abc import Iterable, Iterator

from loopwright.domain.findings import Finding
from loopwright.tune.detectors import DETECTORS
from loopwright.tune.skill.model import Skill

MOST_FILES = 80


def facts(skill: Skill, findings: Iterable[Finding]) -> str:
    """Which file leads to which, how long each is, what is read when, and what was found exactly."""
    return "\n".join([*_files(skill), "", *_course(skill), "", *_found(findings)])


def _files(skill: Skill) -> Iterator[str]:
    yield "Files that SKILL.md leads to, with their tokens and what they lead to:"
    for path in skill.reached[:MOST_FILES]:
        named = [one for one in skill.references if one.at.file == path and one.resolved in skill.pages]
        leads = dict.fromkeys(str(one.resolved) for one in named)
        yield f"- {path} ({skill.pages[path].tokens:,}){' → ' + ', '.join(leads) if leads else ''}"
    if len(skill.reached) > MOST_FILES:
        yield f"- and {len(skill.reached) - MOST_FILES} more"
    others = [path for path in skill.pages if path not in skill.reached]
    if others:
        shown = ", ".join(others[:MOST_FILES]) + (" …" if len(others) > MOST_FILES else "")
        yield f"Nothing leads to {shown}: by itself that is no finding."


def _course(skill: Skill) -> Iterator[str]:
    if skill.mode == "autonomous":
        yield "An orchestrator chooses its next action."
    if skill.phases:
        yield f"Its phases: {', '.join(phase.name for phase in skill.phases)}."
    if skill.hosts:
        yield f"It is written for {', '.join(sorted(skill.hosts))}."
    if skill.tools is not None:
        yield f"allowed-tools: {', '.join(sorted(skill.tools)) or 'none'}."


def _found(findings: Iterable[Finding]) -> Iterator[str]:
    told = [f"- {one.file}:{one.line} {one.rule}: {one.message}" for one in findings if one.review is None]
    checks = "; ".join(one.title.lower() for one in DETECTORS)
    yield f"Checked exactly, so not to be reported: {checks}."
    yield "Found of these in the dimension that you review:" if told else "Of these, nothing was found here."
    yield from told
