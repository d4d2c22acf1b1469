"""What a person's or a machine's environment would do to the tests and to all that they start: taken out of it.

Whoever runs the suite with PYTEST_ADDOPTS, under make, within a git hook or with coloured output gets what everybody
gets. What the suite itself is told (SPOKEN_TO_US) stays, and so does all that says where things are.
"""

import os
from collections.abc import Iterable, MutableMapping

SPOKEN_TO_US = frozenset({"LOOPWRIGHT_SEED", "LOOPWRIGHT_MAVEN_REPOSITORY"})
FAMILIES = (
    "LOOPWRIGHT_", "PYTEST_", "PYTHON", "COVERAGE_", "COV_CORE_", "GIT_", "MAKE", "LC_", "npm_lifecycle_",
    "npm_package_", "VITEST", "JEST_",
)  # fmt: skip
NAMES = frozenset({
    "MFLAGS", "GNUMAKEFLAGS",
    "LANG", "LANGUAGE", "TZ",
    "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLORTERM", "COLUMNS", "LINES",
    "NODE_OPTIONS", "NODE_PATH", "NODE_ENV", "RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_TERM_COLOR", "GOFLAGS",
    "MAVEN_ARGS", "CI",
})  # fmt: skip
OF_PYTEST_ITSELF = frozenset({
    "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT",
    "PYTEST_XDIST_TESTRUNUID",
})  # fmt: skip
"""Set by the pytest that runs, not by a person."""


def outside(names: Iterable[str]) -> list[str]:
    """Those of the names that tests must not see."""
    kept = SPOKEN_TO_US | OF_PYTEST_ITSELF
    return [name for name in names if name not in kept and (name in NAMES or name.startswith(FAMILIES))]


def shut_out(environment: MutableMapping[str, str]) -> None:
    """What is left speaks English and writes UTF-8."""
    for name in outside([*environment]):
        del environment[name]
    environment["LANG"] = "C.UTF-8"


def shut_out_here() -> None:
    """For this process and all that it starts."""
    shut_out(os.environ)
    for name in ("COLUMNS", "LINES"):
        os.unsetenv(name)  # readline, which pytest loads, sets them behind Python's back
