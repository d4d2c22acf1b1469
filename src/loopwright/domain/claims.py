"""What an agent says, held against what was measured: told to people, and never believed. Pure."""

import re
from collections.abc import Collection

from loopwright.domain.loop import ActionName
from loopwright.domain.proposals import MAY_UPDATE, proposals
from loopwright.domain.protocol import ActionReport

NAMES_SHOWN = 5
WORDS_SHOWN = 160

_GREEN = re.compile(
    r"\btests?\b[^.;\n]{0,40}\b(?:pass|passes|passed|passing|green|succeeded)\b"
    r"|\b(?:pass|passes|passed|passing)\b[^.;\n]{0,20}\btests?\b|\ball green\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(r"\b(?:not?|cannot|fail\w*|should|would|will|may|might|until|once|if)\b|n't\b", re.IGNORECASE)
_OURS = (".workflow", ".loop")


def refused_updates(action: ActionName, report: ActionReport) -> str | None:
    """Words about state updates that are not the agent's to make, or that nobody can read."""
    strange = sorted(str(key) for key in report.state_updates.keys() - MAY_UPDATE.get(action, frozenset()))
    wrong = [f"{action} tried to set {_listed(strange)}; an agent's words change no state"] if strange else []
    if refused := proposals(action, report).refused:
        wrong.append(f"{action} proposed {', and '.join(refused)}")
    if report.unread:
        wrong.append(f"{action} gave {report.unread} that can not be read")
    return "; ".join(wrong) or None


def unmeasured_files(action: ActionName, report: ActionReport, project: str, changed: Collection[str]) -> str | None:
    """Words about files that the agent says it changed, where no change was measured."""
    named = (name.strip().removeprefix(f"{project}/").removeprefix("./") for name in report.files_updated)
    untrue = [name for name in named if name and not _is_covered(name, changed)]
    return f"{action} said that it changed {_listed(untrue)}; no change was measured there" if untrue else None


def files_named(words: str, files: Collection[str]) -> tuple[str, ...]:
    """Files of the project that the words name."""
    return tuple(file for file in files if file in words)


def claims_green_tests(report: ActionReport) -> bool:
    """Whether the agent says that the tests pass."""
    return _GREEN.search(report.message) is not None and _UNSURE.search(report.message) is None


def quoted(words: str) -> str:
    """An agent's words as they fit into one line."""
    line = " ".join(words.split())
    return f"“{line[:WORDS_SHOWN]}{'…' if len(line) > WORDS_SHOWN else ''}”"


def _is_covered(name: str, changed: Collection[str]) -> bool:
    """Whether it changed, is a folder in which something did, or is none of the project's files."""
    folder = name.rstrip("/") + "/"
    outside = name.startswith(("/", "~", "../", *(f"{ours}/" for ours in _OURS))) or name == "path"
    return outside or name in changed or any(file.startswith(folder) for file in changed)


def _listed(names: list[str]) -> str:
    more = len(names) - NAMES_SHOWN
    return ", ".join(name[:WORDS_SHOWN] for name in names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
