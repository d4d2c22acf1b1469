"""What the schemas of a skill say of its fields."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Schema

_FILE = re.compile(r"([A-Za-z_][\w\-]*)\.(?:jsonl?|ya?ml|ndjson|md)\b")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_WORDS = re.compile(r"[A-Z][a-z0-9]+|[a-z0-9]+")
_NO_ROOT = frozenset(
    {"schema", "format", "fields", "field", "output", "input", "structure", "string", "path", "data", "this"}
)


@dataclass(frozen=True, slots=True)
class Known:
    """Field paths of all schemas, their first steps, and variables that hold what the schemas describe."""

    fields: frozenset[str]
    firsts: frozenset[str]
    roots: frozenset[str]


def known(schemas: Iterable[Schema], held: frozenset[str]) -> Known:
    """`held`: variables that take what is read from a data file of the run."""
    paths: set[str] = set()
    roots = {"state", *held}
    for schema in schemas:
        paths.update(field.path for field in schema.fields)
        roots.update(_variables(schema.name))
    firsts = frozenset(path.split(".", 1)[0].removesuffix("[]") for path in paths)
    return Known(frozenset(paths), firsts, frozenset(roots))


def _variables(name: str) -> Iterator[str]:
    """`TuningState` is held by `state` or `tuningState`, `Issue` by `issue`, what is in `plan.json` by `plan`."""
    if (file := _FILE.search(name)) is not None:
        yield file[1].replace("-", "_")
    elif _NAME.match(name):
        words = [word.lower() for word in _WORDS.findall(name)]
        for variable in (name[0].lower() + name[1:], words[-1] if words else ""):
            if len(variable) > 2 and variable not in _NO_ROOT:
                yield variable
