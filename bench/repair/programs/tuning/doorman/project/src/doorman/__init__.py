"""A small router for programs that speak in requests and responses."""

from .http import Headers, HTTPError, MethodNotAllowed, NotFound, Request, Response
from .patterns import BuildError, Pattern, PatternError
from .router import Group, Router

__all__ = [
    "BuildError",
    "Group",
    "HTTPError",
    "Headers",
    "MethodNotAllowed",
    "NotFound",
    "Pattern",
    "PatternError",
    "Request",
    "Response",
    "Router",
]
