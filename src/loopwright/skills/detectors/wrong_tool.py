"""A tool is called, or allowed, that no host has, and that differs from one by its spelling."""

import re
from collections.abc import Iterator

from loopwright.skills.catalogue import catalogue_of
from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.detectors.reachable_calls import list_allowed_tools, list_written_calls
from loopwright.skills.reader.model import Skill

_NAME = re.compile(r"[A-Za-z][A-Za-z_]*\Z")
COMMON = frozenset({"name", "prompt", "description", "path", "command", "message", "query", "id", "type"})
"""Parameters that functions of anybody's have, too."""


def detect_wrong_tools(skill: Skill) -> Iterator[DetectorHit]:
    yield from _allowed(skill)
    catalogue = catalogue_of(skill)
    for one in list_written_calls(skill):
        name = one.call.name
        known = one.known.tool or one.known.old or one.known.function or one.known.mcp or catalogue.hosts_of(name)
        if known or not _NAME.match(name) or (meant := catalogue.nearest(name, skill.hosts)) is None:
            continue
        tool = catalogue.tool(meant, skill.hosts) if name[0].isupper() == meant[0].isupper() else None
        if tool is None or not one.named & {*tool.parameters} - COMMON:
            continue
        yield DetectorHit(
            file=one.call.at.file,
            start=one.call.at.start,
            end=one.call.at.start + len(name),
            subject=name,
            message=f"No host has a tool {name}; the one with these parameters is {meant}",
            advice=f"Call {meant}.",
            phase=one.call.at.phase,
            facts={"old": name, "new": meant},
        )


def _allowed(skill: Skill) -> Iterator[DetectorHit]:
    catalogue = catalogue_of(skill)
    for name, at in list_allowed_tools(skill):
        meant = catalogue.nearest(name) if _NAME.match(name) and not catalogue.hosts_of(name) else None
        if meant is not None:
            yield DetectorHit(
                file=skill.main,
                start=at,
                end=at + len(name),
                subject=name,
                message=f"allowed-tools lists {name}, which no host has; {meant} is its name",
                advice=f"Write {meant}.",
                facts={"old": name, "new": meant},
            )


DETECTOR = Detector(
    rule="wrong-tool",
    dimension="agent",
    severity="high",
    confidence="certain",
    strategy="custom",
    title="A tool that does not exist",
    why="A model calls the tool it is told to; the host answers that there is no such tool, and the step is skipped or"
    " improvised.",
    advice="Use the tool's right name.",
    look=detect_wrong_tools,
)
