"""The plan of an issue: which solution counts, and what becomes of each step."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import Invalid, NotFound
from loopwright.workflows.loop.service import (
    DEEPEST,
    DESCRIPTION,
    DETAILS,
    MOST,
    find_issue,
    find_solution,
    read_lines,
    read_steps,
)
from tests.tables import each

ISSUE = {"id": "ISS-1", "title": "It crashes", "status": "planned", "bound_solution_id": "SOL-2"}


def text(*objects: object) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def solution(*tasks: object, **fields: object) -> dict[str, object]:
    return {"id": "SOL-1", "tasks": list(tasks), **fields}


def test_the_latest_line_of_an_issue_counts() -> None:
    lines = read_lines(text(ISSUE, {"id": "ISS-2"}, {**ISSUE, "title": "Later"}))
    assert find_issue(lines, "ISS-1")["title"] == "Later"


def test_unknown_issues_are_told_with_those_that_are_known() -> None:
    with pytest.raises(NotFound, match=r"Issue not found: X \(available: ISS-1, ISS-2\)$"):
        find_issue(read_lines(text(ISSUE, {"id": "ISS-2"})), "X")
    with pytest.raises(NotFound, match=r"\(available: none\); issues.jsonl, line 2: not a JSON object, fix it"):
        find_issue(read_lines('\n{"id": "ISS-1", \n'), "ISS-1")
    with pytest.raises(NotFound, match=r"i9, … \(30 in all\)\)"):
        find_issue(read_lines(text(*({"id": f"i{n}"} for n in range(30)))), "X")


def test_a_broken_line_elsewhere_hinders_nobody() -> None:
    lines = read_lines("oh\n" + text(ISSUE) + "[1]\n\n")
    assert (find_issue(lines, "ISS-1")["id"], lines.broken) == ("ISS-1", (1, 3))


def test_which_solution_is_bound() -> None:
    both = read_lines(text({"id": "SOL-1", "is_bound": True}, {"id": "SOL-2", "is_bound": False}))
    assert find_solution(ISSUE, both)["id"] == "SOL-2", "what the issue says counts first"
    assert find_solution({"id": "ISS-1"}, both)["id"] == "SOL-1"
    with pytest.raises(Invalid, match=r"issue ISS-1 is bound to SOL-9, which is not in solutions/ISS-1.jsonl"):
        find_solution({**ISSUE, "bound_solution_id": "SOL-9"}, both)
    unbound = read_lines(text({"id": "SOL-1"}, {"id": "SOL-2", "is_bound": "true"}) + "{\n")
    with pytest.raises(Invalid, match=r"no bound solution.*bind one of: SOL-1, SOL-2; solutions/ISS-1.jsonl, line 3"):
        find_solution({"id": "ISS-1"}, unbound)


def test_a_step_becomes_a_description_and_a_text_of_its_details() -> None:
    step = {
        "id": "T1", "title": "Mend it", "scope": "src/app", "action": "Update", "priority": 2,
        "description": "The parser fails.", "acceptance": {"criteria": ["it parses", "fast"], "manual": []},
        "implementation": ["Look", "Change"], "modification_points": [{"file": "a.py", "target": "f", "change": "x"}],
        "status": None, "depends_on": [],
    }  # fmt: skip
    (made,) = read_steps(solution(step))
    assert (made.id, made.description, made.needs) == ("T1", "Mend it", ())
    assert made.details == (
        "Description: The parser fails.\n\nScope: src/app\n\nAction: Update\n\nImplementation:\n- Look\n- Change\n\n"
        "Acceptance:\n- criteria: it parses; fast\n\nPriority: 2\n\n"
        "Modification points:\n- file: a.py, target: f, change: x"
    )


def test_needs_and_order_stay() -> None:
    steps = read_steps(solution({"title": "b", "depends_on": "T2"}, {"id": "T2", "description": "a"}, {"title": "c"}))
    assert [(s.id, s.description, s.needs) for s in steps] == [("T1", "b", ("T2",)), ("T2", "a", ()), ("T3", "c", ())]


@each(
    ("tasks", "words"),
    [
        ((), "solution SOL-1 has no tasks"),
        (("text", 3), "has no tasks"),
        (({"id": "A"},), "A has neither title nor description"),
        (({"id": "A", "title": "x"}, {"id": "A", "title": "y"}), "two tasks have the id A"),
        (({"id": "A", "title": "x", "depends_on": ["B", "C"]},), "A depends on B, C, which it does not have"),
        (
            ({"id": "A", "title": "x", "depends_on": ["B"]}, {"id": "B", "title": "y", "depends_on": ["A"]}),
            "in a circle: A, B",
        ),
        (({"title": "x", "depends_on": ["T1"]},), "in a circle: T1"),
        (tuple({"title": "x"} for _ in range(MOST + 1)), f"has 201 tasks; at most {MOST} are accepted"),
    ],
)
def test_what_can_not_be_imported(tasks: tuple[object, ...], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        read_steps(solution(*tasks))


def test_what_is_too_long_or_too_deep_is_cut() -> None:
    deep: object = "bottom"
    for _ in range(DEEPEST + 3):
        deep = [deep]
    (made,) = read_steps(solution({"title": "x" * 10**6, "scope": "y" * 10**6, "test": deep}))
    assert (len(made.description), len(made.details)) == (DESCRIPTION, DETAILS)
    assert "bottom" not in read_steps(solution({"title": "x", "test": deep}))[0].details


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["id", "title", "tasks", "depends_on", "is_bound", "bound_solution_id", "scope"]), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=4), st.text(max_size=9))
def test_whatever_is_there_is_read_or_refused_in_words(
    issues: list[object], solutions: list[object], junk: str
) -> None:
    with suppress(NotFound, Invalid):
        issue = find_issue(read_lines(text(*issues) + junk), "1")
        assert all(s.description for s in read_steps(find_solution(issue, read_lines(text(*solutions) + junk))))
