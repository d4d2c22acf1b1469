"""Starts the worker; lends our own pytest to an interpreter that has none, or one that is not known here."""

import json
import os
import sys
from contextlib import suppress
from importlib.util import find_spec

_LENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lent")
_PACKAGES = ("pytest", "_pytest", "pluggy")


def lend_pytest() -> list[str]:
    """Makes sure that there is a pytest which the worker knows; says so where the project's own is another one."""
    if find_spec("pytest") is None:  # a unittest project needs none
        sys.path.append(_LENT)
        return []
    theirs = _unknown()
    if theirs is None:
        return []
    for name in [name for name in sys.modules if name.split(".")[0] in _PACKAGES]:
        del sys.modules[name]
    sys.path.insert(0, _LENT)
    import pytest

    return [f"the project's {theirs} cannot be driven from within: its tests were run by pytest {pytest.__version__}"]


def _unknown() -> "str | None":
    """What the project's pytest is, where its insides are not those that the worker was written for (7 to 9)."""
    theirs = "pytest"
    with suppress(Exception):  # whatever a pytest of another time does
        import pytest

        theirs = f"pytest {pytest.__version__}"
        from _pytest.runner import SetupState, runtestprotocol

        taken = SetupState.teardown_exact.__code__.co_varnames[:2]  # its arguments
        if hasattr(pytest, "Config") and taken[-1] == "nextitem" and callable(runtestprotocol):
            return None
    return theirs


if __name__ == "__main__":
    os.environ.pop("PYTHONSAFEPATH", None)  # it kept the project's modules from hiding those that the worker needs
    if sys.version_info < (3, 11):  # noqa: UP036 - this one file may be run by any interpreter a project uses
        with open(sys.argv[2], "w") as file:
            json.dump({"notes": ["repair needs a project on Python 3.11 or newer"], "locations": []}, file)
        sys.exit(0)
    said = lend_pytest()
    from .worker import main

    main(said)
