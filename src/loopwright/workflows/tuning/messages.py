"""What an agent is told that shall mend a skill, put together from the prompt beside it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from loopwright.core.prompts import Prompts
from loopwright.skills.findings import Finding, Quote
from loopwright.skills.review.cards import ReviewCard
from loopwright.workflows.tuning.model import TuningState

PACKAGE = "loopwright.workflows.tuning"
FOLDER = "tune"
"""Where a project keeps its own prompt for this, in its folder of prompts."""
REQUIRED = {
    "mend": frozenset({"folder", "findings", "lines"}),
    "review": frozenset({"folder", "facts", "cards", "most"}),
    "review_next": frozenset({"cards", "most"}),
    "requote": frozenset({"refused"}),
    "refute": frozenset({"folder", "claims"}),
    "still": frozenset({"folder", "claims"}),
}
"""What a project's own prompt may not leave out."""


def tuning_prompts(prompts: Path | None = None) -> Prompts:
    """With that of a project's folder of prompts in its place. Invalid names the file."""
    own = prompts / FOLDER if prompts is not None else None
    return Prompts(PACKAGE, REQUIRED, own if own is not None and own.exists() else None)


def mend_order(
    prompts: Prompts, state: TuningState, findings: Sequence[Finding], folder: Path, lines: int, known: Sequence[str]
) -> str:
    """`lines`: how many it may change; `known`: what was tried for these in vain, and why."""
    return prompts.render(
        "mend",
        folder=str(folder),
        findings="\n\n".join(_told(finding) for finding in findings),
        lines=str(lines),
        described=state.user_issue_description or "nothing",
        tried="\n".join(f"- {why}" for why in known) or "nothing",
    )


def compose_order(prompts: Prompts, name: str, folder: Path, **values: str) -> str:
    """A review's prompt, with the folder of the copy where it names that."""
    place = {"folder": str(folder)} if "folder" in REQUIRED[name] else {}
    return prompts.render(name, **place, **values)


def described_words(state: TuningState) -> str:
    """What its user says of the skill, as a part of its own; nothing where they say nothing."""
    said = state.user_issue_description
    return f"\n# What its user says of it\n\n{said}\n" if said else ""


def card_words(asked: Iterable[ReviewCard]) -> str:
    return "\n\n".join(f"## `{card.id}`: {card.title}\n\n{card.text}" for card in asked)


def refused_words(refused: Iterable[str]) -> str:
    return "\n".join(f"- {why}" for why in refused)


def claim_words(findings: Mapping[str, Finding]) -> str:
    """What is claimed, by ids, without the reasons."""
    return "\n\n".join(f"# {id}\n\n{finding.message}\n\n{_quotes(finding)}" for id, finding in findings.items())


def open_claim_words(findings: Mapping[str, Finding]) -> str:
    """The same with what could happen: who looks at a change has to know what must not any more."""
    return "\n\n".join(
        f"# {id}\n\n{finding.message}\n\nWhat could happen: {finding.why}\n\n{_quotes(finding)}"
        for id, finding in findings.items()
    )


def _quotes(finding: Finding) -> str:
    review = finding.review
    if review is None:
        return ""
    told = [_quote("Quoted for it:", one) for one in review.evidence]
    told += [_quote("And beside that:", one) for one in review.other_side]
    told += [f"- Said to stand in no file: {words}" for words in review.absent]
    return "\n".join(told)


def _quote(what: str, quote: Quote) -> str:
    return f"- {what} {quote.file}, line {quote.line}: “{quote.text}”"


def _told(finding: Finding) -> str:
    also = f"\nAlso: {', '.join(finding.also)}" if finding.also else ""
    stands = _quotes(finding) or f"It says there: {finding.excerpt}{also}"
    return (
        f"## {finding.rule} ({finding.severity}), {finding.file} line {finding.line}\n\n{finding.message}\n"
        f"{stands}\nWhy it matters: {finding.why}\nWhat to do: {finding.advice}"
    )
