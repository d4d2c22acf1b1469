"""The documents that others wrote read to the right state; damaged ones read to a sound state or are refused."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.core.ids import is_safe_id
from loopwright.core.state import SCHEMA
from loopwright.workflows.loop.model import ERRORS_KEPT, LoopState, SkillState
from loopwright.workflows.loop.selector import LoopFacts, is_initialised, next_action, normalise_state
from loopwright.workflows.loop.state_reader import read_loop
from tests.tables import each
from tests.tiers import examples

Json = dict[str, Any]  # Any: parsed JSON
Path_ = tuple[str | int, ...]

FOLDER = Path(__file__).parent / "documents"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
NOW = "2026-02-01T12:00:00+08:00"


def document(name: str) -> Json:
    parsed: Json = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return parsed


def read(raw: object, **options: Any) -> LoopState:  # Any: as read_loop takes them
    return told(raw, **options)[0]


def told(raw: object, **options: Any) -> tuple[LoopState, tuple[str, ...]]:  # Any: as above
    return read_loop(raw, **{"fallback_id": "fallback", "now": NOW, **options})


def dumped(state: LoopState) -> Json:
    parsed: Json = json.loads(state.model_dump_json())
    return parsed


def skill(state: LoopState) -> SkillState:
    assert state.skill_state is not None
    return state.skill_state


def paths(value: object, here: Path_ = ()) -> Iterator[Path_]:
    """Every key and index in a document, outermost first."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*here, key)
        yield from paths(inner, (*here, key))


def at(value: Any, path: Path_) -> Any:  # Any: walks parsed JSON
    for key in path:
        value = value[key]
    return value


def same(part: Any, whole: Any) -> bool:  # Any: parsed JSON
    """Whether `whole` holds everything in `part`, at its place."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and same(v, whole[k]) for k, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(same, part, whole))
    return bool(part == whole)


def sound(raw: Json) -> LoopState | None:
    """The state of a document, which reads again from its own dump without any repair; None where it is refused."""
    before = json.dumps(raw)
    try:
        state, _ = told(raw)
    except Invalid as error:
        words = str(error)
        assert words, raw
        assert len(words) < 400, words
        assert "\n" not in words, words
        return None
    finally:
        assert json.dumps(raw) == before, "reading changed what it was given"
    again, repairs = told(dumped(state))
    assert again == state
    assert repairs == ()
    assert LoopState.model_validate_json(state.model_dump_json()) == state
    normalise_state(state)
    return state


# ── the documents themselves ─────────────────────────────────────────────────────────────────────────────────


def test_a_created_loop_reads_as_it_stands() -> None:
    state, repairs = told(document("created"))
    assert repairs == ()
    written = dumped(state)
    assert list(written) == [*document("created"), "engine"]
    assert same(document("created"), written)
    assert (state.status, state.skill_state) == ("created", None)


def test_a_loop_in_init_reads_with_its_counts_counted() -> None:
    state, repairs = told(document("after_init"))
    assert (skill(state).develop.total, skill(state).develop.completed) == (1, 0)
    assert "total was 3, counted 1" in repairs
    (task,) = skill(state).develop.tasks
    assert (task.id, task.tool, task.mode, task.created_at) == (
        "task-001", "codex", "write", "2026-01-22T10:00:00+08:00",
    )  # fmt: skip
    assert [t.task_id for t in state.engine.tasks] == ["task-001"]
    assert not is_initialised(state), "current_action says that INIT had begun, not that it ended"
    choice = next_action(state, LoopFacts("t"))
    assert choice is not None
    assert choice.action == "INIT"


def test_a_whole_document_keeps_every_field_in_its_order() -> None:
    raw = document("whole")
    state, repairs = told(raw)
    written = dumped(state)
    assert same(raw, written)
    assert list(written) == [*raw, "engine"]
    assert list(written["skill_state"]) == list(raw["skill_state"])
    for part in ("develop", "debug", "validate", "summary"):
        assert list(written["skill_state"][part]) == list(raw["skill_state"][part])
    assert state.engine.outcome == "succeeded"
    assert any("outcome was not recorded" in repair for repair in repairs)


def test_a_legacy_session_reads_as_a_loop_of_today() -> None:
    raw = document("legacy_session")
    state, repairs = told(raw)
    assert state.loop_id == "ccw-loop-20260110-0001"
    assert state.description == raw["task_description"]
    assert state.title == raw["task_description"][:100]
    assert (skill(state).current_action, skill(state).last_action) == (None, "VALIDATE")
    assert skill(state).completed_actions == ("INIT", "DEVELOP", "VALIDATE")
    assert (skill(state).develop.total, skill(state).develop.completed) == (2, 1)
    assert skill(state).errors[0].action == "DEBUG"
    assert "total_count" not in dumped(state)["skill_state"]["develop"]
    assert (state.created_at, skill(state).validate_.last_run_at) == (
        "2026-01-10T09:00:00+08:00", "2026-01-10T09:30:00+08:00",
    )  # fmt: skip
    assert [(t.task_id, t.tool, t.mode) for t in state.engine.tasks] == [
        ("task-001", "gemini", "write"), ("task-002", "qwen", "analysis"),
    ]  # fmt: skip
    assert normalise_state(state) is state
    choice = next_action(state, LoopFacts("t"))
    assert choice is not None
    assert (choice.action, choice.task) == ("DEVELOP", "task-002")
    for words in ("session_id is loop_id now", "task_description is description now", "no action", "is VALIDATE now"):
        assert any(words in repair for repair in repairs), words


Variant = Callable[[Json], object]


def _without(*keys: str) -> Variant:
    return lambda d: [d.pop(key, None) for key in keys]


def _with(**fields: object) -> Variant:
    return lambda d: d.update(fields)


LEGACY_VARIANTS: list[tuple[str, Variant, Callable[[LoopState], object], object]] = [
    ("pending is created", _with(status="pending", initialized=False), lambda s: s.status, "created"),
    ("not begun: no runner's fields", _without("current_action", "last_action", "completed_actions", "mode", "develop",
        "validate", "errors", "initialized"), lambda s: s.skill_state, None),
    ("not begun, with tasks all the same", _with(initialized=False, last_action=None, completed_actions=[]),
        lambda s: [t.task_id for t in s.engine.tasks], ["task-001", "task-002"]),
    ("completed without a passing validation is unverified", _with(status="completed"),
        lambda s: (s.status, s.engine.outcome, s.completed_at), ("completed", "unverified", "2026-01-10T09:30:00")),
    ("failed without a reason", _with(status="failed"),
        lambda s: (s.engine.outcome, s.failure_reason), ("failed", "the reason was not recorded")),
    ("stopped by its user", _with(status="failed", failure_reason="Manually stopped by user"),
        lambda s: s.engine.outcome, "stopped"),
    ("a new id beside the old one", _with(loop_id="loop-v2-1"), lambda s: (s.loop_id, s.model_extra), (
        "loop-v2-1", {"session_id": "ccw-loop-20260110-0001", "initialized": True})),
    ("no description", _without("task_description"), lambda s: (s.title, s.description), (
        "ccw-loop-20260110-0001", "ccw-loop-20260110-0001")),
    ("a title of its own", _with(title="Auth"), lambda s: s.title, "Auth"),
    ("a title without a word", _with(title=""), lambda s: s.title[:20], "Implement user authe"),
    ("no id at all", _without("session_id"), lambda s: s.loop_id, "fallback"),
    ("an id of null", _with(session_id=None), lambda s: s.loop_id, "fallback"),
    ("no times", _without("created_at", "updated_at"), lambda s: (s.created_at, s.updated_at), (NOW, NOW)),
]  # fmt: skip


@pytest.mark.parametrize(("words", "change", "look", "expected"), LEGACY_VARIANTS, ids=[v[0] for v in LEGACY_VARIANTS])
def test_variant_of_the_legacy_session(
    words: str, change: Variant, look: Callable[[LoopState], object], expected: object
) -> None:
    raw = document("legacy_session")
    change(raw)
    state = sound(raw)
    assert state is not None
    found = look(state)
    if isinstance(expected, tuple) and isinstance(found, tuple):
        expected = tuple(f"{e}+08:00" if e == "2026-01-10T09:30:00" else e for e in expected)
    assert found == expected


# ── a thousand variations ────────────────────────────────────────────────────────────────────────────────────

WRONG: tuple[object, ...] = (None, "", "x", 0, -1, 7, 2.5, 1e400, True, [], [None], ["x"], {}, {"x": 1}, [[]], [{}])


def variations(raw: Json) -> Iterator[tuple[str, Json]]:
    """Each key missing, each value replaced by each wrong one, an unknown key in each object, each object reordered."""
    for path in paths(raw):
        *outer, key = path
        place = tuple(outer)
        damaged = deepcopy(raw)
        del at(damaged, place)[key]
        yield f"{path} missing", damaged
        for value in WRONG:
            damaged = deepcopy(raw)
            at(damaged, place)[key] = deepcopy(value)
            yield f"{path} = {value!r}", damaged
        if isinstance(at(raw, path), dict):
            damaged = deepcopy(raw)
            inner = at(damaged, path)
            items = list(inner.items())
            inner.clear()
            inner.update({"x_unknown": {"kept": [1, None]}, **dict(reversed(items))})
            yield f"{path} reordered, with an unknown key", damaged


@pytest.mark.parametrize("name", NAMES)
def test_every_variation_reads_to_a_sound_state_or_is_refused_in_one_sentence(name: str) -> None:
    read_well, refused = 0, 0
    for words, raw in variations(document(name)):
        try:
            state = sound(raw)
        except Exception as error:
            raise AssertionError(f"{name}: {words}: {error!r}") from error
        read_well, refused = read_well + (state is not None), refused + (state is None)
    assert read_well > 25
    assert refused > 25


ESSENTIAL = {("tasks", "id"), ("hypotheses", "id"), ("test_results", "test_name"), ("test_results", "status")}


@pytest.mark.parametrize("name", NAMES)
def test_only_names_and_verdicts_of_tests_may_not_be_missing(name: str) -> None:
    """Every other key has a default, whether it is missing or null."""
    raw = document(name)
    for path in paths(raw):
        *outer, key = path
        if isinstance(key, int):
            continue
        item_of = path[-3] if len(path) > 2 and isinstance(path[-2], int) else None
        essential = (item_of, key) in ESSENTIAL
        missing, null = deepcopy(raw), deepcopy(raw)
        del at(missing, tuple(outer))[key]
        at(null, tuple(outer))[key] = None
        for damaged in (missing, null):
            assert (sound(damaged) is None) is essential, f"{path} in {name}"


@settings(max_examples=examples(150))
@given(st.data(), st.sampled_from(NAMES))
def test_several_damages_at_once(data: st.DataObject, name: str) -> None:
    raw = document(name)
    for _ in range(data.draw(st.integers(2, 6))):
        path = data.draw(st.sampled_from(list(paths(raw))))
        place, key = at(raw, path[:-1]), path[-1]
        if data.draw(st.booleans()):
            del place[key]
        else:
            place[key] = deepcopy(data.draw(st.sampled_from(WRONG)))
        if not raw:
            break
    sound(raw)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(150))
@given(st.dictionaries(st.sampled_from(sorted({str(p[-1]) for n in NAMES for p in paths(document(n))})), JSON))
def test_anything_at_all_under_known_names(raw: Json) -> None:
    sound(raw)


@settings(max_examples=examples(80))
@given(st.data(), st.sampled_from(NAMES), st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=3))
def test_unknown_keys_survive_at_every_level(data: st.DataObject, name: str, unknown: Json) -> None:
    raw = document(name)
    unknown = {f"x-{key}": value for key, value in unknown.items()}
    objects = [(), *(path for path in paths(raw) if isinstance(at(raw, path), dict))]
    path = data.draw(st.sampled_from(objects))
    at(raw, path).update(unknown)
    written = dumped(read(raw))
    moved = path[:1] in [("develop",), ("validate",), ("errors",)]
    assert same(unknown, at(written, ("skill_state", *path) if moved else path))


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_old_document_with_an_empty_skill_state_reads_back_the_same(nothing: object) -> None:
    sound({"current_action": None, "mode": "auto", "skill_state": nothing})
    state, _ = told({"mode": "auto", "skill_state": nothing})
    assert state.skill_state is not None
    assert state.skill_state.mode == "auto"


def test_a_runners_word_on_top_of_a_new_document_is_an_unknown_key_like_any_other() -> None:
    raw = document("whole") | {"summary": "mine", "mode": "dark", "errors": 3, "initialized": True}
    state, _ = told(raw)
    assert state.model_extra == {"summary": "mine", "mode": "dark", "errors": 3, "initialized": True}


# ── single promises ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("raw", [None, [], "x", 3, True])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(Invalid, match="JSON object"):
        read(raw)


def test_a_newer_schema_is_refused_and_told_apart() -> None:
    raw = document("created") | {"engine": {"schema": SCHEMA + 1, "something": "new"}}
    with pytest.raises(NewerSchema, match=str(SCHEMA + 1)):
        read(raw)
    assert read(document("created") | {"engine": {"schema": SCHEMA}}).engine.schema_ == SCHEMA


TIMES = [
    ("2026-01-22T10:00:00", "2026-01-22T10:00:00+08:00"),
    ("2026-01-22 10:00:00", "2026-01-22T10:00:00+08:00"),
    ("2026-01-22T10:00:00.123456", "2026-01-22T10:00:00.123456+08:00"),
    ("2026-01-22", "2026-01-22T00:00:00+08:00"),
    ("2026-01-22T10:00:00Z", "2026-01-22T10:00:00Z"),
    ("2026-01-22T02:00:00.000Z", "2026-01-22T02:00:00.000Z"),
    ("2026-01-22T10:00:00-03:30", "2026-01-22T10:00:00-03:30"),
]


@pytest.mark.parametrize(("written", "kept"), TIMES)
def test_a_naive_time_is_one_of_the_default_zone_and_any_other_stays(written: str, kept: str) -> None:
    raw = document("whole")
    raw["created_at"] = raw["skill_state"]["develop"]["tasks"][0]["completed_at"] = written
    raw["skill_state"]["errors"][0]["timestamp"] = written
    state = read(raw)
    assert [state.created_at, skill(state).develop.tasks[0].completed_at, skill(state).errors[0].timestamp] == [
        kept
    ] * 3
    assert datetime.fromisoformat(state.created_at).tzinfo is not None


@pytest.mark.parametrize("time", ["yesterday", "2026-13-01T00:00:00+08:00", "10:00", 1769047200, ["2026-01-22"]])
def test_what_is_no_time_is_refused(time: object) -> None:
    with pytest.raises(Invalid, match="created_at"):
        read(document("created") | {"created_at": time})


UNSAFE = ["../../etc/passwd", "a/b", "a b", ".hidden", "", "-rf", "ünïcode", "x" * 129, "a\n", "a\0b", "loop.json", "…"]


@each("id", UNSAFE)
def test_an_unsafe_id_gets_a_safe_one_always_the_same_and_is_kept(id: str) -> None:
    raw = document("created") | {"loop_id": id}
    first, second = sound(raw), read(raw)
    assert first is not None
    assert is_safe_id(first.loop_id)
    assert first.loop_id == second.loop_id
    assert first.engine.legacy_id == id


def test_unsafe_ids_stay_apart() -> None:
    ids = [read(document("created") | {"loop_id": id}).loop_id for id in (*UNSAFE, "a/c", "a\\b", "a//b")]
    assert len(set(ids)) == len(ids)
    safe = read(document("created"))
    assert (safe.loop_id, safe.engine.legacy_id) == ("loop-v2-20260122-abc123", None)
    assert "legacy_id" not in dumped(safe)["engine"]


def test_counts_are_counted_whatever_they_said() -> None:
    for claim in (0, 3, -1, 1.0, True, "2", None, [1]):
        raw = document("whole")
        develop, debug = raw["skill_state"]["develop"], raw["skill_state"]["debug"]
        develop["total"] = develop["completed"] = debug["hypotheses_count"] = claim
        found = skill(read(raw))
        assert (found.develop.total, found.develop.completed, found.debug.hypotheses_count) == (1, 1, 1)
        assert type(found.develop.total) is int


def test_a_pass_with_failed_tests_is_none() -> None:
    raw = document("whole") | {"status": "running"}
    del raw["completed_at"]
    raw["skill_state"]["validate"]["failed_tests"] = ["auth::test_b"]
    state, repairs = told(raw)
    assert not skill(state).validate_.passed
    assert any("has not passed" in repair for repair in repairs)


def test_a_verdict_without_evidence_says_so() -> None:
    raw = document("whole")
    raw["skill_state"]["debug"]["hypotheses"][0] |= {"evidence": None, "verdict_reason": None}
    found = skill(read(raw)).debug.hypotheses[0]
    assert (found.status, found.evidence, found.verdict_reason) == ("confirmed", {}, "no reason was recorded")


def test_the_last_hundred_errors_are_kept_and_it_is_told() -> None:
    raw = document("whole")
    (entry,) = raw["skill_state"]["errors"]
    raw["skill_state"]["errors"] = [entry | {"message": str(n)} for n in range(ERRORS_KEPT + 7)]
    state, repairs = told(raw)
    assert (len(skill(state).errors), skill(state).errors[0].message) == (ERRORS_KEPT, "7")
    assert any("errors were kept" in repair for repair in repairs)


def line(id: object, **fields: object) -> Json:
    base = {"description": "do it", "tool": "bash", "mode": "write", "prompt_template": "", "command": "true"}
    return {"task_id": id, **base, "created_at": NOW, "updated_at": NOW, **fields}


def test_tasks_come_from_their_own_file_and_from_progress_each_once() -> None:
    lines = [line("task-001", description="as the API says"), line("task-002", description="new", order=5)]
    state = sound_with(document("after_init"), lines)
    assert [(t.task_id, t.description, t.order) for t in state.engine.tasks] == [
        ("task-001", "as the API says", 0), ("task-002", "new", 5),
    ]  # fmt: skip
    folded = normalise_state(state)
    assert [(t.id, t.description) for t in skill(folded).develop.tasks] == [
        ("task-001", "as the API says"), ("task-002", "new"),
    ]  # fmt: skip


def sound_with(raw: Json, lines: list[Json]) -> LoopState:
    state, _ = told(raw, tasks=lines)
    assert told(dumped(state), tasks=lines) == (state, ())
    return state


def test_odd_lines_of_tasks_do_not_spoil_the_loop() -> None:
    lines = [
        line(None),
        line(["x"]),
        {},
        line("task-7"),
        line("task-7", description="the later line counts", order=None),
    ]
    state = sound_with(document("created"), lines)
    assert [(t.task_id, t.description, t.order) for t in state.engine.tasks] == [("task-7", "the later line counts", 0)]


def test_a_documents_own_definitions_win() -> None:
    raw = document("created") | {"engine": {"tasks": [line("mine")]}}
    assert [t.task_id for t in sound_with(raw, [line("other")]).engine.tasks] == ["mine"]
    raw = document("created") | {"engine": {"tasks": None}}
    assert [t.task_id for t in sound_with(raw, [line("other")]).engine.tasks] == ["other"]


@pytest.mark.parametrize("poison", ["\ud800", float("nan"), float("inf"), {"\udfff": 1}])
def test_what_could_not_be_written_again_is_refused(poison: object) -> None:
    with pytest.raises(Invalid, match="JSON in UTF-8"):
        read(document("created") | {"x_unknown": [poison]})


def test_a_document_of_endless_depth_is_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Invalid):
        read(document("created") | {"x_unknown": deep})
