"""Prompts: what other agents are told."""

import pytest

from tests.tune.skill.behaviours import code_of, script


def holes(code: str) -> list[list[str]]:
    return [[hole.expression for hole in one.interpolations] for one in script(code).prompts]


@pytest.mark.parametrize(
    ("code", "text", "agent"),
    [
        ('Task({ subagent_type: "worker", prompt: `Goal: ${goal}` })', "Goal: ${goal}", "worker"),
        ('Task(subagent_type="worker", prompt="""Do\nit""")', "Do\nit", "worker"),
        ('spawn_agent({ agent_type: role, message: "Do " + what + " now" })', "Do  now", "role"),
        ('spawn_agent({ items: [{ type: "text", text: "Do it" }] })', "Do it", None),
        ('Task(executor, "Add the type export")', "Add the type export", None),
        ("const p = `Look at all the files of the project, then stop.`\nTask({ prompt: p })",
         "Look at all the files of the project, then stop.", None),
        ("function build(x) {\n  return `Look at ${x} of the project, and then stop.`\n}\nTask({ prompt: build(1) })",
         "Look at ${x} of the project, and then stop.", None),
        ("Task({ prompt: JSON.stringify(state) })", "JSON.stringify(state)", None),
        ('Bash({ command: `codex exec "Fix the tests"` })', "Fix the tests", None),
    ],
)  # fmt: skip
def test_the_prompt_of_a_call(code: str, text: str, agent: str | None) -> None:
    (prompt,) = script(code).prompts
    assert (prompt.text, prompt.agent, prompt.at.use) == (text, agent, "prompt")


def test_a_prompt_that_nobody_can_see_is_none() -> None:
    assert script("Task({ prompt: prompts[i] })").prompts == ()


def test_a_prompt_knows_its_call() -> None:
    code = script("Read('a')\nconst id = spawn_agent({ message: `Do ${x}` })")
    assert code.calls[code.prompts[0].call].name == "spawn_agent"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Task({ prompt: `a ${b.c} ${d.map(x => `${x}`).join()}` })", [["b.c", "d.map(x => `${x}`).join()"]]),
        ("Task(prompt='Look at {{path}} and <topic> in {dir}.')", [["path", "topic", "dir"]]),
        ("Task(prompt='<goal>x</goal> as {\"a\": 1}')", [[]]),
    ],
)
def test_what_is_filled_in(code: str, expected: list[list[str]]) -> None:
    assert holes(code) == expected


@pytest.mark.parametrize(
    ("line", "command", "text"),
    [
        ('ccw cli -p "Look at it" --tool gemini --mode analysis', "ccw cli", "Look at it"),
        ("codex exec --full-auto 'Fix it'", "codex exec", "Fix it"),
        ('gemini -m pro -p "Look\nat it"', "gemini", "Look\nat it"),
        ("claude -p \"$(cat <<'EOF'\nDo this.\nThen that.\nEOF\n)\" --model x", "claude", "Do this.\nThen that."),
    ],
)
def test_the_prompt_of_a_command_line(line: str, command: str, text: str) -> None:
    code = script(line, "bash")
    (prompt,) = code.prompts
    assert (code.calls[prompt.call].name, prompt.text) == (command, text)


@pytest.mark.parametrize("line", ["claude mcp add x", "echo x | claude -p --model y", "see claude and gemini -p here"])
def test_a_command_without_a_prompt_gives_none(line: str) -> None:
    assert script(line, "bash").prompts == ()


@pytest.mark.parametrize(
    ("said", "is_prompt"),
    [
        ("**Agent prompt:**", True),
        ("Give the worker this prompt:", True),
        ("提示词模板：", True),
        ("Prompt the user for a name:", False),
        ("The report looks like this:", False),
        ("Example prompts of users:", False),
    ],
)
def test_a_fence_is_a_prompt_where_that_is_said(said: str, is_prompt: bool) -> None:
    code = code_of(f"# Phase 1\n\n## Steps\n\n{said}\n\n```\nYou look at {{file}}. Retry until it passes.\n```\n")
    assert [one.at.use for one in code.prompts] == (["prompt"] if is_prompt else [])


def test_a_role_is_a_prompt_as_a_whole_and_one_that_leads_is_none() -> None:
    text = "---\nname: builder\n---\n# Builder\n\n1. Large tables: use `spawn_agent` for each.\n"
    code = code_of(text, "roles/builder.md")
    assert [(one.agent, one.call) for one in code.prompts] == [("builder", -1)]
    assert [(one.name, one.prompt, one.at.use) for one in code.calls] == [("spawn_agent", 0, "prompt")]
    assert code_of(text, "roles/coordinator.md").prompts == ()


@pytest.mark.parametrize(
    ("line", "spawns"),
    [
        ("If it is long, spawn one sub-agent per section.", 1),
        ("Do not spawn agents for it.", 0),
        ("不要启动别的 agent。", 0),
    ],
)
def test_a_prompt_that_starts_agents_in_words(line: str, spawns: int) -> None:
    code = script(f"Task({{ prompt: `Look at it.\n{line}` }})")
    assert [one.prompt for one in code.calls if one.name == "spawn agents"] == [0] * spawns
