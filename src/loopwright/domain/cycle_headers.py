"""What tells the version of a document: its first line in Markdown, a key in JSON; and its name once it is archived."""

import json
import re
from collections.abc import Mapping

from loopwright.domain.cycle import iteration_of

MAIN = (
    "ra/requirements.md", "ra/edge-cases.md", "ep/exploration.md", "ep/architecture.md", "ep/plan.json",
    "cd/implementation.md", "cd/issues.md", "vas/summary.md", "vas/test-results.json", "vas/coverage.json",
)  # fmt: skip
"""The documents that are rewritten whole in each iteration, by their names below the progress folder."""

_HEADER = re.compile(r"<!-- version (1\.\d{1,7}\.0) · iteration \d{1,8}(?: · (\S{1,40}))? -->(?:\n\n?|$)")


def with_header(text: str, version: str, updated: str | None = None) -> str:
    """The text below its header; `updated`: when what it says was last changed. `without_header` gives it back."""
    when = f" · {updated}" if updated else ""
    return f"<!-- version {version} · iteration {iteration_of(version)}{when} -->\n\n{text}\n"


def without_header(text: str) -> str:
    """The text alone, exactly as it was before it got its header; as it stands where it has none."""
    found = _HEADER.match(text)
    return text[found.end() :].removesuffix("\n") if found else text


def version_in(name: str, text: str) -> str | None:
    """The version that a document says it is of; None where it does not say one."""
    if not name.endswith(".json"):
        found = _HEADER.match(text)
        return found[1] if found else None
    try:
        document = json.loads(text)
        version = document["version"]
        iteration_of(version)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return str(version)


def updated_in(text: str) -> str | None:
    """When the document was last changed, as its header says."""
    found = _HEADER.match(text)
    return found[2] if found else None


def archived_name(name: str, version: str) -> str:
    """`ra/requirements.md` → `ra/history/requirements-v1.0.0.md`."""
    folder, _, file = name.rpartition("/")
    stem, _, ending = file.rpartition(".")
    return f"{folder}/history/{stem}-v{version}.{ending}"


def archives(there: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, bytes]:
    """Of the documents that are `there`, those that `new` ones of another version replace, by archived name.

    It goes by what the documents say of themselves, so that after a crash it comes to the same.
    """
    kept: dict[str, bytes] = {}
    for name in MAIN:
        if name not in there or name not in new:
            continue
        old, now = (version_in(name, data.decode(errors="replace")) for data in (there[name], new[name]))
        if old is not None and now is not None and old != now:
            kept[archived_name(name, old)] = there[name]
    return kept
