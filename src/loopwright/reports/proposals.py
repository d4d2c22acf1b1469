"""What an agent's state updates may bring: words for tasks and causes, bounded, and nothing that was to be measured.

Pure. Tools and text lead here alike: what was refused is told to people, and never stops the loop.
"""

from collections.abc import Collection
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from loopwright.core.errors import Invalid
from loopwright.core.names import ActionName
from loopwright.core.protocol import ActionReport
from loopwright.core.text import clip_text, plural
from loopwright.evidence.proof import ProofPolicy
from loopwright.reports.tools import (
    BUG_LENGTH,
    LONGEST,
    MOST_HYPOTHESES,
    MOST_TASKS,
    PLACE_LENGTH,
    ProposedHypothesis,
    ProposedTask,
    ReportPart,
    as_list,
)

MAY_UPDATE: dict[ActionName, frozenset[str]] = {
    "INIT": frozenset({"tasks"}),
    "DEVELOP": frozenset({"shown_by", "proof", "disputes"}),
    "DEBUG": frozenset({"active_bug", "hypotheses", "shown_by"}),
    "REVIEW": frozenset({"objections"}),
}
"""The only keys of `state_updates` that are looked at; every other action has none."""

MOST_KNOWN = 60
"""Causes that a loop keeps; an agent that goes on naming new ones is not heard."""

MOST_SHOWN = 20
PROPOSABLE: dict[str, ProofPolicy] = {"preserve": "preserve", "none": "none"}
"""What an agent may propose to a person as the proof of a goal that no test can show."""

_VERDICTS = ("evidence", "verdict_reason", "confirmed")
_LIMITS = {"logging_point": PLACE_LENGTH}

P = TypeVar("P", bound=ReportPart)


class ReportProposals(NamedTuple):
    """`refused`: what was left out, in words. `shown_by`: tests that are said to show the goal.

    `disputes`: objections that are said not to hold, as `O1: why`.
    """

    tasks: tuple[ProposedTask, ...] = ()
    hypotheses: tuple[ProposedHypothesis, ...] = ()
    active_bug: str | None = None
    refused: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    proof: ProofPolicy | None = None
    disputes: tuple[str, ...] = ()


def read_proposals(action: ActionName, report: ActionReport) -> ReportProposals:
    """Of what the report wants to be set, that which is this action's to propose."""
    given = {key: report.state_updates.get(key) for key in MAY_UPDATE.get(action, ())}
    refused: list[str] = []
    tasks = _parts(ProposedTask, "task", given.get("tasks"), MOST_TASKS, refused)
    causes = _parts(ProposedHypothesis, "hypothesis", given.get("hypotheses"), MOST_HYPOTHESES, refused)
    if any(_judges(entry) for entry in _entries(given.get("hypotheses"))):
        refused.append("a verdict on a hypothesis; only measurements give one")
    bug = given.get("active_bug")
    if bug is not None and not isinstance(bug, str):
        refused.append("an active_bug that is not text")
    named = clip_text(bug.strip(), BUG_LENGTH) if isinstance(bug, str) else ""
    shown_by = tuple(clip_text(str(name).strip(), LONGEST) for name in _entries(given.get("shown_by"))[:MOST_SHOWN])
    proof = given.get("proof")
    if proof is not None and not (isinstance(proof, str) and proof in PROPOSABLE):
        refused.append(f"a proof other than {' or '.join(PROPOSABLE)}")
    return ReportProposals(
        tasks,
        causes,
        named or None,
        tuple(refused),
        shown_by,
        PROPOSABLE.get(proof) if isinstance(proof, str) else None,
        tuple(clip_text(str(words).strip(), LONGEST) for words in _entries(given.get("disputes"))[:MOST_SHOWN]),
    )


def check_count(count: int) -> None:
    """Invalid for a number of tasks that no agent is asked for."""
    if not 1 <= count <= MOST_TASKS:
        raise Invalid(f"count: must be from 1 to {MOST_TASKS} (got {count})")


def new_causes(proposed: Collection[ProposedHypothesis], known: Collection[str]) -> tuple[ProposedHypothesis, ...]:
    """Those that are not among the `known` descriptions, as far as there is room."""
    said = {" ".join(words.split()).lower() for words in known}
    new = [cause for cause in proposed if " ".join(cause.description.split()).lower() not in said]
    return tuple(new[: max(MOST_KNOWN - len(known), 0)])


def _parts(kind: type[P], name: str, given: object, most: int, refused: list[str]) -> tuple[P, ...]:
    """Those that can be read, each once; `refused` gets words about the others."""
    taken: dict[P, None] = {}
    unread = 0
    for entry in _entries(given):
        try:
            taken.setdefault(kind.model_validate(_cut(entry)))
        except ValidationError:
            unread += 1
    if unread:
        refused.append(f"{plural(unread, name)} without a description")
    if len(taken) > most:
        refused.append(f"more than {plural(most, name)}")
    return tuple(taken)[:most]


def _entries(given: object) -> list[object]:
    if given is None:
        return []
    entries = as_list(given)
    return entries if isinstance(entries, list) else [entries]


def _cut(entry: object) -> object:
    """Overlong texts end in an ellipsis."""
    if isinstance(entry, str):
        return clip_text(entry, LONGEST)
    if not isinstance(entry, dict):
        return entry
    return {
        key: clip_text(value.strip(), _LIMITS.get(str(key), LONGEST)) if isinstance(value, str) else value
        for key, value in entry.items()
    }


def _judges(entry: object) -> bool:
    """Whether it says how the hypothesis has turned out."""
    if not isinstance(entry, dict):
        return False
    return any(entry.get(key) for key in _VERDICTS) or entry.get("status") not in (None, "", "pending")
