"""What the schemas of a skill say of its fields, and of the variables that hold what they describe."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loopwright.tune.skill.model import Schema

_FILE = re.compile(r"(?<![\w\-])(?<![\w}>)*]\.)([A-Za-z_][\w\-]{0,80})\.(?:jsonl?|ya?ml|ndjson|md)\b")
"""But not the `output` of `{step}.output.json`, which is each step's own."""
_SCHEMA_FILE = re.compile(r"(?:^|/)([A-Za-z_][\w\-]*)[.\-_]schema\.json\Z")
_LATIN = re.compile(r"(?:(?:an?|the|one|each|every)\s+)?([A-Za-z_]\w*(?:[ \-][A-Za-z]\w*){0,2})\Z", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]{1,60}(?![a-z])|[A-Z]?[a-z0-9]+")
_NO_ROOT = frozenset({
    "schema", "format", "fields", "field", "output", "input", "structure", "string", "path", "data", "this",
    "shape", "properties", "property", "values", "value", "types", "type", "state", "options", "parameters",
    "overview", "table", "list", "object", "array", "contract", "interface", "props", "config", "reference",
    "indexing", "keys", "attributes",
})  # fmt: skip
"""Words of titles that name no thing."""
_STANDING = re.compile(r"(?:status|state|stage|verdict|result|phase|outcome)\Z", re.IGNORECASE)
"""Fields that say how a thing stands, so that "the chunk is `done`" speaks of it."""
_COMMON = frozenset(
    {"file", "error", "item", "entry", "option", "node", "line", "row", "column", "value", "key", "string"}
)
"""Things that any code has a variable for."""


@dataclass(frozen=True, slots=True)
class Known:
    """Field paths of all schemas, and their first steps.

    `states`: variables that hold a state or a file of the run; `roots` those and all that hold a part of one, `dotted`
    the same with a dot. `listed`:
    last names of fields whose values are listed. `kinds`: by the name of a thing the field with listed values that says
    how it stands.
    """

    fields: frozenset[str]
    firsts: frozenset[str]
    states: frozenset[str]
    roots: frozenset[str]
    dotted: tuple[str, ...]
    listed: frozenset[str]
    kinds: Mapping[str, str]


def known(schemas: Iterable[Schema], held: frozenset[str]) -> Known:
    """`held`: variables that take what is read from a data file of the run."""
    paths: set[str] = set()
    roots: set[str] = set()
    listed: set[str] = set()
    kinds: dict[str, str] = {}
    for schema in schemas:
        paths.update(field.path for field in schema.fields)
        roots.update(holders(schema))
        roots.update(root for root, _ in parts_of(schema) if root not in _COMMON)
        own = [field.path for field in schema.fields if field.values]
        listed.update(path.removesuffix("[]").rsplit(".", 1)[-1] for path in own)
        for thing, below in (*((name, "") for name in holders(schema)), *parts_of(schema)):
            inner = [path[len(below) :] for path in own if path.startswith(below) and "." not in path[len(below) :]]
            inner = [path for path in inner if _STANDING.search(path)]
            if len(inner) == 1:
                kinds.setdefault(thing, inner[0])
    firsts = frozenset(path.split(".", 1)[0].removesuffix("[]") for path in paths)
    states = frozenset({"state", *held})
    dotted = tuple(sorted(f"{root}." for root in states | roots))
    return Known(frozenset(paths), firsts, states, states | roots, dotted, frozenset(listed), kinds)


def holders(schema: Schema) -> Iterator[str]:
    """Variables that hold what it describes: by its name, and by the file that it is, `unit.schema.json`."""
    found = dict.fromkeys(variables(schema.name))
    of_file = _SCHEMA_FILE.search(schema.at.file)
    if of_file is not None and of_file[1] not in _NO_ROOT:
        found.setdefault(of_file[1].replace("-", "_"))
    yield from found


def is_of_state(schema: Schema) -> bool:
    """It is called a state, or is the file for one."""
    of_file = _SCHEMA_FILE.search(schema.at.file)
    return schema.name.lower().endswith("state") or (of_file is not None and of_file[1].lower().endswith("state"))


def variables(name: str) -> Iterator[str]:
    """`TuningState` is held by `tuningState`, `Issue` and "An issue" by `issue`, what is in `plan.json` by `plan`."""
    if (file := _FILE.search(name)) is not None:
        yield file[1].replace("-", "_")
        return
    found = _LATIN.match(name.strip("`* "))
    if found is None:
        return
    words = [word.lower() for word in _WORDS.findall(found[1])]
    whole = found[1][0].lower() + found[1][1:] if " " not in found[1] and "-" not in found[1] else ""
    for variable in dict.fromkeys((whole, singular(words[-1]) if words else "")):
        if len(variable) > 2 and variable not in _NO_ROOT:
            yield variable


def parts_of(schema: Schema) -> Iterator[tuple[str, str]]:
    """Variables for the elements of its lists, with where their fields begin: `step` and `steps[].`."""
    done: set[str] = set()
    for field in schema.fields:
        place = field.path.rfind("[].")
        path = field.path[:place]
        if place > 0 and path not in done:
            done.add(path)
            name = singular(path.removesuffix("[]").rsplit(".", 1)[-1])
            if len(name) > 2:
                yield name, path + "[]."


def described(schemas: Iterable[Schema], root: str) -> tuple[tuple[Schema, str], ...]:
    """Schemas that say what the variable holds, with what its fields' paths begin with there.

    For `step` and a schema with `steps[].id` it is that schema and `steps[].`; for `state` each whose name ends so.
    """
    found = []
    for schema in schemas:
        if root in holders(schema) or (root.lower().endswith("state") and is_of_state(schema)):
            found.append((schema, ""))
        found += [(schema, below) for name, below in parts_of(schema) if name == root]
    return tuple(found)


def singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")) and not word.endswith(("ases", "uses", "oses")):
        return word[:-2] if not word.endswith("theses") else word[:-2] + "is"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
