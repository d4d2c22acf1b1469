"""Sentences about what agents are given and give back, and about when state is saved, with others that look alike."""

import pytest

from loopwright.tune.reading.prompts.feeding import kind_of
from loopwright.tune.reading.prompts.returns import wants_all
from loopwright.tune.reading.state.saving import is_postponed


@pytest.mark.parametrize(
    "text",
    [
        "Each round's prompt contains the complete log of all previous rounds.",
        "Pass the full conversation history to every subagent.",
        "Append the output of each iteration to the prompt of the next one, so nothing is lost.",
        "Do not summarise earlier rounds; paste them one after the other into the new prompt.",
        "Prompt | the task, and every message exchanged so far",
        "把之前每一轮的评审意见原样附在下一轮的提示词后面。",
        "每轮都把历史对话完整带入，不做裁剪。",
    ],
)
def test_everything_from_before_goes_into_prompts(text: str) -> None:
    assert kind_of(text) == "past"


@pytest.mark.parametrize(
    "text",
    [
        "Paste the full text of the file into the subagent's prompt.",
        "Do not pass paths; put the text of the files itself into the task description.",
        "The auditor receives the content of the file at `{spec_file}`.",
        "Send the reviewer the whole file rather than the lines in question.",
        "把整个 diff 原样传给子代理。",
        "派发时把设计文档全文一并放进任务说明，省得代理再去读。",
    ],
)
def test_whole_texts_go_into_prompts(text: str) -> None:
    assert kind_of(text) == "content"


@pytest.mark.parametrize(
    "text",
    [
        "Give each agent the path of the file, and never paste the full text into its prompt.",
        "Include the last three answers of earlier rounds in the prompt.",
        "Each prompt gets a summary of all previous rounds.",
        "Every agent gets the user's request verbatim in its prompt.",
        "Each step receives the output of the previous step.",
        "Read SKILL.md in full when the user's first message arrives.",
        "不要把文件全文贴进提示词，只给路径。",
        "提示里附上此前各轮的摘要。",
    ],
)
def test_what_is_bounded_or_forbidden_is_no_fault(text: str) -> None:
    assert kind_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Write the progress file only when all batches are finished.",
        "Keep the results in memory and write them to disk at the end.",
        "Save the checkpoint at the very end rather than after each step.",
        "After the stop, write the evaluation files of all iterations and the decision log.",
        "state.json | written once, after the last phase",
        "Progress and findings are not saved anywhere until the run is over.",
        "Intermediate results are not persisted.",
        "Nothing is written to state.json before the last task is done.",
        "中间不落盘，进度只在最后写一次。",
        "过程中的结果先放在上下文里，收尾时再写入文件。",
    ],
)
def test_saving_is_put_off(text: str) -> None:
    assert is_postponed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Write `state.json` after each batch, not only at the end.",
        "Update the state after every step, until all of them are done.",
        "Write the final report when all reviews are finished.",
        "Do not wait until the end to save the progress file.",
        "A state that does not fit is not written; the action counts as failed.",
        "Results without a source are never saved.",
        "The state is never written by hand: use scripts/state.py.",
        "After the last batch, update state.json: status = done.",
        "After all skills are evaluated, update `status` in results.json to completed.",
        "On success, record the version in the manifest.",
        "At the end of the run, append one line to history.log.",
        "Before the last step, save the state.",
        "Do not update state.json until the whole action has succeeded.",
        "Do not save results until every check of this chapter passed.",
        "Write state.json once the whole file validates.",
        "最后写入索引 index.json。",
        "每批结束立刻写回索引。",
        "全部完成后写总结报告。",
    ],
)
def test_saving_on_the_way_is_no_fault(text: str) -> None:
    assert not is_postponed(text)


@pytest.mark.parametrize(
    ("text", "all_of_it"),
    [
        ("Have each agent return everything it found.", True),
        ("The reviewers send back their whole analysis, no matter how long.", True),
        ("子代理返回完整的分析过程和全部代码。", True),
        ("Each agent returns its complete findings in at most 20 lines.", False),
        ("Agents write the full log to a file and return its path.", False),
        ("Never have an agent return the full contents of a file.", False),
        ("子代理只返回摘要，完整日志写入文件。", False),
    ],
)
def test_answers_of_any_length(text: str, *, all_of_it: bool) -> None:
    assert wants_all(text) is all_of_it
