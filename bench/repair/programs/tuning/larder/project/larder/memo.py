"""Remember the results of functions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any

from .cache import Larder

_MARK = object()


def make_key(args: tuple, kwargs: dict[str, Any], typed: bool = False) -> Hashable:
    """A key for a call; the order of keyword arguments does not matter."""
    key: tuple = args
    named = sorted(kwargs.items())
    if named:
        key += (_MARK,) + tuple(named)
    if typed:
        key += tuple(type(value) for value in args) + tuple(type(v) for _, v in named)
    return key


def memoize(cache: Larder, ttl: float | None = None, typed: bool = False):
    """Decorator that keeps results in ``cache``.

    Several functions can share a cache. ``call.forget(*args, **kwargs)`` drops one result.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = f"{function.__module__}.{function.__qualname__}"

        def key_of(args: tuple, kwargs: dict[str, Any]) -> Hashable:
            return (name, make_key(args, kwargs, typed))

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return cache.get_or_make(key_of(args, kwargs), lambda: function(*args, **kwargs), ttl)

        def forget(*args: Any, **kwargs: Any) -> bool:
            return cache.remove(key_of(args, kwargs))

        call.forget = forget
        call.cache = cache
        return call

    return decorate
