"""Mending a parsed state of any kind until its model accepts it: what is missing or null gets its default. Pure."""

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.core.record import DEFAULT_OFFSET, first_problem, parse_timestamp
from loopwright.core.state import SCHEMA

Json = dict[str, Any]  # Any: parsed JSON from outside, typed by the model at the end
M = TypeVar("M", bound=BaseModel)

TIMES = frozenset({"timestamp", "at", "since", "until", "last_updated", "last_run"})
"""Keys that hold a time, beside all that end in `_at`."""
ROUNDS = 100


def open_document(raw: object, what: str) -> Json:
    """A copy of its own, once it is sure that all of it can be written again. `what` it is, as errors say it.

    Invalid, and NewerSchema for what a later version wrote.
    """
    if not isinstance(raw, dict):
        raise Invalid(f"{what} is a JSON object, this is {type(raw).__name__}")
    try:
        text = json.dumps(raw, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise Invalid(f"this state contains something that JSON in UTF-8 cannot hold: {error}") from error
    copy: Json = json.loads(text)
    schema = get_object(copy, "engine").get("schema", SCHEMA)
    if isinstance(schema, int) and schema > SCHEMA:
        raise NewerSchema(
            f"this state has schema {schema}, this loopwright reads up to {SCHEMA}; a newer loopwright wrote it"
        )
    return copy


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


def get_object(document: Json, key: str) -> Json:
    """The object under this key; an empty one where there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def drop_bad_times(places: Iterable[tuple[str, Json, str]], repairs: list[str]) -> None:
    """What is no time says as much as nothing. `places`: where each is in words, the object and the key."""
    for where, place, key in places:
        value = place.get(key)
        if isinstance(value, str) and value and parse_timestamp(value) is None:
            del place[key]
            repairs.append(f"{where}{key} was no time")


def keep_last(place: Json, key: str, most: int, repairs: list[str]) -> None:
    """Of a list that is too long its end."""
    items = place.get(key)
    if isinstance(items, list) and len(items) > most:
        place[key] = items[-most:]
        repairs.append(f"the last {most} of {len(items):,} {key} were kept")


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
