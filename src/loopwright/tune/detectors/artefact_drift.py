"""A file is written under one name and read under another."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.files.file_twins import FileTwin, as_here, file_twins
from loopwright.tune.reading.files.numbered import numbered_twins
from loopwright.tune.reading.files.renamed import Renamed, renamed
from loopwright.tune.reading.files.rival_paths import RivalPath, rival_paths
from loopwright.tune.reading.files.runfiles import run_files
from loopwright.tune.skill.model import Artefact, Skill


def look(skill: Skill) -> Iterator[Hit]:
    drifted: set[str] = set()
    for one in renamed(skill, run_files(skill)):
        drifted.update(place.raw.rsplit("/", 1)[-1] for place in one.wrong.all)
        yield _hit(one)
    told = set()
    for rival in rival_paths(skill):
        told.add((rival.place.page.path, rival.place.page.text.count("\n", 0, rival.place.start)))
        yield _rival(rival)
    for twin in (*file_twins(skill), *numbered_twins(skill)):
        if twin.wrong not in drifted and (twin.page.path, twin.page.text.count("\n", 0, twin.start)) not in told:
            yield _twin(twin)


def _twin(one: FileTwin) -> Hit:
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=one.wrong, severity="medium",
        message=f"{one.wrong} is named here alone; the other places name {one.right} in that folder ({one.where})",
        advice=f"Call the file {one.right} here, or rename it in all places.", also=(one.where,),
        facts={"wrong": one.wrong, "right": one.right},
    )  # fmt: skip


def _rival(one: RivalPath) -> Hit:
    line = one.other.page.text.count("\n", 0, one.other.start) + 1
    there = f"{one.other.page.path}:{line}"
    wrong, right = _apart(one.wrong, one.right)
    return Hit(
        file=one.place.page.path, start=one.place.start, end=one.place.end, subject=one.wrong, severity="medium",
        message=f"{one.wrong} is named here alone; {there} says {one.right}",
        advice=f"Name one place for it in all of the skill: {one.right}, or the one that is named here.",
        also=(there,), facts={"wrong": wrong, "right": right},
    )  # fmt: skip


def _apart(wrong: str, right: str) -> tuple[str, str]:
    """The folders up to where both paths go on alike, so that each keeps what it calls the rest."""
    mine, theirs = wrong.rstrip("/").split("/"), right.rstrip("/").split("/")
    i, j = (next((n for n, part in enumerate(parts) if set(part) & set("<{$*")), None) for parts in (mine, theirs))
    if i is None or j is None:
        return wrong, right
    return "/".join(mine[:i]) + "/", "/".join(theirs[:j]) + "/"


def _hit(one: Renamed) -> Hit:
    places = one.wrong.made or one.wrong.needed or one.wrong.all
    first = places[0]
    wrong, right = _names(first, one)
    written = bool(one.wrong.made)
    others = [place for place in one.wrong.all if place is not first]
    said = "is written here" if written else "is read here, and nothing writes it"
    there = f"{right} is what the rest of the skill {'reads' if written else 'writes'}"
    return Hit(
        file=first.at.file, start=first.at.start, end=first.at.end, subject=one.wrong.name, phase=first.at.phase,
        message=f"{first.raw} {said}; {there} ({', '.join(sorted(one.right.pages)[:3])})",
        advice=f"Call the file {right} here, or rename it in all places.",
        also=tuple(f"{place.at.file}:{place.at.line}" for place in one.right.all[:8]),
        facts={
            "wrong": wrong, "right": right,
            "places": "\n".join(f"{place.at.file}:{place.at.start}:{place.at.end}" for place in others),
        },
    )  # fmt: skip


def _names(first: Artefact, one: Renamed) -> tuple[str, str]:
    """The part of the path that differs, as both are written."""
    wrong, right = first.raw.split("/"), one.right.all[0].raw.split("/")
    if len(wrong) >= 2 and len(right) >= 2 and wrong[-1] == right[-1]:
        return "/".join(wrong[-2:]), "/".join(right[-2:])
    return _fixed(wrong[-1], right[-1])


def _fixed(wrong: str, right: str) -> tuple[str, str]:
    """Without the placeholder that both begin with, which each page spells in its own way."""
    if "}." in right or ">." in right:
        return wrong, as_here(wrong, right)
    ends = [name.rsplit("}", 1)[-1].rsplit(">", 1)[-1] for name in (wrong, right)]
    return (ends[0], ends[1]) if all(len(end) > 2 for end in ends) and ends != [wrong, right] else (wrong, right)


DETECTOR = Detector(
    rule="artefact-drift", dimension="dataflow", severity="high", confidence="likely", strategy="schema_enforcement",
    title="a file has two names",
    why="The step that needs the file looks for a name that nobody wrote; it stops, or makes the content up.",
    advice="Give the file one name in all places.", look=look,
)  # fmt: skip
