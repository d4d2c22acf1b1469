"""Words in backticks that stand where values of one field stand elsewhere: `question` 信, `defect` 信, `blocker` 信."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.fields.values import meant
from loopwright.tune.skill.model import Page, Schema, Skill

_TICKED = re.compile(r"`([A-Za-z][\w\-]{1,30})`")
_AFTER = re.compile(r"\s?([A-Za-z]{3,20}\b|[\u4e00-\u9fff]{1,2})")
_NO_NOUN = frozenset({
    "the", "and", "for", "with", "that", "this", "from", "into", "when", "then", "else", "are", "was", "not",
    "has", "have", "its", "all", "any", "per", "via", "use", "set", "get", "you", "can", "may", "must", "is",
    "or", "to", "be", "as", "of", "in", "on", "at", "by", "if", "it", "an", "field", "value", "file", "status",
    "state", "stage", "mode", "type", "kind",
})  # fmt: skip
_NO_SIGN = frozenset("的是为或和与则时到在把了及、，。；：中上下等于改记置取写读")
FEWEST = 2
"""Values that stand in the same slot, so that what else stands there is a value too."""


@dataclass(frozen=True, slots=True)
class Slotted:
    page: Page
    value: str
    start: int
    end: int
    listed: tuple[str, ...]
    schema: Schema
    field: str
    right: str | None
    others: tuple[str, ...]


def slotted_values(skill: Skill) -> Iterator[Slotted]:
    """Each word that is no value of any field and stands before the noun before which only values stand."""
    sets = {
        field.values: (schema, field.path)
        for schema in skill.schemas
        for field in schema.fields
        if len(field.values) > 1
    }
    if not sets:
        return
    known = {value for values in sets for value in values} | {
        step for schema in skill.schemas for field in schema.fields for step in field.path.replace("[]", "").split(".")
    }
    slots: dict[str, dict[str, list[tuple[Page, int]]]] = {}
    for page in skill.pages.values():
        if page.kind in ("script", "data", "template", "reference"):
            continue
        for found in _TICKED.finditer(page.text):
            for slot in _slots(page.text, found):
                slots.setdefault(slot, {}).setdefault(found[1], []).append((page, found.start(1)))
    for slot, words in slots.items():
        yield from _strays(skill, slot, words, sets, known)


def _slots(text: str, found: re.Match[str]) -> Iterator[str]:
    after = _AFTER.match(text, found.end())
    if after is not None and after[1].lower() not in _NO_NOUN and after[1][0] not in _NO_SIGN:
        yield after[1][:1] if after[1] > "\u4e00" else after[1].lower()


def _strays(
    skill: Skill, slot: str, words: dict[str, list[tuple[Page, int]]],
    sets: dict[tuple[str, ...], tuple[Schema, str]], known: set[str],
) -> Iterator[Slotted]:  # fmt: skip
    strange = [word for word in words if word not in known]
    if len(strange) != 1 or len(words[strange[0]]) > 1:
        return
    word = strange[0]
    for values, (schema, path) in sets.items():
        if not all(other in values for other in words if other != word) or len(words) < FEWEST:
            continue
        there = [value for value in values if value in words or _stands(skill, value, slot)]
        if len(there) >= FEWEST and not _is_name(skill, word):
            page, start = words[word][0]
            right = meant(word, values)
            yield Slotted(page, word, start, start + len(word), values, schema, path, right, tuple(there))
            return


def _stands(skill: Skill, value: str, noun: str) -> bool:
    """Without backticks the value stands before the noun."""
    return any(f"{value} {noun}" in page.text or f"`{value}` {noun}" in page.text for page in skill.pages.values())


def _is_name(skill: Skill, word: str) -> bool:
    """Of a file, a folder, a tool or a variable of the skill, so that it is no value."""
    if any(word == path.rsplit("/", 1)[-1].rsplit(".", 1)[0] or f"{word}/" in path for path in skill.files):
        return True
    return any(call.name == word for call in skill.calls) or any(one.name == word for one in skill.assignments)
