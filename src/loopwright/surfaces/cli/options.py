"""Arguments and options that more than one command takes: their names and help, said once."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import ExitCode, Invalid

if TYPE_CHECKING:
    from loopwright.core.state import Limits
    from loopwright.wiring import Engine

HERE = Path()

Given = dict[str, Any]  # Any: what was typed, checked by the models
"""The options of a table below that were given, by name."""


Project = Annotated[
    Path, typer.Option("--project", metavar="DIR", show_default=False, help="Project folder (default: current).")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout, everything else to stderr.")]
LONGEST_TASK = 100_000
"""Bytes of a task in a file or on standard input."""


def read_task(words: str | None) -> str | None:
    """The task itself, where the words say where it stands: `@FILE`, or `-`. Invalid."""
    if words == "-":
        place, data = "standard input", sys.stdin.buffer.read(LONGEST_TASK + 1)
    elif words and words.startswith("@") and len(words.split()) == 1:
        place = words[1:]
        try:
            with open(place, "rb") as file:
                data = file.read(LONGEST_TASK + 1)
        except OSError as error:
            raise Invalid(f"cannot read the task from {place}: {error.strerror}") from error
    else:
        return words
    if len(data) > LONGEST_TASK:
        raise Invalid(f"the task from {place} is longer than {LONGEST_TASK:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Invalid(f"the task from {place} is not UTF-8") from error


_TASK = typer.Argument(
    metavar="TASK",
    help="What to do; @FILE reads it from a file, - from stdin.",
    show_default=False,
    callback=read_task,
)
OptionalTask = Annotated[str | None, _TASK]
Auto = Annotated[bool, typer.Option("--auto", help="Choose every step without asking.")]
Title = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title of the loop (default: the task's first line).")
]

LIMITS: dict[str, Any] = {  # Any: types with a typer.Option, here and below
    "max_iterations": Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="Maximum iterations (a loop counts its steps).")
    ],
    "max_minutes": Annotated[float | None, typer.Option("--max-minutes", metavar="M", help="Maximum working time.")],
    "max_tokens": Annotated[int | None, typer.Option("--max-tokens", metavar="T", help="Maximum tokens of an agent.")],
    "max_cost": Annotated[float | None, typer.Option("--max-cost", metavar="USD", help="Maximum cost of an agent.")],
}
SETTINGS: dict[str, Any] = {
    "agent": Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Agent that does the work: auto, builtin, codex, … (see doctor)."),
    ],
    "model": Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Model that the agent works with (default: its own).")
    ],
    "effort": Annotated[
        str | None,
        typer.Option("--effort", metavar="NAME", help="How much that model thinks: low, high, … (default: its own)."),
    ],
    "fallback": Annotated[
        list[str] | None,
        typer.Option(
            "--fallback", metavar="NAME", help="Agent that takes over when the one at work cannot go on; repeatable."
        ),
    ],
    "review": Annotated[
        str | None,
        typer.Option("--review", metavar="NAME", help="Agent that reviews the work before the end; none: nobody."),
    ],
    "permissions": Annotated[
        str | None,
        typer.Option("--permissions", metavar="WHAT", help="What the agent may do: workspace, ask, read-only or all."),
    ],
    **LIMITS,
    "park": Annotated[
        bool | None,
        typer.Option("--park/--no-park", help="Wait for an agent's usage limit to reset.", show_default=False),
    ],
    "worktree": Annotated[
        bool | None,
        typer.Option(
            "--worktree/--no-worktree",
            help="Work in a git worktree, on a branch loopwright/ID; your files stay as they are.",
            show_default=False,
        ),
    ],
    "commit": Annotated[
        bool | None,
        typer.Option(
            "--commit/--no-commit", help="Commit what each task changed, in its worktree.", show_default=False
        ),
    ],
    "sandbox": Annotated[
        str | None,
        typer.Option(
            "--sandbox",
            metavar="NAME",
            help="What agents and tests run in: auto, landlock, bwrap, required, none.",
        ),
    ],
    "test_command": Annotated[
        str | None, typer.Option("--test-command", metavar="CMD", help="Command to run the tests (default: detected).")
    ],
    "test_timeout": Annotated[
        float | None, typer.Option("--test-timeout", metavar="S", help="Seconds one test run may take.")
    ],
    "per_test_timeout": Annotated[
        float | None,
        typer.Option("--per-test-timeout", metavar="S", help="Seconds a single test may take (0: no limit)."),
    ],
    "test_parallel": Annotated[
        int | None,
        typer.Option("--test-parallel", metavar="N", help="Processes that run the tests (needs pytest-xdist)."),
    ],
    "silence_timeout": Annotated[
        float | None,
        typer.Option("--silence-timeout", metavar="S", help="Seconds without any activity (0: no limit)."),
    ],
    "allow_test_changes": Annotated[
        bool | None,
        typer.Option(
            "--allow-test-changes/--no-allow-test-changes",
            help="Accept tests that pass only because their own source changed.",
            show_default=False,
        ),
    ],
    "baseline": Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="REV",
            help="Commit whose tests count where uncommitted ones differ (default: HEAD), or worktree: none.",
        ),
    ],
    "allow_environment_changes": Annotated[
        bool | None,
        typer.Option(
            "--allow-environment-changes/--no-allow-environment-changes",
            show_default=False,
            help="Accept that installed packages, tools or git settings have changed since the run began.",
        ),
    ],
    "require": Annotated[
        str | None,
        typer.Option("--require", metavar="WHAT", help="all, or no_new_failures if tests already failed before."),
    ],
    "proof": Annotated[
        str | None,
        typer.Option(
            "--proof",
            metavar="WHAT",
            help="What proves the goal: auto (a test that fails without the change), mend, preserve or none.",
        ),
    ],
    "min_coverage": Annotated[
        float | None, typer.Option("--min-coverage", metavar="P", help="Percent of lines the tests must cover.")
    ],
    "min_mutation_score": Annotated[
        float | None,
        typer.Option(
            "--min-mutation-score", metavar="P", help="Percent of mutants of the changed lines that must be killed."
        ),
    ],
    "min_diff_coverage": Annotated[
        float | None,
        typer.Option(
            "--min-diff-coverage", metavar="P", help="Percent of the changed lines that the new tests must run."
        ),
    ],
}
"""Options of `run` and `create`: each is the setting of the same name."""

WAIVER: dict[str, Any] = {name: SETTINGS[name] for name in ("proof", "allow_environment_changes")}
"""Options of `reopen`: what only a person decides about how a run is judged."""

TASK_FIELDS: dict[str, Any] = {
    "tool": Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="bash, or an agent: codex, codex:MODEL@EFFORT.")
    ],
    "command": Annotated[str | None, typer.Option("--command", metavar="CMD", help="Command of a bash task.")],
    "on_error": Annotated[str | None, typer.Option("--on-error", metavar="WHAT", help="continue, pause or fail_fast.")],
    "mode": Annotated[str | None, typer.Option("--mode", metavar="MODE", help="write, analysis or review.")],
    "depends_on": Annotated[
        list[str] | None, typer.Option("--depends-on", metavar="TASK", help="Task that must finish first; repeatable.")
    ],
    "prompt_template": Annotated[
        str | None, typer.Option("--prompt-template", metavar="TEXT", help="Hints for the agent.")
    ],
    "allow_test_changes": SETTINGS["allow_test_changes"],
    "proof": SETTINGS["proof"],
}
"""Options of `tasks add` and `tasks edit`: each is the task's field of the same name."""

LOOP_FIELDS: dict[str, Any] = {
    "title": Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title of the loop.")],
    "description": Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What to do.")],
    "max_iterations": LIMITS["max_iterations"],
    "notes": Annotated[str | None, typer.Option("--notes", metavar="TEXT", help="For people only.")],
    "tags": Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Repeatable.")],
    "priority": Annotated[str | None, typer.Option("--priority", metavar="low|medium|high", help="For people only.")],
}
"""Options of `edit`: each is the loop's field of the same name."""


def add_options(options: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command all `options` in front of `--project`, as its `**options`; see `read_options`."""

    def extended(command: Callable[..., None]) -> Callable[..., None]:
        shape = signature(command)
        own = [p.replace(kind=p.KEYWORD_ONLY) for p in shape.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [Parameter(n, Parameter.KEYWORD_ONLY, default=None, annotation=t) for n, t in options.items()]
        at = next(n for n, parameter in enumerate(own) if parameter.name == "project")
        parameters = [*own[:at], *more, *own[at:]]
        command.__signature__ = shape.replace(parameters=parameters)  # type: ignore[attr-defined]  # as inspect reads it
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        return command

    return extended


def read_options(options: Mapping[str, Any]) -> Given:  # Any: as typed
    """Those that were given."""
    typed = {name: value for name, value in options.items() if value is not None}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in typed.items()}


def read_limits(engine: "Engine", given: Given) -> "Limits":
    """The limits among what was given, checked with the settings."""
    from loopwright.core.state import Limits

    return Limits(**{name: getattr(engine.config.settings, name) for name in LIMITS if name in given})


def need_command(context: typer.Context) -> None:
    """A group that is called without a command shows its help, on stderr because that was not meant."""
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(ExitCode.USAGE)


@contextmanager
def open_project(project: Path, flags: Given | None = None) -> "Iterator[Engine]":
    """The project's engine; imported only now, so that help and errors of usage come at once."""
    from loopwright.wiring import open_engine

    with open_engine(project, flags or {}) as engine:
        yield engine


def project_option(project: Path) -> str:
    """What a suggested command has to add when the project is not the current folder."""
    return "" if project == HERE else f" --project {quote_shell(str(project))}"


def quote_shell(text: str) -> str:
    """For the shell."""
    from shlex import quote

    return quote(text)
