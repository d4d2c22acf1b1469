"""What changes of others are judged by, whatever kind of state they change. Pure."""

from collections.abc import Collection

from loopwright.domain.engine_state import INCIDENTS_KEPT, Incident, PermissionRequest
from loopwright.domain.record import Record
from loopwright.domain.run import R

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


def forbidden(base: R, found: R, own: Collection[str], end: Collection[str]) -> list[str]:
    """Names of what nobody else may change: the runner's `own`, the `end` without a change of status, and `engine`."""
    names = [name for name in sorted(own) if getattr(found, name) != getattr(base, name)]
    if found.status == base.status:
        names += [name for name in sorted(end) if getattr(found, name) != getattr(base, name)]
    same_end = {"outcome": base.engine.outcome} if found.status != base.status else {}
    if found.engine.evolve(**BOOKKEEPING, **same_end) != base.engine.evolve(**BOOKKEEPING):
        names.append("engine")
    return names
