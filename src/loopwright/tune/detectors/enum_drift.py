"""Code sets a field to a value that every declaration of the field leaves out."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.detectors.reached import SAID
from loopwright.tune.skill.known import holders, is_of_state
from loopwright.tune.skill.model import FieldDeclared, FieldUse, Schema, Skill

FEWEST = 2
"""Values that a field has to list to list them at all."""


def look(skill: Skill) -> Iterator[Hit]:
    declared: dict[tuple[str, str], list[tuple[Schema, FieldDeclared]]] = {}
    for schema in skill.schemas:
        for field in schema.fields:
            for root in {*holders(schema), *(("state",) if is_of_state(schema) else ())}:
                declared.setdefault((root.lower(), field.path), []).append((schema, field))
    for use in skill.fields:
        found = declared.get((use.root.lower(), use.path), [])
        if (
            use.mode != "write"
            or use.at.use not in SAID | {"reference"}
            or not found
            or not all(one.values for _, one in found)
        ):
            continue
        listed = tuple(dict.fromkeys(value for _, one in found for value in one.values))
        for value in use.values:
            if len(listed) >= FEWEST and value not in listed:
                yield _hit(use, value, listed, found[0][0])


def _hit(use: FieldUse, value: str, listed: tuple[str, ...], schema: Schema) -> Hit:
    name = f"{use.root}.{use.path}"
    return Hit(
        file=use.at.file, start=use.at.start, end=use.at.end, subject=f"{name}={value}", phase=use.at.phase,
        message=f"{name} is set to “{value}”; {schema.name} ({schema.at.file}:{schema.at.line}) allows "
        f"{', '.join(listed)}",
        advice=f"Use a value that is allowed, or allow “{value}” there.", also=(f"{schema.at.file}:{schema.at.line}",),
    )  # fmt: skip


DETECTOR = Detector(
    rule="enum-drift", dimension="dataflow", severity="high", confidence="certain", strategy="schema_enforcement",
    title="A value that is not listed",
    why="Whoever decides by the listed values has no branch for this one: the run hangs, or takes the wrong way.",
    advice="Use a value that is listed.", look=look,
)  # fmt: skip
