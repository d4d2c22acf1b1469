"""What a text says to the model: its words without comments, and which instructions a change has taken away. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loopwright.tune.skill.model import Block, Page, Skill, Use

WORD = re.compile(r"[\w$/.-]*[A-Za-z0-9_$][\w$/.-]*|[\u3400-\u9fff]")
SAID: frozenset[Use] = frozenset({"instruction", "prompt"})
NOTHING_SAID = frozenset({"front", "rule", "html"})
KEPT = 0.5
"""The share of a sentence's pairs of words that have to be found in a new wording of it."""

_END = re.compile(r"[.!?;](?=\s)|[。！？；\n]")
_STRING = r"""\\.|"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`"""
_SLASHES = re.compile(rf"(?P<kept>{_STRING})|(?:^|(?<=\s))//[^\n]*", re.MULTILINE | re.DOTALL)
_STARS = re.compile(rf"(?P<kept>{_STRING}|(?:^|(?<=\s))//[^\n]*)|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_HASHES = re.compile(rf"(?P<kept>{_STRING})|(?:^|(?<=\s))#[^\n]*", re.MULTILINE | re.DOTALL)
_MARKDOWN = frozenset({"markdown", "md", "mdx", "html", "xml", "prompt"})
_HASHED = frozenset({"python", "py", "python3", "bash", "sh", "shell", "zsh", "yaml", "yml", "toml", "ruby", "rb", "r"})
_BOTH = frozenset({"", "text", "txt", "pseudo", "pseudocode", "plaintext"})
_PLAIN = frozenset({"json", "csv"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a line of code or of a table, with its place in the file's text."""

    file: str
    start: int
    end: int
    text: str
    words: tuple[str, ...]


def words_of(text: str) -> tuple[str, ...]:
    """Lower case; a Chinese character is a word."""
    return tuple(word.strip(".-").lower() for word in WORD.findall(text) if word.strip(".-/"))


def substance(page: Page | None) -> tuple[str, ...]:
    """The words of a page, in order, without comments of any kind and without its front matter."""
    if page is None:
        return ()
    comments = _comments(page)
    said: list[str] = []
    for block in page.blocks:
        if block.kind in ("front", "rule"):
            continue
        start = block.body if block.kind == "code" else block.start
        text = _without(page.text, start, block.end, comments)
        said += words_of(_code(text, block.lang.lower()) if block.kind == "code" else text)
    return tuple(said)


def sentences(page: Page, uses: frozenset[Use]) -> Iterator[Sentence]:
    """All that blocks of these uses say."""
    comments = _comments(page)
    for block in page.blocks:
        if block.use in uses and block.kind not in NOTHING_SAID:
            yield from _split(page, block, comments)


def lost(old: Page, before: Skill, after: Skill) -> tuple[Sentence, ...]:
    """Sentences of a page that the skill no longer says, neither as they were nor reworded in what it says newly.

    To be said somewhere else as background is enough; in the page itself it has to be said as an instruction.
    """
    kept = {one.words for one in _said(old.path, after)}
    gone = [one for one in sentences(old, SAID) if one.words not in kept]
    if not gone:
        return ()
    fresh = newly_said(old.path, before, after)
    pairs = {pair for one in fresh for pair in pairwise(one.words)}
    single = {word for one in fresh for word in one.words}
    return tuple(one for one in gone if not _reworded(one.words, pairs, single))


def newly_said(file: str, before: Skill, after: Skill) -> tuple[Sentence, ...]:
    """What is said since and was not before, as seen from that file."""
    known = {one.words for one in _said(file, before)}
    return tuple(one for one in _said(file, after) if one.words not in known)


def _said(file: str, skill: Skill) -> Iterator[Sentence]:
    for page in skill.pages.values():
        yield from sentences(page, SAID if page.path == file else SAID | {"reference"})


def _reworded(words: tuple[str, ...], pairs: set[tuple[str, str]], single: set[str]) -> bool:
    if len(words) < 3:
        return sum(word in single for word in words) >= KEPT * len(words)
    return sum(pair in pairs for pair in pairwise(words)) >= KEPT * (len(words) - 1)


def _split(page: Page, block: Block, comments: Sequence[tuple[int, int]]) -> Iterator[Sentence]:
    at = block.start
    ends: Iterable[int] = (found.end() for found in _END.finditer(page.text, block.start, block.end))
    for end in (*ends, block.end):
        words = words_of(_without(page.text, at, end, comments))
        if words:
            yield Sentence(page.path, at, end, page.text[at:end].strip(), words)
        at = end


def _comments(page: Page) -> list[tuple[int, int]]:
    """Where HTML comments are, outside of fences."""
    fences = [(block.start, block.end) for block in page.blocks if block.kind == "code"]
    found: list[tuple[int, int]] = []
    at, fence = page.text.find("<!--"), 0
    while at >= 0:
        while fence < len(fences) and fences[fence][1] <= at:
            fence += 1
        if fence < len(fences) and fences[fence][0] <= at:
            at = page.text.find("<!--", fences[fence][1])
            continue
        stop = page.text.find("-->", at)
        end = stop + 3 if stop >= 0 else len(page.text)
        found.append((at, end))
        at = page.text.find("<!--", end)
    return found


def _without(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> str:
    pieces, at = [], start
    for begin, stop in spans:
        if stop > at and begin < end:
            pieces.append(text[at : max(at, begin)])
            at = max(at, min(stop, end))
    return " ".join([*pieces, text[at:end]])


def _code(text: str, lang: str) -> str:
    if lang in _PLAIN or lang in _MARKDOWN:
        return text
    if lang in _HASHED:
        return _stripped(_HASHES, text)
    closed = text.rfind("*/") + 2
    text = _stripped(_STARS, text[:closed]) + text[closed:] if closed > 1 else text
    text = _stripped(_SLASHES, text)
    return _stripped(_HASHES, text) if lang in _BOTH else text


def _stripped(comments: "re.Pattern[str]", text: str) -> str:
    """Without comments; what stands in strings is none."""
    return comments.sub(lambda found: found["kept"] or " ", text)
