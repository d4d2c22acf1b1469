"""Variables that are set, and those that grow."""

import pytest

from tests.tune.skill.behaviours import script


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("const a = 1", [("a", "1", False)]),
        ("a.b = f(\n  1,\n  2)\n\nc()", [("a.b", "f(\n  1,\n  2)", False)]),
        ("const a = x\n  .y()\n  .z()", [("a", "x\n  .y()\n  .z()", False)]),
        ("const { a, b: c } = f()", [("a", "f()", False), ("b", "f()", False), ("c", "f()", False)]),
        ("let a: string[] = []", [("a", "[]", False)]),
        ("const a: Map<string, number> = new Map()", [("a", "new Map()", False)]),
        ("a: dict[str, int] = {}", [("a", "{}", False)]),
        ("all[i] = f(x)", [("all", "f(x)", False)]),
        ("function f(a, b = 1) { return a }", [("f", "function f(a, b = 1)", False)]),
        ("def f(a):\n    return a", [("f", "def f(a)", False)]),
        ("f(a=1, b=2)", []),
        ("if (a == b || c >= d) {}", []),
        ("a => b", []),
    ],
)
def test_what_is_set(code: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [(one.name, one.value, one.grows) for one in script(code).assignments] == expected


@pytest.mark.parametrize(
    ("code", "name", "value"),
    [
        ("all.push(result)", "all", "result"),
        ("all.extend(more)", "all", "more"),
        ("state.log.append(x)", "state.log", "x"),
        ("all += text", "all", "text"),
        ("all = all + text", "all", "all + text"),
        ("all = all.concat(more)", "all", "all.concat(more)"),
        ("all = [...all, x]", "all", "[...all, x]"),
        ("save({ errors: [...state.errors, e].slice(-10) })", "state.errors", "[...state.errors, e].slice(-10)"),
    ],
)
def test_what_grows(code: str, name: str, value: str) -> None:
    assert [(one.name, one.value) for one in script(code).assignments if one.grows] == [(name, value)]


@pytest.mark.parametrize("code", ["i += 1", "i = i + 1", "a = { ...a, b: 1 }", "a = [x, y]", "f({ b: [...a] })"])
def test_what_does_not_grow(code: str) -> None:
    assert [one.name for one in script(code).assignments if one.grows] == []


def test_growth_in_a_loop_knows_it() -> None:
    code = script("for (const x of xs) {\n  all.push(x)\n}\nonce.push(y)")
    assert [(one.name, one.repeat) for one in code.assignments] == [("all", 0), ("once", -1)]
