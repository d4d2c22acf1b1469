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
        "Mend what is a fact; =all: also what the agent has to write.",
    ),
    "agent": _text("--agent", "NAME", "Ask this agent about the meaning, too: auto, codex, … (see doctor)."),
    "refuter": _text("--refuter", "NAME", "Who tries to refute what it finds (default: the same, in a session anew)."),
    "max_tokens": LIMITS["max_tokens"],
    "max_cost": LIMITS["max_cost"],
    "yes": _flag("--yes", "-y", help="Apply every fix without asking."),
    "rollback": _text("--rollback", "FIX", "Take this fix out of the skill's files again."),
    "tuning_id": _text("--tuning-id", "ID", "Take up this session instead."),
    "installed": _flag("--installed", help="The skills that are installed for the known hosts."),
    "files": _flag("--files", help="The skills that the files PATH… belong to."),
    "form": _text("--format", "FORM", "text (default), json or sarif."),
    "output": _file("--output", "-o", help="Write there what would be printed."),
    "baseline": _file("--baseline", help="Findings that are accepted as they are."),
    "update_baseline": _flag("--update-baseline", help="Accept all that is found now."),
    "max_iterations": Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="Rounds of mending (default: 5).")
    ],
}  # fmt: skip
"""By the name of the parameter."""
