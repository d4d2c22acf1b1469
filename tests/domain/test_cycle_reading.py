"""Reading a cycle that others wrote: the seed's own documents, each of their variations, and what is refused."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.errors import Invalid, NewerSchema
from loopwright.core.state import SCHEMA
from loopwright.workflows.cycle.commands import resume, stop
from loopwright.workflows.cycle.model import CHANGES_KEPT, CycleState
from loopwright.workflows.cycle.standing import derive_standing
from loopwright.workflows.cycle.state_reader import read_cycle
from tests.domain.cycle_making import begun, driven, running
from tests.golden.test_reading import WRONG, at, paths, same, variations
from tests.tables import each
from tests.tiers import examples

Json = dict[str, Any]  # Any: parsed JSON

FOLDER = Path(__file__).parent.parent / "golden" / "cycle_documents"
NAMES = ("created", "first_iteration", "after_phases", "extended")
NOW = "2026-02-01T12:00:00+08:00"


def document(name: str) -> Json:
    """One of the seed's examples, put onto the ones before it: but for the first they are fragments."""
    whole: Json = {}
    for one in NAMES[: NAMES.index(name) + 1]:
        whole = _onto(whole, json.loads((FOLDER / f"{one}.json").read_text(encoding="utf-8")))
    return whole


def fragment(name: str) -> Json:
    parsed: Json = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return parsed


def _onto(below: Json, above: Json) -> Json:
    both = {
        key: _onto(below[key], value) if isinstance(below.get(key), dict) and isinstance(value, dict) else value
        for key, value in above.items()
    }
    return {**below, **both}


def told(raw: object) -> tuple[CycleState, tuple[str, ...]]:
    return read_cycle(raw, fallback_id="fallback", now=NOW)


def dumped(state: CycleState) -> Json:
    parsed: Json = json.loads(state.model_dump_json())
    return parsed


def sound(raw: Json) -> CycleState | None:
    """The state of a document, which reads again without a repair and can be worked with; None where it is refused."""
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
    derive_standing(state)
    return state


def test_a_created_cycle_reads_as_it_stands() -> None:
    state, repairs = told(document("created"))
    assert repairs == ()
    written = dumped(state)
    assert list(written) == [*document("created"), "engine"]
    assert same(document("created"), written)


@pytest.mark.parametrize("name", NAMES)
def test_the_seeds_examples_keep_every_field_that_does_not_contradict_another(name: str) -> None:
    raw = document(name)
    state = sound(raw)
    assert state is not None
    for key in ("status", "title", "description", "task_history", "agents", "requirements", "plan", "changes"):
        if key in raw:
            assert same(raw[key], dumped(state)[key]), key
    assert state.current_iteration == len(raw["iterations"])


def test_the_first_iteration() -> None:
    state, repairs = told(document("first_iteration"))
    assert repairs == ()
    assert state.requirements is not None
    assert state.requirements.edge_cases == ("OAuth timeout handling", "PKCE validation")
    assert state.iterations[0].agent_results["cd"].status == "partial"
    assert state.agents.ra.status == "running"


def test_the_end_of_the_phases() -> None:
    state, repairs = told(document("after_phases"))
    assert state.plan is not None
    assert (state.plan.total_estimated_effort, state.plan.critical_path) == ("1 small", ("TASK-001",))
    assert state.changes is not None
    assert (state.changes.total_files, dict(state.changes.iteration_markers)) == (
        12,
        {"1": "2026-01-22T10:30:00+08:00"},
    )
    assert state.test_results is not None
    assert (state.test_results.pass_rate, state.test_results.last_run) == (85, state.updated_at)
    assert "plan.total_estimated_effort was missing" in repairs


def test_the_extension() -> None:
    state, repairs = told(document("extended"))
    assert [record.number for record in state.iterations] == [1, 2]
    assert (state.iterations[0].completed_at, state.iterations[0].started_at) == (
        "2026-01-22T10:45:00+08:00", state.created_at,
    ), "an ellipsis is no time; the next one began then"  # fmt: skip
    assert state.iterations[1].extension == state.task_history[1]
    assert state.requirements is not None
    assert state.requirements.version == "1.1.0"
    assert "iterations.0.completed_at was no time" in repairs
    assert stop(resume(state, live=False), NOW).engine.outcome == "stopped"


@pytest.mark.parametrize("name", NAMES)
def test_a_fragment_alone_is_a_cycle_too(name: str) -> None:
    state = sound(fragment(name))
    assert state is not None
    assert state.status == fragment(name).get("status", "created")


CHANGES: list[tuple[str, Json, str, object]] = [
    ("counted", {"current_iteration": 3}, "current_iteration", 3),
    ("a foreign version", {"requirements": {"version": "2.5"}}, "requirements.version", "1.0.0"),
    ("a version of later", {"requirements": {"version": "1.7.0"}}, "requirements.version", "1.0.0"),
    ("failed", {"status": "failed"}, "engine.outcome", "failed"),
    ("stopped", {"status": "failed", "failure_reason": "Manually stopped by user"}, "engine.outcome", "stopped"),
    ("completed", {"status": "completed"}, "engine.outcome", "unverified"),
    ("completed, green", {"status": "completed", "test_results": {"total_tests": 3, "pass_rate": 100}},
        "engine.outcome", "succeeded"),
    ("not ended", {"status": "running", "completed_at": NOW, "failure_reason": "x"}, "failure_reason", None),
    ("a role that failed", {"agents": {"ep": {"status": "failed"}}}, "agents.ep.error", "the reason was not recorded"),
    ("a title from the description", {"title": None, "description": "Add it"}, "title", "Add it"),
    ("a dependency that is none", {"plan": {"tasks": [{"id": "A", "depends_on": ["B"]}]}}, "plan.tasks.0.depends_on",
        ()),
    ("settled somehow", {"coordination": {"blockers": [{"id": "B", "status": "resolved"}]}},
        "coordination.blockers.0.resolution", "how was not recorded"),
    ("an open blocker at the end", {"status": "completed", "coordination": {"blockers": [{"id": "B"}]}},
        "coordination.blockers.0.status", "workaround"),
    ("made of nothing", {"coordination": {"pending_decisions": [{"id": "D", "status": "made"}]}},
        "coordination.pending_decisions.0.status", "pending"),
    ("made already", {"coordination": {"pending_decisions": [{"id": "D", "chosen_option": "x"}]}},
        "coordination.pending_decisions.0.status", "made"),
    ("a step that is none", {"engine": {"done": ["ra.analyse", "ra.dance"], "tries": {"x": 1}}}, "engine.done",
        ("ra.analyse",)),
    ("markers", {"changes": {"iteration_markers": {"1": "…", "2": "2026-01-22T10:00:00"}}}, "changes.iteration_markers",
        {"2": "2026-01-22T10:00:00+08:00"}),
    ("a naive time", {"created_at": "2026-01-22T10:00:00"}, "created_at", "2026-01-22T10:00:00+08:00"),
    ("no id", {"cycle_id": ""}, "cycle_id", "fallback"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "change", "where", "expected"), CHANGES, ids=[c[0] for c in CHANGES])
def test_mended(words: str, change: Json, where: str, expected: object) -> None:
    raw = _onto(document("first_iteration"), change)
    state = sound(raw)
    assert state is not None
    assert told(raw)[1], "and told"
    found: Any = state  # Any: walks by name
    for step in where.split("."):
        found = found[int(step)] if step.isdecimal() else getattr(found, step)
    assert found == expected


def test_too_many_are_the_last_of_them() -> None:
    line = {"timestamp": NOW, "file": "x", "action": "create", "iteration": 1, "agent": "cd", "description": ""}
    lines = [{**line, "file": f"f{n}"} for n in range(CHANGES_KEPT + 3)]
    state, repairs = told(_onto(document("created"), {"changes": {"changes": lines}}))
    assert state.changes is not None
    assert (state.changes.changes[0].file, state.changes.total_files) == ("f3", CHANGES_KEPT)
    assert any("were kept" in repair for repair in repairs)


@pytest.mark.parametrize("raw", [None, [], "x", 3, True])
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(Invalid, match="JSON object"):
        told(raw)


@each("change", [
    {"status": "user_exit"}, {"agents": []}, {"max_iterations": 0}, {"x": float("nan")}, {"x": "\ud800"},
    {"plan": {"tasks": [{"id": "A"}, {"id": "A"}]}}, {"plan": {"tasks": [{"id": "A", "depends_on": ["A"]}]}},
    {"iterations": "x"}, {"coordination": {"blockers": [{}]}},
])  # fmt: skip
def test_what_makes_no_sense_is_refused(change: Json) -> None:
    with pytest.raises(Invalid):
        told(_onto(document("created"), change))


def test_a_newer_schema_is_refused_and_told_apart() -> None:
    with pytest.raises(NewerSchema, match=str(SCHEMA + 1)):
        told(document("created") | {"engine": {"schema": SCHEMA + 1}})


def test_a_cycle_of_ours_reads_as_it_was_at_every_moment() -> None:
    for state in (running(), begun(running()), driven(running()), driven(running(max_iterations=1))):
        assert told(dumped(state)) == (state, ())


def test_every_variation_reads_to_a_sound_state_or_is_refused_in_one_sentence() -> None:
    """Keys missing, wrong values, unknown keys: of the richest of the documents, and of one of ours."""
    read_well, refused = 0, 0
    for words, raw in variations(document("extended")):
        try:
            state = sound(raw)
        except Exception as error:
            raise AssertionError(f"{words}: {error!r}") from error
        read_well, refused = read_well + (state is not None), refused + (state is None)
    assert read_well > 300
    assert refused > 300


@settings(max_examples=examples(100))
@given(st.data(), st.sampled_from([document("extended"), dumped(driven(running())), dumped(begun(running()))]))
def test_several_damages_at_once(data: st.DataObject, whole: Json) -> None:
    raw = deepcopy(whole)
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


@settings(max_examples=examples(40))
@given(
    st.data(), st.dictionaries(st.text(min_size=1, max_size=5).map(lambda key: f"x-{key}"), st.integers(), min_size=1)
)
def test_unknown_keys_survive_at_every_level(data: st.DataObject, unknown: Json) -> None:
    raw = document("extended")
    objects = [(), *(path for path in paths(raw) if isinstance(at(raw, path), dict))]
    path = data.draw(st.sampled_from([p for p in objects if "iteration_markers" not in p and "agent_results" not in p]))
    at(raw, path).update(unknown)
    assert same(unknown, at(dumped(told(raw)[0]), path))
