"""A file or a section is named that does not exist."""

from collections.abc import Iterator
from posixpath import dirname, normpath

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.files.moved import instead_of, seen_from
from loopwright.tune.reading.files.titles import Missing, missing_anchors, missing_titles
from loopwright.tune.reading.state.recovery import RESUME
from loopwright.tune.reading.words.likeness import nearest
from loopwright.tune.skill.model import Reference, Skill


def look(skill: Skill) -> Iterator[Hit]:
    run = {one.raw.rsplit("/", 1)[-1] for one in skill.artefacts if "/" in one.raw}
    for one in skill.references:
        if not (one.resolved or one.outside or one.optional) and one.at.use not in (
            "negative",
            "quotation",
            "template",
        ):
            # A bare name may be a file of the run, too.
            if one.raw not in run:
                yield _file(skill, one)
        elif one.resolved and one.raw.startswith("./") and (wrong := _elsewhere(skill, one)):
            yield _base(one, wrong)
    for missing in missing_anchors(skill):
        yield _section(missing)
    for missing in missing_titles(skill):
        if not RESUME.search(missing.name):
            yield _section(missing)


def _file(skill: Skill, one: Reference) -> Hit:
    right = instead_of(skill, one)
    shown = f"; {right} is there" if right else ""
    read = one.loads or one.kind in ("read", "link")
    return Hit(
        file=one.at.file, start=one.at.start, end=one.at.end, subject=one.target, phase=one.at.phase,
        message=f"{one.raw} does not exist in the skill{shown}",
        advice=f"Name {right} instead." if right else f"Add {one.target}, or take the mention away.",
        severity="high" if read and one.at.use != "reference" else "medium",
        facts={"right": seen_from(one, right) if right else "", "wrong": one.raw},
    )  # fmt: skip


def _elsewhere(skill: Skill, one: Reference) -> str | None:
    """Where `./folder/…` leads from a page of that folder, when that is nowhere and the file lies beside the page."""
    folder = dirname(one.at.file)
    seen = normpath(f"{folder}/{one.raw}")
    if not folder or one.resolved is None or one.at.use not in ("instruction", "prompt"):
        return None
    beside = dirname(one.resolved) == folder and one.raw.startswith(f"./{folder.rsplit('/', 1)[-1]}/")
    return seen if beside and seen not in skill.files else None


def _base(one: Reference, wrong: str) -> Hit:
    right = "./" + (one.resolved or "").rsplit("/", 1)[-1]
    return Hit(
        file=one.at.file, start=one.at.start, end=one.at.end, subject=one.raw, phase=one.at.phase, severity="medium",
        message=f"{one.raw} is {wrong} as seen from {one.at.file}, which does not exist; {one.resolved} is meant",
        advice=f"Write {right}: the file lies beside this one.", confidence="likely",
        facts={"right": right, "wrong": one.raw},
    )  # fmt: skip


def _section(missing: Missing) -> Hit:
    right = nearest(missing.name.lstrip("#"), missing.titles)
    here = "on this page" if missing.where == missing.page.path else f"in {missing.where}"
    return Hit(
        file=missing.page.path, start=missing.start, end=missing.end, subject=f"{missing.where} {missing.name}",
        message=f"There is no section “{missing.name}” {here}", severity="medium",
        confidence="certain" if missing.name.startswith("#") else "likely",
        advice=f"Name the section “{right}” instead." if right else "Name a section that exists, or write it.",
        facts={"wrong": missing.name, "title": right or ""},
    )  # fmt: skip


DETECTOR = Detector(
    rule="dead-reference", dimension="dataflow", severity="high", confidence="certain", strategy="custom",
    title="something is named that does not exist",
    why="A model that is sent to a file that is not there searches, guesses what it said, or goes on without it.",
    advice="Name what exists, or add it.", look=look,
)  # fmt: skip
