"""Measuring and padding of text in terminal cells."""

import re
import unicodedata

_CODE = re.compile(r"\x1b\[[0-9;]*m")
RESET = "\x1b[0m"


def strip_codes(text):
    """Return text without colour codes."""
    return _CODE.sub("", text)


def char_width(char):
    """Number of cells that one character takes."""
    if unicodedata.combining(char):
        return 0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 2
    return 1


def display_width(text):
    """Number of cells that text takes, colour codes not counted."""
    return sum(char_width(char) for char in strip_codes(text))


def pad(text, width, align="l", fill=" "):
    """Pad text to width cells; align is one of l, r, c."""
    missing = width - display_width(text)
    if missing <= 0:
        return text
    if align == "r":
        return fill * missing + text
    if align == "c":
        left = missing // 2
        return fill * left + text + fill * (missing - left)
    if align == "l":
        return text + fill * missing
    raise ValueError(f"unknown alignment: {align!r}")


def clip(text, width, marker="…"):
    """Shorten text to at most width cells, ending in marker where it was cut.

    A text that is cut while a colour is on ends in a reset code.
    """
    if display_width(text) <= width:
        return text
    room = width - display_width(marker)
    if room < 0:
        return ""
    out = []
    used = 0
    coloured = False
    position = 0
    while position < len(text):
        match = _CODE.match(text, position)
        if match:
            out.append(match.group())
            coloured = match.group() != RESET
            position = match.end()
            continue
        char = text[position]
        if used + char_width(char) > room:
            break
        out.append(char)
        used += char_width(char)
        position += 1
    out.append(marker)
    if coloured:
        out.append(RESET)
    return "".join(out)
