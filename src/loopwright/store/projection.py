"""The JSON file: a rendering of the state that carries proof of being whole and ours."""

import hashlib
from typing import NamedTuple

import orjson

from loopwright.core.errors import Invalid
from loopwright.store.patch import Doc

BLANK = b"0" * 32
ENGINE = b'\n  "engine": {'
DIGEST = b'\n    "digest": "'


class Projection(NamedTuple):
    """A parsed JSON file. `genuine`: its digest is that of its own bytes."""

    doc: Doc
    rev: int
    journal_bytes: int
    digest: str
    genuine: bool


def render_projection(doc: Doc, *, rev: int, journal_bytes: int) -> tuple[bytes, str]:
    """The file's bytes and their digest; the document's own bookkeeping is set on the way.

    The digest is taken of the file as it is with a digest of zeros.
    """
    engine = doc["engine"]
    engine["rev"], engine["journal_bytes"], engine["digest"] = rev, journal_bytes, BLANK.decode()
    try:
        blank = orjson.dumps(doc, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise Invalid(f"a state cannot hold this: {error}") from error
    digest = _digest(blank)
    at = _place(blank)
    engine["digest"] = digest
    return blank[:at] + digest.encode() + blank[at + len(BLANK) :], digest


def parse_projection(data: bytes) -> Projection | None:
    """The file's content as far as it is a JSON object, else None."""
    try:
        doc = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(doc, dict):
        return None
    engine = doc.get("engine")
    book = engine if isinstance(engine, dict) else {}
    rev, size, digest = book.get("rev"), book.get("journal_bytes"), book.get("digest")
    if not (isinstance(rev, int) and isinstance(size, int) and isinstance(digest, str)):
        return Projection(doc, 0, 0, "", False)
    return Projection(doc, rev, size, digest, _is_genuine(data, digest))


def _is_genuine(data: bytes, digest: str) -> bool:
    at = _place(data)
    if at < 0 or data[at : at + len(BLANK)] != digest.encode(errors="replace"):
        return False
    return _digest(data[:at] + BLANK + data[at + len(BLANK) :]) == digest


def _place(data: bytes) -> int:
    """Where the digest stands. Line breaks never occur inside JSON text, so only the top level can match."""
    engine = data.find(ENGINE)
    found = data.find(DIGEST, engine) if engine >= 0 else -1
    return found + len(DIGEST) if found >= 0 else -1


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
