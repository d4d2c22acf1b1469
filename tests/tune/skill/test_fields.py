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


def test_variables_that_hold_a_file_of_the_run() -> None:
    text = "# S\n\nDo:\n\n```js\nconst job = JSON.parse(Read(`${d}/job.json`))\nuse(job.request)\nother.field\n```\n"
    assert used(skill(text)) == [("job", "request", "read")]


def test_what_a_function_goes_through_is_one_of_the_list() -> None:
    members = "dishes: { id: string; stage: 'new' | 'done' }[];"
    shape = f"# State schema\n\n```typescript\ninterface RunState {{\n  {members}\n}}\n```\n"
    code = "updateState({ dishes: state.dishes.map(d => ({ ...d, stage: 'over' })) })"
    read = skill({"SKILL.md": f"# S\n\nDo this:\n\n```javascript\n{code}\n```\n", "specs/state-schema.md": shape})
    assert [(use.mode, use.values) for use in read.fields if use.root == "dish"] == [("write", ("over",))]
