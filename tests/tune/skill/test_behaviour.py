"""What a page makes a model do, read from end to end."""

from loopwright.tune.skill.behaviour import Code
from tests.tune.skill.behaviours import argument, call, code_of, named


def test_a_spawn_in_a_loop_is_read_with_its_prompt_and_its_variable() -> None:
    code = code_of(
        "# Phase 1\n\n```javascript\nfor (const chunk of chunks) {\n  const id = spawn_agent({\n"
        '    agent_type: "worker",\n    message: `Goal: ${goal}\nWrite ${dir}/a.json`\n  })\n'
        "  ids.push(id)\n}\nconst done = wait({ ids, timeout_ms: 600000 }) // ten minutes\n```\n"
    )

    spawn, wait = call(code, "spawn_agent"), call(code, "wait")
    assert (spawn.target, spawn.repeat) == ("id", 0)
    assert argument(code, "spawn_agent", "agent_type").literal == "worker"
    assert named(wait) == [("ids", "ids"), ("timeout_ms", "600000")]
    assert (wait.target, wait.repeat) == ("done", -1)
    (prompt,) = code.prompts
    assert (prompt.agent, [hole.expression for hole in prompt.interpolations]) == ("worker", ["goal", "dir"])
    assert code.calls[prompt.call] is spawn
    assert code.repeats[0].over == "chunks"
    assert [one.name for one in code.assignments if one.grows] == ["ids"]


def test_a_page_without_code_has_no_behaviour() -> None:
    assert code_of("# Title\n\nPlain words.\n") == Code()


def test_windows_newlines_change_places_only() -> None:
    text = "# A\n\n1. Retry until it passes.\n\n```js\nconst x = Task({\n  prompt: `a ${b}`\n})\n```\n"
    unix, windows = code_of(text), code_of(text.replace("\n", "\r\n"))
    assert [named(one) for one in unix.calls] == [named(one) for one in windows.calls]
    assert [one.at.line for one in unix.calls] == [one.at.line for one in windows.calls]
    assert [one.text for one in unix.prompts] == [one.text for one in windows.prompts]
    assert [one.bound for one in unix.repeats] == [one.bound for one in windows.repeats]
