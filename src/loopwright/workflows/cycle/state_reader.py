"""Reading the state of a cycle that others wrote: lenient, with every repair told. Refused is what makes no sense.

A document without `engine` is one like any other: it is how the seed writes them.
"""

from collections.abc import Callable, Iterator
from functools import partial

from loopwright.core.cycle_names import ROLES, step_of
from loopwright.core.record import parse_timestamp
from loopwright.core.run import STOPPED_BY_USER
from loopwright.core.text import plural
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.model import (
    CHANGES_KEPT,
    ERRORS_KEPT,
    FEEDBACK_KEPT,
    FINISHED,
    TITLE_LENGTH,
    CycleState,
    iteration_of,
    version_of,
)
from loopwright.workflows.cycle.plan import critical_path, effort_words
from loopwright.workflows.cycle.standing import derive_standing
from loopwright.workflows.outside_changes import END, OutsideChanges, try_command, with_limits, with_mode
from loopwright.workflows.state_repair import (
    Json,
    drop_bad_times,
    finish_end,
    get_object,
    keep_last,
    list_objects,
    open_document,
    validate_document,
)

VERSIONED = ("requirements", "exploration", "plan", "test_results")
UNKNOWN = "was not recorded"
MOST_LOST = 1000
"""Iterations without a record that one is made for."""


def read_cycle(raw: object, *, fallback_id: str, now: str) -> tuple[CycleState, tuple[str, ...]]:
    """The state in a parsed document, and a sentence for each repair.

    `fallback_id` stands in for a missing id, `now` for missing times. Invalid and NewerSchema.
    """
    repairs: list[str] = []
    document = open_document(raw, "a cycle's state")
    if document.get("cycle_id") in (None, ""):
        document["cycle_id"] = fallback_id
        repairs.append("cycle_id was missing")
    _drop_what_is_no_time(document, repairs)
    _know_the_steps(document, repairs)
    state = validate_document(
        CycleState,
        document,
        repairs,
        finish=partial(_finish, now=now),
        missing=partial(_missing, document=document, now=now),
    )
    return _measured(state), tuple(repairs)


def _measured(state: CycleState) -> CycleState:
    """Where nobody said what the plan takes, it is measured."""
    plan = state.plan
    if plan is None or plan.total_estimated_effort != UNKNOWN:
        return state
    effort, path = effort_words(plan.tasks), critical_path(plan.tasks)
    return state.evolve(plan=plan.evolve(total_estimated_effort=effort, critical_path=plan.critical_path or path))


def _know_the_steps(document: Json, repairs: list[str]) -> None:
    """Keys of steps that there are not would mislead whoever looks them up."""
    engine = get_object(document, "engine")
    strange = {key for name in ("done", "tries", "half") for key in _texts(engine.get(name)) if not _is_step(key)}
    begun = engine.get("under_way")
    if isinstance(begun, list):
        strange |= {key for one in list_objects(begun) for key in _texts([one.get("step")]) if not _is_step(key)}
        engine["under_way"] = [
            one for one in begun if not (isinstance(one, dict) and strange.intersection(_texts([one.get("step")])))
        ]
    if not strange:
        return
    repairs.append(f"there is no step {', '.join(sorted(strange))[:80]}")
    for name in ("done", "tries", "half"):
        known = engine.get(name)
        if isinstance(known, list):
            engine[name] = [key for key in known if key not in strange]
        elif isinstance(known, dict):
            engine[name] = {key: value for key, value in known.items() if key not in strange}


def _texts(keys: object) -> list[str]:
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, (list, dict)) else []


def _is_step(key: str) -> bool:
    try:
        step_of(key)
    except ValueError:
        return False
    return True


def _finish(document: Json, repairs: list[str], now: str) -> None:
    """What the parts of a state say of each other; the model checks it as a whole."""
    _count_iterations(document, repairs, now)
    _version(document, repairs)
    keep_last(document, "phase_errors", ERRORS_KEPT, repairs)
    keep_last(get_object(document, "changes"), "changes", CHANGES_KEPT, repairs)
    keep_last(get_object(document, "coordination"), "feedback_log", FEEDBACK_KEPT, repairs)
    _say_why(document, repairs)
    _recount(document, repairs)
    finish_end(document, repairs, "cycle", now, _outcome)


def _count_iterations(document: Json, repairs: list[str], now: str) -> None:
    """Records and count agree; an iteration that was counted and not recorded gets a record."""
    records = document.get("iterations") or []
    count = document.get("current_iteration") or 0
    if not isinstance(records, list) or not isinstance(count, int) or not all(isinstance(r, dict) for r in records):
        return
    begun = document.get("created_at") or now
    if len(records) < count <= MOST_LOST:
        repairs.append(f"{plural(count - len(records), 'iteration')} without a record")
        records = [*records, *({"started_at": begun} for _ in range(count - len(records)))]
    for n, record in enumerate(records, 1):
        if record.get("number") != n:
            repairs.append(f"iteration {n} had the number {record.get('number')}")
            record["number"] = n
        if n < len(records) and not record.get("completed_at"):
            record["completed_at"] = records[n].get("started_at") or record.get("started_at") or begun
            repairs.append(f"iteration {n} had no end")
    if count != len(records):
        repairs.append(f"current_iteration was {count}, counted {len(records)}")
    if records or count:
        document["iterations"], document["current_iteration"] = records, len(records)


def _version(document: Json, repairs: list[str]) -> None:
    """A version of ours that is of no iteration there was is that of the last one."""
    count = document.get("current_iteration")
    last = version_of(count if isinstance(count, int) else 1)
    for name in VERSIONED:
        said = get_object(document, name).get("version")
        if isinstance(said, str) and not _is_of(said, last):
            document[name]["version"] = last
            repairs.append(f"{name}.version was {said[:40]!r}, it is {last} now")


def _is_of(version: str, last: str) -> bool:
    try:
        return iteration_of(version) <= iteration_of(last)
    except ValueError:
        return False


def _say_why(document: Json, repairs: list[str]) -> None:
    """A failure has its error, a settled blocker its resolution, a decision that was made its option."""
    for role in ROLES:
        agent = get_object(get_object(document, "agents"), role)
        if agent.get("status") == "failed" and not agent.get("error"):
            agent["error"] = f"the reason {UNKNOWN}"
            repairs.append(f"agents.{role} failed without an error")
    coordination = get_object(document, "coordination")
    for blocker in list_objects(coordination.get("blockers")):
        if blocker.get("status", "open") == "open" and document.get("status") == "completed":
            blocker["status"] = "workaround"
            repairs.append(f"blocker {blocker.get('id')} was open in a completed cycle")
        if blocker.get("status") in ("resolved", "workaround") and not blocker.get("resolution"):
            blocker["resolution"] = f"how {UNKNOWN}"
            repairs.append(f"blocker {blocker.get('id')} was settled without a resolution")
    for decision in list_objects(coordination.get("pending_decisions")):
        chosen, status = decision.get("chosen_option"), decision.get("status") or "pending"
        if chosen is None and status in ("made", "implemented"):
            decision["status"] = "pending"
            repairs.append(f"decision {decision.get('id')} was {status} without an option")
        if isinstance(chosen, str) and status == "pending":
            decision["status"] = "made"
            repairs.append(f"decision {decision.get('id')} was pending, with an option")


def _recount(document: Json, repairs: list[str]) -> None:
    """Dependencies on what the plan does not have are none; files are counted."""
    tasks = list_objects(get_object(document, "plan").get("tasks"))
    ids = {task["id"] for task in tasks if isinstance(task.get("id"), str)}
    for task in tasks:
        waits = task.get("depends_on")
        if isinstance(waits, list) and (strange := [id for id in waits if not isinstance(id, str) or id not in ids]):
            task["depends_on"] = [id for id in waits if id not in strange]
            repairs.append(f"{task.get('id')} depended on {', '.join(map(str, strange))[:80]}, which is no task")
    changes = get_object(document, "changes")
    files = {line["file"] for line in list_objects(changes.get("changes")) if isinstance(line.get("file"), str)}
    total = changes.get("total_files", 0)
    if isinstance(total, int) and total < len(files):
        changes["total_files"] = len(files)
        repairs.append(f"total_files was {total}, counted {len(files)}")


def _outcome(document: Json) -> str:
    if document.get("status") == "failed":
        return "stopped" if document.get("failure_reason") == STOPPED_BY_USER else "failed"
    results = get_object(document, "test_results")
    return "succeeded" if results.get("total_tests") and results.get("pass_rate") == 100 else "unverified"


def _drop_what_is_no_time(document: Json, repairs: list[str]) -> None:
    """An ellipsis in a time's place says as much as nothing. Offsets of the others are mended with the rest."""
    drop_bad_times(_times(document), repairs)
    markers = get_object(get_object(document, "changes"), "iteration_markers")
    for key, value in [*markers.items()]:
        time = parse_timestamp(value)
        if time != value:
            repairs.append(f"changes.iteration_markers.{key} was {value!r:.60}")
            markers[key] = time
    for key in [key for key, value in markers.items() if value is None]:
        del markers[key]


def _times(document: Json) -> Iterator[tuple[str, Json, str]]:
    """Every place of a time that the schema has: where it is in words, the object and the key."""
    lists: tuple[tuple[str, object, tuple[str, ...]], ...] = (
        ("iterations", document.get("iterations"), ("started_at", "completed_at")),
        ("phase_errors", document.get("phase_errors"), ("timestamp",)),
        ("changes.changes", get_object(document, "changes").get("changes"), ("timestamp",)),
        ("coordination.feedback_log", get_object(document, "coordination").get("feedback_log"), ("timestamp",)),
    )
    yield from (("", document, key) for key in ("created_at", "updated_at", "completed_at"))
    agents = get_object(document, "agents")
    yield from ((f"agents.{r}.", get_object(agents, r), key) for r in ROLES for key in ("started_at", "completed_at"))
    yield from (
        (f"{name}.", get_object(document, name), key) for name in VERSIONED for key in ("last_updated", "last_run")
    )
    for name, items, keys in lists:
        yield from ((f"{name}.{n}.", item, key) for n, item in enumerate(list_objects(items)) for key in keys)


def _missing(key: str, place: Json, document: Json, now: str) -> object:
    """What stands in for a required value; None for what has to be there."""
    updated = document.get("updated_at") or document.get("created_at") or now
    count = document.get("current_iteration")
    description = str(document.get("description") or "")
    failed = place.get("failed_tests")
    values: dict[str, Callable[[], object]] = {
        "title": lambda: (description.strip() or str(document.get("cycle_id")))[:TITLE_LENGTH],
        "description": lambda: str(place.get("title") or place.get("id") or ""),
        "created_at": lambda: document.get("updated_at") or now,
        "updated_at": lambda: document.get("created_at") or now,
        "started_at": lambda: document.get("created_at") or now,
        "timestamp": lambda: updated,
        "last_updated": lambda: updated,
        "last_run": lambda: updated,
        "version": lambda: version_of(count if isinstance(count, int) else 1),
        "specification": lambda: "",
        "architecture_summary": lambda: "",
        "total_estimated_effort": lambda: UNKNOWN,
        "pass_rate": lambda: 0,
        "coverage": lambda: 0,
        "total_tests": lambda: len(failed) if isinstance(failed, list) else 0,
        "action": lambda: "modify",
        "iteration": lambda: 1,
        "agent": lambda: "cd",
        "phase": lambda: "",
        "error": lambda: f"the reason {UNKNOWN}",
        "status": lambda: "completed",
        "source": lambda: "user",
        "target": lambda: "ra",
        "content": lambda: "",
        "type": lambda: "clarification",
        "reported_by": lambda: "user",
    }
    return values[key]() if key in values else None


OWN = frozenset(CycleState.model_fields) - commands.RULES.editable - END - {"status", "updated_at", "engine"}
CHANGES = OutsideChanges(commands.RULES, own=OWN, for_commands=("waiting", "answer", "interrupt", "parked"))
take_in = CHANGES.take_in


def keep_own(before: CycleState, after: CycleState) -> tuple[CycleState, tuple[str, ...]]:
    """`after`, which others committed while a runner lives, with what only the runner may change as it was `before`.

    What commands do to a cycle is done here again to `before`: only what comes of it is theirs. Returns with it the
    names of what had to be put back: none when only commands were given.
    """
    state = _settled(with_limits(before, after), after)
    state = CHANGES.with_texts(_settled(_went_on(state, after), after), after)
    if after.status in FINISHED:
        state = CHANGES.stopped(state, after)
    else:
        state = derive_standing(state if state.status in FINISHED else state.evolve(status=after.status))
    return CHANGES.put_back(with_mode(CHANGES.with_commanded(state, after), after), after)


def _settled(state: CycleState, after: CycleState) -> CycleState:
    """Decisions that were made, and blockers that were settled, as far as a command does that."""
    for made in after.coordination.pending_decisions:
        if made.status != "pending" and made.chosen_option is not None:
            state = try_command(state, commands.decide, made.id, made.chosen_option, made.made_by or "")
    for closed in after.coordination.blockers:
        if closed.status != "open" and closed.resolution is not None:
            aside = closed.status == "workaround"
            state = try_command(state, commands.resolve, closed.id, closed.resolution, workaround=aside)
    return state


def _went_on(state: CycleState, after: CycleState) -> CycleState:
    """Extended or reopened; its old runner may not have let go yet. What waits in the queue is only added to."""
    opened = after.iterations[len(state.iterations) :]
    if len(opened) == 1 and (state.status in FINISHED or opened[0].extension is not None):
        (record,) = opened
        if state.status == "running":
            state = state.evolve(status="paused")
        if record.extension is None:
            return try_command(state, commands.reopen, record.started_at)
        return try_command(state, commands.extend, record.extension, record.started_at)
    queue, known = after.engine.queue, state.engine.queue
    if queue[: len(known)] == known and state.status != "created":
        return state.evolve(engine=state.engine.evolve(queue=queue))
    return state
