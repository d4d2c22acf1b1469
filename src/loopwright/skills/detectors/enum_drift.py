"""Code sets a field to a value that every declaration of the field leaves out."""

from collections.abc import Iterator

from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.reader.enums import list_holders
from loopwright.skills.reader.model import Enumeration, Setting, Skill


def detect_enum_drift(skill: Skill) -> Iterator[DetectorHit]:
    declared: dict[tuple[str, str], list[Enumeration]] = {}
    for one in skill.enumerations:
        for holder in list_holders(one.holder):
            declared.setdefault((holder, one.field), []).append(one)
    for setting in skill.settings:
        found = declared.get((setting.holder.casefold(), setting.field))
        if found and setting.at.use == "instruction" and all(setting.value not in one.values for one in found):
            yield _hit(setting, found)


def _hit(setting: Setting, declared: list[Enumeration]) -> DetectorHit:
    name, first = f"{setting.holder}.{setting.field}", declared[0]
    listed = dict.fromkeys(value for one in declared for value in one.values)
    place = f"{first.at.file}:{first.at.line}"
    return DetectorHit(
        file=setting.at.file,
        start=setting.at.start,
        end=setting.at.end,
        subject=f"{name}={setting.value}",
        phase=setting.at.phase,
        also=(place,),
        message=f"{name} is set to “{setting.value}”; {first.holder} ({place}) allows {', '.join(listed)}",
        advice=f"Use a value that is allowed, or allow “{setting.value}” there.",
    )


DETECTOR = Detector(
    rule="enum-drift",
    dimension="dataflow",
    severity="high",
    confidence="certain",
    strategy="schema_enforcement",
    title="A value that is not listed",
    why="Code that branches on the listed values has no branch for this one: the run hangs or takes the wrong path.",
    advice="Use a value that is listed.",
    look=detect_enum_drift,
)
