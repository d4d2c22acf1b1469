"""Every answer's form: `{"success": true, "data": …}`, or false with an error."""

from typing import Any

import orjson
from fastapi import Response
from pydantic import BaseModel

Json = Any  # Any: whatever JSON can hold, or a model that knows how to become that


class Answer(Response):
    """Bytes of JSON that are ready to be sent."""

    media_type = "application/json"


def done(data: Json = None, *, status: int = 200, headers: dict[str, str] | None = None, **more: Json) -> Answer:
    """What was asked for. `more` stands beside `data`, which is left out where there is none."""
    parts = {**({} if data is None else {"data": data}), **more}
    inner = b"".join(b',"%s":%s' % (name.encode(), encoded(part)) for name, part in parts.items())
    return Answer(b'{"success":true%s}' % inner, status, headers)


def refused(words: str, status: int) -> Answer:
    return Answer(b'{"success":false,"error":%s}' % encoded(words), status)


def encoded(part: Json) -> bytes:
    """JSON; models are written by their own fast writer."""
    if isinstance(part, BaseModel):
        return part.__pydantic_serializer__.to_json(part, by_alias=True)
    return orjson.dumps(part, default=_fragment)


def _fragment(part: object) -> orjson.Fragment:
    if isinstance(part, BaseModel):
        return orjson.Fragment(encoded(part))
    raise TypeError(f"{type(part).__name__} has no place in JSON")
