"""Breaking of text into lines of limited width."""

import re

from .cells import char_width, display_width

_BULLET = re.compile(r"\s*(?:[-*]|\d+\.)\s+")


def split_word(word, width):
    """Cut a word that is too long into pieces of at most width cells."""
    pieces = []
    current = ""
    used = 0
    for char in word:
        size = char_width(char)
        if current and used + size > width:
            pieces.append(current)
            current = ""
            used = 0
        current += char
        used += size
    if current:
        pieces.append(current)
    return pieces


def wrap(text, width, indent="", hanging=None):
    """Break one paragraph into lines of at most width cells.

    The first line begins with indent, the others with hanging (the same as
    indent when it is None). A word longer than a line is cut.
    """
    if hanging is None:
        hanging = indent
    narrowest = width - max(display_width(indent), display_width(hanging))
    if narrowest < 1:
        raise ValueError("width too small for the indent")

    lines = []
    prefix = indent
    current = []
    used = display_width(prefix)
    for word in text.split():
        gap = 1 if current else 0
        if used + gap + display_width(word) <= width:
            current.append(word)
            used += gap + display_width(word)
            continue
        if current:
            lines.append(prefix + " ".join(current))
            prefix = hanging
            current = []
            used = display_width(prefix)
        pieces = [word]
        if display_width(word) > width - used:
            pieces = split_word(word, narrowest)
        for piece in pieces[:-1]:
            lines.append(prefix + piece)
            prefix = hanging
        current = [pieces[-1]]
        used = display_width(prefix) + display_width(pieces[-1])
    if current:
        lines.append(prefix + " ".join(current))
    return lines


def paragraphs(text):
    """Split text at blank lines into a list of paragraphs."""
    found = []
    current = []
    for line in text.splitlines():
        if line.strip():
            current.append(line.strip())
        elif current:
            found.append(" ".join(current))
            current = []
    if current:
        found.append(" ".join(current))
    return found


def dedent_list(text, width):
    """Wrap a list of bullet points, continuation lines under the text.

    A line without a bullet continues the point before it.
    """
    points = []
    for line in text.splitlines():
        if not line.strip():
            continue
        match = _BULLET.match(line)
        if match:
            points.append([match.group(), line[match.end():]])
        elif points:
            points[-1][1] += " " + line.strip()
        else:
            points.append(["", line.strip()])
    lines = []
    for bullet, body in points:
        wrapped = wrap(body, width, bullet, " " * display_width(bullet))
        lines.extend(wrapped or [bullet.rstrip()])
    return lines
