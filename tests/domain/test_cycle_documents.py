"""The documents: what they show, what stays of the roles' own words, archives, logs, and the way back."""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.cycle_names import ROLES, CycleStep
from loopwright.core.state import Incident
from loopwright.core.text import decode_word, encode_word
from loopwright.workflows.cycle.commands import decide, extend, resume, stop
from loopwright.workflows.cycle.documents import (
    EDGE_CASES,
    EXPLORATION,
    ITEM,
    JUDGEMENT,
    KEPT,
    MAIN,
    POINTS,
    archived_name,
    archives,
    coverage,
    edge_cases_in,
    listed_items,
    render,
    section_items,
    updated_in,
    version_in,
    with_header,
    without_header,
)
from loopwright.workflows.cycle.logs import (
    CHANGES,
    DECISIONS,
    FEEDBACK,
    LOGS,
    TIMELINE,
    additions,
    blockers_in,
    changes_in,
    decisions_in,
    feedback_in,
    missing_lines,
    read_timeline,
)
from loopwright.workflows.cycle.model import (
    CHANGES_KEPT,
    Blocker,
    ChangeAction,
    ChangeLog,
    Changes,
    Coordination,
    CycleState,
    Decision,
    Exploration,
    FeedbackEntry,
    FeedbackType,
    IterationRecord,
    Requirements,
    TestResults,
)
from loopwright.workflows.cycle.outcomes import CycleOutcome
from loopwright.workflows.cycle.plan import compose_plan
from loopwright.workflows.cycle.rebuild import LOST, QUESTION, rebuild_cycle
from loopwright.workflows.cycle.standing import steps_under_way
from tests.domain.cycle_making import AT, begun, created, driven, ended, judged, running, task, usual
from tests.tables import each
from tests.tiers import examples

LATER = "2026-01-23T09:00:00+08:00"
Texts = dict[str, str]


def text_of(data: Mapping[str, bytes]) -> Texts:
    return {name: one.decode() for name, one in data.items()}


def published(state: CycleState, since: CycleState | None, folder: Mapping[str, str]) -> Texts:
    """What a folder holds after a commit: as the engine publishes it."""
    kept = {name: folder[name] for name in KEPT if name in folder}
    new = render(state, since, kept)
    there = {name: folder[name].encode() for name in MAIN if name in folder}
    after = {**folder, **text_of(archives(there, new)), **text_of(new)}
    for name, lines in additions(state, {name: folder.get(name, "") for name in LOGS}, since).items():
        after[name] = after.get(name, "") + "".join(f"{line.decode()}\n" for line in lines)
    return after


def history(state: CycleState, outcomes: dict[str, CycleOutcome], most: int = 60) -> list[CycleState]:
    """Every state of a course, each a commit."""
    states = [state]
    while state.status == "running" and len(states) < most:
        state = begun(state)
        if not state.engine.under_way:
            break
        states.append(state)
        step = steps_under_way(state)[0]
        state = ended(state, step, outcomes.get(step.key, usual(step)))
        states.append(state)
    return states


def put_out(states: list[CycleState]) -> Texts:
    folder: Texts = {}
    since = None
    for state in states:
        folder = published(state, since, folder)
        since = state
    return folder


FAILING: dict[str, CycleOutcome] = {"vas.validate": judged("tests/test_a.py::test_bad")}


def twice() -> list[CycleState]:
    """One iteration that ends well, and another with an extension."""
    first = history(running(), {})
    return [*first, *history(extend(first[-1], "Also add\nmulti-factor authentication", LATER), {})]


# ── headers ──────────────────────────────────────────────────────────────────────────────────────────────────

ANY_TEXT = st.text(st.characters(codec="utf-8"))
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)


@given(ANY_TEXT, st.integers(1, 9), st.none() | st.just(AT))
def test_a_header_goes_on_and_off(text: str, iteration: int, updated: str | None) -> None:
    headed = with_header(text, f"1.{iteration - 1}.0", updated)
    assert without_header(headed) == text
    assert version_in("x.md", headed) == f"1.{iteration - 1}.0"
    assert updated_in(headed) == updated


@pytest.mark.parametrize("text", ["", "# A", "<!-- a comment -->\ntext", "<!-- version 2.0.0 · iteration 1 -->\n\nx"])
def test_what_has_no_header_is_left_alone(text: str) -> None:
    assert without_header(text) == text
    assert version_in("x.md", text) is None


@given(st.text())
def test_any_text_is_looked_at_without_a_fall(text: str) -> None:
    without_header(text)
    assert version_in("x.json", text) is None
    listed_items(text)
    section_items(text, *POINTS)
    read_timeline(text)
    changes_in(text), feedback_in(text), decisions_in(text), blockers_in(text)


def test_names_in_the_history() -> None:
    assert archived_name("ra/requirements.md", "1.0.0") == "ra/history/requirements-v1.0.0.md"
    assert archived_name("vas/test-results.json", "1.12.0") == "vas/history/test-results-v1.12.0.json"


def test_only_another_version_is_archived() -> None:
    one, two = with_header("a", "1.0.0").encode(), with_header("b", "1.1.0").encode()
    plan = json.dumps({"version": "1.0.0"}).encode()
    there = {"ra/requirements.md": one, "ep/plan.json": plan, "cd/issues.md": b"no version", "other.md": one}
    new = {"ra/requirements.md": two, "ep/plan.json": plan, "cd/issues.md": two, "other.md": two, "vas/summary.md": two}
    assert archives(there, new) == {"ra/history/requirements-v1.0.0.md": one}
    assert archives({"ep/plan.json": plan}, {"ep/plan.json": b'{"version": "1.1.0"}'}) == {
        "ep/history/plan-v1.0.0.json": plan
    }


# ── what agents list ─────────────────────────────────────────────────────────────────────────────────────────

LISTS: dict[str, tuple[str, list[str]]] = {
    "bullets": ("# Edge cases\n\n- one\n* two\n1. three\n", ["one", "two", "three"]),
    "what stands below": ("- one:\n  - a\n  - b\n- two", ["one:; a; b", "two"]),
    "lines that run on": ("- one\n  goes on\nlazily\n\n- two\n\n  then", ["one goes on lazily", "two then"]),
    "two lists": ("## A\n- one\n\nwords\n\n## B\n  - two\n  - three", ["one", "two", "three"]),
    "a table": ("| Case | What |\n|---|---|\n| empty | refused |\n| long | cut |", ["empty · refused", "long · cut"]),
    "sections": ("# Edge cases\n\n## EC-1: empty\nIt is refused.\nMore.\n\n### EC-2：\nCut.", [
        "EC-1: empty: It is refused.", "EC-2： Cut."]),
    "nothing": ("# Edge cases\n\n- None\n", []),
    "prose": ("There are some.", []),
    "a fence": ("```\n- no item\n```\n- an item", ["an item"]),
    "comments": ("<!-- version 1.0.0 · iteration 1 -->\n\n- an item", ["an item"]),
    "a long one": (f"- {'x' * 3000}", ["x" * (ITEM - 1) + "…"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "items"), LISTS.values(), ids=LISTS)
def test_what_is_listed(text: str, items: list[str]) -> None:
    assert listed_items(text) == items


EXPLORED = """# Exploration
- no point

## 2. Integration Points:

- src/a.py: one
### more
- src/b.py: two

## 风险
- 坏
"""


def test_what_stands_below_a_heading() -> None:
    assert section_items(EXPLORED, "integration points") == ["src/a.py: one", "src/b.py: two"]
    assert section_items(EXPLORED, "risks", "风险") == ["坏"]
    assert section_items(EXPLORED, "nothing") == []


# ── documents ────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_document_of_a_whole_cycle() -> None:
    folder = put_out(twice())
    assert set(folder) == {
        "ra/requirements.md", "ra/edge-cases.md", "ep/exploration.md", "ep/architecture.md", "ep/plan.json",
        "cd/implementation.md", "cd/issues.md", "cd/changes.log", "vas/test-results.json",
        "ra/history/requirements-v1.0.0.md", "ra/history/edge-cases-v1.0.0.md", "ep/history/exploration-v1.0.0.md",
        "ep/history/architecture-v1.0.0.md", "ep/history/plan-v1.0.0.json", "cd/history/implementation-v1.0.0.md",
        "cd/history/issues-v1.0.0.md", "vas/history/test-results-v1.0.0.json",
        "coordination/timeline.md", "coordination/feedback.md", "coordination/summary.md",
    }  # fmt: skip
    for name in ("requirements", "edge-cases"):
        assert version_in("x.md", folder[f"ra/{name}.md"]) == "1.1.0"
        assert version_in("x.md", folder[f"ra/history/{name}-v1.0.0.md"]) == "1.0.0"
    assert json.loads(folder["ep/plan.json"])["version"] == "1.1.0"


def test_only_what_changed_is_written_again() -> None:
    states = twice()
    for since, state in pairwise(states):
        whole, changed = render(state, None, {}), render(state, since, {})
        before = render(since, None, {})
        assert changed.items() <= whole.items()
        assert all(before.get(name) == data for name, data in whole.items() if name not in changed)


def test_a_roles_own_words_are_kept_under_the_header_of_today() -> None:
    state = driven(running())
    cases = "# Mine\n\nSome words.\n\n- an empty name\n"
    there = {EDGE_CASES: cases, EXPLORATION: "# What I saw\n\nMuch.", JUDGEMENT: "Good.\n"}
    texts = text_of(render(state, None, there))
    assert without_header(texts[EDGE_CASES]) == there[EDGE_CASES].rstrip()
    assert without_header(texts[EXPLORATION]) == there[EXPLORATION]
    assert without_header(texts[JUDGEMENT]) == "Good."
    assert all(version_in("x.md", texts[name]) == "1.0.0" for name in KEPT)
    assert render(state, None, texts) == render(state, None, text_of(render(state, None, texts))), "once and for all"


def test_words_that_say_something_else_than_the_state_go() -> None:
    state = driven(running())
    texts = text_of(render(state, None, {EDGE_CASES: "- another case\n"}))
    assert edge_cases_in(texts[EDGE_CASES]) == ("an empty name",)
    assert "one package" in texts[EXPLORATION], "what nobody wrote is made from the state"
    assert JUDGEMENT not in texts
    assert EXPLORATION not in render(state), "and left out where nobody says what is there"


def test_coverage_by_file() -> None:
    outcome = judged()
    document = json.loads(coverage(outcome.validated, "1.0.0"))
    assert document == {"version": "1.0.0", "measured": False, "percent": 80.0, "files": {}}


def test_the_summary_says_how_it_ended_and_what_is_left() -> None:
    state = driven(running(max_iterations=1), FAILING)
    which = Decision(id="D1", description="Which?", options=("a", "b"))
    which = which.evolve(status="made", chosen_option="a", made_by="auto")
    key = Blocker(id="B1", description="no key", reported_by="cd", status="workaround", resolution="a fake")
    told = (Incident(kind="put_back", message="x\ny", at=AT),)
    state = state.evolve(
        engine=state.engine.evolve(roles={"ra": "builtin", "cd": "codex"}, incidents=told),
        coordination=Coordination(pending_decisions=(which, Decision(id="D2", description="And?")), blockers=(key,)),
    )
    text = text_of(render(state))["coordination/summary.md"]
    for words in (
        "The cycle ended **exhausted**", "- iterations: 1 of at most 1", "- failing: tests/test_a.py::test_bad",
        "- D1: Which? → a, by itself (auto); it could have been b", "- decision D2: And?", "- B1 (workaround): no key",
        "- ra: a model would have added requirements", "put_back: x y", "- tasks: 1 of 1 done",
        "2 tests, 1 failing, 50 % pass, coverage 80 %",
        "- 1: ra completed, ep completed, cd completed, vas completed; 1 issue",
    ):  # fmt: skip
        assert words in text, words
    assert "- cd: a model" not in text
    assert "coordination/summary.md" not in render(running())


def test_issues_and_implementation_are_for_people() -> None:
    states = history(running(max_iterations=2), FAILING)
    folder = put_out(states)
    assert (
        "TASK-002 (completed, small): Make these tests pass: tests/test_a.py::test_bad"
        in folder["cd/implementation.md"]
    )
    assert "src/a.py (modify, cd)" in folder["cd/implementation.md"]
    assert "from vas (bug_report): 1 failing test" in folder["cd/issues.md"]


# ── logs ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_timeline_tells_of_each_iteration() -> None:
    text = put_out(twice())[TIMELINE]
    for words in (
        "# Timeline", "- title: Implement OAuth authentication", "## Iteration 1", "## Iteration 2",
        "- ra (Requirements Analyst): completed, 1 file — ra did its part", "- files: src/a.py (modify)",
        "- tests after: 1 test, 0 failing, 100 % pass, coverage 80 %",
        "- tests before: 1 test, 0 failing, 100 % pass, coverage 80 %",
        '- extension: "Also add\\nmulti-factor authentication"', "- resolved: yes",
    ):  # fmt: skip
        assert words in text, words
    assert text.count("is over -->") == 2


def test_an_entry_that_was_broken_off_is_written_again() -> None:
    states = twice()
    text = put_out(states)[TIMELINE]
    torn = text[: text.index("- resolved: yes")]
    lines = additions(states[-1], {TIMELINE: torn})[TIMELINE]
    whole = read_timeline(torn + "\n".join(line.decode() for line in lines) + "\n")
    assert whole.records == states[-1].iterations


def test_nothing_comes_twice_whatever_was_lost() -> None:
    """After each commit the process may die, before or after any of the logs was written."""
    states = twice()
    straight = put_out(states)
    for name in LOGS:
        folder: Texts = {}
        for n, state in enumerate(states):
            after = published(state, None if n % 3 == 0 else states[n - 1], folder)
            folder = after if n % 2 else {**after, name: folder.get(name, "")}
        folder = published(states[-1], None, folder)
        folder = published(states[-1], None, folder)
        if name != TIMELINE:
            assert folder.get(name, "") == straight.get(name, ""), name
        assert read_timeline(folder[TIMELINE]).records == states[-1].iterations


def test_lines_that_somebody_damaged_come_again_behind_the_others() -> None:
    lines = [change(n) for n in range(5)]
    text = "".join(f"{line}\n" for line in missing_lines(lines, ""))
    damaged = text.replace('"file": "f2"', '"file: "f2"') + "no line\n"
    assert [json.loads(line)["file"] for line in missing_lines(lines, damaged)] == ["f2"]
    assert missing_lines([lines[0], lines[0]], text) == missing_lines([lines[0]], "")


def test_decisions_and_blockers_are_told_each_time_they_are_others() -> None:
    state = running().evolve(
        coordination=Coordination(
            pending_decisions=(Decision(id="D1", description="Which?", options=("a", "b")),),
            blockers=(Blocker(id="B1", description="x", reported_by="cd"),),
        )
    )
    folder = published(state, None, {})
    folder = published(state, state, folder)
    state = decide(state, "D1", "b", "user")
    folder = published(state, None, folder)
    lines = [json.loads(line) for line in folder[DECISIONS].splitlines()]
    assert [(line["kind"], line["id"], line["status"]) for line in lines] == [
        ("decision", "D1", "pending"), ("blocker", "B1", "open"), ("decision", "D1", "made"),
    ]  # fmt: skip
    assert decisions_in(folder[DECISIONS]) == state.coordination.pending_decisions
    assert blockers_in(folder[DECISIONS]) == state.coordination.blockers


def change(n: int, iteration: int = 1) -> ChangeLog:
    return ChangeLog(timestamp=AT, file=f"f{n}", action="create", iteration=iteration, agent="cd", description="d")


@given(ANY_TEXT)
def test_words_of_a_log_are_one_line_and_read_back(text: str) -> None:
    assert decode_word(encode_word(text)) == text
    assert len(encode_word(text).splitlines()) <= 1


SAME = ("requirements", "plan", "changes", "test_results", "coordination", "title")

# ── the way back ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_cycle_comes_back_from_its_documents() -> None:
    states = twice()
    before, folder = states[-1], put_out(states)
    state = rebuild_cycle(folder, before.cycle_id, LATER)
    assert state is not None
    for name in (*SAME, "description", "task_history", "created_at", "current_iteration", "exploration"):
        assert getattr(state, name) == getattr(before, name), name
    assert state.iterations[:-1] == before.iterations[:-1]
    for role in ROLES:
        was, now = before.agents.of(role), state.agents.of(role)
        assert now.iterations_completed == len(before.iterations) - 1
        assert (set(now.output_files) >= set(was.output_files), now.last_message) == (True, was.last_message), role
    assert (state.completed_phases, state.phase_errors) == (before.completed_phases[:-1], before.phase_errors)
    assert (state.iteration and state.iteration.extension) == before.iterations[-1].extension
    assert (state.status, state.engine.waiting and state.engine.waiting.question) == ("paused", QUESTION)
    resumed = resume(state, live=False)
    assert driven(resumed).status in ("completed", "failed")


@each("most", range(1, 16))
def test_a_cycle_that_was_lost_at_any_moment_goes_on(most: int) -> None:
    states = history(running(), {})[:most]
    folder = put_out(states)
    state = rebuild_cycle(folder, states[-1].cycle_id, LATER)
    assert state is not None
    assert state.title == states[-1].title
    if state.current_iteration:
        end = driven(resume(state, live=False))
        assert (end.status, end.engine.outcome) == ("completed", "succeeded")


def test_where_nothing_is_left_nothing_comes_back() -> None:
    assert rebuild_cycle({}, "c", AT) is None
    assert rebuild_cycle({"ra/requirements.md": " \n", "ep/plan.json": "{", "cd/changes.log": "x"}, "c", AT) is None


def test_what_outsiders_wrote_comes_back_as_far_as_it_goes() -> None:
    state = rebuild_cycle({"ra/requirements.md": "# R\n", "ra/edge-cases.md": "- a\n", EXPLORATION: EXPLORED}, "c", AT)
    assert state is not None
    assert state.requirements is not None
    assert (state.requirements.specification, state.requirements.edge_cases) == ("# R\n", ("a",))
    assert (state.requirements.version, state.title) == ("1.0.0", LOST[:100])
    assert state.exploration is not None
    assert state.exploration.identified_risks == ("坏",)
    assert stop(state, AT).status == "failed"


FILES = st.sampled_from(["a.py", "b b.py", 'c".py', "d\n.py", "é.py"])
ACTIONS: st.SearchStrategy[ChangeAction] = st.sampled_from(["create", "modify", "delete"])
KINDS: st.SearchStrategy[FeedbackType] = st.sampled_from(["bug_report", "clarification"])


@st.composite
def parts(draw: st.DrawFn) -> dict[str, Any]:  # Any: fields of a CycleState
    count = draw(st.integers(1, 3))
    versions = st.integers(0, count - 1).map(lambda n: f"1.{n}.0")
    lines = draw(st.lists(st.builds(
        ChangeLog, timestamp=st.just(AT), file=FILES, action=ACTIONS, iteration=st.integers(1, count),
        agent=WORDS, description=ANY_TEXT,
    ), min_size=1, max_size=5))  # fmt: skip
    lines.sort(key=lambda line: line.iteration)
    tasks = [task("T1", "a.py"), task("T2", after=["T1"]).evolve(description=draw(WORDS))]
    return {
        "requirements": Requirements(
            version=draw(versions), specification=draw(WORDS), last_updated=AT,
            edge_cases=tuple(draw(st.lists(ANY_TEXT, max_size=4))),
        ),
        "exploration": Exploration(version=draw(versions), architecture_summary=draw(WORDS), last_updated=AT),
        "plan": compose_plan(tasks, draw(versions), AT),
        "changes": Changes(
            total_files=len({line.file for line in lines}), changes=tuple(lines),
            iteration_markers={str(line.iteration): line.timestamp for line in lines},
        ),
        "test_results": TestResults(
            version=draw(versions), pass_rate=draw(st.floats(0, 100)), coverage=draw(st.floats(0, 100)),
            failed_tests=tuple(draw(st.lists(ANY_TEXT, max_size=3))), total_tests=draw(st.integers(0, 99)), last_run=AT,
        ),
        "iterations": tuple(
            IterationRecord(
                number=n, started_at=AT, completed_at=LATER, extension=draw(st.none() | ANY_TEXT),
                issues_found=tuple(draw(st.lists(ANY_TEXT, max_size=2))), resolved=draw(st.booleans()),
            )
            for n in range(1, count + 1)
        ),
        "current_iteration": count,
        "coordination": Coordination(
            feedback_log=tuple(draw(st.lists(st.builds(
                FeedbackEntry, timestamp=st.just(AT), source=st.just("user"), target=st.just("ra"), content=ANY_TEXT,
                type=KINDS), max_size=3))),
            pending_decisions=tuple(
                Decision(id=f"D{n}", description=words, options=("a", words), chosen_option=words, status="made")
                for n, words in enumerate(draw(st.lists(ANY_TEXT, max_size=2)))
            ),
        ),
    }  # fmt: skip


@settings(max_examples=examples(60))
@given(parts(), WORDS.filter(str.strip), ANY_TEXT)
def test_whatever_stands_in_a_state_comes_back_as_it_was(fields: dict[str, Any], title: str, task: str) -> None:
    before = created().evolve(**fields, status="paused", title=title, description=task)
    state = rebuild_cycle(published(before, None, {}), before.cycle_id, LATER)
    assert state is not None
    for name in SAME:
        assert getattr(state, name) == getattr(before, name), name
    assert state.iterations[:-1] == before.iterations[:-1]


@settings(max_examples=examples(60))
@given(parts(), st.data())
def test_documents_with_any_damage_are_a_sound_state_or_nothing(fields: dict[str, Any], data: st.DataObject) -> None:
    folder = published(created().evolve(**fields, status="paused"), None, {})
    for _ in range(data.draw(st.integers(1, 4))):
        name = data.draw(st.sampled_from(sorted(folder)))
        at = data.draw(st.integers(0, len(folder[name])))
        noise = data.draw(st.sampled_from(["", "\n", "x", "0", '"', "- issue: ", "{}", "## Iteration 7\n", "\ud800"]))
        folder[name] = folder[name][:at] + noise + folder[name][at + data.draw(st.integers(0, 9)) :]
    state = rebuild_cycle(folder, "c", LATER)
    assert state is None or CycleState.model_validate(state.model_dump()) == state


def test_more_changes_than_a_state_holds_are_all_in_the_log() -> None:
    lines = tuple(change(n) for n in range(CHANGES_KEPT + 5))
    log = "".join(f"{line}\n" for line in missing_lines(lines, ""))
    state = rebuild_cycle({CHANGES: log}, "c", AT)
    assert state is not None
    assert state.changes is not None
    assert (state.changes.total_files, state.changes.changes) == (CHANGES_KEPT + 5, lines[-CHANGES_KEPT:])
    assert additions(state, {CHANGES: log, TIMELINE: "x"}).get(CHANGES) is None


def test_what_held_a_blocked_task_holds_it_again() -> None:
    states = history(running(), {"cd.implement TASK-001": usual(CycleStep("ra.analyse"))}, most=1)
    blocked = task("TASK-001").evolve(status="blocked")
    before = states[-1].evolve(
        status="paused", plan=compose_plan([blocked, task("TASK-002")], "1.0.0", AT),
        coordination=Coordination(blockers=(
            Blocker(id="B1", description="something else", reported_by="ep"),
            Blocker(id="B2", description="TASK-001 failed: no key", reported_by="cd"),
        )),
    )  # fmt: skip
    state = rebuild_cycle(published(before, None, {}), before.cycle_id, AT)
    assert state is not None
    assert state.plan == before.plan
    assert state.engine.holds == {"B2": ("cd.implement TASK-001",)}


def test_feedback_in_a_log_reads_back() -> None:
    entry = FeedbackEntry(timestamp=AT, source="vas", target="cd", content='a "b"\nc', type="bug_report")
    state = running().evolve(coordination=Coordination(feedback_log=(entry, entry)))
    folder = published(state, None, {})
    assert feedback_in(folder[FEEDBACK]) == (entry, entry)
    assert folder[FEEDBACK].startswith("# Feedback\n\n- 2026")
