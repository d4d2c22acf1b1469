"""Tables of cases in one test: hundreds of rows that say the same cost more as tests of their own than they tell."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
Naming = Callable[[Any], str]
"""Any: a value of whatever the table holds."""
NAMED = 20
"""So many of the further cases that failed are named; of the rest, how many there are."""


def each(names: str | Sequence[str], cases: Iterable[object], ids: Naming = repr) -> Callable[[Test], Test]:
    """As pytest.mark.parametrize, for tests that need nothing made anew for each case.

    All cases run. What is reported is the first that failed, with its name and the names of the others that did.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in cases]  # type: ignore[call-overload]  # rows are tuples
    assert rows, "a table without a row proves nothing"

    def in_one(test: Test) -> Test:
        @functools.wraps(test)
        def all_of_them(*own: object, **given: object) -> None:
            failed = [
                error
                for row in rows
                if (error := _failure(functools.partial(test, *own, **given), row, ids)) is not None
            ]
            if failed:
                _tell_others(failed)
                raise failed[0]

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        assert len(others) + len(keys) == len(signature.parameters), f"{test.__name__} does not take {keys}"
        all_of_them.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]  # what pytest asks
        return all_of_them

    return in_one


def _failure(test: Test, row: Mapping[str, object], ids: Naming) -> BaseException | None:
    try:
        test(**row)
    except BaseException as error:
        error.add_note("in the case " + ", ".join(f"{name}={_short(ids(value))}" for name, value in row.items()))
        if isinstance(error, (Exception, pytest.fail.Exception)):
            return error
        raise
    return None


def _tell_others(failed: Sequence[BaseException]) -> None:
    further = [getattr(error, "__notes__", [""])[-1] for error in failed[1:]]
    if len(further) > NAMED:
        further = [*further[:NAMED], f"{len(further) - NAMED} more"]
    for note in further:
        failed[0].add_note(f"and {note}")


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:80]} … ({len(text):,} characters)"
