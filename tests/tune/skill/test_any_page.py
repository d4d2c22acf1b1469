"""Whatever a page holds, its behaviour is read, and every place lies where it says."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.tune.skill.behaviour import Code, read_code
from loopwright.tune.skill.model import At, Page
from loopwright.tune.skill.page import read_page

PIECES = [
    "`", "```", "```js\n", "```\n", "\n", "\n\n", "${", "}", "{", "(", ")", "[", "]", '"', "'", "\\", "Task(", "Task({",
    "prompt: `", 'prompt="', "message: ", "wait({ids})", "for (const x of xs) {", "while (true) {", "do {", "} while (",
    "for x in y:\n    ", "x = ", "x += ", "ids.push(", "[...x, ", "=>", "items.map(", "/*", "//", " # ", '"""', "- ",
    "repeat until ", "Retry ", "循环执行", "直到", "最多 3 次", "for each file", "| max | 3 |\n", "1. ", "  ", "<x>",
    "{{y}}", 'codex exec "', 'ccw cli -p "', "$(cat <<EOF\n", "\nEOF\n", ')"', "AskUserQuestion", "try {", ".catch(",
    "Use the Task tool with subagent_type=\"a\". ", "function f(", "def g(", "a.b?.c", "…", "...", ",", ";", "\r\n",
    "|| ", "中文", "## Errors\n", "# A\n", "mcp__a-b__c(", "\udc80", "spawn agents",
]  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.text(st.characters(codec="utf-8"), max_size=200)
)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, fenced=st.booleans(), path=st.sampled_from(["SKILL.md", "roles/a.md", "scripts/a.py"]))
def test_any_text_is_read_and_every_place_is_right(text: str, fenced: bool, path: str) -> None:
    whole = f"```js\n{text}\n```\n" if fenced else text
    page = read_page(path, whole.encode("utf-8", "surrogateescape"))
    if page is None:  # no text
        return
    code = read_code(page)
    _places_are_right(page, code)
    _indices_are_right(code)


def _places(code: Code) -> list[At]:
    return [
        *(one.at for one in code.calls),
        *(one.at for one in code.prompts),
        *(one.at for one in code.repeats),
        *(one.at for one in code.assignments),
    ]


def _places_are_right(page: Page, code: Code) -> None:
    text = page.text
    for at in _places(code):
        assert 0 <= at.start <= at.end <= len(text)
        assert at.line == text.count("\n", 0, at.start) + 1
    for call in code.calls:
        for argument in call.arguments:
            assert text[argument.at.start : argument.at.end] == argument.value
    for prompt in code.prompts:
        for hole in prompt.interpolations:
            assert prompt.at.start <= hole.at.start <= hole.at.end <= prompt.at.end


def _indices_are_right(code: Code) -> None:
    for places in ([one.at for one in code.calls], [one.at for one in code.prompts], [one.at for one in code.repeats]):
        assert all(one.start <= other.start for one, other in pairwise(places))
    for call in code.calls:
        if call.repeat >= 0:
            around = code.repeats[call.repeat].at
            assert around.start <= call.at.start < around.end
        if call.prompt >= 0:
            around = code.prompts[call.prompt].at
            assert around.start <= call.at.start < around.end
    assert all(-1 <= prompt.call < len(code.calls) for prompt in code.prompts)
