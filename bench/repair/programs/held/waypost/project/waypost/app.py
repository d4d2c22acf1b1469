"""The application: a router with middleware and error handlers."""

from .access import Roles
from .messages import Headers, HttpError, Response
from .router import Router


class App(Router):
    def __init__(self, roles=None):
        super().__init__()
        self.roles = roles or Roles()
        self._middleware = []
        self._error_handlers = {}
        self._after = []

    def middleware(self, function):
        """Decorator: ``function(request, go_on)``; the first one is the outermost."""
        self._middleware.append(function)
        return function

    def after(self, function):
        """Decorator: ``function(request, response)`` sees every response, also errors."""
        self._after.append(function)
        return function

    def errorhandler(self, kind):
        """Decorator: ``function(request, error)`` for errors of this class or below."""

        def decorate(function):
            self._error_handlers[kind] = function
            return function

        return decorate

    def handle(self, request):
        request.app = self
        try:
            response = self._chain(0)(request)
        except Exception as error:
            response = self._on_error(request, error)
        response = self._as_response(response)
        for function in self._after:
            response = function(request, response) or response
        if request.method == "HEAD":
            response = Response("", response.status, response.headers)
        return response

    def _chain(self, position):
        if position == len(self._middleware):
            return self._dispatch
        return lambda request: self._as_response(
            self._middleware[position](request, self._chain(position + 1))
        )

    def _dispatch(self, request):
        route, values = self.find(request.method, request.path)
        request.route = route.name
        return self._as_response(route.handler(request, **values))

    def _on_error(self, request, error):
        """Use the handler for the nearest class; other errors that are no HttpError pass."""
        for kind in type(error).__mro__:
            if kind in self._error_handlers:
                return self._error_handlers[kind](request, error)
        if isinstance(error, HttpError):
            return error.response()
        raise error

    @staticmethod
    def _as_response(result):
        """Handlers may return a response, text, None, or text with status and headers."""
        if isinstance(result, Response):
            return result
        if result is None:
            return Response("", 204)
        if isinstance(result, tuple):
            body, status, *rest = result
            return Response(body, status, Headers(rest[0] if rest else ()))
        return Response(str(result))
