"""A tool is called that allowed-tools does not list, though the host asks before it runs."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from loopwright.skills.catalogue import catalogue_of
from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.detectors.reachable_calls import list_written_calls, tool_calls
from loopwright.skills.reader.model import Skill

ASKED = frozenset({"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch", "WebSearch"})
"""Tools of Claude Code that need a permission, by its page on permissions of 2026; servers' tools do, too."""
PLACES = 5


def detect_undeclared_tools(skill: Skill) -> Iterator[DetectorHit]:
    page = skill.pages.get(skill.main)
    if page is None or not skill.tools or (place := page.key("allowed-tools")) is None:
        return
    listed = [tool.partition("(")[0] for tool in skill.tools]
    used: dict[str, list[str]] = {}
    servers = (one for one in list_written_calls(skill) if one.known.mcp)
    for one in (*tool_calls(skill), *servers):
        asks = one.call.name in ASKED or one.known.mcp
        if asks and not _is_listed(skill, one.call.name, listed):
            used.setdefault(one.call.name, []).append(one.place)
    for tool, places in used.items():
        yield DetectorHit(
            file=page.path,
            start=place[0],
            end=place[1],
            subject=tool,
            message=f"{tool} is called in {places[0]}, and allowed-tools does not list it",
            advice=f"Add {tool} to allowed-tools, if it should run without a permission prompt.",
            also=tuple(dict.fromkeys(places))[:PLACES],
        )


def _is_listed(skill: Skill, name: str, listed: list[str]) -> bool:
    found = catalogue_of(skill).tool(name)
    names = {name, *((found.name, *found.also) if found else ())}
    return any(fnmatchcase(one, pattern) for pattern in listed for one in names)


DETECTOR = Detector(
    rule="undeclared-tool",
    dimension="agent",
    severity="medium",
    confidence="certain",
    strategy="custom",
    title="A tool is called that is not allowed",
    why="The host asks for it in the middle of a run; an unattended run stops there.",
    advice="List every tool that must run without asking in allowed-tools.",
    look=detect_undeclared_tools,
)
