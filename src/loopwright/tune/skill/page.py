"""Reads one file of a skill into a page."""

from typing import Literal

from loopwright.tune.skill.front import Span, front_span, read_front
from loopwright.tune.skill.kinds import is_markdown, kind_of, lang_of
from loopwright.tune.skill.letters import wide
from loopwright.tune.skill.lines import lines_of
from loopwright.tune.skill.model import Block, Page, PageKind
from loopwright.tune.skill.scanner import Piece, Scanner
from loopwright.tune.skill.sections import sections_of
from loopwright.tune.skill.tokens import estimated, is_chinese, tokens
from loopwright.tune.skill.uses import use_of_file, uses_of

HEAD = 8_192
"""Bytes at the beginning that hold no NUL in a text."""
UNDECODABLE = 0.3
"""The share of bytes that are no UTF-8, above which a file is no text."""
BOM = "\ufeff"


def read_page(path: str, data: bytes, kind: PageKind | None = None) -> Page | None:
    """The page at `path`, relative to the skill's folder; None where the bytes are no text."""
    text = _text(data)
    if text is None:
        return None
    kind = kind or kind_of(path, text)
    return _markdown(path, text, kind) if is_markdown(path) else _code(path, text, kind)


def _text(data: bytes) -> str | None:
    if b"\0" in data[:HEAD]:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    strange = sum("\udc80" <= char <= "\udcff" for char in text)
    return None if strange > UNDECODABLE * len(data) else text


def _markdown(path: str, text: str, kind: PageKind) -> Page:
    lines = text.split("\n")
    if text.startswith(BOM):
        # It is no content but has its place: as a blank it leaves all offsets as they are.
        lines[0] = " " + lines[0][1:]
    span = front_span(lines)
    scanner = Scanner(text, lines, span.end if span else 0)
    pieces = scanner.scan()
    starts, front = scanner.starts, None
    if span:
        piece = _front_piece(span, starts, lines)
        front = read_front(lines, span, starts[piece.first], _end(piece, starts, lines))
        pieces.insert(0, piece)
    sections = sections_of(text, starts, pieces)
    within = _within(pieces)
    uses = uses_of(text, pieces, sections, within, kind)
    ends = _ends(text, starts, lines, pieces)
    blocks = tuple([
        Block(
            piece.kind, starts[piece.first], end, piece.first + 1, piece.last + 1,
            text[piece.body : piece.stop], piece.body, piece.level, piece.lang, section, use, piece.closed,
        )
        for piece, end, section, use in zip(pieces, ends, within, uses, strict=True)
    ])  # fmt: skip
    code = "".join([block.text for block in blocks if block.kind == "code"])
    cjk = wide(code)
    size = estimated(len(code), cjk, code=True) + estimated(len(text) - len(code), wide(text) - cjk)
    prose = "" if text.isascii() else "\n".join([block.text for block in blocks if block.kind != "code"])
    return Page(
        path, text, kind, front, blocks, sections, size, "zh" if is_chinese(prose) else "en", _newline(text),
    )  # fmt: skip


def _code(path: str, text: str, kind: PageKind) -> Page:
    """A script or data: one block of code."""
    starts = lines_of(text).starts
    last = len(starts) - (starts[-1] == len(text) and len(starts) > 1)
    block = Block(
        "code", 0, len(text), 1, last, text, 0, lang=lang_of(path), use=use_of_file(text, kind),
    )  # fmt: skip
    blocks = (block,) if text.strip() else ()
    return Page(path, text, kind, None, blocks, (), tokens(text, code=True), "en", _newline(text))


def _front_piece(span: Span, starts: tuple[int, ...], lines: list[str]) -> Piece:
    body = starts[span.first + 1] if span.first + 1 < len(starts) else starts[-1] + len(lines[-1])
    stop = starts[span.last] - 1 if span.last < len(starts) else starts[-1] + len(lines[-1])
    piece = Piece("front", span.first, span.end - 1, body, closed=span.closed, stop=max(body, stop))
    if piece.stop > body and lines[span.last - 1].endswith("\r"):
        piece.stop -= 1
    return piece


def _end(piece: Piece, starts: tuple[int, ...], lines: list[str]) -> int:
    """Behind the last character of its last line, without the newline."""
    line = lines[piece.last]
    return max(piece.stop, starts[piece.last] + len(line) - line.endswith("\r"))


def _ends(text: str, starts: tuple[int, ...], lines: list[str], pieces: list[Piece]) -> list[int]:
    """Of each piece the same; where no line has another end than a newline, the next line tells it."""
    if "\r" in text:
        return [_end(piece, starts, lines) for piece in pieces]
    following = (*starts[1:], len(text) + 1)
    return [end if (end := following[piece.last] - 1) > piece.stop else piece.stop for piece in pieces]


def _within(pieces: list[Piece]) -> list[int]:
    """The section of each piece: as each heading begins one, their count so far says it."""
    within, section = [], -1
    for piece in pieces:
        section += piece.kind == "heading"
        within.append(section)
    return within


def _newline(text: str) -> Literal["\n", "\r\n"]:
    windows = text.count("\r\n")
    return "\r\n" if windows * 2 > text.count("\n") else "\n"
