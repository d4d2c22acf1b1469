import pytest

from loopwright.tune.skill.model import Schema
from tests.tune.skill.reading import shape, skill


def fields(schema: Schema) -> dict[str, tuple[str, tuple[str, ...], bool]]:
    return {field.path: (field.type, field.values, field.optional) for field in schema.fields}


def stated(code: str, lang: str = "typescript", before: str = "") -> dict[str, Schema]:
    read = skill(
        {"SKILL.md": "# S\n", "specs/state-schema.md": f"# State schema\n\n{before}\n\n```{lang}\n{code}\n```\n"}
    )
    return {schema.name: schema for schema in read.schemas}


def test_an_interface_is_a_schema_with_what_it_names() -> None:
    found = stated("""
interface State {
  // === Core ===
  status: 'pending' | 'running'
    | 'done';                 // where it stands
  plan: { items: Item[]; goal?: string } | null;
  results: Array<{ ok: boolean; kind: Kind }>;
  extra: Record<string, Item>;
  readonly id: string
  'quoted-name': number;
}
interface Item { id: string; state: "open" | "shut" | null; sub?: Item }
type Kind = | 'a' | 'b';
""")
    assert set(found) == {"State", "Item"}
    state = fields(found["State"])
    assert state["status"] == ("'pending' | 'running' | 'done'", ("pending", "running", "done"), False)
    assert state["plan.goal"] == ("string", (), True)
    assert state["plan.items"][0] == "Item[]"
    assert state["plan.items[].state"][1] == ("open", "shut")
    assert state["results[].kind"][1] == ("a", "b")
    assert {"id", "quoted-name", "extra", "results[].ok", "plan"} <= state.keys()
    assert not any(path.startswith("extra.") for path in state)


def test_a_type_that_names_itself_ends() -> None:
    assert len(stated("interface A { a: A[]; b: B }\ninterface B { a: A }")["A"].fields) <= 400


@pytest.mark.parametrize(
    ("code", "opened"),
    [("interface S { a: string }", False), ("interface S { a: string; [key: string]: any }", True),
     ("interface S extends Other { a: string }", True), ("type S = Other & { a: string }", True),
     ("type S = { a: string }", False)],
)  # fmt: skip
def test_what_may_have_more_is_open(code: str, opened: bool) -> None:
    assert stated(code)["S"].open is opened


def test_places_are_those_of_the_names() -> None:
    code = "interface S {\n  alpha: string;\n  b: { c: number };\n}"
    read = skill({"specs/state-schema.md": f"# State schema\n\n```ts\n{code}\n```\n"})
    text = read.pages["specs/state-schema.md"].text
    assert [text[f.at.start : f.at.end] for f in shape(read, "S").fields] == ["alpha", "b", "c"]
    assert [f.at.line for f in shape(read, "S").fields] == [5, 6, 6]


def test_code_that_only_uses_types_declares_none() -> None:
    assert stated("type X = string\n\nfunction f() {\n  return 1\n}\nconst type = 3") == {}


def test_json_schema_with_definitions() -> None:
    found = stated(
        """{"title": "Plan", "type": "object", "required": ["id", "steps"], "properties": {
        "id": {"type": "string"}, "kind": {"enum": ["a", "b"]},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
        "meta": {"type": "object", "required": ["x"], "properties": {"x": {"type": ["string", "null"]}}}},
        "$defs": {"step": {"properties": {"name": {"type": "string"}, "state": {"const": "open"}}}}}""",
        "json",
    )
    assert fields(found["Plan"]) == {
        "id": ("string", (), False), "kind": ("", ("a", "b"), True), "steps": ("array", (), False),
        "meta": ("object", (), True), "meta.x": ("string|null", (), False),
        "steps[].name": ("string", (), True), "steps[].state": ("", ("open",), True),
    }  # fmt: skip
    assert not found["Plan"].open


def test_a_list_of_objects_is_named_by_its_fields() -> None:
    found = stated('{"type": "array", "items": {"properties": {"en": {"type": "string"}}}}', "json", "`terms.json`:")
    assert list(fields(found["terms.json"])) == ["en"]


def test_json_that_is_said_to_be_the_structure() -> None:
    found = stated(
        '{"status": "pending | running", "items": [{"id": 1}], "level": "<high|low>", ...}',
        "json",
        "Structure of `a.json`:",
    )["a.json"]
    assert found.open
    assert fields(found) == {
        "status": ("string", ("pending", "running"), False), "items": ("array", (), False),
        "items[].id": ("number", (), False), "level": ("string", ("high", "low"), False),
    }  # fmt: skip


def test_an_example_is_no_declaration() -> None:
    assert skill('# S\n\n## Example\n\nFor example:\n\n```json\n{"a": 1, "b": 2}\n```\n').schemas == ()


@pytest.mark.parametrize(
    ("kind", "rest", "values"),
    [
        ("`open`, `shut`", "where it stands", ("open", "shut")),
        ("'open' \\| 'shut'", "", ("open", "shut")),
        ("open \\| shut", "", ("open", "shut")),
        ("enum", "`open`, `shut`; the first at the start", ("open", "shut")),
        ("枚举", "`open`、`shut`", ("open", "shut")),
        ("string", "one of `open`, `shut`", ("open", "shut")),
        ("string", "written by `open` and `shut`", ()),
        ("string \\| null", "", ()),
        ("`str\\|None`", "", ()),
        ("list of string", "", ()),
    ],
)
def test_tables_of_fields_tell_values(kind: str, rest: str, values: tuple[str, ...]) -> None:
    table = f"| Field | Type | Meaning |\n|---|---|---|\n| `a` | {kind} | {rest} |\n| `from`, `to?` | int | x |\n"
    read = skill(f"# S\n\n## State\n\n{table}")
    (schema,) = read.schemas
    assert [(f.path, f.optional) for f in schema.fields] == [("a", False), ("from", False), ("to", True)]
    assert schema.fields[0].values == values


def test_other_tables_declare_nothing() -> None:
    first = "| Phase | Output |\n|---|---|\n| a | `x.json` |\n| b | `y.json` |\n"
    second = "| Name | Role |\n|---|---|\n| a | b |\n| c | d |\n"
    assert skill(f"# S\n\n{first}\n{second}").schemas == ()


def test_the_code_of_a_product_is_no_schema() -> None:
    text = "# React patterns\n\n## Reference\n\nA component in general looks like this:\n\n"
    read = skill(f"{text}```tsx\ninterface Props {{ a: string }}\n```\n")
    assert all(schema.at.use != "instruction" for schema in read.schemas)
