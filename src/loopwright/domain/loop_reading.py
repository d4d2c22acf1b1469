"""Reading what others wrote: lenient, with every repair told. What can not be understood is refused."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from loopwright.domain.errors import Invalid
from loopwright.domain.ids import is_safe
from loopwright.domain.loop import ERRORS_KEPT, LoopState, Mode
from loopwright.domain.loop_mending import validated
from loopwright.domain.mending import Json, copied, objects, part, refuse_newer
from loopwright.domain.words import plural

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
TOLD_BY_PROGRESS = ("description", "tool", "mode", "created_at")
"""What a task's progress says of its definition."""


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
    document = copied(raw)
    refuse_newer(document)
    _map_legacy(document, repairs)
    if document.get("loop_id") is None:
        document["loop_id"] = fallback_id
        repairs.append("loop_id was missing")
    _name_safely(document, repairs)
    _take_mode(document, repairs)
    _define_tasks(document, tasks, repairs)
    _recount(document, repairs)
    return validated(document, now, repairs), tuple(repairs)


def _map_legacy(document: Json, repairs: list[str]) -> None:
    for old, new in RENAMED.items():
        if old in document and document.get(new) is None:
            document[new] = document.pop(old)
            repairs.append(f"{old} is {new} now")
    if document.get("status") == "pending":
        document["status"] = "created"
        repairs.append("status pending is created now")
    # An empty text is mended like null, so that it counts as missing here too.
    if document.get("skill_state") in (None, "") and any(key in document for key in SKILL_KEYS):
        document["skill_state"] = {key: document.pop(key) for key in SKILL_KEYS if key in document}
        repairs.append("the runner's fields moved under skill_state")
    skill = part(document, "skill_state")
    _map_actions(skill, repairs)
    develop = part(skill, "develop")
    for old, new in RENAMED_COUNTS.items():
        if old in develop:
            develop[new] = develop.pop(old)
            repairs.append(f"develop.{old} is {new} now")


def _map_actions(skill: Json, repairs: list[str]) -> None:
    if skill.get("current_action") == "paused":
        skill["current_action"] = None
        repairs.append("current_action paused is no action")
    places = [(skill, "last_action"), *((entry, "action") for entry in objects(skill.get("errors")))]
    for place, key in places:
        name = place.get(key)
        if isinstance(name, str) and name in ACTION_NAMES:
            place[key] = ACTION_NAMES[name]
            repairs.append(f"{key} {name} is {ACTION_NAMES[name]} now")
    done = skill.get("completed_actions")
    if isinstance(done, list):
        mapped = [ACTION_NAMES.get(a, a) if isinstance(a, str) else a for a in done]
        if mapped != done:
            skill["completed_actions"] = mapped
            repairs.append("completed_actions have the names of today now")


def _name_safely(document: Json, repairs: list[str]) -> None:
    """An id that can not name a file gets a safe one, always the same; the old one is kept."""
    id = document["loop_id"]
    if not isinstance(id, str) or is_safe(id):
        return
    digest = hashlib.sha256(id.encode(errors="surrogatepass")).hexdigest()[:8]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-_")[:80] or "loop"
    document["loop_id"] = f"{stem}-{digest}"
    engine = part(document, "engine")
    engine["legacy_id"] = id
    document["engine"] = engine
    repairs.append(f"the id {id!r} can not name a file; it is {document['loop_id']} now")


def _take_mode(document: Json, repairs: list[str]) -> None:
    """A runner that knows nothing of our settings says its mode in its own part."""
    engine, mode = part(document, "engine"), part(document, "skill_state").get("mode")
    settings = part(engine, "settings")
    if settings.get("mode") is None and mode in get_args(Mode):
        document["engine"] = {**engine, "settings": {**settings, "mode": mode}}
        repairs.append(f"the runner's mode, {mode}, is that of the loop")


def _define_tasks(document: Json, tasks: Sequence[Mapping[str, Any]], repairs: list[str]) -> None:  # Any: JSON
    """Every task gets a definition: from the document, else from tasks.jsonl, else from its progress."""
    engine = part(document, "engine")
    if engine.get("tasks") is not None:
        return
    # A line that was appended later stands for an earlier one of the same task.
    by_id = {task["task_id"]: dict(task) for task in tasks if isinstance(task.get("task_id"), str)}
    develop = part(part(document, "skill_state"), "develop")
    for task in objects(develop.get("tasks")):
        if isinstance(task.get("id"), str):
            said = {key: task[key] for key in TOLD_BY_PROGRESS if task.get(key)}
            by_id.setdefault(task["id"], {"task_id": task["id"], **said})
    defined = list(by_id.values())
    if defined:
        for order, task in enumerate(defined):
            if task.get("order") is None:
                task["order"] = order
        document["engine"] = {**engine, "tasks": defined}
        repairs.append(f"{plural(len(defined), 'task')} defined by what the runner's records say of them")


def _recount(document: Json, repairs: list[str]) -> None:
    skill = document.get("skill_state")
    if not isinstance(skill, dict):
        return
    develop, debug, validate = (part(skill, key) for key in ("develop", "debug", "validate"))
    tasks = objects(develop.get("tasks"))
    _set(develop, "total", len(tasks), repairs)
    _set(develop, "completed", sum(t.get("status") == "completed" for t in tasks), repairs)
    hypotheses = objects(debug.get("hypotheses"))
    _set(debug, "hypotheses_count", len(hypotheses), repairs)
    for hypothesis in hypotheses:
        _evidence(hypothesis, repairs)
    if validate.get("passed") and validate.get("failed_tests"):
        validate["passed"] = False
        repairs.append("validation had failed tests, so it has not passed")
    errors = skill.get("errors")
    if isinstance(errors, list) and len(errors) > ERRORS_KEPT:
        skill["errors"] = errors[-ERRORS_KEPT:]
        repairs.append(f"the last {ERRORS_KEPT} of {plural(len(errors), 'error')} were kept")
    skill.update({k: v for k, v in (("develop", develop), ("debug", debug), ("validate", validate)) if v})


def _evidence(hypothesis: Json, repairs: list[str]) -> None:
    if hypothesis.get("status") in (None, "pending"):
        return
    if hypothesis.get("evidence") is None or not hypothesis.get("verdict_reason"):
        hypothesis["evidence"] = hypothesis.get("evidence") or {}
        hypothesis["verdict_reason"] = hypothesis.get("verdict_reason") or "no reason was recorded"
        repairs.append(f"hypothesis {hypothesis.get('id')} was judged without evidence")


def _set(section: Json, key: str, value: int, repairs: list[str]) -> None:
    if section.get(key, value) != value:
        repairs.append(f"{key} was {section[key]!r}, counted {value}")
    if section or value:
        section[key] = value
