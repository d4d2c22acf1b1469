"""Calls as skills write them."""

import re
from collections.abc import Iterator

import pytest

from loopwright.skills.reader import calls
from tests.tables import each
from tests.tune.skill.reading import called, skill


@each(
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
        ("wait({ 'a': <ids>, ...rest })", [("a", "<ids>")]),
        ("wait()", []),
        ("wait({})", []),
        ("wait({ status: a ? 'x' : 'y' })", [("status", "a ? 'x' : 'y'")]),
        ('wait(text="""a, "b"\n)""", n=1)', [("text", '"""a, "b"\n)"""'), ("n", "1")]),
        ("wait(a == b, c => d)", [(None, "a == b"), (None, "c => d")]),
    ],
)  # fmt: skip
def test_arguments_go_by_their_names(code: str, expected: list[tuple[str | None, str]]) -> None:
    (call,) = called(code)
    assert [(one.name, one.value) for one in call.arguments] == expected


def test_an_argument_stands_where_its_text_is() -> None:
    text = 'Do this:\n\n```js\nTask({ prompt: `a ${b}`, model: "x" })\n```\n'
    (call,) = skill(text).calls
    assert call.at.line == 4
    for one in call.arguments:
        assert text[one.at.start : one.at.end] == one.value
    assert [one.literal for one in call.arguments] == ["a ${b}", "x"]


@pytest.mark.parametrize(
    "code",
    [
        "function wait(a) { }",
        "def wait(a):\n    pass",
        "new wait(a)",
        "// wait(a)",
        "if (a) x",
        "wait(a, b",
        "a.b.wait",
    ],
)
def test_what_is_no_call(code: str) -> None:
    assert "wait" not in [one.name for one in called(code)]


def test_a_call_in_a_string_of_another_is_no_call_of_the_skill() -> None:
    found = called("Task({ prompt: `Call Glob({ pattern: 'b' })` })\nRead('a')")
    assert [one.name for one in found] == ["Task", "Read"]


class Counted:
    """A pattern, and how much text its matches were looked for in."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern, self.length = pattern, 0

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        self.length += end - start
        return self.pattern.finditer(text, start, end)


@pytest.mark.parametrize("text", ["f(" * 999, "f(" * 999 + ")" * 999, "f('" * 999, "f(/*" * 999, "f(`" * 999])
def test_brackets_that_nothing_closes_or_that_lie_in_each_other_are_gone_through_once(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(calls._TOKEN)
    monkeypatch.setattr(calls, "_TOKEN", counted)
    assert len(called(text)) == text.count(")")
    assert counted.length == len(f"{text}\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Then `Read("a.md")`, then `wait({ ids })`.', ["Read", "wait"]),
        ("Call `mcp__flow-nexus__list({ a: 1 })` now.", ["mcp__flow-nexus__list"]),
        ("The function (see below) and f(x) are words.", []),
        ("Use the Task tool, and `AskUserQuestion` to ask.", []),
    ],
)
def test_in_running_text_only_inline_code_calls(text: str, expected: list[str]) -> None:
    assert [one.name for one in skill(f"# S\n\n{text}\n").calls] == expected


def test_programs_and_data_make_no_model_do_anything() -> None:
    assert skill({"SKILL.md": "```bash\nf(x)\n```\nRun `scripts/a.py`.\n", "scripts/a.py": "f(x)\n"}).calls == ()
