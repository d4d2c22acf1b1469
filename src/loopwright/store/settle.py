"""What to go on with after looking at the files: pure, one case per finding."""

from typing import Generic, NamedTuple, assert_never

from loopwright.domain.errors import Invalid, NewerSchema
from loopwright.domain.events import Event
from loopwright.store import patch, projection
from loopwright.store.kind import Document, Kind, S, with_incident
from loopwright.store.known import Finding, Known, View

EXTERNAL = "external"


class Settlement(NamedTuple, Generic[S]):
    """`known` is the state to build on; with an `event`, `state` has to be committed on top of it first."""

    known: Known[S]
    state: S
    actor: str
    event: Event | None
    quarantine: bool = False


def settle(kind: Kind[S], view: View[S], base: S | None, now: str, *, id: str) -> Settlement[S]:
    """`base` is the state whose projection the file was made from, where the finding is a change from outside."""
    known = view.known
    if view.forged:
        return _forged(view, now)
    match view.finding:
        case Finding.OURS | Finding.MISSING:
            return Settlement(known, known.state, EXTERNAL, None)
        case Finding.ALONE:
            return Settlement(known, known.state, "store", Event(type="journal_started", data={"rev": known.seq}))
        case Finding.BROKEN:
            return _put_back(known, "its JSON file could not be read", now)
        case Finding.AHEAD:
            return _ahead(kind, view, now, id)
        case Finding.FOREIGN:
            return _foreign(kind, view, base or known.state, now, id)
        case _:
            assert_never(view.finding)


def _forged(view: View[S], now: str) -> Settlement[S]:
    """Lines that gave themselves out as commits; a file that another program wrote meanwhile is kept aside."""
    names = ", ".join(view.forged)
    state = with_incident(view.known.state, "journal_forged", f"another program changed {names}; put back", now)
    event = Event(type="journal_forged", data={"put_back": [*view.forged]})
    strange = view.finding in (Finding.FOREIGN, Finding.BROKEN)
    return Settlement(view.known, state, EXTERNAL, event, quarantine=strange)


def _put_back(known: Known[S], why: str, now: str) -> Settlement[S]:
    state = with_incident(known.state, "state_put_back", f"{why}; the last committed state was put back", now)
    event = Event(type="state_put_back", data={"reason": why})
    return Settlement(known, state, EXTERNAL, event, quarantine=True)


def _ahead(kind: Kind[S], view: View[S], now: str, id: str) -> Settlement[S]:
    """A genuine file that is newer than the journal: the journal has lost lines."""
    found, known = view.found, view.known
    assert found is not None
    try:
        state, _ = kind.read(Document(found.doc, id, now, {}))
    except Invalid as error:
        return _put_back(known, f"its JSON file made no sense ({error})", now)
    if kind.id_of(state) != id:
        return _put_back(known, f"its JSON file is that of {kind.id_of(state)}", now)
    why = f"the journal ended at {known.seq}, the JSON file stands at {found.rev}"
    base = Known(state, patch.plain(state), found.rev, known.end, known.inode, known.file, whole=True)
    state = with_incident(state, "journal_damaged", f"{why}; the file's state was kept", now)
    return Settlement(base, state, "store", Event(type="journal_damaged", data={"reason": why}))


def _foreign(kind: Kind[S], view: View[S], base: S, now: str, id: str) -> Settlement[S]:
    found, known = view.found, view.known
    assert found is not None
    try:
        state, _ = kind.read(Document(found.doc, id, now, {}))
        if kind.id_of(state) != id:
            return _put_back(known, f"its JSON file is that of {kind.id_of(state)}", now)
        taken, accepted, refused = kind.take_in(base, state, known.state, now)
        projection.render(patch.plain(taken), rev=0, journal_bytes=0)
    except (Invalid, NewerSchema, RecursionError) as error:
        return _put_back(known, f"its JSON file made no sense ({error})", now)
    if refused:
        message = f"another program changed {', '.join(refused)}; put back"
        taken = with_incident(taken, "external_change_refused", message, now)
    if not accepted and not refused:
        return Settlement(known, known.state, EXTERNAL, None)
    event = Event(type="external_change", data={"accepted": [*accepted], "put_back": [*refused]})
    return Settlement(known, taken, EXTERNAL, event)
