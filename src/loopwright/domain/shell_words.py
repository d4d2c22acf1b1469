"""A shell line taken apart into plain commands; whatever is more than words, pipes and joins is refused. Pure."""

import re
from typing import NamedTuple

LONGEST = 10_000

QUIET = re.compile(r"(?:[12]?>[ \t]?/dev/null|2>&1|1?>&2)(?=[ \t\n;|&]|$)")
"""The redirections that write nowhere."""

JOINS = re.compile(r"&&|\|\||[|;\n]")
QUOTED_DOLLAR = re.compile(r'\$(?=["\s|)/])')
BARE_DOLLAR = re.compile(r"\$(?=[ \t\n]|$)")


class NotPlain(Exception):
    """The line holds something whose effect can not be told from its text."""


class Word(NamedTuple):
    """`unclear`: it holds a pattern, and what that becomes may begin with a dash."""

    text: str
    unclear: bool = False


class _Piece(NamedTuple):
    """A part of a word that was read, and where reading goes on."""

    text: str
    end: int
    pattern: bool = False


def commands_in(line: str) -> tuple[tuple[Word, ...], ...]:
    """The commands that a POSIX shell would run for this line, each as its words. NotPlain."""
    if len(line) > LONGEST:
        raise NotPlain("it is too long to be looked through")
    if any((ord(c) < 32 and c not in "\t\n") or ord(c) == 127 for c in line):
        raise NotPlain("it holds control characters")
    commands: list[tuple[Word, ...]] = []
    words: list[Word] = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
        elif quiet := QUIET.match(line, at):
            at = quiet.end()
        elif join := JOINS.match(line, at):
            commands += [tuple(words)] if words else []
            words, at = [], join.end()
        else:
            word, at = _word(line, at)
            words.append(word)
    return (*commands, *([tuple(words)] if words else []))


def _word(line: str, at: int) -> tuple[Word, int]:
    if line[at] == "#":
        raise NotPlain("shells differ in whether # begins a comment")
    text, unclear, start = "", False, at
    while at < len(line) and line[at] not in " \t\n;|&":
        piece = _piece(line, at)
        unclear = unclear or (piece.pattern and text[:1] in ("", "-"))
        text, at = text + piece.text, piece.end
    if at == start:
        raise NotPlain(f"{line[at]} starts something beside it")
    return Word(text, unclear), at


def _piece(line: str, at: int) -> _Piece:
    match line[at]:
        case "'":
            return _single(line, at + 1)
        case '"':
            return _double(line, at + 1)
        case "\\":
            if at + 1 >= len(line):
                raise NotPlain("it ends in a backslash")
            return _Piece("" if line[at + 1] == "\n" else line[at + 1], at + 2)
        case "$":
            if BARE_DOLLAR.match(line, at):
                return _Piece("$", at + 1)
            raise NotPlain("what $ stands for is not known before it runs")
        case "`":
            raise NotPlain("a backtick runs another command")
        case ">" | "<":
            raise NotPlain(f"{line[at]} redirects to or from a file")
        case "(" | ")" | "{" | "}":
            raise NotPlain(f"{line[at]} is more than a plain command")
        case other if other.isspace():
            raise NotPlain("it holds unusual blanks")
        case other:
            return _Piece(other, at + 1, pattern=other in "*?[")


def _single(line: str, at: int) -> _Piece:
    end = line.find("'", at)
    if end < 0:
        raise NotPlain("a quote is not closed")
    if line[end - 1] == "\\" and end > at:
        raise NotPlain("shells differ in what a backslash before a quote means")
    return _Piece(line[at:end], end + 1)


def _double(line: str, at: int) -> _Piece:
    text = ""
    while at < len(line) and line[at] != '"':
        if line[at] == "`":
            raise NotPlain("a backtick runs another command")
        if line[at] == "$" and not QUOTED_DOLLAR.match(line, at):
            raise NotPlain("what $ stands for is not known before it runs")
        if line[at] == "\\" and at + 1 < len(line):
            text += {"\n": ""}.get(line[at + 1], line[at + 1] if line[at + 1] in '$`"\\' else line[at : at + 2])
            at += 2
        else:
            text += line[at]
            at += 1
    if at >= len(line):
        raise NotPlain("a quote is not closed")
    return _Piece(text, at + 1)
