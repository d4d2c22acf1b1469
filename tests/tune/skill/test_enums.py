"""Declared sets of values, and code that sets a field."""

import pytest

from tests.tune.skill.reading import skill


def declared(fence: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.holder, one.field, one.values) for one in skill(f"# Garden state\n\n{fence}\n").enumerations]


@pytest.mark.parametrize(
    ("fence", "holder", "field"),
    [
        ("```ts\ninterface State { status: 'a' | 'b'; n: number }\n```", "State", "status"),
        ("```typescript\nexport type Plan = { task: { kind?: \"a\" | 'b' | null } }\n```", "Plan", "task.kind"),
        ("```ts\ntype S = 'a' | 'b'\ninterface Job { s: S }\n```", "Job", "s"),
        ('```json\n{"title": "Job", "properties": {"s": {"enum": ["a", "b"]}}}\n```', "Job", "s"),
        ('```json\n{"job": {"s": "a | b"}}\n```', "state", "job.s"),
    ],
)
def test_what_lists_values(fence: str, holder: str, field: str) -> None:
    assert declared(fence) == [(holder, field, ("a", "b"))]


@pytest.mark.parametrize(
    "fence",
    ["```ts\ninterface S { x: 'a' | string; y: 'a' }\n```", '```json\n{"x": "see a|b"}\n```',
     "```ts\ninterface {{{ |\n```", '```json\n{"x": ["a|b"]}\n```'],
)  # fmt: skip
def test_what_lists_none(fence: str) -> None:
    assert declared(fence) == []


def test_code_that_sets_a_field() -> None:
    text = "```js\nstate.plan.status = 'done'\nstate[\"x\"] = \"y\"\nif (a.b == 'c') {}\nstate.n = other\n```\n"
    assert [(one.holder, one.field, one.value) for one in skill(text).settings] == [
        ("state", "plan.status", "done"), ("state", "x", "y"),
    ]  # fmt: skip
