"""Requests, responses and the errors that become responses."""

from dataclasses import dataclass, field
from urllib.parse import parse_qsl


class Headers:
    """Header fields; names ignore case, the last value wins."""

    def __init__(self, pairs=()):
        self._values = {}
        for name, value in dict(pairs).items():
            self[name] = value

    def __setitem__(self, name, value):
        self._values[name.lower()] = (name, str(value))

    def __getitem__(self, name):
        return self._values[name.lower()][1]

    def __contains__(self, name):
        return name.lower() in self._values

    def get(self, name, default=None):
        return self[name] if name in self else default

    def items(self):
        return sorted(self._values.values(), key=lambda pair: pair[0].lower())


class Request:
    def __init__(self, method, target, headers=(), user=None, body=""):
        self.method = method.upper()
        self.path, _, query = target.partition("?")
        self.query = {}
        for name, value in parse_qsl(query, keep_blank_values=True):
            self.query.setdefault(name, []).append(value)
        self.headers = Headers(headers)
        self.user = user
        self.body = body
        self.route = None

    def arg(self, name, default=None):
        """The last value of a query argument."""
        return self.query.get(name, [default])[-1]


@dataclass
class Response:
    body: str = ""
    status: int = 200
    headers: Headers = field(default_factory=Headers)


class HttpError(Exception):
    status = 500

    def __init__(self, message="", **headers):
        super().__init__(message)
        self.headers = {name.replace("_", "-").title(): value for name, value in headers.items()}

    def response(self):
        return Response(str(self) or type(self).__name__, self.status, Headers(self.headers))


class NotFound(HttpError):
    status = 404


class Forbidden(HttpError):
    status = 403


class MethodNotAllowed(HttpError):
    status = 405
