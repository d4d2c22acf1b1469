"""Reading the state of a tuning session that others wrote: lenient, with every repair told.

A document without `engine` is one like any other: it is how the seed writes them.
"""

from collections.abc import Callable, Iterator
from functools import partial

from loopwright.core.run import STOPPED_BY_USER
from loopwright.skills.findings import DIMENSIONS, SEVERITIES
from loopwright.workflows.outside_changes import OutsideChanges, try_command, with_limits
from loopwright.workflows.state_repair import (
    Json,
    drop_bad_times,
    get_object,
    keep_last,
    list_objects,
    open_document,
    validate_document,
)
from loopwright.workflows.tuning import commands
from loopwright.workflows.tuning.model import (
    ERRORS_KEPT,
    FINISHED,
    HISTORY_KEPT,
    ISSUE_TYPES,
    AppliedFix,
    TuningState,
)

UNKNOWN = "was not recorded"
LINES = ("line", "line_start", "line_end")


def read_tuning(raw: object, *, fallback_id: str, now: str) -> tuple[TuningState, tuple[str, ...]]:
    """The state in a parsed document, and a sentence for each repair.

    `fallback_id` is the name of its folder, which stands in for a missing id; `now` for missing times. Invalid and
    NewerSchema.
    """
    repairs: list[str] = []
    document = open_document(raw, "a tuning session's state")
    _know_itself(document, fallback_id, repairs)
    _drop_what_is_none(document, repairs)
    state = validate_document(
        TuningState, document, repairs, finish=_finish, missing=partial(_missing, document=document, now=now)
    )
    return state, tuple(repairs)


def judge_unverified(fixes: tuple[AppliedFix, ...]) -> tuple[AppliedFix, ...]:
    """At the end of a session: what nobody has verified does not hold."""
    return tuple(f.evolve(verification_result="fail") if f.verification_result == "pending" else f for f in fixes)


def _know_itself(document: Json, fallback_id: str, repairs: list[str]) -> None:
    """Only `engine` has a place for its id, and for the skill's path as it was given."""
    had = isinstance(document.get("engine"), dict)
    engine = get_object(document, "engine")
    path = get_object(document, "target_skill").get("path")
    if not engine.get("id"):
        engine["id"] = fallback_id
        repairs.extend(["engine.id was missing"] if had else [])
    if not engine.get("path") and isinstance(path, str):
        engine["path"] = path
    document["engine"] = engine


def _drop_what_is_none(document: Json, repairs: list[str]) -> None:
    """A time that is no time says as much as nothing, and so does a line before the first."""
    drop_bad_times(_times(document), repairs)
    locations = [get_object(issue, "location") for issue in list_objects(document.get("issues"))]
    details = (get_object(get_object(get_object(document, "diagnosis"), one), "details") for one in DIMENSIONS)
    for place in (*locations, *(evidence for one in details for evidence in list_objects(one.get("evidence")))):
        for key in LINES:
            line = place.get(key)
            if isinstance(line, int) and line < 1:
                del place[key]
                repairs.append(f"{key} was {line}; lines count from 1")


def _times(document: Json) -> Iterator[tuple[str, Json, str]]:
    """Every place of a time that the schema has: where it is in words, the object and the key."""
    yield from (("", document, key) for key in ("started_at", "updated_at"))
    lists = (
        ("applied_fixes", ("applied_at",)),
        ("action_history", ("started_at", "completed_at")),
        ("errors", ("timestamp",)),
    )
    for name, keys in lists:
        for n, item in enumerate(list_objects(document.get(name))):
            yield from ((f"{name}.{n}.", item, key) for key in keys)


def _finish(document: Json, repairs: list[str]) -> None:
    """What the parts of a state say of each other; the model checks it as a whole."""
    _count(document, repairs)
    _judge(document, repairs)
    _know_the_fixes(document, repairs)
    _begin(document, repairs)
    _end(document, repairs)


def _count(document: Json, repairs: list[str]) -> None:
    keep_last(document, "errors", ERRORS_KEPT, repairs)
    keep_last(document, "action_history", HISTORY_KEPT, repairs)
    errors, count = list_objects(document.get("errors")), document.get("error_count", 0)
    if isinstance(count, int) and count < len(errors):
        document["error_count"] = len(errors)
        repairs.append(f"error_count was {count}, counted {len(errors)}")
    issues, said = list_objects(document.get("issues")), get_object(document, "issues_by_severity")
    counted = {one: sum(issue.get("severity") == one for issue in issues) for one in SEVERITIES}
    if any(said.get(one, 0) != n for one, n in counted.items()):
        document["issues_by_severity"] = {**said, **counted}
        repairs.append(f"issues_by_severity was {said}, counted {counted}")


def _judge(document: Json, repairs: list[str]) -> None:
    """A dimension that found nothing has no severity; one that found something has that of its worst issue."""
    for dimension in DIMENSIONS:
        result = get_object(get_object(document, "diagnosis"), dimension)
        found, severity = result.get("issues_found", 0), result.get("severity", "none")
        if not isinstance(found, int) or (found == 0) == (severity == "none"):
            continue
        of_it = [i for i in list_objects(document.get("issues")) if i.get("type") == ISSUE_TYPES[dimension]]
        worst = (one for one in SEVERITIES if any(issue.get("severity") == one for issue in of_it))
        result["severity"] = next(worst, "low") if found else "none"
        repairs.append(f"diagnosis.{dimension} found {found}, with severity {severity}")


def _know_the_fixes(document: Json, repairs: list[str]) -> None:
    """Of two fixes with one id the last one counts; what nobody has proposed is neither pending nor applied."""
    proposed = document.get("proposed_fixes")
    if not isinstance(proposed, list):
        proposed = []
    by_id = {fix["id"]: fix for fix in list_objects(proposed) if isinstance(fix.get("id"), str)}
    if len(by_id) < len(proposed) == len([fix for fix in list_objects(proposed) if isinstance(fix.get("id"), str)]):
        document["proposed_fixes"] = [*by_id.values()]
        repairs.append("two fixes shared an id; the last one was kept")

    def is_known(id: object) -> bool:
        return isinstance(id, str) and id in by_id

    _keep_known(document, "pending_fixes", is_known, repairs)
    _keep_known(document, "applied_fixes", lambda fix: isinstance(fix, dict) and is_known(fix.get("fix_id")), repairs)


def _keep_known(document: Json, key: str, is_known: Callable[[object], bool], repairs: list[str]) -> None:
    items = document.get(key)
    if isinstance(items, list) and not all(is_known(item) for item in items):
        document[key] = [item for item in items if is_known(item)]
        repairs.append(f"{key} named a fix that nobody has proposed")


def _begin(document: Json, repairs: list[str]) -> None:
    status = document.get("status", "pending")
    if status == "pending" and (document.get("started_at") or document.get("completed_actions")):
        document["status"] = "running"
        repairs.append("status was pending, but it had begun")


def _end(document: Json, repairs: list[str]) -> None:
    """An end has an outcome and nothing left to verify; what has not ended has neither outcome nor reason."""
    status, engine = document.get("status", "pending"), get_object(document, "engine")
    if not isinstance(status, str) or status not in FINISHED:
        for key in ("outcome", "reason"):
            if engine.get(key) is not None:
                repairs.append(f"engine.{key} was dropped: the session is {status}")
            engine.pop(key, None)
        return
    if status == "failed" and not engine.get("reason"):
        engine["reason"] = f"the reason {UNKNOWN}"
    if not engine.get("outcome"):
        stopped = engine.get("reason") == STOPPED_BY_USER
        engine["outcome"] = "succeeded" if status == "completed" else "stopped" if stopped else "failed"
        repairs.append(f"the outcome {UNKNOWN}; it reads as {engine['outcome']}")
    for fix in list_objects(document.get("applied_fixes")):
        if fix.get("verification_result", "pending") == "pending":
            fix["verification_result"] = "fail"
            repairs.append(f"{fix.get('fix_id')} was never verified")


def _missing(key: str, place: Json, document: Json, now: str) -> object:
    """What stands in for a required value; None for what has to be there."""
    updated = document.get("updated_at") or document.get("started_at") or now
    values: dict[str, Callable[[], object]] = {
        "applied_at": lambda: updated,
        "started_at": lambda: updated,
        "completed_at": lambda: place.get("started_at") or updated,
        "timestamp": lambda: updated,
        "status": lambda: "completed",
        "file": lambda: "",
        "pattern": lambda: "",
        "context": lambda: "",
        "severity": lambda: "" if "pattern" in place else None,
        "priority": lambda: 1 + next(n for n, issue in enumerate(document["issues"]) if issue is place),
        "location": lambda: {"file": ""},
        "description": lambda: "",
        "root_cause": lambda: UNKNOWN,
        "impact": lambda: UNKNOWN,
        "suggested_fix": lambda: "",
        "strategy": lambda: "custom",
        "rationale": lambda: "",
        "risk": lambda: "medium",
        "estimated_impact": lambda: UNKNOWN,
        "backup_path": lambda: "",
        "rollback_available": lambda: False,
        "action": lambda: "" if "message" in place or "timestamp" in place else None,
        "message": lambda: f"the message {UNKNOWN}",
        "recoverable": lambda: False,
    }
    return values[key]() if key in values else None


OWN = frozenset(TuningState.model_fields) - commands.RULES.editable - {"status", "updated_at", "engine"}
CHANGES = OutsideChanges(
    commands.RULES, own=OWN, for_commands=("interrupt", "parked"), end=frozenset(), stop_first=False
)


def take_in(
    base: TuningState, found: TuningState, current: TuningState, now: str
) -> tuple[TuningState, tuple[str, ...], tuple[str, ...]]:
    """See OutsideChanges."""
    return CHANGES.take_in(base, found, current, now, compared=_before_its_end(base, found))


def keep_own(before: TuningState, after: TuningState) -> tuple[TuningState, tuple[str, ...]]:
    """`after`, which others committed while a runner lives, with what only the runner may change as it was `before`.

    What commands do to a session is done here again to `before`: only what comes of it is theirs. Returns with it the
    names of what had to be put back: none when only commands were given.
    """
    kept = CHANGES.stopped(CHANGES.with_texts(_chosen(with_limits(before, after), after), after), after)
    return CHANGES.put_back(CHANGES.with_commanded(kept, after).evolve(updated_at=after.updated_at), after)


def _before_its_end(base: TuningState, found: TuningState) -> TuningState:
    """As it was found, but for what a bare status brings along when it is read as an end. To compare, not to keep."""
    if found.status == base.status or found.status not in FINISHED:
        return found
    fixes = base.applied_fixes if found.applied_fixes == judge_unverified(base.applied_fixes) else found.applied_fixes
    engine = found.engine.model_copy(update={"reason": base.engine.reason})
    return found.model_copy(update={"applied_fixes": fixes, "engine": engine})


def _chosen(state: TuningState, after: TuningState) -> TuningState:
    """With the fixes that somebody took of those offered, also when a stop came behind that."""
    waiting, ended = state.engine.waiting, after.status in FINISHED
    if waiting is None or after.engine.waiting is not None:
        return state
    refused = after.engine.rejected.keys() - state.engine.rejected.keys()
    if not ended:
        return try_command(state, commands.choose, after.pending_fixes)
    proposals = state.engine.proposals
    taken = [id for id in waiting.options if not refused.intersection(proposals[id].fingerprints)]
    return try_command(state, commands.choose, taken) if refused else state
