"""The tools an agent reports with: what they take, and the words for what they do not."""

import pytest
from pydantic import JsonValue

from loopwright.core.errors import Invalid
from loopwright.reports.tools import TOOLS, ProposeTasks, ReportActionResult, ReportOrder, answer_call, read_call
from tests.tables import each

INIT, DEVELOP, DEBUG = (ReportOrder(turn=1, action=action) for action in ("INIT", "DEVELOP", "DEBUG"))
DONE: dict[str, JsonValue] = {"action": "DEVELOP", "status": "success", "message": "It works."}


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ([{"path": "a.py", "description": "new"}, {"path": "b.py"}], {"a.py": "new", "b.py": ""}),
        ({"a.py": "new", "b.py": ""}, {"a.py": "new", "b.py": ""}),
        (["a.py"], {"a.py": ""}),
        ("a.py", {"a.py": ""}),
        ('["a.py", "b.py"]', {"a.py": "", "b.py": ""}),
        (None, {}),
        ([], {}),
    ],
)
def test_a_result_with_its_files(given: JsonValue, files: dict[str, str]) -> None:
    call = read_call(DEVELOP, "report_action_result", {**DONE, "files_updated": given})
    assert isinstance(call, ReportActionResult)
    assert {file.path: file.description for file in call.files_updated} == files


@pytest.mark.parametrize("written", ["success", "Success", "completed", "✅ success", "success (all of it)", "成功"])
def test_a_status_however_it_is_written(written: str) -> None:
    call = read_call(DEVELOP, "report_action_result", {**DONE, "status": written, "action": "develop", "else": 1})
    assert isinstance(call, ReportActionResult)
    assert (call.action, call.status) == ("DEVELOP", "success")
    assert answer_call(call, "DEVELOP") == "Recorded: DEVELOP success. Your report is complete; end your turn now."


@pytest.mark.parametrize(
    "given", [[{"description": "a"}, {"description": "b", "id": 7}], ["a", " b "], '["a", "b"]', {"1": "a", "2": "b"}]
)
def test_tasks_however_they_are_listed(given: JsonValue) -> None:
    call = read_call(INIT, "propose_tasks", {"tasks": given})
    assert isinstance(call, ProposeTasks)
    assert [task.description for task in call.tasks] == ["a", "b"]
    assert answer_call(call, "INIT") == "Recorded 2 tasks. Now call report_action_result."


def test_who_proposes_unasked_is_told_what_becomes_of_it() -> None:
    call = read_call(DEVELOP, "propose_tasks", {"tasks": ["a"]})
    assert answer_call(call, "DEVELOP").startswith("Kept as a note for people: only INIT takes up such proposals.")


@each(
    ("order", "tool", "arguments", "words"),
    [
        (DEVELOP, "report_action_result", {**DONE, "status": "done"},
         "Not recorded: status was 'done'; allowed are success, failed, needs_input. "
         "Fix this and call report_action_result again."),
        (DEVELOP, "report_action_result", {**DONE, "action": "VALIDATE"},
         "action was 'VALIDATE', and your order is DEVELOP"),
        (DEVELOP, "report_action_result", {}, "action is missing; status is missing; message is missing"),
        (DEVELOP, "report_action_result", {**DONE, "message": " "}, "message must not be blank"),
        (DEVELOP, "report_action_result", {**DONE, "message": "x" * 2001},
         "message has 2,001 characters; at most 2,000 are accepted"),
        (DEVELOP, "report_action_result", {**DONE, "message": 3}, "message: Input should be a valid string"),
        (DEVELOP, "report_action_result", {**DONE, "options": [str(n) for n in range(11)]},
         "options has 11 entries, and at most 10 are accepted"),
        (DEVELOP, "report_action_result", "success", "action is missing"),
        (DEVELOP, "report_action_result", [], "arguments"),
        (INIT, "propose_tasks", {"tasks": []}, "tasks is empty"),
        (INIT, "propose_tasks", {"tasks": ["a", {"description": "\n"}, {}]},
         "tasks.1.description must not be blank; tasks.2.description is missing."),
        (INIT, "propose_tasks", {"tasks": ["a"] * 8}, "tasks has 8 entries, and at most 7 are accepted"),
        (INIT, "propose_tasks", {"tasks": 7}, "tasks"),
        (INIT, "propose_tasks", {"tasks": "[" * 100_000}, "tasks.0.description has 100,000 characters"),
        (DEBUG, "report_discovery", {"text": "x"}, "title is missing"),
        (DEBUG, "no_such_tool", {}, "No tool is named 'no_such_tool'; available: report_action_result, propose_tasks"),
    ],
)  # fmt: skip
def test_what_does_not_fit_has_words(order: ReportOrder, tool: str, arguments: JsonValue, words: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_call(order, tool, arguments)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 400


def test_what_was_taken_is_taken_again_as_it_is_kept() -> None:
    given: dict[str, dict[str, JsonValue]] = {
        "report_action_result": {**DONE, "action": "DEBUG", "options": "a | b"},
        "propose_hypotheses": {"hypotheses": [{"description": "a", "logging_point": "f:g:1"}], "active_bug": "b"},
        "report_discovery": {"title": "t", "text": "x"},
    }
    for tool, arguments in given.items():
        call = read_call(DEBUG, tool, arguments)
        assert read_call(DEBUG, tool, call.model_dump(mode="json")) == call
    assert given.keys() | {"propose_tasks"} == TOOLS.keys()
