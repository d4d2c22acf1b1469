"""What an agent is told that shall mend a skill, put together from the prompt beside it."""

from collections.abc import Sequence
from pathlib import Path

from loopwright.domain.findings import Finding
from loopwright.domain.tuning import TuningState
from loopwright.prompts import Prompts

PACKAGE = "loopwright.tune"
FOLDER = "tune"
"""Where a project keeps its own prompt for this, in its folder of prompts."""
REQUIRED = {"mend": frozenset({"folder", "findings", "lines"})}
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
        "mend", folder=str(folder), findings="\n\n".join(_told(finding) for finding in findings), lines=str(lines),
        described=state.user_issue_description or "nothing", tried="\n".join(f"- {why}" for why in known) or "nothing",
    )  # fmt: skip


def _told(finding: Finding) -> str:
    also = f"\nAlso: {', '.join(finding.also)}" if finding.also else ""
    return (
        f"## {finding.rule} ({finding.severity}), {finding.file} line {finding.line}\n\n{finding.message}\n"
        f"It stands there: {finding.excerpt}{also}\nWhy it matters: {finding.why}\nWhat to do: {finding.advice}"
    )
