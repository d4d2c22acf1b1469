"""What a text says to the model: its words without comments, and what a change has done to them. Pure."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loopwright.tune.skill.model import Block, Page, Skill, Use

WORD = re.compile(r"(?<![\w$/.-])[\w$/.-]*[A-Za-z0-9_$][\w$/.-]*|[\u3400-\u9fff]")
SAID: frozenset[Use] = frozenset({"instruction", "prompt"})
NOTHING_SAID = frozenset({"front", "rule", "html"})
KEPT = 0.5
"""The share of a sentence's pairs of words that have to be found in a new wording of it."""

Part = str | tuple[str, str]
"""A word, or two that follow each other."""

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


@dataclass(frozen=True, slots=True)
class Told:
    """`gone`: sentences that are neither said as they were nor reworded. `new`: the words of what is said newly."""

    gone: tuple[Sentence, ...]
    new: frozenset[str]


def words_of(text: str) -> tuple[str, ...]:
    """Lower case; a Chinese character is a word."""
    return tuple(word.strip(".-").lower() for word in WORD.findall(text) if word.strip(".-/"))


_BRACE = re.compile(r"([{}])")


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
        said += _code_words(_code(text, block.lang.lower())) if block.kind == "code" else words_of(text)
    return tuple(said)


def _code_words(code: str) -> Iterator[str]:
    """With the braces between them: what stands in a loop, and what behind it, is not the same."""
    for part in _BRACE.split(code):
        yield from (part,) if part in ("{", "}") else words_of(part)


def sentences(page: Page, uses: frozenset[Use]) -> Iterator[Sentence]:
    """All that blocks of these uses say."""
    comments = _comments(page)
    for block in page.blocks:
        if block.use in uses and block.kind not in NOTHING_SAID:
            yield from _split(page, block, comments)


def told(file: str, before: Skill, after: Skill, *, once: bool) -> Told:
    """What a change of the skill has done to what a file says.

    To be said somewhere else as background is enough; in the file itself it has to be said as an instruction. `once`:
    it may be said less often than before.
    """
    was, now = [*_said(file, before)], [*_said(file, after)]
    earlier, later = Counter(one.words for one in was), Counter(one.words for one in now)
    new = [one.words for one in now if one.words not in earlier]
    said = Counter[Part](word for words in new for word in words)
    said.update(pair for words in new for pair in pairwise(words))
    missing = (one for one in was if one.file == file and later[one.words] < (1 if once else earlier[one.words]))
    gone = tuple(one for one in missing if not _reworded(one.words, said))
    return Told(gone, frozenset(word for words in new for word in words))


def _said(file: str, skill: Skill) -> Iterator[Sentence]:
    for page in skill.pages.values():
        yield from sentences(page, SAID if page.path == file else SAID | {"reference"})


def _reworded(words: tuple[str, ...], said: Counter[Part]) -> bool:
    """Whether enough of a sentence stands in what is `said` newly; that is no new wording of another one then."""
    parts = Counter[Part](words if len(words) < 3 else pairwise(words))
    found = parts & said
    if found.total() < KEPT * parts.total():
        return False
    said.subtract(found)
    return True


def _split(page: Page, block: Block, comments: Sequence[tuple[int, int]]) -> Iterator[Sentence]:
    at = block.start
    ends: Iterable[int] = (found.end() for found in _END.finditer(page.text, block.start, block.end))
    for end in (*ends, block.end):
        words = words_of(_without(page.text, at, end, comments))
        if not all(word.isdigit() for word in words):
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
    for n in range(bisect_right(spans, start, key=lambda span: span[1]), len(spans)):
        begin, stop = spans[n]
        if begin >= end:
            break
        pieces.append(text[at : max(at, begin)])
        at = min(stop, end)
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
