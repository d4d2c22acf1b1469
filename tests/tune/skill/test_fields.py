import pytest

from tests.tune.skill.reading import skill, use_of, used

SCHEMA = """# State schema

```typescript
interface RunState {
  status: 'open' | 'done';
  plan: { items: string[]; path: string };
  error_count: number;
}
```
"""


def read(code: str, lang: str = "javascript") -> list[tuple[str, str, str]]:
    return used(skill({"SKILL.md": f"# S\n\nDo this:\n\n```{lang}\n{code}\n```\n", "specs/state-schema.md": SCHEMA}))


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("const a = state.plan.path", [("state", "plan.path", "read")]),
        ("state.status = 'done'", [("state", "status", "write")]),
        ("state.plan.items.push(x)", [("state", "plan.items", "write")]),
        ("state.plan.items.map(f)", [("state", "plan.items", "read")]),
        ("state.plan.items.length > 3", [("state", "plan.items", "read")]),
        ("state.plan.items[0].id", [("state", "plan.items[].id", "read")]),
        ("state?.plan?.path", [("state", "plan.path", "read")]),
        ("state.error_count++", [("state", "error_count", "write")]),
        ("state.error_count += 1", [("state", "error_count", "write")]),
        ("if (state.error_count === 3) x()", [("state", "error_count", "read")]),
        ("const f = () => newState.status", [("newState", "status", "read")]),
        ("const { status, plan: p } = state", [("state", "status", "read"), ("state", "plan", "read")]),
        ("updateState(dir, { status: 'done', plan: { path: p } })",
         [("state", "status", "write"), ("state", "plan", "write"), ("state", "plan.path", "write")]),
        ("return { ...state, status: 'done' }", [("state", "status", "write")]),
        ("return { stateUpdates: { status: 'done' } }", [("state", "status", "write")]),
        ("Write(`${d}/state.json`, JSON.stringify({ status: 'open' }))", [("state", "status", "write")]),
        ("const s = `${state.plan.path}`", [("state", "plan.path", "read")]),
        ("save(`${dir}/state.json`)", []),
        ("restate(a); estate; estates.x", []),
        ("a.state.b", []),
        ("update(x)", []),
        ("TaskUpdate({ status: 'done' })", []),
    ],
)  # fmt: skip
def test_code_reads_and_writes_fields(code: str, uses: list[tuple[str, str, str]]) -> None:
    assert read(code) == uses


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ('state["plan"]["path"] = 1', [("state", "plan.path", "write")]),
        ('x = state.get("status")', [("state", "status", "read")]),
        ('state["plan"].append(1)', [("state", "plan", "write")]),
    ],
)
def test_python_too(code: str, uses: list[tuple[str, str, str]]) -> None:
    assert read(code, "python") == uses


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("state.status = 'done'", ("done",)),
        ("state.status = ok ? 'done' : 'open'", ("done", "open")),
        ("if (state.status === 'done') x()", ("done",)),
        ('if ("done" != state.status) x()', ("done",)),
        ("['open', 'done'].includes(state.status)", ("open", "done")),
        ("if state.status in ('open', 'done'):", ("open", "done")),
        ("switch (state.status) { case 'open': a(); case 'done': b() }", ("open", "done")),
        ("updateState({ status: 'done' })", ("done",)),
        ("state.status = 'a' + b", ()),
        ("state.status = f('a')", ()),
    ],
)
def test_literals_are_kept(code: str, values: tuple[str, ...]) -> None:
    text = f"# S\n\nDo this:\n\n```javascript\n{code}\n```\n"
    assert use_of(skill({"SKILL.md": text, "specs/state-schema.md": SCHEMA}), "status").values == values


@pytest.mark.parametrize(
    ("text", "path", "mode", "values"),
    [
        ("Set `status` to `done`.", "status", "write", ("done",)),
        ("If `status` is `open` or `done`, stop.", "status", "read", ("open", "done")),
        ("`plan.path` names it.", "plan.path", "read", ()),
        ("Look at `state.plan.path`.", "plan.path", "read", ()),
        ('Then `status: "done"` is written.', "status", "write", ("done",)),
        ("若 `status` 为 `done` 则停止", "status", "read", ("done",)),
        ("`status` 设为 `done`", "status", "write", ("done",)),
        ("`error_count` is null", "error_count", "read", ()),
        ("Keep `last_word` in the state.", "last_word", "read", ()),
        ("`plan.oath` names it.", "plan.oath", "read", ()),
        ("`error_counts` is `3`", "error_counts", "read", ("3",)),
    ],
)
def test_words_name_fields(text: str, path: str, mode: str, values: tuple[str, ...]) -> None:
    use = use_of(skill({"SKILL.md": f"# S\n\n{text}\n", "specs/state-schema.md": SCHEMA}), path)
    assert (use.mode, use.values) == (mode, values)


@pytest.mark.parametrize("text", ["Run `npm test`.", "`state.json` holds it.", "`Read` and `done`", "`a.md`", "`x`"])
def test_other_code_in_words_is_no_field(text: str) -> None:
    assert used(skill({"SKILL.md": f"# S\n\n{text}\n", "specs/state-schema.md": SCHEMA})) == []


def test_changes_of_the_state_that_a_section_lists_are_writes() -> None:
    text = "# S\n\n## Changes to the state\n\n`status`, `plan.path`, `new_field`\n"
    read = skill({"SKILL.md": text, "specs/state-schema.md": SCHEMA})
    assert [(use.path, use.mode) for use in read.fields] == [
        ("status", "write"), ("plan.path", "write"), ("new_field", "write"),
    ]  # fmt: skip


def test_a_table_that_declares_fields_does_not_use_them() -> None:
    text = "# S\n\n## State\n\n| Field | Type |\n|---|---|\n| `a_b` | string |\n| `c` | string |\n"
    assert skill(text).fields == ()


def test_an_example_shows_the_fields_of_the_file_it_is_of() -> None:
    read = skill('# S\n\nFor example `plan.json`:\n\n```json\n{"a": "x", "b": [{"c": 1}]}\n```\n')
    assert [(u.root, u.path, u.mode, u.values) for u in read.fields] == [
        ("plan", "a", "example", ("x",)), ("plan", "b", "example", ()), ("plan", "b[].c", "example", ()),
    ]  # fmt: skip


def test_variables_that_hold_a_file_of_the_run() -> None:
    text = "# S\n\nDo:\n\n```js\nconst job = JSON.parse(Read(`${d}/job.json`))\nuse(job.request)\nother.field\n```\n"
    assert used(skill(text)) == [("job", "request", "read")]


def test_what_a_function_goes_through_is_one_of_the_list() -> None:
    members = "dishes: { id: string; stage: 'new' | 'done' }[];"
    shape = f"# State schema\n\n```typescript\ninterface RunState {{\n  {members}\n}}\n```\n"
    code = "updateState({ dishes: state.dishes.map(d => ({ ...d, stage: 'over' })) })"
    read = skill({"SKILL.md": f"# S\n\nDo this:\n\n```javascript\n{code}\n```\n", "specs/state-schema.md": shape})
    assert [(use.mode, use.values) for use in read.fields if use.root == "dish"] == [("write", ("over",))]


def test_a_column_that_is_called_like_a_field_says_its_values() -> None:
    table = "# S\n\n| Verdict | New status |\n|---|---|\n| `yes` | `done` |\n| `no` | `open` or `done` |\n"
    read = skill({"SKILL.md": table, "specs/state-schema.md": SCHEMA})
    assert [use.values for use in read.fields if use.path == "status" and use.values] == [("done",)]


@pytest.mark.parametrize("verb", ["改", "置为", "改成", "标为", "为"])
def test_chinese_verbs_set_a_field(verb: str) -> None:
    schema = SCHEMA.replace("plan:", "task_status: 'a' | 'b';\n  plan:")
    read = skill({"SKILL.md": f"# S\n\n1. 把 `task_status` {verb} `done`。\n", "specs/state-schema.md": schema})
    assert [use.values for use in read.fields if use.path == "task_status"] == [("done",)]
