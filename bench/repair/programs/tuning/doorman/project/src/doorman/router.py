"""Routes, groups of routes, and the way from a request to its response."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .http import HTTPError, MethodNotAllowed, NotFound, Request, Response, encode_query
from .patterns import BuildError, Pattern

Handler = Callable[..., Any]
Middleware = Callable[[Request, Callable[[Request], Response]], Response]


@dataclass(frozen=True)
class Route:
    pattern: Pattern
    methods: frozenset[str]
    handler: Handler
    name: str
    middleware: tuple[Middleware, ...] = ()


class Registrar:
    """The decorators that routers and groups have in common."""

    def add(self, path: str, handler: Handler, methods: Iterable[str], name: str | None) -> None:
        raise NotImplementedError

    def route(self, path: str, methods: Iterable[str] = ("GET",), name: str | None = None):
        def decorate(handler: Handler) -> Handler:
            self.add(path, handler, methods, name)
            return handler

        return decorate

    def get(self, path: str, name: str | None = None):
        return self.route(path, ("GET",), name)

    def post(self, path: str, name: str | None = None):
        return self.route(path, ("POST",), name)

    def group(self, prefix: str, middleware: Iterable[Middleware] = ()) -> "Group":
        return Group(self, prefix, middleware)


class Router(Registrar):
    def __init__(self, middleware: Iterable[Middleware] = ()):
        self.middleware = list(middleware)
        self._routes: list[Route] = []
        self._order: list[Route] | None = None
        self._errors: dict[int, Handler] = {}

    def add(
        self,
        path: str,
        handler: Handler,
        methods: Iterable[str] = ("GET",),
        name: str | None = None,
        middleware: tuple[Middleware, ...] = (),
    ) -> None:
        verbs = {method.upper() for method in methods}
        if "GET" in verbs:
            verbs.add("HEAD")
        name = name or handler.__name__
        self._routes.append(Route(Pattern(path), frozenset(verbs), handler, name, middleware))
        self._order = None

    def on_error(self, status: int):
        def decorate(handler: Handler) -> Handler:
            self._errors[status] = handler
            return handler

        return decorate

    @property
    def routes(self) -> list[Route]:
        """All routes, narrow ones first, in the order of registration where equal."""
        if self._order is None:
            self._order = sorted(self._routes, key=lambda route: route.pattern.rank)
        return self._order

    def find(self, method: str, path: str) -> tuple[Route, dict[str, Any]]:
        allowed: set[str] = set()
        for route in self.routes:
            values = route.pattern.match(path)
            if values is None:
                continue
            if method in route.methods:
                return route, values
            allowed |= route.methods
        if allowed:
            raise MethodNotAllowed(allowed)
        raise NotFound(f"nothing at {path}")

    def url_for(self, name: str, **values: Any) -> str:
        """The address of a named route; values it has no place for become the query."""
        reason = f"no route named {name!r}"
        for route in self._routes:
            if route.name != name:
                continue
            try:
                path = route.pattern.build(values)
            except BuildError as error:
                reason = f"{name}: {error}"
                continue
            rest = {k: v for k, v in values.items() if k not in route.pattern.variables}
            return f"{path}?{encode_query(rest)}" if rest else path
        raise BuildError(reason)

    def handle(self, request: Request) -> Response:
        call = self._dispatch
        for layer in reversed(self.middleware):
            call = _wrap(layer, call)
        try:
            response = call(request)
        except HTTPError as error:
            response = self._failure(request, error)
        response.headers.setdefault("Content-Length", str(len(response.body.encode())))
        if request.method == "HEAD":
            response.body = ""
        return response

    def _dispatch(self, request: Request) -> Response:
        route, values = self.find(request.method, request.path)

        def call(inner: Request) -> Response:
            return Response.of(route.handler(inner, **values))

        for layer in reversed(route.middleware):
            call = _wrap(layer, call)
        return call(request)

    def _failure(self, request: Request, error: HTTPError) -> Response:
        response = error.response()
        handler = self._errors.get(error.status)
        if handler is not None:
            custom = Response.of(handler(request, error))
            response.body = custom.body
            for name, value in custom.headers:
                response.headers[name] = value
        return response


def _wrap(layer: Middleware, inner: Callable[[Request], Response]):
    def call(request: Request) -> Response:
        return Response.of(layer(request, inner))

    return call


class Group(Registrar):
    """Routes below a common prefix, with middleware of their own."""

    def __init__(self, parent: Registrar, prefix: str, middleware: Iterable[Middleware] = ()):
        self.parent = parent
        self.prefix = prefix.rstrip("/")
        self.middleware = tuple(middleware)

    def add(
        self,
        path: str,
        handler: Handler,
        methods: Iterable[str] = ("GET",),
        name: str | None = None,
        middleware: tuple[Middleware, ...] = (),
    ) -> None:
        self.parent.add(self.prefix + path, handler, methods, name, self.middleware + middleware)
