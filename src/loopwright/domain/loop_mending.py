"""Mending a parsed state until the model accepts it: what is missing or null gets its default."""

from datetime import datetime
from typing import Any

from pydantic import ValidationError

from loopwright.domain.errors import Invalid
from loopwright.domain.loop import FINISHED, TITLE_LENGTH, LoopState
from loopwright.domain.loop_commands import STOPPED_BY_USER
from loopwright.domain.record import first_problem

Json = dict[str, Any]  # Any: parsed JSON from outside, typed by the model at the end

DEFAULT_OFFSET = "+08:00"
TIMES = frozenset({"timestamp", "at", "since", "until"})
"""Keys that hold a time, beside all that end in `_at`."""


def validated(document: Json, now: str, repairs: list[str]) -> LoopState:
    """Validates, filling what is missing and dropping what is null, as far as each has a default. Changes `document`.

    Invalid with the first problem that has no repair.
    """
    for _ in range(100):
        try:
            _finish(document, now, repairs)
            return LoopState.model_validate(document)
        except ValidationError as error:
            mended = [_mend(document, problem, now, repairs) for problem in error.errors(include_url=False)]
            if not any(mended):
                raise Invalid(first_problem(error)) from error
    raise Invalid("this state needs more than a hundred repairs")


def _finish(document: Json, now: str, repairs: list[str]) -> None:
    """An end has a time, a reason and an outcome; what has not ended has none of them."""
    status = document.get("status", "created")
    engine = part(document, "engine")
    if not isinstance(status, str) or status not in FINISHED:
        for place, key in ((document, "completed_at"), (document, "failure_reason"), (engine, "outcome")):
            if place.get(key) is not None:
                repairs.append(f"{key} was dropped: the loop is {status}")
            place.pop(key, None)
        return
    if not document.get("completed_at"):
        document["completed_at"] = document.get("updated_at") or now
    if status == "failed" and not document.get("failure_reason"):
        document["failure_reason"] = "the reason was not recorded"
    if not engine.get("outcome"):
        document["engine"] = {**engine, "outcome": _outcome(document)}
        repairs.append(f"the outcome was not recorded; it reads as {document['engine']['outcome']}")


def _outcome(document: Json) -> str:
    if document.get("status") == "failed":
        return "stopped" if document.get("failure_reason") == STOPPED_BY_USER else "failed"
    validate = part(part(document, "skill_state"), "validate")
    return "succeeded" if validate.get("passed") and validate.get("test_results") else "unverified"


def _mend(document: Json, problem: Any, now: str, repairs: list[str]) -> bool:  # Any: pydantic's ErrorDetails
    """One repair for one validation problem; False when there is none."""
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
        value = _missing(key, place, document, now)
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
    if not isinstance(value, str) or not (key.endswith("_at") or key in TIMES):
        return False
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return False
    if time.tzinfo is not None:
        return False
    place[key] = time.isoformat() + DEFAULT_OFFSET
    repairs.append(f"{where} had no offset; {DEFAULT_OFFSET} was assumed")
    return True


def _missing(key: str, place: Json, document: Json, now: str) -> Any:  # Any: a JSON value
    description = str(document.get("description") or "")
    words = {
        "title": (description.strip() or str(document.get("loop_id")))[:TITLE_LENGTH],
        "description": str(place.get("title") or place.get("task_id") or place.get("id") or ""),
        "created_at": document.get("created_at") or document.get("updated_at") or now,
        "updated_at": document.get("updated_at") or document.get("created_at") or now,
        "timestamp": now,
        "testable_condition": "",
        "logging_point": "",
        "evidence_criteria": {"confirm": "", "reject": ""},
        "confirm": "",
        "reject": "",
        "likelihood": 1,
        "action": "",
        "message": "",
    }
    return words.get(key)


def part(document: Json, key: str) -> Json:
    """The object under this key; an empty one where there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}
