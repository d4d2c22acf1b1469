"""What the lines of a journal make: the document that they add up to, and the state in it."""

from collections.abc import Sequence

from pydantic import ValidationError

from loopwright.domain.errors import Corrupt, Invalid, NewerSchema
from loopwright.store import patch
from loopwright.store.journal import Line
from loopwright.store.kind import Document, Kind, S
from loopwright.store.patch import Doc


def replay(lines: tuple[Line, ...]) -> Doc:
    """The document after the last of `lines`, which are used up by it. Corrupt when a patch does not fit."""
    start = max(at for at, line in enumerate(lines) if line.state is not None)
    return carried_on({}, lines[start:])


def carried_on(doc: Doc, lines: Sequence[Line]) -> Doc:
    """`doc` with further lines applied; it is changed in place. Corrupt when a patch does not fit."""
    for line in lines:
        try:
            if line.state is not None:
                doc = line.state
            else:
                patch.apply(doc, line.patch)
            engine = doc["engine"]
            engine["rev"], engine["digest"], engine["journal_bytes"] = line.seq, line.digest, line.end
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise Corrupt(f"line {line.seq} of the journal does not fit the state before it: {error!r}") from error
    return doc


def load(kind: Kind[S], document: Document) -> tuple[S, bool]:
    """The state in a document of ours, and whether it had to be changed to be read. Corrupt, NewerSchema."""
    doc = document.raw
    schema = doc["engine"].get("schema", kind.schema) if isinstance(doc, dict) else kind.schema
    if isinstance(schema, int) and schema > kind.schema:
        raise NewerSchema(f"{kind.name} {document.id} has schema {schema}; this loopwright knows up to {kind.schema}")
    try:
        state = _validated(kind, document)
        if kind.id_of(state) != document.id:
            raise Corrupt(f"{kind.name} {document.id}: its journal tells of {kind.id_of(state)}")
        return state, patch.plain(state) != doc
    except (Invalid, RecursionError) as error:
        raise Corrupt(f"{kind.name} {document.id}: what its journal holds makes no sense ({error})") from error


def _validated(kind: Kind[S], document: Document) -> S:
    try:
        return kind.model.model_validate(document.raw)
    except ValidationError:
        return kind.read(document)[0]
