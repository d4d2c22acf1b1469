"""Options of `loopwright tune`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from loopwright.cli.options import LIMITS


def _flag(name: str, *short: str, help: str) -> Any:  # Any: a type with a typer.Option
    return Annotated[bool | None, typer.Option(name, *short, show_default=False, help=help)]


def _text(name: str, metavar: str, help: str) -> Any:  # Any: as above
    return Annotated[str | None, typer.Option(name, metavar=metavar, help=help)]


def _file(name: str, *short: str, help: str) -> Any:  # Any: as above
    return Annotated[Path | None, typer.Option(name, *short, metavar="FILE", help=help)]


TUNE: dict[str, Any] = {  # Any: as above
    "focus": _text("--focus", "WHAT", "Only some of context,memory,dataflow,agent."),
    "fix": _text(
        "--fix", "[=all]",
        "Fix what has one right answer; =all, with --agent: let the agent fix the rest.",
    ),
    "agent": _text("--agent", "NAME", "Also ask this agent about the meaning: auto, codex, … (see doctor)."),
    "refuter": _text("--refuter", "NAME", "Who tries to refute its findings (default: the same, in a new session)."),
    "max_tokens": LIMITS["max_tokens"],
    "max_cost": LIMITS["max_cost"],
    "yes": _flag("--yes", "-y", help="Apply every fix without asking."),
    "rollback": _text("--rollback", "FIX", "Undo this fix in the skill's files."),
    "tuning_id": _text("--tuning-id", "ID", "Continue this session instead."),
    "installed": _flag("--installed", help="Check the skills installed for the known hosts."),
    "files": _flag("--files", help="Check the skills that the files PATH… belong to."),
    "form": _text("--format", "FORM", "text (default), json or sarif."),
    "output": _file("--output", "-o", help="Write the output to FILE."),
    "baseline": _file("--baseline", help="Accept the findings listed in FILE."),
    "update_baseline": _flag("--update-baseline", help="Write all current findings to the baseline."),
    "max_iterations": Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="Rounds of fixing (default: 5).")
    ],
}  # fmt: skip
"""By the name of the parameter."""
