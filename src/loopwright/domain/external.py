"""What changes of others are judged by, whatever kind of state they change. Pure."""

from loopwright.domain.engine_state import INCIDENTS_KEPT, Incident, PermissionRequest
from loopwright.domain.record import Record

BOOKKEEPING = {"rev": 0, "digest": "", "journal_bytes": 0}
LIMITS = frozenset({"max_minutes", "max_tokens", "max_cost"})


def answered(
    before: tuple[PermissionRequest, ...], after: tuple[PermissionRequest, ...]
) -> tuple[PermissionRequest, ...]:
    """Others answer what was asked, or take it away by an end; they ask nothing, and change no question or answer."""
    known = {request.id: request for request in before}
    kept = (known[r.id].evolve(answer=known[r.id].answer or r.answer) for r in after if r.id in known)
    return tuple(kept)


def all_incidents(before: tuple[Incident, ...], after: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """What was recorded stays; the oldest may have gone only where there are as many as are kept."""
    gone = range(len(before) + 1 if len(after) == INCIDENTS_KEPT else 1)
    if any(after[: len(before) - n] == before[n:] for n in gone):
        return after
    return (*before, *(incident for incident in after if incident not in before))[-INCIDENTS_KEPT:]


def unknown(base: Record, found: Record) -> list[str]:
    """Keys that the schema does not know, new or with another value."""
    before, after = base.__pydantic_extra__ or {}, found.__pydantic_extra__ or {}
    return sorted(name for name, value in after.items() if name not in before or before[name] != value)
