"""A field is named otherwise in one place than where it is declared."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.fields.declared import Unknown, unknown_fields
from loopwright.tune.reading.fields.declared import shown as shown_as
from loopwright.tune.reading.fields.drifting import meant
from loopwright.tune.reading.fields.near_names import near_names
from loopwright.tune.reading.fields.odd_keys import odd_keys
from loopwright.tune.reading.fields.one_word_off import one_word_off
from loopwright.tune.reading.fields.slips import slips
from loopwright.tune.reading.fields.spelled import Spelled, otherwise_keyed, slipped_holes
from loopwright.tune.reading.state.state_flow import Strange, strange_fields
from loopwright.tune.skill.model import Skill


def look(skill: Skill) -> Iterator[Hit]:
    groups: dict[tuple[str, str], list[tuple[Unknown, str]]] = {}
    for unknown in unknown_fields(skill):
        right = meant(skill, unknown)
        if right is not None:
            groups.setdefault((unknown.use.at.file, unknown.name), []).append((unknown, right))
    for (file, name), found in groups.items():
        unknown, right = found[0]
        at = unknown.use.at
        shown = f"{unknown.use.root}.{unknown.use.path}" if unknown.use.root else unknown.use.path
        yield Hit(
            file=file, start=at.start, end=at.end, subject=name, phase=at.phase,
            message=f"{shown}: {shown_as(unknown.schema)} has no field {name}; it has {right}",
            advice=f"Write {right} instead of {name}, as {unknown.schema.at.file} declares it.",
            also=tuple(f"{one.use.at.file}:{one.use.at.line}" for one, _ in found[1:]),
            facts={
                "wrong": name, "right": right,
                "places": "\n".join(f"{one.use.at.file}:{one.use.at.start}:{one.use.at.end}" for one, _ in found[1:]),
            },
        )  # fmt: skip
    known = {place for found in groups.values() for one, _ in found for place in [(one.use.at.file, one.name)]}
    yield from (_strange(one) for one in strange_fields(skill) if one.right and (one.page.path, one.name) not in known)
    told: set[tuple[str, int]] = set()
    readings = (otherwise_keyed, slipped_holes, slips, odd_keys, near_names, one_word_off)
    for one in (one for reading in readings for one in reading(skill)):
        if (one.page.path, one.start) not in told:
            told.add((one.page.path, one.start))
            yield _spelled(one)


def _strange(one: Strange) -> Hit:
    there = f"{one.shape.page.path}:{one.shape.page.text.count(chr(10), 0, one.shape.block.start) + 1}"
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=one.name,
        message=f"{one.name} is no field of the state ({there}), which has {one.right}; nothing else uses that",
        advice=f"Write {one.right} here, or rename the field in all places.", also=(there,),
        facts={
            "wrong": one.name, "right": one.right,
            "places": "\n".join(f"{file}:{start}:{end}" for file, start, end in one.places[1:]),
        },
    )  # fmt: skip


def _spelled(one: Spelled) -> Hit:
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=one.wrong, severity="medium",
        message=f"{one.wrong} is spelled {one.right} elsewhere ({one.elsewhere})", also=(one.elsewhere,),
        advice=f"Write {one.right} in both places.", facts={"wrong": one.wrong, "right": one.right},
    )  # fmt: skip


DETECTOR = Detector(
    rule="field-drift", dimension="dataflow", severity="high", confidence="likely", strategy="schema_enforcement",
    title="a field has another name here",
    why="What is written under one name and read under another is lost: the reader takes it for empty.",
    advice="Give the field one name.", look=look,
)  # fmt: skip
