"""Markdown as CommonMark has it, with GitHub's tables: blocks, links and inline code with their places."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import yaml
from pyromark import Options, events_with_range

from loopwright.skills.files import is_encodable

BlockKind = Literal["front", "heading", "paragraph", "item", "code", "row", "quote", "html", "rule"]
"""`item` is text of a list's entry, `row` one line of a table (its head too, without the line below it)."""
Use = Literal["instruction", "template", "example", "negative", "quotation"]
"""What a span is to the model that reads the skill: what it shall do; the shape of something it shall write; an
example, a tutorial or background; how not to do it; words of somebody else."""
PageKind = Literal["skill", "phase", "action", "spec", "template", "reference", "script", "data", "other"]


class MarkdownBlock(NamedTuple):
    """A leaf of the page. `text`: of code without its fences, of a heading without marks, else as it is written.

    `body` is where the text begins; `level` is a heading's; `lang` a fence's, in small letters; `closed` is False for
    a fence that nothing closes. A tuple, because a page has very many of them.
    """

    kind: BlockKind
    start: int
    end: int
    text: str
    body: int
    level: int = 0
    lang: str = ""
    use: Use = "instruction"
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all below it, to the next one of its level or above. `parent` is -1 at the top."""

    title: str
    level: int
    start: int
    end: int
    parent: int


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter. `values` as YAML has them, none where it is `broken`: why it is no YAML."""

    start: int
    end: int
    values: Mapping[str, object]
    broken: str | None = None


class InlineSpan(NamedTuple):
    """`text` is a link's destination, or what inline code holds."""

    text: str
    start: int
    end: int


_OPTIONS = Options.ENABLE_TABLES | Options.ENABLE_TASKLISTS
_NO_UTF_8 = dict.fromkeys(range(0xDC80, 0xDD00), "\x1a")
"""Each such byte is one character to the parser, too."""
_BLANKS = " \t\r\n\v\f"
_LANG = re.compile(r"[\w#+.-]+")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*\Z")
_FENCES = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^\n`]*+$", re.MULTILINE)

_LEAVES: dict[str, BlockKind] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "CodeBlock": "code",
    "HtmlBlock": "html",
    "TableHead": "row",
    "TableRow": "row",
}
_CONTAINERS = frozenset({"BlockQuote", "List", "Item", "Table"})


class PageParts(NamedTuple):
    blocks: list[MarkdownBlock]
    links: tuple[InlineSpan, ...]
    codes: tuple[InlineSpan, ...]


def parse_markdown(text: str, front: FrontMatter | None) -> PageParts:
    """The blocks, links and inline code of a page, its front matter first. The parser counts in bytes."""
    plain = text if is_encodable(text) else text.translate(_NO_UTF_8)
    head = front.end if front else 0
    data = b"" if plain.isascii() else plain.encode()
    begin = len(plain[:head].encode()) if data else head
    reading = _Reading(data.decode("latin-1") if data else plain, begin)
    reading.read(plain[head:])
    leaves, links, codes = reading.leaves, reading.links, reading.codes
    if data:
        spots = {at for one in (*links, *codes) for at in one[1:]}
        place = _characters(data, spots.union(*(leaf[1:5] for leaf in leaves)))
        leaves = [_Leaf._make((leaf[0], *(place[at] for at in leaf[1:5]), *leaf[5:])) for leaf in leaves]
        links, codes = (
            [InlineSpan(one.text, place[one.start], place[one.end]) for one in many] for many in (links, codes)
        )
    blocks = [
        MarkdownBlock(
            leaf.kind,
            leaf.start,
            leaf.end,
            leaf.words or text[leaf.body : leaf.stop],
            leaf.body,
            leaf.level,
            leaf.lang,
            closed=leaf.closed,
        )
        for leaf in leaves
    ]
    if front is not None:
        blocks.insert(0, MarkdownBlock("front", front.start, front.end, text[front.start : front.end], front.start))
    return PageParts(blocks, tuple(links), tuple(codes))


def _characters(data: bytes, spots: Iterable[int]) -> dict[int, int]:
    """By place in bytes of UTF-8 the place in characters."""
    marks = sorted(spots)
    counts = accumulate(len(data[one:other].decode()) for one, other in zip([0, *marks], marks, strict=False))
    return dict(zip(marks, counts, strict=True))


class _Leaf(NamedTuple):
    """A block in bytes; `body` and `stop`: its text. `words` of a heading."""

    kind: BlockKind
    start: int
    end: int
    body: int
    stop: int
    words: str = ""
    level: int = 0
    lang: str = ""
    closed: bool = True


class _Reading:
    """Makes blocks of the parser's events. Places are bytes of UTF-8, and `raw` has one character for each.

    An entry of a tight list has no paragraph: its text opens a block by itself.
    """

    def __init__(self, raw: str, begin: int) -> None:
        self.raw, self._begin = raw, begin
        self.leaves: list[_Leaf] = []
        self.links: list[InlineSpan] = []
        self.codes: list[InlineSpan] = []
        self._around: list[str] = []
        self._open: tuple[BlockKind, int, str, int] | None = None
        self._words: list[str] = []
        self._code: list[int] = []
        self._entry = -1

    def read(self, rest: str) -> None:
        """All of `rest`, which begins at `begin`."""
        begin = self._begin
        event: Any
        for event, place in events_with_range(rest, options=_OPTIONS):
            if event.__class__ is str:
                if event == "Rule":
                    self._close(begin + place["start"])
                    start, end = begin + place["start"], begin + place["end"]
                    self.leaves.append(_Leaf("rule", start, end, start, start))
                continue
            for what, about in event.items():
                if what == "Start":
                    self._start(about, begin + place["start"], begin + place["end"])
                elif what == "End":
                    self._end(about if about.__class__ is str else next(iter(about)), begin + place["end"])
                else:
                    self._inline(what, about, begin + place["start"], begin + place["end"])
        self._close(len(self.raw))

    def _inline(self, what: str, about: Any, start: int, end: int) -> None:
        if self._open is None:
            self._set(self._kind("paragraph"), self._from(start))
        elif self._open[0] == "code":
            self._code += (start, end)
        elif self._open[0] == "heading" and what in ("Text", "Code"):
            self._words.append(about)
        if what == "Code":
            self.codes.append(InlineSpan(about, start, end))

    def _start(self, about: Any, start: int, end: int) -> None:
        name, more = (about, {}) if about.__class__ is str else next(iter(about.items()))
        if (kind := _LEAVES.get(name)) is not None:
            self._close(start)
            word = _LANG.search(more.get("Fenced", "")) if kind == "code" and isinstance(more, dict) else None
            level = int(more["level"][1]) if kind == "heading" else 0
            self._set(self._kind(kind), self._from(start), word[0].casefold() if word else "", level)
        elif name in _CONTAINERS:
            self._close(start)
            self._around.append(name)
            self._entry = start if name == "Item" else self._entry
        elif name in ("Link", "Image"):
            self._inline(name, "", start, end)
            if more["link_type"] in ("Autolink", "Email"):
                return
            self.links.append(self._link(more["dest_url"], start, end))

    def _end(self, name: str, end: int) -> None:
        if name in _LEAVES:
            self._close(end)
        elif name in _CONTAINERS:
            self._close(end)
            self._around.pop()

    def _from(self, start: int) -> int:
        """From the mark of the entry that it is the first of."""
        begin, self._entry = self._entry, -1
        return begin if begin >= 0 and not self.raw[begin:start].strip(" \t-*+.)0123456789") else start

    def _kind(self, kind: BlockKind) -> BlockKind:
        if kind != "paragraph":
            return kind
        return "quote" if "BlockQuote" in self._around else "item" if "Item" in self._around else "paragraph"

    def _set(self, kind: BlockKind, start: int, lang: str = "", level: int = 0) -> None:
        self._open = (kind, start, lang, level)
        self._words, self._code = [], []

    def _close(self, end: int) -> None:
        """Ends the block that is open, if one is."""
        if self._open is None:
            return
        kind, start, lang, level = self._open
        self._open = None
        end = start + len(self.raw[start:end].rstrip(_BLANKS))
        words = "".join(self._words).strip()
        body, stop = start, end
        if kind == "code":
            body, stop = (self._code[0], self._code[-1]) if self._code else (end, end)
        closed = kind != "code" or self._is_closed(start, end)
        self.leaves.append(_Leaf(kind, start, end, body, stop, words, level, lang, closed))

    def _is_closed(self, start: int, end: int) -> bool:
        """Code that is set in needs no end; a fence has one in its last line."""
        if self.raw[start : start + 3] not in ("```", "~~~"):
            return True
        last = self.raw.rfind("\n", start, end)
        return last >= 0 and _FENCE.match(self.raw, last + 1, end) is not None

    def _link(self, target: str, start: int, end: int) -> InlineSpan:
        """Where its destination is written; all of it where that is somewhere else, or written otherwise."""
        bracket = self.raw.rfind("](", start, end)
        written = target.encode("utf-8", "replace").decode("latin-1")
        at = self.raw.find(written, bracket, end) if bracket >= 0 and target else -1
        return InlineSpan(target, at, at + len(written)) if at >= 0 else InlineSpan(target, start, end)


def sections_of(blocks: Iterable[MarkdownBlock], size: int) -> Iterator[Section]:
    """Of a page of that size, in order."""
    heads = [block for block in blocks if block.kind == "heading"]
    above: list[int] = []
    for index, head in enumerate(heads):
        while above and heads[above[-1]].level >= head.level:
            above.pop()
        end = next((one.start for one in heads[index + 1 :] if one.level <= head.level), size)
        yield Section(head.text, head.level, head.start, end, above[-1] if above else -1)
        above.append(index)


def nested_fences(text: str) -> list[tuple[int, int]]:
    """Where authors put fences into a fence of the same length, which CommonMark ends at the first one inside.

    Each fence with a language opens one, and each bare one closes the last; where that comes out uneven, there is none.
    """
    found: list[tuple[int, int]] = []
    opened: list[re.Match[str]] = []
    deepest = 0
    for mark in _FENCES.finditer(text):
        if mark[2] or not opened:
            if opened and (mark[1][0] != opened[-1][1][0] or len(mark[1]) < len(opened[-1][1])):
                continue
            opened.append(mark)
            deepest = max(deepest, len(opened))
        elif mark[1][0] == opened[-1][1][0] and len(mark[1]) >= len(opened[-1][1]):
            first = opened.pop()
            if not opened:
                found += [(first.start(), mark.end())] if deepest > 1 else []
                deepest = 0
    return [] if opened else found


LARGEST = 64_000
"""Characters of front matter that are read as YAML."""
DEEPEST = 12
MOST_ALIASES = 16
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENS = re.compile(r"[\ufeff\s]*---[ \t]*\r?\n")
_CLOSES = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r]*$)", re.MULTILINE)
_KEY = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[^\W\d][\w.-]*[ \t]*(?::(?=\s|\Z)|：)")
_BLANK = re.compile(r"^[ \t\r]*$", re.MULTILINE)
_STARTS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def parse_front_matter(text: str) -> FrontMatter | None:
    """What stands at the top between two lines `---`. One that is not closed ends at a blank line, and is broken.

    Not by python-frontmatter: it says no places, takes one that is not closed for text, and expands any alias.
    """
    opening = _OPENS.match(text)
    if opening is None:
        return None
    start, body = text.index("---"), opening.end()
    closing = _CLOSES.search(text, body)
    if not (_KEY.match(text, body) or (closing and not text[body : closing.start()].strip())):
        return None
    if closing is None:
        blank = _BLANK.search(text, body)
        return FrontMatter(start, blank.start() if blank else len(text), {}, "it is not closed by a line `---`")
    values, broken = _read(text[body : closing.start()], text.count("\n", 0, body) + 1)
    return FrontMatter(start, closing.end(), values, broken)


def _read(inner: str, first: int) -> tuple[Mapping[str, object], str | None]:
    """Its values, and why there are none. `first`: the number of its first line."""
    try:
        if len(inner) > LARGEST:
            raise ValueError(f"it has {len(inner):,} characters; at most {LARGEST:,} are read")
        _refuse_bombs(inner)
        value = yaml.load(inner, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = f"line {first + error.problem_mark.line}: " if error.problem_mark else ""
        return {}, f"{line}{error.problem}"
    except UnicodeError:
        return {}, "it contains bytes that are not UTF-8"
    except (yaml.YAMLError, ValueError) as error:
        return {}, str(error).partition("\n")[0]
    if value is None:
        return {}, None
    if not isinstance(value, dict):
        return {}, "it contains no `key: value` lines"
    return {str(key): one for key, one in value.items()}, None


def _refuse_bombs(text: str) -> None:
    """Walks the events, which needs no depth of its own, before anything is built of them."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
        if aliases > MOST_ALIASES:
            raise ValueError(f"it has more than {MOST_ALIASES} aliases")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise ValueError(f"it uses a type, `{tag}`, which is not supported")
