"""Mending a parsed state of any kind until its model accepts it: what is missing or null gets its default. Pure."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from loopwright.core.errors import Invalid, LoopwrightError, NewerSchema
from loopwright.core.record import Record, first_problem
from loopwright.core.run import R
from loopwright.core.state import INCIDENTS_KEPT, SCHEMA, Incident, PermissionRequest

Json = dict[str, Any]  # Any: parsed JSON from outside, typed by the model at the end
M = TypeVar("M", bound=BaseModel)

DEFAULT_OFFSET = "+08:00"
TIMES = frozenset({"timestamp", "at", "since", "until", "last_updated", "last_run"})
"""Keys that hold a time, beside all that end in `_at`."""
ROUNDS = 100


def copy_document(raw: Json) -> Json:
    """A copy of its own, once it is sure that all of it can be written again."""
    try:
        text = json.dumps(raw, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid(f"this state contains something that JSON in UTF-8 cannot hold: {error}") from error
    copy: Json = json.loads(text)
    return copy


def refuse_newer(document: Json) -> None:
    """NewerSchema for what a later version wrote."""
    schema = get_object(document, "engine").get("schema", SCHEMA)
    if isinstance(schema, int) and schema > SCHEMA:
        raise NewerSchema(
            f"this state has schema {schema}, this loopwright reads up to {SCHEMA}; a newer loopwright wrote it"
        )


def validate_document(
    model: type[M],
    document: Json,
    repairs: list[str],
    *,
    finish: Callable[[Json, list[str]], None],
    missing: Callable[[str, Json], object],
) -> M:
    """Validates, filling what is missing and dropping what is null, as far as each has a default. Changes `document`.

    `finish` is called before each try; `missing(key, place)` gives the value of a required key that `place` does not
    have, or None. Invalid with the first problem that has no repair.
    """
    for _ in range(ROUNDS):
        try:
            finish(document, repairs)
            return model.model_validate(document)
        except ValidationError as error:
            mended = [_mend(document, problem, missing, repairs) for problem in error.errors(include_url=False)]
            if not any(mended):
                raise Invalid(first_problem(error)) from error
    raise Invalid("this state needs more than a hundred repairs")


def finish_end(document: Json, repairs: list[str], noun: str, now: str, outcome: Callable[[Json], str]) -> None:
    """An end has a time, a reason and an outcome; what has not ended has none of them."""
    status = document.get("status", "created")
    engine = get_object(document, "engine")
    if not isinstance(status, str) or status not in ("completed", "failed"):
        for place, key in ((document, "completed_at"), (document, "failure_reason"), (engine, "outcome")):
            if place.get(key) is not None:
                repairs.append(f"{key} was dropped: the {noun} is {status}")
            place.pop(key, None)
        return
    if not document.get("completed_at"):
        document["completed_at"] = document.get("updated_at") or now
    if status == "failed" and not document.get("failure_reason"):
        document["failure_reason"] = "the reason was not recorded"
    if not engine.get("outcome"):
        document["engine"] = {**engine, "outcome": outcome(document)}
        repairs.append(f"the outcome was not recorded; it reads as {document['engine']['outcome']}")


def parse_timestamp(value: object) -> str | None:
    """The time with its offset, or with that of the default zone; None where it is no time."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if time is None or time.tzinfo is not None:
        return value if isinstance(value, str) and time else None
    return time.isoformat() + DEFAULT_OFFSET


def get_object(document: Json, key: str) -> Json:
    """The object under this key; an empty one where there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def list_objects(value: object) -> list[Json]:
    """Those of a list; none where there is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _mend(document: Json, problem: Any, missing: Callable[[str, Json], object], repairs: list[str]) -> bool:
    """One repair for one validation problem (pydantic's ErrorDetails); False when there is none."""
    if not problem["loc"]:
        return False
    *path, key = problem["loc"]
    place: Any = document  # Any: walks parsed JSON
    for step in path:
        place = place[step] if isinstance(place, (dict, list)) else None
    if not isinstance(place, dict) or not isinstance(key, str):
        return False
    where = ".".join(str(step) for step in problem["loc"])
    if problem["type"] == "missing":
        value = missing(key, place)
        if value is None:
            return False
        place[key] = value
        repairs.append(f"{where} was missing")
        return True
    if key in place and place[key] in (None, ""):
        repairs.append(f"{where} was {'null' if place[key] is None else 'empty'}")
        del place[key]
        return True
    return _mend_time(place, key, where, repairs)


def _mend_time(place: Json, key: str, where: str, repairs: list[str]) -> bool:
    """A time without an offset was written in the default zone."""
    value = place.get(key)
    if not key.endswith("_at") and key not in TIMES:
        return False
    time = parse_timestamp(value)
    if time is None or time == value:
        return False
    place[key] = time
    repairs.append(f"{where} had no offset; {DEFAULT_OFFSET} was assumed")
    return True


BOOKKEEPING = {"rev": 0, "digest": "", "journal_bytes": 0}
LIMITS = frozenset({"max_minutes", "max_tokens", "max_cost"})


def merge_answers(
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


def list_unknown_keys(base: Record, found: Record) -> list[str]:
    """Keys that the schema does not know, new or with another value."""
    before, after = base.__pydantic_extra__ or {}, found.__pydantic_extra__ or {}
    return sorted(name for name, value in after.items() if name not in before or before[name] != value)


def list_forbidden_fields(base: R, found: R, own: Collection[str], end: Collection[str]) -> list[str]:
    """Names of what nobody else may change: the runner's `own`, the `end` without a change of status, and `engine`."""
    names = [name for name in sorted(own) if getattr(found, name) != getattr(base, name)]
    if found.status == base.status:
        names += [name for name in sorted(end) if getattr(found, name) != getattr(base, name)]
    same_end = {"outcome": base.engine.outcome} if found.status != base.status else {}
    if found.engine.evolve(**BOOKKEEPING, **same_end) != base.engine.evolve(**BOOKKEEPING):
        names.append("engine")
    return names


def carry_over(
    state: R, steps: Iterable[str], carried: Callable[[R, str], R], refused: Sequence[str]
) -> tuple[R, tuple[str, ...], tuple[str, ...]]:
    """The state with each of others' changes that its command allows.

    Returns with it what was accepted, and what is put back, in words: what was `refused` before, and what is now.
    """
    accepted: list[str] = []
    put_back = list(refused)
    for name in steps:
        try:
            state = carried(state, name)
        except LoopwrightError as error:
            put_back.append(f"{name} ({error})")
        else:
            accepted.append(name)
    return state, tuple(accepted), tuple(put_back)


def with_field(state: M, found: M, name: str) -> M:
    """The state with one field, or one key that the schema does not know, as it was found."""
    given = {**state.__dict__, **(state.__pydantic_extra__ or {}), name: getattr(found, name)}
    return type(state).model_validate(given)


def with_texts(state: M, after: M, names: Iterable[str]) -> M:
    """The state with what is a person's, and keys that the schema does not know, as they are `after` a change."""
    given = {**state.__dict__, **{name: getattr(after, name) for name in (*names, "updated_at")}}
    return type(state).model_validate({**given, **(after.__pydantic_extra__ or {})})


def try_command(state: R, command: Callable[..., R], *given: object, **more: bool) -> R:
    """What the command makes of it; the state itself where it would refuse."""
    try:
        return command(state, *given, **more)
    except LoopwrightError:
        return state
