"""A skill that decides by its state says nowhere what the state looks like."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.files.runfiles import run_files
from loopwright.tune.reading.state.centre import state_file
from loopwright.tune.skill.model import Skill

FEWEST = 4
"""Fields of the state that are used, so that it has to be said which there are."""
PAGES = 2
COVERED = 0.4
"""The share of those that a schema has, whatever it is called."""
SHOWN = 6


def look(skill: Skill) -> Iterator[Hit]:
    if skill.mode != "autonomous":
        return
    file = state_file(run_files(skill))
    uses = [use for use in skill.fields if use.root.lower().endswith("state") and use.mode != "example"]
    names = list(dict.fromkeys(use.path.split(".", 1)[0].split("[", 1)[0] for use in uses))
    pages = {use.at.file for use in uses}
    if file is None or len(names) < FEWEST or len(pages) < PAGES:
        return
    declared = {field.path.split(".", 1)[0].removesuffix("[]") for schema in skill.schemas for field in schema.fields}
    named = any("state" in schema.name.lower() or "状态" in schema.name for schema in skill.schemas)
    if named or len(declared.intersection(names)) >= COVERED * len(names):
        return
    place = next((one for one in file.all if one.at.file == skill.main), file.all[0])
    yield Hit(
        file=place.at.file, start=place.at.start, end=place.at.end, subject=file.name,
        message=f"The run decides by {file.base}, and nothing declares its fields ({', '.join(names[:SHOWN])}, …)",
        advice=f"Add a page with the fields of {file.base}: name, type, values, and the state at the start.",
        also=tuple(f"{use.at.file}:{use.at.line}" for use in uses[:8]),
        facts={"name": file.base, "fields": ", ".join(names)},
    )  # fmt: skip


DETECTOR = Detector(
    rule="no-schema", dimension="dataflow", severity="high", confidence="likely", strategy="schema_enforcement",
    title="a state without a schema",
    why="Each step makes up names and values of its own; the next one does not find them, and decides wrongly.",
    advice="Declare the fields of the state and their values.", look=look,
)  # fmt: skip
