"""Requests, responses, headers and the errors that become responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, unquote, unquote_plus


class Headers:
    """A mapping of header names to values; the case of names does not matter."""

    def __init__(self, items: Mapping[str, str] | Iterable[tuple[str, str]] = ()):
        self._items: dict[str, tuple[str, str]] = {}
        pairs = items.items() if isinstance(items, Mapping) else items
        for name, value in pairs:
            self[name] = value

    def __setitem__(self, name: str, value: str) -> None:
        self._items[name.lower()] = (name, value)

    def __getitem__(self, name: str) -> str:
        return self._items[name.lower()][1]

    def __delitem__(self, name: str) -> None:
        del self._items[name.lower()]

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._items

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def get(self, name: str, default: str | None = None) -> str | None:
        return self[name] if name in self else default

    def setdefault(self, name: str, value: str) -> str:
        if name not in self:
            self[name] = value
        return self[name]


def parse_query(text: str) -> dict[str, list[str]]:
    """``a=1&b=x+y&a=2`` as a mapping of names to all their values."""
    values: dict[str, list[str]] = {}
    for piece in text.split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        values.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return values


def encode_query(values: Mapping[str, Any]) -> str:
    pieces = []
    for name, value in values.items():
        many = value if isinstance(value, (list, tuple)) else [value]
        pieces += [f"{quote_plus(name)}={quote_plus(str(item))}" for item in many]
    return "&".join(pieces)


class Request:
    def __init__(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | None = None,
        body: str = "",
    ):
        self.method = method.upper()
        target = target.partition("#")[0]
        raw, _, query = target.partition("?")
        self.path = unquote(raw) or "/"
        self.query = parse_query(query)
        self.headers = Headers(headers or {})
        self.body = body
        self.state: dict[str, Any] = {}

    def arg(self, name: str, default: Any = None, kind: type = str) -> Any:
        """The first value of a query argument; the default where it is absent or malformed."""
        try:
            return kind(self.query[name][0])
        except (KeyError, ValueError):
            return default


@dataclass
class Response:
    body: str = ""
    status: int = 200
    headers: Headers = field(default_factory=Headers)

    @classmethod
    def of(cls, result: Any) -> "Response":
        """What a handler returned, as a response."""
        if isinstance(result, Response):
            return result
        if result is None:
            return cls(status=204)
        if isinstance(result, tuple):
            body, status = result
            return cls(str(body), status)
        return cls(str(result))


class HTTPError(Exception):
    status = 500

    def __init__(self, message: str = "", status: int | None = None):
        super().__init__(message)
        if status is not None:
            self.status = status

    def response(self) -> Response:
        return Response(str(self) or type(self).__name__, self.status)


class NotFound(HTTPError):
    status = 404


class MethodNotAllowed(HTTPError):
    status = 405

    def __init__(self, allowed: Iterable[str]):
        super().__init__("method not allowed")
        self.allowed = sorted(allowed)

    def response(self) -> Response:
        answer = super().response()
        answer.headers["Allow"] = ", ".join(self.allowed)
        return answer
