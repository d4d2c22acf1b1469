"""Reading what others wrote: lenient, with every repair told. What can not be understood is refused."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from loopwright.domain.engine_state import SCHEMA
from loopwright.domain.errors import Invalid, NewerSchema
from loopwright.domain.ids import is_safe
from loopwright.domain.loop import ERRORS_KEPT, FINISHED, LoopState
from loopwright.domain.loop_commands import STOPPED_BY_USER
from loopwright.domain.record import first_problem

Json = dict[str, Any]  # Any: parsed JSON from outside, typed by the model at the end

ACTION_NAMES = {
    "action-init": "INIT",
    "action-develop-with-file": "DEVELOP",
    "action-debug-with-file": "DEBUG",
    "action-validate-with-file": "VALIDATE",
    "action-complete": "COMPLETE",
}
RENAMED = {"session_id": "loop_id", "task_description": "description"}
RENAMED_COUNTS = {"total_count": "total", "completed_count": "completed"}
SKILL_KEYS = (
    "current_action", "last_action", "completed_actions", "mode", "develop", "debug", "validate", "errors", "summary",
)  # fmt: skip
DEFAULT_OFFSET = "+08:00"
TITLE_LENGTH = 100


def read_loop(
    raw: object, *, fallback_id: str, now: str, tasks: Sequence[Mapping[str, Any]] = ()
) -> tuple[LoopState, tuple[str, ...]]:  # Any: parsed JSON
    """The state in a parsed document, and a sentence for each repair.

    `fallback_id` stands in for a missing id, `now` for missing times; `tasks` are the lines of a tasks.jsonl that
    are used where the document itself has no definitions. Invalid and NewerSchema.
    """
    if not isinstance(raw, dict):
        raise Invalid(f"a loop's state is a JSON object, this is {type(raw).__name__}")
    repairs: list[str] = []
    document = deepcopy(raw)
    _refuse_newer(document)
    _map_legacy(document, repairs)
    document.setdefault("loop_id", fallback_id)
    _name_safely(document, repairs)
    _define_tasks(document, tasks, repairs)
    _recount(document, repairs)
    return _validated(document, now, repairs), tuple(repairs)


def _refuse_newer(document: Json) -> None:
    schema = _part(document, "engine").get("schema", SCHEMA)
    if isinstance(schema, int) and schema > SCHEMA:
        raise NewerSchema(
            f"this state has schema {schema}, this loopwright knows up to {SCHEMA}; a newer loopwright wrote it"
        )


def _map_legacy(document: Json, repairs: list[str]) -> None:
    for old, new in RENAMED.items():
        if old in document:
            document.setdefault(new, document[old])
            del document[old]
            repairs.append(f"{old} is {new} now")
    if document.get("status") == "pending":
        document["status"] = "created"
        repairs.append("status pending is created now")
    moved = {key: document.pop(key) for key in SKILL_KEYS if key in document}
    begun = document.pop("initialized", bool(moved))
    if moved and begun and not document.get("skill_state"):
        document["skill_state"] = moved
        repairs.append("the runner's fields moved under skill_state")
    skill = _part(document, "skill_state")
    _map_actions(skill, repairs)
    develop = _part(skill, "develop")
    for old, new in RENAMED_COUNTS.items():
        if old in develop:
            develop[new] = develop.pop(old)


def _map_actions(skill: Json, repairs: list[str]) -> None:
    if skill.get("current_action") == "paused":
        skill["current_action"] = None
        repairs.append("current_action paused is no action")
    if skill.get("last_action") in ACTION_NAMES:
        repairs.append(f"last_action {skill['last_action']} is {ACTION_NAMES[skill['last_action']]} now")
        skill["last_action"] = ACTION_NAMES[skill["last_action"]]
    done = skill.get("completed_actions")
    if isinstance(done, list):
        skill["completed_actions"] = [ACTION_NAMES.get(a, a) if isinstance(a, str) else a for a in done]


def _name_safely(document: Json, repairs: list[str]) -> None:
    """An id that can not name a file gets a safe one, always the same; the old one is kept."""
    id = document["loop_id"]
    if not isinstance(id, str) or is_safe(id):
        return
    digest = hashlib.sha256(id.encode(errors="surrogatepass")).hexdigest()[:8]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-_")[:80] or "loop"
    document["loop_id"] = f"{stem}-{digest}"
    engine = _part(document, "engine")
    engine["legacy_id"] = id
    document["engine"] = engine
    repairs.append(f"the id {id!r} can not name a file; it is {document['loop_id']} now")


def _define_tasks(document: Json, tasks: Sequence[Mapping[str, Any]], repairs: list[str]) -> None:  # Any: JSON
    """Every task gets a definition: from the document, else from tasks.jsonl, else from its progress."""
    engine = _part(document, "engine")
    if "tasks" in engine:
        return
    defined = [dict(task) for task in tasks]
    known = {task.get("task_id") for task in defined}
    develop = _part(_part(document, "skill_state"), "develop")
    progress = [t for t in _items(develop.get("tasks")) if isinstance(t.get("id"), str)]
    for task in progress:
        if task["id"] not in known:
            keys = {"description", "tool", "mode", "created_at"}
            defined.append({"task_id": task["id"], **{k: v for k, v in task.items() if k in keys}})
    if defined:
        for order, task in enumerate(defined):
            task.setdefault("order", order)
        document["engine"] = {**engine, "tasks": defined}
        repairs.append(f"{len(defined)} task definitions were taken from the tasks' own records")


def _recount(document: Json, repairs: list[str]) -> None:
    skill = document.get("skill_state")
    if not isinstance(skill, dict):
        document.pop("skill_state", None)
        return
    develop, debug, validate = (_part(skill, key) for key in ("develop", "debug", "validate"))
    tasks = _items(develop.get("tasks"))
    _set(develop, "total", len(tasks), repairs)
    _set(develop, "completed", sum(t.get("status") == "completed" for t in tasks), repairs)
    hypotheses = _items(debug.get("hypotheses"))
    _set(debug, "hypotheses_count", len(hypotheses), repairs)
    for hypothesis in hypotheses:
        _evidence(hypothesis, repairs)
    if validate.get("passed") and validate.get("failed_tests"):
        validate["passed"] = False
        repairs.append("validation had failed tests, so it has not passed")
    if isinstance(skill.get("errors"), list):
        skill["errors"] = skill["errors"][-ERRORS_KEPT:]
    skill.update({k: v for k, v in (("develop", develop), ("debug", debug), ("validate", validate)) if v})


def _evidence(hypothesis: Json, repairs: list[str]) -> None:
    if hypothesis.get("status") in (None, "pending"):
        return
    if hypothesis.get("evidence") is None or not hypothesis.get("verdict_reason"):
        hypothesis["evidence"] = hypothesis.get("evidence") or {}
        hypothesis["verdict_reason"] = hypothesis.get("verdict_reason") or "no reason was recorded"
        repairs.append(f"hypothesis {hypothesis.get('id')} was judged without evidence")


def _set(part: Json, key: str, value: int, repairs: list[str]) -> None:
    if part.get(key, value) != value:
        repairs.append(f"{key} was {part[key]}, counted {value}")
    if part or value:
        part[key] = value


def _validated(document: Json, now: str, repairs: list[str]) -> LoopState:
    """Validates, filling what is missing and dropping what is null, as far as each has a default."""
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
    status = document.get("status")
    engine = _part(document, "engine")
    if status not in FINISHED:
        for part, key in ((document, "completed_at"), (document, "failure_reason"), (engine, "outcome")):
            if part.get(key) is not None:
                repairs.append(f"{key} was dropped: the loop is {status}")
            part.pop(key, None)
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
    validate = _part(_part(document, "skill_state"), "validate")
    return "succeeded" if validate.get("passed") and validate.get("test_results") else "unverified"


def _mend(document: Json, problem: Any, now: str, repairs: list[str]) -> bool:  # Any: pydantic's ErrorDetails
    """One repair for one validation problem; False when there is none."""
    *path, key = problem["loc"] or ("",)
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
    if key in place and place[key] is None:
        del place[key]
        repairs.append(f"{where} was null")
        return True
    return _mend_time(place, key, where, repairs)


def _mend_time(place: Json, key: str, where: str, repairs: list[str]) -> bool:
    """A time without an offset was written in the default zone."""
    value = place.get(key)
    if not isinstance(value, str) or (not key.endswith("_at") and key not in ("timestamp", "at", "since")):
        return False
    try:
        naive = datetime.fromisoformat(value).tzinfo is None
    except ValueError:
        return False
    if naive:
        place[key] = (value if "T" in value else f"{value}T00:00:00") + DEFAULT_OFFSET
        repairs.append(f"{where} had no offset; {DEFAULT_OFFSET} was assumed")
    return naive


def _missing(key: str, place: Json, document: Json, now: str) -> Any:  # Any: a JSON value
    description = str(document.get("description") or "")
    words = {
        "title": (description.strip() or str(document.get("loop_id")))[:TITLE_LENGTH],
        "description": str(place.get("title") or place.get("id") or ""),
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


def _part(document: Json, key: str) -> Json:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
