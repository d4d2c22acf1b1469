"""Prompts of one form, with the same parts under the same labels, and what one of them has lost: a part or a line."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.skill.model import Prompt, Skill
from loopwright.tune.skill.once import once

_LABEL = re.compile(
    r"^[ \t]*(?:[\[【](?P<boxed>[A-Z\u4e00-\u9fff][^\]】\n]{1,30})[\]】](?!\()|#{1,4}[ \t]+(?P<head>[^\n]{2,40})"
    r"|\*\*(?P<bold>[^*\n]{2,40}?)[:：]?\*\*[:：]?|(?P<caps>[A-Z][A-Z_ ]{2,24})[:：]|<(?P<tag>[a-z_]{3,30})>)",
    re.MULTILINE,
)
_NOISE = re.compile(r"[\s*_`\"'“”‘’()（）:：,，、—–-]+")
_WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]")
FEWEST, LABELS, LIKE = 4, 3, 0.6
"""Prompts that make a form; labels of each; the share of labels that two of one form have in common."""
WORTH, NEAR = 24, 0.45
"""Bytes of a line that is worth asking for; the share of words by which another line stands for it."""
SAME = 4
"""Characters with which two titles of one part begin."""


@dataclass(frozen=True, slots=True)
class Lost:
    """`line` is "" where the part `label` is lost as a whole. `said`: what stands at `model`.

    `after`: the end of the line of the page behind which it belongs; -1 where that can not be told.
    """

    prompt: Prompt
    model: Prompt
    label: str
    line: str
    said: str
    having: int
    total: int
    after: int


@dataclass(frozen=True, slots=True)
class _Part:
    label: str
    start: int
    end: int


@once
def lost(skill: Skill) -> Iterator[Lost]:
    for form in _forms(skill):
        yield from _parts_lost(skill, form)
        yield from _lines_lost(skill, form)


def _forms(skill: Skill) -> Iterator[tuple[Prompt, ...]]:
    given = [one for one in skill.prompts if one.call >= 0 and one.at.use in ("instruction", "prompt")]
    counts = Counter(label for prompt in given for label in _labels(prompt))
    shared = frozenset(label for label, count in counts.items() if count > 1)
    rest = [prompt for prompt in given if len(_labels(prompt) & shared) >= LABELS]
    while len(rest) >= FEWEST:
        groups = [tuple(one for one in rest if _alike(seed, one, shared)) for seed in rest]
        largest = max(groups, key=len)
        if len(largest) < FEWEST:
            return
        yield largest
        rest = [one for one in rest if one not in largest]


def _alike(one: Prompt, other: Prompt, shared: frozenset[str]) -> bool:
    first, second = _labels(one) & shared, _labels(other) & shared
    return len(first & second) >= LIKE * max(len(first), len(second))


@lru_cache(maxsize=512)
def _parts(text: str) -> tuple[_Part, ...]:
    found = [(next(group for group in one.groups() if group).strip(), one.start()) for one in _LABEL.finditer(text)]
    ends = [*(start for _, start in found[1:]), len(text)][: len(found)]
    return tuple(_Part(label, start, end) for (label, start), end in zip(found, ends, strict=True))


def _labels(prompt: Prompt) -> frozenset[str]:
    return frozenset(part.label for part in _parts(prompt.text))


def _parts_lost(skill: Skill, form: tuple[Prompt, ...]) -> Iterator[Lost]:
    counts = Counter(label for prompt in form for label in _labels(prompt))
    for label, count in counts.items():
        if count != len(form) - 1:
            continue
        prompt = next(one for one in form if label not in _labels(one))
        if any(counts[own] == 1 and own[:SAME] == label[:SAME] for own in _labels(prompt)):
            continue  # it has the part under another title
        having = [one for one in form if label in _labels(one)]
        model, part = having[0], _part(having[0], label)
        before = [one.label for one in _parts(model.text) if one.start < part.start]
        own = [one for one in _parts(prompt.text) if one.label in before]
        after = _in_page(skill, prompt, own[-1].end) if own else -1
        yield Lost(prompt, model, label, "", _common(having, label), count, len(form), after)


def _part(prompt: Prompt, label: str) -> _Part:
    return next(part for part in _parts(prompt.text) if part.label == label)


def _common(having: list[Prompt], label: str) -> str:
    """The part as it stands in the first of them, with those lines alone that most of them have there."""
    texts = [one.text[part.start : part.end].strip().splitlines() for one in having for part in [_part(one, label)]]
    counts = Counter(line.strip() for lines in texts for line in {*lines})
    kept = [line for line in texts[0][1:] if line.strip() and 2 * counts[line.strip()] > len(texts)]
    return "\n".join([texts[0][0], *kept] if kept else texts[0])


def _lines_lost(skill: Skill, form: tuple[Prompt, ...]) -> Iterator[Lost]:
    said = {id(prompt): _lines(prompt.text) for prompt in form}
    counts = Counter(key for lines in said.values() for key in lines)
    for key, count in counts.items():
        if count != len(form) - 1:
            continue
        prompt = next(one for one in form if key not in said[id(one)])
        if _stands_for(key, said[id(prompt)]):
            continue
        model = next(one for one in form if key in said[id(one)])
        at = model.text.find(said[id(model)][key])
        label = next((part.label for part in _parts(model.text) if part.start <= at < part.end), "")
        own = next((part for part in _parts(prompt.text) if part.label == label), None)
        if own is not None:
            after = _in_page(skill, prompt, own.end)
            yield Lost(prompt, model, label, said[id(model)][key], said[id(model)][key], count, len(form), after)


@lru_cache(maxsize=512)
def _lines(text: str) -> dict[str, str]:
    """By what they say, without marks."""
    found = {_NOISE.sub(" ", line).strip().casefold(): line.strip() for line in text.splitlines()}
    return {key: line for key, line in found.items() if len(key.encode()) >= WORTH and not _LABEL.match(line)}


def _stands_for(key: str, lines: dict[str, str]) -> bool:
    """One of the lines says nearly the same."""
    words = {*_WORD.findall(key)}
    return any(len(words & {*_WORD.findall(line)}) >= NEAR * len(words) for line in lines)


def _in_page(skill: Skill, prompt: Prompt, at: int) -> int:
    """The end of the last line with words before that place of the prompt, in the page's text."""
    text = skill.pages[prompt.at.file].text
    begin = text.find(prompt.text, prompt.at.start, prompt.at.end + len(prompt.text))
    return begin + len(prompt.text[:at].rstrip()) if begin >= 0 else -1
