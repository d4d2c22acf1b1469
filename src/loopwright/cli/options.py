"""Arguments and options that more than one command takes: their names and help, said once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from loopwright.wiring import Engine

HERE = Path()


def _known_ids(incomplete: str) -> list[tuple[str, str]]:
    """Completion: the loops of the project in the current folder."""
    from loopwright.domain.errors import LoopwrightError

    try:
        with opened(HERE) as engine:
            loops = engine.service.list(limit=100).items
    except LoopwrightError:
        return []
    return [(loop.loop_id, loop.title) for loop in loops if loop.loop_id.startswith(incomplete)]


Project = Annotated[
    Path, typer.Option("--project", metavar="DIR", show_default=False, help="Project folder (default: this one).")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, all else on stderr.")]
LoopId = Annotated[str, typer.Argument(metavar="ID", show_default=False, autocompletion=_known_ids)]

Auto = Annotated[bool, typer.Option("--auto", help="Choose every step without asking.")]
Title = Annotated[str | None, typer.Option("--title", help="Name of the loop (default: the task's first words).")]
AgentName = Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Who does the work: auto, builtin, …")]
MaxIterations = Annotated[
    int | None, typer.Option("--max-iterations", metavar="N", help="Limit of DEVELOP, DEBUG and VALIDATE steps.")
]
MaxMinutes = Annotated[float | None, typer.Option("--max-minutes", metavar="M", help="Limit of working time.")]
TestCommand = Annotated[
    str | None, typer.Option("--test-command", metavar="CMD", help="How the tests are run (default: detected).")
]
TestTimeout = Annotated[
    float | None, typer.Option("--test-timeout", metavar="S", help="Seconds that one test run may take.")
]
AllowTestChanges = Annotated[
    bool, typer.Option("--allow-test-changes", help="Accept tests that pass only since their own source changed.")
]
Required = Annotated[
    str | None, typer.Option("--require", metavar="WHAT", help="all, or no_new_failures where some were red before.")
]
MinCoverage = Annotated[
    float | None, typer.Option("--min-coverage", metavar="P", help="Percent of lines the tests must cover.")
]


@contextmanager
def opened(project: Path, flags: dict[str, object] | None = None) -> "Iterator[Engine]":
    """The project's engine; imported only now, so that help and errors of usage come at once."""
    from loopwright.wiring import open_engine

    with open_engine(project, flags or {}) as engine:
        yield engine


def elsewhere(project: Path) -> str:
    """What a suggested command has to add when the project is not the current folder."""
    return "" if project == HERE else f" --project {quoted(str(project))}"


def quoted(text: str) -> str:
    """For the shell."""
    from shlex import quote

    return quote(text)
