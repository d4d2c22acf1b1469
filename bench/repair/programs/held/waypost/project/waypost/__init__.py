"""A request router without a server."""

from .access import Roles, needs
from .app import App
from .messages import Forbidden, HttpError, MethodNotAllowed, NotFound, Request, Response
from .patterns import Pattern, PatternError
from .router import Route, Router

__all__ = [
    "App",
    "Forbidden",
    "HttpError",
    "MethodNotAllowed",
    "NotFound",
    "Pattern",
    "PatternError",
    "Request",
    "Response",
    "Roles",
    "Route",
    "Router",
    "needs",
]
