"""Alternatives within a line: `a | b | c`, “a”, “b” or “c”, (a, b, c), a、b、c."""

import re
from collections.abc import Callable, Iterator

WORD = r"[A-Za-z][\w\-]{1,24}+"
_MARK = r"[\"'`*]{0,3}"
_TICK = rf"(?:`{WORD}`|\"{WORD}\"|'{WORD}')"
_BEFORE = r"(?<![\w/.\-@~$\\])"
_BARRED = re.compile(rf"{_BEFORE}{_MARK}{WORD}{_MARK}(?:(?: ?\\?\| ?| / |/){_MARK}{WORD}{_MARK}){{2,8}}(?![\w/.(\-])")
_TICKED = re.compile(
    rf"[`\"'](?<![\w/.\-@~$\\].)(?:(?<=`){WORD}`|(?<=\"){WORD}\"|(?<='){WORD}')"
    rf"(?:(?:, ?(?:or |and )?|，|、| or | and | ?[或和] ?){_TICK}){{2,8}}"
)
_PLAIN = re.compile(
    rf"{_BEFORE}{WORD}(?:, {WORD}){{1,8}},? (?:or|and) {WORD}\b|(?<=\(){WORD}(?:, {WORD}){{2,8}}(?=\))"
    rf"|(?<=: ){WORD}(?:, {WORD}){{2,8}}(?=[.\n;)])|(?<![A-Za-z]){WORD}(?:、{WORD}){{2,8}}"
)
_BAR = re.compile(rf"[|/](?= ?{_MARK}{WORD}{_MARK} ?\\?[|/])")
_COMMA = re.compile(rf",(?= {WORD}(?:,| (?:or|and) ))|、(?={WORD}、)")
"""Signs between a first word and a second one, behind which there is another sign."""
_MARKS = "\"'`*"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
LONGEST = 36
"""Characters of a first word with its marks."""


def alternatives(text: str) -> list[re.Match[str]]:
    """All of them in the order of the text; those of different kinds may overlap."""
    found = [*_from(text, _BAR, _barred), *_TICKED.finditer(text), *_from(text, _COMMA, _plain)]
    return sorted(found, key=lambda one: one.start())


def _from(
    text: str, sign: re.Pattern[str], reading: Callable[[str, int], re.Match[str] | None]
) -> Iterator[re.Match[str]]:
    """What begins with the word before a sign: looked for there alone, not at every word of the text."""
    after = 0
    for one in sign.finditer(text):
        found = reading(text, one.start()) if one.start() >= after else None
        if found is not None and found.start() >= after:
            after = found.end()
            yield found


def _barred(text: str, at: int) -> re.Match[str] | None:
    before = text[max(0, at - LONGEST) : at]
    bare = before.removesuffix(" ").removesuffix("\\").removesuffix(" ").rstrip(_MARKS)
    word = bare.rstrip(_LETTERS)
    if len(word) == len(bare):
        return None
    last = at - len(before) + len(word)
    first = last - min(3, len(word) - len(word.rstrip(_MARKS)))
    return next((found for begin in range(first, last + 1) if (found := _BARRED.match(text, begin))), None)


def _plain(text: str, at: int) -> re.Match[str] | None:
    before = text[max(0, at - LONGEST) : at]
    begin = at - len(before) + len(before.rstrip(_LETTERS))
    while begin < at and not text[begin].isalpha():
        begin += 1
    return _PLAIN.match(text, begin)
