"""The JSON schema of a tool, as plain as agents need it."""

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]  # Any: JSON schema is open

_NULL = {"type": "null"}


def input_schema(arguments: type[BaseModel]) -> Schema:
    """Without references, titles and defaults: some agents do not follow the first, and models read all of it.

    What may be left out is optional; that null means the same is told to nobody.
    """
    return _plain(arguments.model_json_schema(), nullable=False)


def output_schema(*results: type[BaseModel]) -> Schema:
    """As plain, of one of these; every field is there, and null where there is nothing to say."""
    plain = [_plain(result.model_json_schema(mode="serialization"), nullable=True) for result in results]
    return plain[0] if len(plain) == 1 else {"type": "object", "anyOf": plain}


def _plain(schema: Schema, *, nullable: bool) -> Schema:
    return _object(schema, schema.pop("$defs", {}), nullable)


def _object(schema: Schema, definitions: Schema, nullable: bool) -> Schema:
    if "$ref" in schema:
        return _object(definitions[schema["$ref"].rpartition("/")[2]], definitions, nullable)
    plain = {key: value for key, value in schema.items() if key not in ("title", "default")}
    if "properties" in plain:
        plain["properties"] = {name: _object(part, definitions, nullable) for name, part in plain["properties"].items()}
    for inner in ("items", "additionalProperties"):
        if isinstance(plain.get(inner), dict):
            plain[inner] = _object(plain[inner], definitions, nullable)
    if "anyOf" in plain:
        return _one_of(plain, definitions, nullable)
    return plain


def _one_of(schema: Schema, definitions: Schema, nullable: bool) -> Schema:
    """`X | None`: X itself, or X with null beside it; other choices stay."""
    parts = [_object(part, definitions, nullable) for part in schema["anyOf"]]
    others = [part for part in parts if part != _NULL]
    around = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(others) == len(parts) or len(others) != 1:
        return {**around, "anyOf": parts}
    (only,) = others
    if not nullable:
        return {**only, **around}
    if isinstance(only.get("type"), str) and "enum" not in only:
        return {**only, **around, "type": [only["type"], "null"]}
    return {**around, "anyOf": [only, _NULL]}
