"""An example does not keep to the schema that stands beside it."""

import json
from collections.abc import Iterator

from loopwright.domain.findings import Confidence
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.fields.completing import completion
from loopwright.tune.reading.fields.dangling import Dangling, dangling
from loopwright.tune.reading.fields.declared import shown
from loopwright.tune.reading.fields.odd_keys import Lacking, lacking_keys
from loopwright.tune.reading.fields.shapes import Breach, breaches
from loopwright.tune.reading.fields.values import meant
from loopwright.tune.skill.model import Skill


def look(skill: Skill) -> Iterator[Hit]:
    found = [*breaches(skill)]
    told = {(one.page.path, one.name) for one in found}
    yield from (_lacks(one) for one in lacking_keys(skill) if (one.one.page.path, one.name) not in told)
    yield from map(_dangling, dangling(skill))
    for one in found:
        start, end = one.place
        yield Hit(
            file=one.page.path, start=start, end=end, subject=f"{one.kind} {one.name} {_which(one)}".strip(),
            message=_message(one), advice=_advice(one), facts=_facts(one), confidence=_confidence(one),
        )  # fmt: skip


def _dangling(one: Dangling) -> Hit:
    told = f"{one.key} names “{one.name}”, and no {one.named} of the example is called so"
    start, end, facts = one.start, one.end, {}
    if one.instead is not None:
        # What everything else calls so has got another name.
        start, end = one.instead[1], one.instead[1] + len(one.instead[0])
        facts = {"wrong": one.instead[0], "right": one.name}
    return Hit(
        file=one.page.path, start=start, end=end, subject=f"{one.key} {one.name}", message=told, facts=facts,
        advice=f"Name a {one.named} that is there, or call one “{one.name}”.",
    )  # fmt: skip


def _lacks(one: Lacking) -> Hit:
    page, keys = one.one.page, one.one.keys
    start, end = next(iter(keys.values()))
    at = one.other.keys[one.name][0]
    there = f"{one.other.page.path}:{one.other.page.text.count(chr(10), 0, at) + 1}"
    return Hit(
        file=page.path, start=start, end=end, subject=f"lacks {one.name}", also=(there,),
        message=f"The example has no {one.name}; {there} has it with the same {len(keys)} keys",
        advice=f"Give the example a {one.name}, or say that it may be left out.", facts=_line(one),
    )  # fmt: skip


def _line(one: Lacking) -> dict[str, str]:
    """The line of the other object, where each has its keys in lines of their own."""
    text, there = one.one.page.text, one.other.page.text
    names = [*one.other.keys]
    after = names[names.index(one.name) + 1 :]
    if not after:
        return {}
    begin = there.rfind("\n", 0, one.other.keys[one.name][0]) + 1
    line = there[begin : there.find("\n", begin) + 1]
    at = text.rfind("\n", 0, one.one.keys[after[0]][0]) + 1
    alone = line.rstrip().endswith(",") and not text[at : one.one.keys[after[0]][0]].strip(" \t\"'")
    return {"at": str(at), "insert": line, "level": "template"} if alone and ":" in line else {}


def _confidence(one: Breach) -> Confidence | None:
    """Tables often leave out what every object has."""
    return "hint" if one.kind == "unknown" and one.shape.schema.format == "table" else None


def _which(one: Breach) -> str:
    """The object by its first scalar."""
    fields = one.value.fields or {}
    return next((str(v.scalar) for k, v in fields.items() if v.scalar is not None and k != one.name), "")[:40]


def _message(one: Breach) -> str:
    where = f"{shown(one.shape.schema)} ({one.page.path})"
    which = f" of {_which(one)}" if _which(one) else ""
    if one.kind == "missing":
        return f"The example{which} has no {one.name}, which {where} lists for each"
    if one.kind == "unknown":
        return f"The example{which} has {one.name}, which {where} does not have"
    declared = one.shape.fields[one.name]
    expected = f"only {', '.join(declared.values)}" if one.kind == "unlisted" else declared.type
    return f"{one.name} in the example{which} is {_value(one)}; {where} allows {expected}"


def _value(one: Breach) -> str:
    return json.dumps((one.value.fields or {})[one.name].scalar, ensure_ascii=False)


def _advice(one: Breach) -> str:
    if one.kind == "missing":
        return f"Give the example a {one.name}, or declare it as optional."
    return f"Take {one.name} out of the example, or declare it." if one.kind == "unknown" else "Let both say the same."


def _facts(one: Breach) -> dict[str, str]:
    if one.kind == "missing":
        at, text, known = completion(one)
        return {"at": str(at), "insert": text, "level": "mechanical" if known else "template"}
    if one.kind == "unlisted":
        scalar = (one.value.fields or {})[one.name].scalar
        right = meant(str(scalar), one.shape.fields[one.name].values)
        return {"wrong": str(scalar), "right": right or ""}
    return {}


DETECTOR = Detector(
    rule="example-breaks-schema", dimension="dataflow", severity="medium", confidence="likely",
    strategy="schema_enforcement", title="an example that the schema forbids",
    why="Models follow the example rather than the schema: what they write then fails where the schema is believed.",
    advice="Let example and schema say the same.", look=look,
)  # fmt: skip
