"""Which tests run when: `--tier fast`, `--tier standard`, or all of them.

`fast` is what one runs after each change: no process over half a second, no browser, no agent's process. `standard`
adds the most telling of the slow tests, one or two for each promise. `all` is everything; CI runs it.

What TABLE does not name is fast. It names folders, files, tests, and cases of a test; the closest name counts.
"""

from collections.abc import Iterator

from hypothesis import settings

TIERS = ("fast", "standard", "all")
FEWER = 5
"""One of so many random examples is tried below `all`."""

TABLE: dict[str, str] = {}


def tier_of(id: str) -> str:
    """Of a test by its node id, or of a file or folder by its path below the project."""
    return next((TABLE[name] for name in _names(id) if name in TABLE), TIERS[0])


def runs(id: str, tier: str) -> bool:
    return TIERS.index(tier_of(id)) <= TIERS.index(tier)


def has_any(path: str, tier: str) -> bool:
    """Whether a file or folder may hold tests of a tier: if not, it need not even be read."""
    within = (f"{path}/", f"{path}::")
    return runs(path, tier) or any(name.startswith(within) and runs(name, tier) for name in TABLE)


def _names(id: str) -> Iterator[str]:
    """From the case to the folder at the top."""
    yield id
    path, _, test = id.partition("::")
    test = test.partition("[")[0]
    while test:
        yield f"{path}::{test}"
        test = test.rpartition("::")[0]
    while path:
        yield path
        path = path.rpartition("/")[0]


def choose(tier: str) -> None:
    """How many random examples are tried; before any test is loaded."""
    settings.register_profile("fast", max_examples=settings().max_examples // FEWER)
    settings.register_profile("full")
    settings.load_profile("full" if tier == TIERS[-1] else "fast")


def examples(full: int) -> int:
    """For a property with a number of its own: that many, or fewer in the lower tiers."""
    return full if settings.get_current_profile_name() != "fast" else max(1, full // FEWER)
