"""A tool is called that has another name by now, or is no more."""

from collections.abc import Iterator

from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import Act, acts, is_bracketed, names_given, where
from loopwright.tune.skill.model import Skill


def look(skill: Skill) -> Iterator[Hit]:
    made = acts(skill)
    found = [act for act in made if act.known.old is not None and (act.known.tool is None or _is_old_form(act))]
    called = {act.call.name for act in made}
    catalogue = catalogue_of(skill)
    for act in found:
        old = act.known.old
        if old is None or not is_bracketed(skill, act.call):
            continue
        mixed = old.instead is not None and old.instead in called and old.only_the_name
        since = f" since {old.since}" if old.since else ""
        instead = f"; {old.instead} does it today" if old.instead and catalogue.tool(old.instead, skill.hosts) else ""
        beside = [where(one.call) for one in made if one.call.name == old.instead][:3] if mixed else []
        yield Hit(
            file=act.call.at.file, start=act.call.at.start, end=act.call.at.start + len(act.call.name),
            subject=act.call.name, phase=act.call.at.phase, also=tuple(beside),
            message=f"{act.call.name} is out of date{since}: {old.why}{instead}",
            advice=f"Use {old.instead} in its place." if old.instead else "Do without it.",
            severity="low" if old.working and not mixed else None,
            confidence="certain" if mixed else "hint" if old.when else "likely",
            facts={"name": act.call.name, "instead": old.instead or "" if old.only_the_name else ""},
        )  # fmt: skip


def _is_old_form(act: Act) -> bool:
    """The name is a tool of today, but the call has parameters that it had before."""
    old, tool = act.known.old, act.known.tool
    return old is not None and tool is not None and bool(old.when) and not names_given(act.call) & {*tool.required}


DETECTOR = Detector(
    rule="deprecated-tool", dimension="agent", severity="medium", confidence="likely", strategy="custom",
    title="A tool that is out of date",
    why="Newer versions of the host refuse the call, or do something else than is meant.",
    advice="Use the tool that does it today.", look=look,
)  # fmt: skip
