"""The JSON schema of a tool, as plain as agents need it."""

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]  # Any: JSON schema is open


def input_schema(arguments: type[BaseModel]) -> Schema:
    """Without references, titles and defaults: some agents do not follow the first, and models read all of it."""
    schema = arguments.model_json_schema()
    return _object(schema, schema.pop("$defs", {}))


def _object(schema: Schema, definitions: Schema) -> Schema:
    if "$ref" in schema:
        return _object(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    plain = {key: value for key, value in schema.items() if key not in ("title", "default")}
    if "properties" in plain:
        plain["properties"] = {name: _object(part, definitions) for name, part in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _object(plain["items"], definitions)
    return plain
