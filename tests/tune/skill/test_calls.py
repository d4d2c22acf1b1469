"""Calls of a page: their names, arguments, variables, and whether a failure has a branch."""

import pytest

from tests.tune.skill.behaviours import argument, call, code_of, named, script


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("wait({ ids, timeout_ms: 600000 })", [("ids", "ids"), ("timeout_ms", "600000")]),
        (
            "wait({\n  ids: [a, b], // both\n  // ten minutes\n  timeout_ms: 10 * 60,\n})",
            [("ids", "[a, b]"), ("timeout_ms", "10 * 60")],
        ),
        ('wait(ids=[a], timeout="x")', [("ids", "[a]"), ("timeout", '"x"')]),
        ('wait(ids: "a", n: 2)', [("ids", '"a"'), ("n", "2")]),
        ("wait('a', {b: 1})", [(None, "'a'"), (None, "{b: 1}")]),
        ("wait({ 'a': <ids>, ...rest })", [("a", "<ids>"), (None, "...rest")]),
        ("wait({ ids, ... })", [("ids", "ids"), (None, "...")]),
        ("wait()", []),
        ("wait({})", []),
        ("wait({ status: a ? 'x' : 'y' })", [("status", "a ? 'x' : 'y'")]),
        ("wait({ 提示: 中文，值 })", [(None, "提示: 中文，值")]),
        ("wait(a, b", [(None, "a"), (None, "b")]),
    ],
)  # fmt: skip
def test_arguments_go_by_their_names(code: str, expected: list[tuple[str | None, str]]) -> None:
    assert named(call(script(code), "wait")) == expected


def test_an_argument_stands_where_its_text_is() -> None:
    text = 'Do this:\n\n```js\nTask({ prompt: `a ${b}`, model: "x" })\n```\n'
    code = code_of(text)
    for one in call(code, "Task").arguments:
        assert text[one.at.start : one.at.end] == one.value
    assert argument(code, "Task", "prompt").literal == "a ${b}"
    assert argument(code, "Task", "model").literal == "x"
    assert call(code, "Task").at.line == 4


@pytest.mark.parametrize(
    ("code", "target"),
    [
        ("const x = await Task({})", "x"),
        ("x = Task({})", "x"),
        ("let x: Result = Task({})", "x"),
        ("const { a, b } = Task({})", "a, b"),
        ("const [a, b] = Task({})", "a, b"),
        ("x, y = Task({})", "x, y"),
        ("const x = JSON.parse(Task({}))", "x"),
        ("const x = await Promise.all([Task({})])", "x"),
        ("const x = items.map(i => Task({}))", "x"),
        ("const x = ['a', 'b'].map(async i => { const y = 1; return Task({ y }) })", "x"),
        ("const x = await parallel(items.map(i => Task({})))", "x"),
        ("x = [Task({}) for i in items]", "x"),
        ("x.push(Task({}))", "x"),
        ("Task({})", None),
        ("f(Task({}))", None),
        ("const x = build(Task({}))", None),
        ("const x = () => Task({})", None),
        ("const x = async () => { Task({}) }", None),
        ("f({ x: Task({}) })", None),
    ],
)
def test_the_variable_that_takes_the_result(code: str, target: str | None) -> None:
    assert call(script(code), "Task").target == target


@pytest.mark.parametrize(
    "code",
    [
        "function wait(a) { }",
        "def wait(a):\n    pass",
        "class A {\n  wait(a) { }\n}",
        "async function wait(a) {}",
        "new wait(a)",
    ],
)
def test_what_is_defined_or_made_is_not_called(code: str) -> None:
    assert "wait" not in [one.name for one in script(code).calls]


def test_commit_messages_and_signatures_are_no_calls() -> None:
    code = code_of("Do this:\n\n```\nfeat(auth): add login\nsave(task: Task): Promise<void>\n```\n")
    assert [one.name for one in code.calls] == []


def test_a_call_in_a_template_is_made_before_the_prompt_is_given() -> None:
    code = script("Task({ prompt: `Look at ${Read('a.json')} and call Glob({ pattern: 'b' })` })")
    assert call(code, "Read").prompt == -1
    assert call(code, "Glob").prompt == 0
    assert call(code, "Glob").at.use == "prompt"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Then `Read("a.md")`.', ["Read"]),
        ('Then Read("a.md") it.', ["Read"]),
        ("- `Read(`${dir}/a.json`)`, then `wait({ ids })`", ["Read", "wait"]),
        ("Call `mcp__flow-nexus__list({ a: 1 })` now.", ["mcp__flow-nexus__list"]),
        ("The function (see below) and f(x) are words.", []),
        ('Use the Task tool with subagent_type="x".', ["Task"]),
        ("Use `AskUserQuestion` to ask.", ["AskUserQuestion"]),
        ("If nothing is given, use AskUserQuestion: which one?", ["AskUserQuestion"]),
        ("超过五个时，每个用 `spawn_agent` 起一个帮手。", ["spawn_agent"]),
        ("使用 Task 工具分析。", ["Task"]),
        ("Do not use `spawn_agent` here.", []),
        ("禁止再调用 spawn_agent。", []),
        ("Work alone: `spawn_agent` is not for you.", []),
        ("The plan is in TodoWrite or a file.", []),
        ("The Task at hand is a tool.", []),
        ("This replaces the old Task tool.", []),
        ("Call the tools `mcp__x__*` as you like.", []),
    ],
)
def test_running_text_calls_tools_where_that_is_certain(text: str, expected: list[str]) -> None:
    assert [one.name for one in code_of(f"# Phase 1\n\n## Steps\n\n{text}\n").calls] == expected


def test_what_is_told_beside_a_tool_is_its_argument() -> None:
    code = code_of('# A\n\nUse the Task tool with subagent_type="general-purpose" and model=`opus`.\n')
    assert [(one.name, one.literal) for one in call(code, "Task").arguments] == [
        ("subagent_type", "general-purpose"), ("model", "opus"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "handled"),
    [
        ("try {\n  Task({})\n} catch (e) {\n  stop()\n}", True),
        ("Task({}).catch(e => log(e))", True),
        ("const x = Task({}) || stop()", True),
        ("const x = Task({})\nif (!x) stop()", True),
        ("const x = wait({})\nif (x.timed_out) { close() }", True),
        ("try:\n    Task(a)\nexcept Exception:\n    stop()", True),
        ("const x = Task({})\n// fails: start it once more", True),
        ("Task({})\ngo()", False),
        ("const x = Task({})\nif (ready) go()", False),
        ("const x = Task({})\nuse(x)", False),
    ],
)
def test_a_failure_has_a_branch_in_the_code(code: str, handled: bool) -> None:
    found = [one for one in script(code).calls if one.name in ("Task", "wait")]
    assert [one.handled for one in found] == [handled]


@pytest.mark.parametrize(
    ("behind", "handled"),
    [
        ("\nIf it fails, run it again.\n", True),
        ("\n失败时重试一次。\n", True),
        ("\nThen go on.\n", False),
        ("\nThen go on.\n\n## Error handling\n\nStop.\n", True),
        ("\nThen go on.\n\n# Other\n\n## Output\n\nIf it fails, stop.\n", False),
    ],
)
def test_a_failure_has_a_branch_in_words(behind: str, handled: bool) -> None:
    code = code_of(f"# Phase 1\n\n## Steps\n\n```js\nTask({{ prompt: 'x' }})\n```\n{behind}")
    assert call(code, "Task").handled is handled


def test_a_call_in_a_bad_example_stays_one() -> None:
    code = code_of("# Phase 1\n\n## Anti-patterns\n\n❌ Don't do this:\n\n```js\nTask({ prompt: 'x' })\n```\n")
    assert call(code, "Task").at.use == "negative"
    assert [one.at.use for one in code.prompts] == ["negative"]


def test_a_tool_with_braces_is_called() -> None:
    assert named(call(script("TodoWrite { todos: [1] }"), "TodoWrite")) == [("todos", "[1]")]


def test_data_makes_no_model_do_anything() -> None:
    assert code_of('{"a": "Task(prompt=x)"}', "specs/a.json").calls == ()
