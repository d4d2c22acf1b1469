"""A field is set to, or compared with, a value that its schema does not list."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.fields.declared import shown
from loopwright.tune.reading.fields.odd_values import OddValue, odd_values
from loopwright.tune.reading.fields.slots import slotted_values
from loopwright.tune.reading.fields.strays import StrayWord, stray_words
from loopwright.tune.reading.fields.values import Stray, stray_values
from loopwright.tune.reading.lists.cells_alone import Alone, cells_alone
from loopwright.tune.reading.lists.column_words import ColumnWord, column_words
from loopwright.tune.reading.lists.rivals import Rival, rivals
from loopwright.tune.skill.model import Skill

SHOWN = 8


def look(skill: Skill) -> Iterator[Hit]:
    groups: dict[tuple[str, str], list[Stray]] = {}
    strays = [*stray_values(skill)]
    for stray in strays:
        groups.setdefault((stray.page.path, f"{stray.use.path}={stray.value}"), []).append(stray)
    for (_, subject), found in groups.items():
        yield _hit(subject, found)
    for one in slotted_values(skill):
        listed = ", ".join(one.listed[:SHOWN])
        yield Hit(
            file=one.page.path, start=one.start, end=one.end, subject=f"{one.field}={one.value}", confidence="likely",
            message=f"“{one.value}” stands where {', '.join(one.others)} stand elsewhere; "
            f"{shown(one.schema)} lists for {one.field} only {listed}",
            advice=_advice(one.right, one.value, one.schema.at.file), severity="medium",
            facts={"wrong": one.value, "right": one.right or ""},
        )  # fmt: skip
    for rival in rivals(skill):
        yield _rival(rival)
    known = {(one.page.path, one.start) for one in strays}
    yield from (_stray(one) for one in stray_words(skill) if (one.page.path, one.start) not in known)
    yield from map(_alone, cells_alone(skill))
    yield from map(_odd, odd_values(skill))
    yield from map(_column, column_words(skill))


def _odd(one: OddValue) -> Hit:
    others = ", ".join(one.others)
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"{one.key}={one.value}", severity="medium",
        message=f"{one.key} is “{one.value}” here alone; all other data have {others}, as {one.where} says",
        advice=f"Write “{one.right}”." if one.right else f"Use one of {others}, or name “{one.value}” with them.",
        also=(one.where,), facts={"wrong": one.value, "right": one.right or ""},
    )  # fmt: skip


def _column(one: ColumnWord) -> Hit:
    path = one.page.path
    return Hit(
        file=path, start=one.start, end=one.end, subject=f"{one.right}={one.word}", severity="medium",
        message=f"“{one.word}” is said on this page alone; {one.where} has “{one.right}” in the same column",
        advice=f"Write “{one.right}”, or name “{one.word}” in all places.", also=(one.where,),
        facts={
            "wrong": one.word, "right": one.right,
            "places": "\n".join(f"{path}:{start}:{end}" for start, end in one.places if start != one.start),
        },
    )  # fmt: skip


def _alone(one: Alone) -> Hit:
    others = ", ".join(one.others[:SHOWN])
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"cell {one.value}", severity="medium",
        message=f"“{one.value}” stands in a column of {others}, and nothing else says it", confidence="likely",
        advice=f"Use one of {others}, or say what “{one.value}” means.",
    )  # fmt: skip


def _stray(one: StrayWord) -> Hit:
    listed = ", ".join(one.listed[:SHOWN])
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"{one.name}={one.value}", severity="medium",
        message=f"{one.name} is “{one.value}” here alone; elsewhere it is {listed}", confidence="likely",
        advice=f"Write “{one.right}”." if one.right else f"Use one of {listed}, or name “{one.value}” with them.",
        also=(one.where,) if one.where else (), facts={"wrong": one.value, "right": one.right or ""},
    )  # fmt: skip


def _rival(one: Rival) -> Hit:
    line = one.other.page.text.count("\n", 0, one.other.spans[0][0]) + 1
    there = f"{one.other.page.path}:{line}"
    return Hit(
        file=one.one.page.path, start=one.start, end=one.end, subject=f"{one.right}={one.wrong}", confidence="likely",
        message=f"“{one.wrong}” stands here among {_others(one.one.values, one.wrong)}; "
        f"{there} has “{one.right}” with them",
        advice=f"Write “{one.right}”, or name both in both places.", severity="medium", also=(there,),
        facts={"wrong": one.wrong, "right": one.right},
    )  # fmt: skip


def _others(values: tuple[str, ...], but: str) -> str:
    return ", ".join([value for value in values if value != but.lower()][:SHOWN])


def _hit(subject: str, found: list[Stray]) -> Hit:
    one, use = found[0], found[0].use
    name = f"{use.root}.{use.path}" if use.root else use.path
    done = "set to" if use.mode == "write" else "compared with"
    more = "\n".join(f"{other.page.path}:{other.start}:{other.end}" for other in found[1:])
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=subject, phase=use.at.phase,
        message=f"{name} is {done} “{one.value}”; {shown(one.schema)} in {one.schema.at.file} lists "
        f"{', '.join(one.listed[:SHOWN])}",
        advice=_advice(one.right, one.value, one.schema.at.file),
        also=tuple(f"{other.page.path}:{other.use.at.line}" for other in found[1:]),
        facts={"wrong": one.value, "right": one.right or "", "places": more},
    )  # fmt: skip


def _advice(right: str | None, value: str, file: str) -> str:
    return f"Write “{right}”." if right else f"Use a value that is listed, or list “{value}” in {file}."


DETECTOR = Detector(
    rule="enum-drift", dimension="dataflow", severity="high", confidence="likely", strategy="schema_enforcement",
    title="a value that is not listed",
    why="Whoever decides by the listed values has no branch for this one: the run hangs, or takes the wrong way.",
    advice="Use a value that is listed.", look=look,
)  # fmt: skip
