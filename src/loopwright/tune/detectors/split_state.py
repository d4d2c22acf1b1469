"""A second file holds fields of the state."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.files.runfiles import run_files
from loopwright.tune.reading.state.centre import Second, seconds
from loopwright.tune.reading.state.second_state import Added, added_states
from loopwright.tune.skill.model import Skill


def look(skill: Skill) -> Iterator[Hit]:
    found = [*seconds(skill, run_files(skill))] if skill.schemas and skill.artefacts else []
    yield from map(_hit, found)
    known = {one.file.base for one in found}
    yield from (_added(one) for one in added_states(skill) if one.base not in known)


def _added(one: Added) -> Hit:
    first = one.first or "what the skill keeps already"
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=one.base, severity="medium",
        message=f"{one.base} is to hold the state of the run, too, beside {first}",
        advice=f"Keep each value in {one.first or 'one place'} alone, and let a step that needs it read it from there.",
        facts={"name": one.base, "first": one.first},
    )  # fmt: skip


def _hit(one: Second) -> Hit:
    at, names = one.place.at, ", ".join(one.fields)
    others = [other for other in one.file.all if other is not one.place]
    return Hit(
        file=at.file, start=at.start, end=at.end, subject=one.file.name, phase=at.phase,
        message=f"{one.place.raw} holds {names}, which {one.schema.at.file} keeps in {one.first}",
        advice=f"Keep {names} in {one.first} alone, and read them from there.",
        also=tuple(f"{other.at.file}:{other.at.line}" for other in others),
        facts={"name": one.file.base, "first": one.first, "fields": names},
    )  # fmt: skip


DETECTOR = Detector(
    rule="split-state", dimension="dataflow", severity="high", confidence="likely", strategy="state_centralization",
    title="the state is kept in two files",
    why="Two copies part as soon as a step writes only one of them; then steps decide by different truths.",
    advice="Keep each value in one file.", look=look,
)  # fmt: skip
