"""Every answer's form: `{"success": true, "data": …}`, or false with an error."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

import orjson
from fastapi import Response
from pydantic import BaseModel

from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.loop.model import LoopState

Json = Any  # Any: whatever JSON can hold, or a model that knows how to become that

RUN = (LoopState, CycleState)
KEPT = 256
"""Runs whose JSON is kept, as many as the store itself keeps."""


class ApiResponse(Response):
    """Bytes of JSON that are ready to be sent."""

    media_type = "application/json"

    again: Callable[[], "ApiResponse"] | None = None
    """Makes the answer that the same request gets later; see `RepeatedRequests`."""


def make_response(
    data: Json = None, *, status: int = 200, headers: dict[str, str] | None = None, **more: Json
) -> ApiResponse:
    """What was asked for. `more` stands beside `data`, which is left out where there is none."""
    parts = {**({} if data is None else {"data": data}), **more}
    inner = b"".join(b',"%s":%s' % (name.encode(), encode_json(part)) for name, part in parts.items())
    return ApiResponse(b'{"success":true%s}' % inner, status, headers)


def make_refusal(words: str, status: int, headers: dict[str, str] | None = None) -> ApiResponse:
    return ApiResponse(b'{"success":false,"error":%s}' % encode_json(words), status, headers)


def encode_json(part: Json) -> bytes:
    """JSON; models are written by their own fast writer, and whole runs once for all who ask."""
    if isinstance(part, RUN):
        return _RUNS.encoded(part)
    if isinstance(part, BaseModel):
        return part.__pydantic_serializer__.to_json(part, by_alias=True)
    if type(part) in (list, tuple):
        return b"[%s]" % b",".join(map(encode_json, part))
    return orjson.dumps(part, default=_fragment)


class _Encoded:
    """The JSON of the runs that were last asked for. They never change, so one is known by being the same."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[BaseModel, bytes]] = OrderedDict()
        self._mutex = Lock()

    def encoded(self, run: BaseModel) -> bytes:
        with self._mutex:
            found = self._known.get(id(run))
            if found is not None:
                self._known.move_to_end(id(run))
                return found[1]
        text = run.__pydantic_serializer__.to_json(run, by_alias=True)
        with self._mutex:
            self._known[id(run)] = run, text
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return text


_RUNS = _Encoded()


def _fragment(part: object) -> orjson.Fragment:
    if isinstance(part, BaseModel):
        return orjson.Fragment(encode_json(part))
    raise TypeError(f"{type(part).__name__} has no place in JSON")
