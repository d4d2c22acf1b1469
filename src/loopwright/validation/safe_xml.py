"""XML that somebody else wrote, parsed without following it anywhere."""

import re
from xml.etree import ElementTree

MOST = 64_000_000
"""Bytes; a larger document is refused."""

# All that may stand before the root element or a document type. Every alternative ends at its first end.
_PROLOG = re.compile(rb"(?:\s+|<\?[^?]*(?:\?(?!>)[^?]*)*\?>|<!--[^-]*(?:-(?!->)[^-]*)*-->)*")
_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)")
_READ_AS_ASCII = frozenset(
    {b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin1", b"windows-1252", b"cp1252"}
)


class UnreadableXml(ValueError):
    """Why a document is not read, in words."""


def parse(data: bytes) -> ElementTree.Element:
    """The root element. A document type is refused before a parser sees it: only one can declare entities."""
    if len(data) > MOST:
        raise UnreadableXml(f"it has more than {MOST:,} bytes")
    text = data.removeprefix(b"\xef\xbb\xbf")
    encoding = _ENCODING.match(text)
    # In other encodings a document type could hide from the next look.
    if b"\0" in text[:4] or (encoding is not None and encoding.group(1).lower() not in _READ_AS_ASCII):
        raise UnreadableXml("it is not written in UTF-8")
    prolog = _PROLOG.match(text)
    rest = text[prolog.end() if prolog else 0 :]
    if rest.startswith(b"<!") and not rest.startswith(b"<!--"):
        raise UnreadableXml("it has a document type (DOCTYPE), which reports do not need")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise UnreadableXml(f"it is no whole XML document ({error})") from error
