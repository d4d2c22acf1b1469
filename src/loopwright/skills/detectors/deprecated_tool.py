"""A tool is called, or allowed, that has another name by now, or no longer exists."""

from collections.abc import Iterator

from loopwright.skills.catalogue import RetiredTool, catalogue_of, is_word
from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.detectors.reachable_calls import list_allowed_tools, tool_calls
from loopwright.skills.reader.model import Skill


def detect_deprecated_tools(skill: Skill) -> Iterator[DetectorHit]:
    """A plain word may be a function of the skill's own: only beside other tools of its host it is the tool."""
    calls = [*tool_calls(skill)]
    sure = {one.known.tool.host for one in calls if one.known.tool and not is_word(one.call.name)}
    for one in calls:
        old, tool = one.known.old, one.known.tool
        if old is None or (is_word(one.call.name) and old.host not in sure):
            continue
        if tool is None or (old.when and not one.named & {*tool.required}):
            place = one.call.at
            yield _hit(skill, old, place.file, place.start, one.call.name, place.phase)
    catalogue = catalogue_of(skill)
    for name, at in list_allowed_tools(skill):
        if not catalogue.tool(name) and (old := catalogue.deprecated(name)):
            yield _hit(skill, old, skill.main, at, name, None)


def _hit(skill: Skill, old: RetiredTool, file: str, start: int, name: str, phase: str | None) -> DetectorHit:
    since = f" since {old.since}" if old.since else ""
    instead = old.instead if old.instead and catalogue_of(skill).tool(old.instead, skill.hosts) else None
    return DetectorHit(
        file=file,
        start=start,
        end=start + len(name),
        subject=name,
        phase=phase,
        message=f"{name} is outdated{since}: {old.why}" + (f"; {instead} replaces it" if instead else ""),
        advice=f"Use {instead} instead." if instead else "Do without it.",
        severity="low" if old.working else None,
        facts={"old": name, "new": instead or "" if old.only_the_name else ""},
    )


DETECTOR = Detector(
    rule="deprecated-tool",
    dimension="agent",
    severity="medium",
    confidence="certain",
    strategy="custom",
    title="An outdated tool",
    why="Newer versions of the host reject the call, or do something else.",
    advice="Use the current tool.",
    look=detect_deprecated_tools,
)
