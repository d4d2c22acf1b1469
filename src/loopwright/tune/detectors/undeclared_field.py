"""A field is used that the schema does not have."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.fields.beyond import Beyond, beyond
from loopwright.tune.reading.fields.declared import Unknown, unknown_fields
from loopwright.tune.reading.fields.declared import shown as shown_as
from loopwright.tune.reading.fields.drifting import meant
from loopwright.tune.reading.prompts.requests import strength
from loopwright.tune.reading.state.state_flow import Strange, strange_fields
from loopwright.tune.skill.model import Skill

MANY = 5
"""So many unknown fields of one schema mean that it is not meant to be complete."""


def look(skill: Skill) -> Iterator[Hit]:
    groups: dict[str, list[Unknown]] = {}
    for unknown in unknown_fields(skill):
        if meant(skill, unknown) is None and strength(unknown.name) < 2:
            groups.setdefault(unknown.name, []).append(unknown)
    schemas = [found[0].schema for found in groups.values()]
    for name, found in groups.items():
        first = next((one for one in found if one.use.mode == "write"), found[0])
        at, schema = first.use.at, first.schema
        many = sum(one is schema for one in schemas) >= MANY
        shown = f"{first.use.root}.{first.use.path}" if first.use.root else first.use.path
        yield Hit(
            file=at.file, start=at.start, end=at.end, subject=name, phase=at.phase,
            message=f"{shown} is used, and {shown_as(schema)} in {schema.at.file} does not declare {name}",
            advice=f"Declare {name} in {schema.at.file} and say who sets it, or use a field that is declared.",
            confidence="hint" if many else None,
            also=tuple(f"{one.use.at.file}:{one.use.at.line}" for one in found if one is not first),
            facts={"name": name, "schema": schema.at.file, "start": str(schema.at.start), "below": first.below},
        )  # fmt: skip
    yield from (_beyond(one) for one in beyond(skill) if one.name not in groups)
    yield from (_strange(one) for one in strange_fields(skill) if not one.right and one.name not in groups)


def _beyond(one: Beyond) -> Hit:
    others = ", ".join(one.others[:MANY])
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=one.name, also=(one.where,),
        message=f"{one.name} is named as a field, as {others} are; {one.where} has these, and no {one.name}",
        advice=f"Add {one.name} to what {one.where} shows and say who sets it, or use a field that is there.",
    )  # fmt: skip


def _strange(one: Strange) -> Hit:
    page, others = one.shape.page, ", ".join(one.others[:MANY])
    there = f"{page.path}:{page.text.count(chr(10), 0, one.shape.block.start) + 1}"
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=one.name, also=(there,),
        message=f"{one.name} is named as a field, as {others} are; {there} has these, and no {one.name}",
        advice=f"Add {one.name} to what {there} shows and say who sets it, or use a field that is there.",
    )  # fmt: skip


DETECTOR = Detector(
    rule="undeclared-field", dimension="dataflow", severity="medium", confidence="likely",
    strategy="schema_enforcement", title="a field that the schema does not have",
    why="A model that keeps to the schema never writes the field, so whoever reads it finds nothing and makes it up.",
    advice="Declare the field, or use one that is declared.", look=look,
)  # fmt: skip
