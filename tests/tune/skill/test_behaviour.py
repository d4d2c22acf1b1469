"""What a page makes a model do, read from end to end."""

from loopwright.tune.skill.behaviour import Code, read_code
from loopwright.tune.skill.page import read_page


def code_of(text: str, path: str = "phases/01-plan.md") -> Code:
    page = read_page(path, text.encode())
    assert page is not None
    return read_code(page)


def test_a_spawn_in_a_loop_is_read_with_its_prompt_and_its_variable() -> None:
    code = code_of(
        "# Phase 1\n\n```javascript\nfor (const chunk of chunks) {\n  const id = spawn_agent({\n"
        '    agent_type: "worker",\n    message: `Goal: ${goal}\nWrite ${dir}/a.json`\n  })\n'
        "  ids.push(id)\n}\nconst done = wait({ ids, timeout_ms: 600000 }) // ten minutes\n```\n"
    )

    spawn, wait = (one for one in code.calls if one.name in ("spawn_agent", "wait"))
    assert spawn.target == "id"
    assert spawn.repeat == 0
    assert spawn.argument("agent_type").literal == "worker"  # type: ignore[union-attr] # it is there
    assert [(one.name, one.value) for one in wait.arguments] == [("ids", "ids"), ("timeout_ms", "600000")]
    assert wait.repeat == -1
    assert [(one.agent, [hole.expression for hole in one.interpolations]) for one in code.prompts] == [
        ("worker", ["goal", "dir"])
    ]
    assert code.calls[code.prompts[0].call] is spawn
    assert code.repeats[0].over == "chunks"
    assert [one.name for one in code.assignments if one.grows] == ["ids"]


def test_a_page_without_code_has_no_behaviour() -> None:
    assert code_of("# Title\n\nPlain words.\n") == Code()
