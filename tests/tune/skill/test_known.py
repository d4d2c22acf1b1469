import pytest

from loopwright.tune.skill.known import described, known, parts_of, singular, variables
from tests.tune.skill.reading import shape, skill

PLAN = """# Formats

```typescript
interface PlanState {
  steps: Array<{ nr: number; limit_s: number; status: 'open' | 'done' }>;
  goal: string;
}
```

A chunk:

| Field | Type | Meaning |
|---|---|---|
| `lang` | string | |
| `status` | `open`, `translated`, `accepted` | |
"""


def read(text: str) -> dict[str, str]:
    return {"SKILL.md": f"# S\n\n{text}\n", "specs/plan-schema.md": PLAN}


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("TuningState", ["tuningState"]), ("Issue", ["issue"]), ("ActionHistoryEntry", ["actionHistoryEntry", "entry"]),
        ("plan.json", ["plan"]), ("任务（job.json）", ["job"]), ("A chunk", ["chunk"]), ("State schema", []),
        ("Fields", []), ("", []), ("字段", []), ("A title of many words that says it all", []),
    ],
)  # fmt: skip
def test_variables_are_named_after_what_they_hold(name: str, held: list[str]) -> None:
    assert list(variables(name)) == held


def test_elements_of_lists_have_variables_too() -> None:
    plan = shape(skill(read("")), "PlanState")
    assert list(parts_of(plan)) == [("step", "steps[].")]


def test_a_root_leads_to_the_schema_that_describes_it() -> None:
    schemas = skill(read("")).schemas
    assert [(schema.name, below) for schema, below in described(schemas, "step")] == [("PlanState", "steps[].")]
    assert [schema.name for schema, _ in described(schemas, "chunk")] == ["A chunk"]
    assert [schema.name for schema, _ in described(schemas, "newState")] == ["PlanState"]
    assert described(schemas, "other") == ()


def test_only_a_field_that_says_how_a_thing_stands_makes_its_kind() -> None:
    assert known(skill(read("")).schemas, frozenset()).kinds == {"step": "status", "chunk": "status"}


def test_listed_values_count_for_any_variable() -> None:
    code = "if (s.status === 'done') s.status = 'gone'\nelse s.goal = 'x'"
    uses = skill(read(f"Do this:\n\n```js\n{code}\n```")).fields
    assert [(use.root, use.path, use.mode, use.values) for use in uses] == [
        ("s", "status", "read", ("done",)), ("s", "status", "write", ("gone",)),
    ]  # fmt: skip


def test_one_of_several() -> None:
    words = {"steps": "step", "entries": "entry", "status": "status", "hypotheses": "hypothesis", "boxes": "box"}
    assert {word: singular(word) for word in words} == words
    assert singular("phases") == "phase"
    assert singular("class") == "class"
