"""Reading what others wrote: lenient, with every repair told. What cannot be understood is refused."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, get_args

from loopwright.core.errors import Invalid
from loopwright.core.ids import is_safe_id
from loopwright.core.names import FINISHED, Mode
from loopwright.core.run import STOP_REASONS
from loopwright.core.state import Menu
from loopwright.core.text import plural
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.model import ERRORS_KEPT, TITLE_LENGTH, LoopState
from loopwright.workflows.outside_changes import END, OutsideChanges, with_limits, with_mode
from loopwright.workflows.state_repair import (
    Json,
    finish_end,
    get_object,
    list_objects,
    open_document,
    validate_document,
)


def validate_loop(document: Json, now: str, repairs: list[str]) -> LoopState:
    """The loop in a document, which is changed; see mending.validated. Invalid."""
    return validate_document(
        LoopState,
        document,
        repairs,
        finish=lambda document, repairs: finish_end(document, repairs, "loop", now, _outcome),
        missing=partial(_missing, document=document, now=now),
    )


def _outcome(document: Json) -> str:
    if document.get("status") == "failed":
        return "stopped" if document.get("failure_reason") in STOP_REASONS else "failed"
    validate = get_object(get_object(document, "skill_state"), "validate")
    return "succeeded" if validate.get("passed") and validate.get("test_results") else "unverified"


def _missing(key: str, place: Json, document: Json, now: str) -> object:
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
    "current_action",
    "last_action",
    "completed_actions",
    "mode",
    "develop",
    "debug",
    "validate",
    "errors",
    "summary",
)
TOLD_BY_PROGRESS = ("description", "tool", "mode", "created_at")
"""What a task's progress says of its definition."""


def read_loop(
    raw: object, *, fallback_id: str, now: str, tasks: Sequence[Mapping[str, Any]] = ()
) -> tuple[LoopState, tuple[str, ...]]:  # Any: parsed JSON
    """The state in a parsed document, and a sentence for each repair.

    `fallback_id` stands in for a missing id, `now` for missing times; `tasks` are the lines of a tasks.jsonl that
    are used where the document itself has no definitions. Invalid and NewerSchema.
    """
    repairs: list[str] = []
    document = open_document(raw, "a loop's state")
    _map_legacy(document, repairs)
    if document.get("loop_id") is None:
        document["loop_id"] = fallback_id
        repairs.append("loop_id was missing")
    _name_safely(document, repairs)
    _take_mode(document, repairs)
    _define_tasks(document, tasks, repairs)
    _recount(document, repairs)
    return validate_loop(document, now, repairs), tuple(repairs)


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
    skill = get_object(document, "skill_state")
    _map_actions(skill, repairs)
    develop = get_object(skill, "develop")
    for old, new in RENAMED_COUNTS.items():
        if old in develop:
            develop[new] = develop.pop(old)
            repairs.append(f"develop.{old} is {new} now")


def _map_actions(skill: Json, repairs: list[str]) -> None:
    if skill.get("current_action") == "paused":
        skill["current_action"] = None
        repairs.append("current_action paused is no action")
    places = [(skill, "last_action"), *((entry, "action") for entry in list_objects(skill.get("errors")))]
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
    """An id that cannot name a file gets a safe one, always the same; the old one is kept."""
    id = document["loop_id"]
    if not isinstance(id, str) or is_safe_id(id):
        return
    digest = hashlib.sha256(id.encode(errors="surrogatepass")).hexdigest()[:8]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-_")[:80] or "loop"
    document["loop_id"] = f"{stem}-{digest}"
    engine = get_object(document, "engine")
    engine["legacy_id"] = id
    document["engine"] = engine
    repairs.append(f"the id {id!r} cannot name a file; it is {document['loop_id']} now")


def _take_mode(document: Json, repairs: list[str]) -> None:
    """A runner that knows nothing of our settings says its mode in its own part."""
    engine, mode = get_object(document, "engine"), get_object(document, "skill_state").get("mode")
    settings = get_object(engine, "settings")
    if settings.get("mode") is None and mode in get_args(Mode):
        document["engine"] = {**engine, "settings": {**settings, "mode": mode}}
        repairs.append(f"the runner's mode, {mode}, is that of the loop")


def _define_tasks(document: Json, tasks: Sequence[Mapping[str, Any]], repairs: list[str]) -> None:  # Any: JSON
    """Every task gets a definition: from the document, else from tasks.jsonl, else from its progress."""
    engine = get_object(document, "engine")
    if engine.get("tasks") is not None:
        return
    # A line that was appended later stands for an earlier one of the same task.
    by_id = {task["task_id"]: dict(task) for task in tasks if isinstance(task.get("task_id"), str)}
    develop = get_object(get_object(document, "skill_state"), "develop")
    for task in list_objects(develop.get("tasks")):
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
    develop, debug, validate = (get_object(skill, key) for key in ("develop", "debug", "validate"))
    tasks = list_objects(develop.get("tasks"))
    _set(develop, "total", len(tasks), repairs)
    _set(develop, "completed", sum(t.get("status") == "completed" for t in tasks), repairs)
    hypotheses = list_objects(debug.get("hypotheses"))
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


OWN = frozenset({"loop_id", "created_at", "current_iteration", "skill_state"})
CHANGES = OutsideChanges(commands.RULES, own=OWN, for_commands=("waiting", "answer", "interrupt", "parked", "tasks"))
take_in = CHANGES.take_in


def keep_own(before: LoopState, after: LoopState) -> tuple[LoopState, tuple[str, ...]]:
    """`after`, which others committed while a runner lives, with what only the runner may change as it was `before`.

    Returns with it the names of what had to be put back: none when only commands were given.
    """
    before = _reopened(before, after)
    ended = before if after.status in FINISHED and not _is_legal_end(before, after) else after
    engine = with_mode(with_limits(CHANGES.with_commanded(before, after), after), after).engine
    engine = engine.evolve(menu=_chosen(before.engine.menu, after.engine.menu), outcome=ended.engine.outcome)
    own = {name: getattr(before, name) for name in OWN}
    end = {name: getattr(ended, name) for name in (*END, "status")}
    return CHANGES.put_back(after.evolve(**own, **end, engine=engine), after)


def _reopened(before: LoopState, after: LoopState) -> LoopState:
    """What reopening alone makes of a loop that had ended; its old runner may not have let go yet."""
    if before.status not in FINISHED or after.status in FINISHED:
        return before
    try:
        return commands.reopen(with_limits(before, after))
    except Invalid:
        return before


def _is_legal_end(before: LoopState, after: LoopState) -> bool:
    """Others end a loop by stopping it; every other end is the runner's own."""
    ends = [(s.status, s.engine.outcome, s.completed_at, s.failure_reason) for s in (before, after)]
    is_stop = (after.status, after.engine.outcome) == ("failed", "stopped") and after.failure_reason in STOP_REASONS
    return ends[0] == ends[1] or is_stop


def _chosen(before: Menu | None, after: Menu | None) -> Menu | None:
    """Others choose from what is offered, or close the menu with a pause or an end; they open none and change none."""
    if before is None or after is None:
        return None
    return before.evolve(choice=before.choice or (after.choice if after.choice in before.free else None))
