"""What programs get of our own environment: no secrets, but for those that are named."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from loopwright.policy.secrets import SecretFilter, named_in, secret_values, withheld_names, withheld_words

ALL = ("*",)
_PASSED: ContextVar[tuple[str, ...]] = ContextVar("passed", default=())


def current_passed() -> tuple[str, ...]:
    """The secret variables that programs may have, as setting pass_env of the run that is driven here names them."""
    return _PASSED.get()


@contextmanager
def pass_secrets(names: Iterable[str]) -> Iterator[None]:
    """While it lasts, programs get these variables, and so they do in tasks and threads begun meanwhile."""
    token = _PASSED.set(tuple(names))
    try:
        yield
    finally:
        _PASSED.reset(token)


def withheld_here(passed: Iterable[str] = ()) -> tuple[str, ...]:
    """The variables that a program does not get; `passed`: those that this one may have besides."""
    return withheld_names(os.environ, (*current_passed(), *passed))


def program_environment(passed: Iterable[str] = ()) -> dict[str, str]:
    """Our environment, as a program gets it."""
    withheld = withheld_here(passed)
    return {name: value for name, value in os.environ.items() if name not in withheld}


@contextmanager
def masking_log(log: Path, more: Mapping[str, str]) -> Iterator[None]:
    """At its end the file, which programs write themselves, tells no secret of our environment or of `more`."""
    try:
        yield
    finally:
        text = log.read_text(errors="surrogateescape")
        if (masked := SecretFilter(secret_values({**os.environ, **more})).masked(text)) != text:
            log.write_text(masked, errors="surrogateescape")


def explain_withheld(said: str) -> str:
    """What to add where a program that has failed speaks of variables that it did not get; or nothing."""
    missed = named_in(said, withheld_here())
    return withheld_words(missed) if missed else ""
