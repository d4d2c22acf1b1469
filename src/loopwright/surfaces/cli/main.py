"""The outermost edge of the command line: which commands there are, and how each error leaves."""

import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from copy import copy
from typing import Annotated

import typer

from loopwright import __version__
from loopwright.core.errors import ExitCode, Invalid, LoopwrightError, translate_error
from loopwright.surfaces.cli import (
    debug,
    demo,
    doctor,
    fleet,
    follow,
    loop_commands,
    pull_request,
    replay,
    run,
    serve,
    settings,
    show_commands,
    tasks,
    tokens,
    tune,
    verify,
)
from loopwright.surfaces.cli.cycle_commands import COMMANDS as CYCLE_COMMANDS
from loopwright.surfaces.cli.derived_commands import derive_commands
from loopwright.surfaces.cli.kinds import CYCLES, LOOPS, TUNINGS, AnyKind, bind_kind
from loopwright.surfaces.cli.options import need_command
from loopwright.surfaces.cli.output import OutputStream, SilentExit, close_output, print_error
from loopwright.surfaces.cli.show_commands import redirect_kind
from loopwright.surfaces.cli.tune import TuneCommand
from loopwright.surfaces.cli.tuning_commands import COMMANDS as TUNING_COMMANDS
from loopwright.surfaces.commands import COMMANDS, CommandRow

LOOP_COMMANDS: dict[str, Callable[..., None]] = {
    "run": run.run,
    "create": run.create,
    "list": bind_kind(LOOPS, show_commands.list_all),
    "show": bind_kind(LOOPS, show_commands.show),
    "watch": bind_kind(LOOPS, follow.watch),
    "logs": bind_kind(LOOPS, follow.logs),
    "diff": show_commands.diff,
    "replay": replay.replay,
    "resume": bind_kind(LOOPS, loop_commands.resume),
    "reopen": bind_kind(LOOPS, loop_commands.reopen),
    "choose": loop_commands.choose,
    "approve": bind_kind(LOOPS, loop_commands.approve),
    "pr": bind_kind(LOOPS, pull_request.pr),
    "edit": loop_commands.edit,
    "recover": bind_kind(LOOPS, loop_commands.recover),
    "verify": bind_kind(LOOPS, verify.verify),
    "delete": bind_kind(LOOPS, loop_commands.delete),
}
OTHER_COMMANDS: dict[str, Callable[..., None]] = {
    "tune": tune.tune,
    "debug": debug.debug,
    "serve": serve.serve,
    "mcp": serve.mcp,
    "doctor": doctor.doctor,
    "gc": doctor.gc,
    "demo": demo.demo,
    "submit": fleet.submit,
    "fetch": fleet.fetch,
}
HAND_WRITTEN: dict[AnyKind, dict[str, Callable[..., None]]] = {
    LOOPS: LOOP_COMMANDS,
    CYCLES: CYCLE_COMMANDS,
    TUNINGS: TUNING_COMMANDS,
}
GROUPS: dict[AnyKind, tuple[str, str]] = {
    CYCLES: ("cycle", "Cycles: four roles analyse, plan, build and validate, in iterations."),
    TUNINGS: ("tunings", "Sessions of loopwright tune: what was found in a skill, and what was fixed."),
}
"""Where the commands of a kind stand, and the help on it; those of loops stand by themselves."""


def build_app(rows: tuple[CommandRow, ...] = COMMANDS) -> typer.Typer:
    """The whole command line: what is written by hand, and what follows from the table of commands."""
    commands = {kind: {**written, **derive_commands(rows, kind)} for kind, written in HAND_WRITTEN.items()}
    offered = {kind: names.keys() for kind, names in commands.items()}
    app = typer.Typer(
        name="loopwright",
        help="Autonomous, resumable coding loops and cycles you can trust.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(loopwright)
    groups: dict[AnyKind, typer.Typer] = {LOOPS: app}
    for kind, (_, words) in GROUPS.items():
        groups[kind] = typer.Typer(help=words, rich_markup_mode=None)
        groups[kind].callback(invoke_without_command=True)(need_command)
    for kind, group in groups.items():
        for name, command in commands[kind].items():
            group.command(name)(redirect_kind(name, command, kind, offered))
    for name, command in OTHER_COMMANDS.items():
        of_tunings = name == "tune"
        told = redirect_kind(name, command, TUNINGS, offered) if of_tunings else command
        app.command(name, cls=TuneCommand if of_tunings else None)(told)
    for kind, (name, _) in GROUPS.items():
        app.add_typer(groups[kind], name=name)
    app.add_typer(tasks.app, name="tasks")
    app.add_typer(fleet.app, name="fleet")
    app.add_typer(tokens.app, name="tokens")
    app.add_typer(settings.config, name="config")
    app.add_typer(settings.schema, name="schema")
    return app


def loopwright(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False
) -> None:
    if version:
        print(f"loopwright {__version__}")
    else:
        need_command(context)


app = build_app()


def run_command_line() -> None:
    """The process's entry."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, as some parents have it, every program would exit with 0
    out, err = OutputStream(1), OutputStream(2)
    sys.stdout, sys.stderr = out.text(), err.text()
    code = main(sys.argv[1:])
    code = close_output(out, code)
    eval("None")  # CPython remembers a Ctrl-C within the last eval(), and ends `python -m` by that signal
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code. Every error is told here, and only here."""
    as_json = "--json" in arguments[: [*arguments, "--"].index("--")]
    try:
        _check_encoding(arguments)
        called = _narrow_app(arguments[0]) if arguments else app
        code = called(args=list(arguments), prog_name="loopwright", standalone_mode=False) or ExitCode.DONE
        if code == ExitCode.INTERRUPTED:  # what typer makes of a KeyboardInterrupt
            print_error(as_json, "interrupted")
        return code
    except SilentExit as end:
        return end.code
    except LoopwrightError as error:
        print_error(as_json, error.typed(), error)
        return translate_error(error).exit
    except typer.TyperException as error:
        print_error(as_json, f"{error.format_message()} (see loopwright {_command(arguments)}--help)")
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        print_error(as_json, "interrupted")
        return ExitCode.INTERRUPTED
    except OSError as error:
        print_error(
            as_json, " ".join(filter(None, (error.filename and f"{error.filename}:", error.strerror or str(error))))
        )
        return ExitCode.DAMAGED
    except Exception as error:  # noqa: BLE001 - the outermost edge: the cause is printed
        traceback.print_exc()
        print_error(as_json, f"internal error: {error!r}; please report it with the lines above")
        return ExitCode.NO_SUCCESS


def _narrow_app(name: str) -> typer.Typer:
    """With the command of that name alone, if there is one: typer makes objects of every option that an app has."""
    narrow = copy(app)
    narrow.registered_commands = [command for command in app.registered_commands if command.name == name]
    narrow.registered_groups = [group for group in app.registered_groups if group.name == name]
    return narrow if narrow.registered_commands or narrow.registered_groups else app


def _check_encoding(arguments: Sequence[str]) -> None:
    if any("\udc80" <= c <= "\udcff" for argument in arguments for c in argument):
        raise Invalid("the arguments are not valid UTF-8")


def _command(arguments: Sequence[str]) -> str:
    """The command that was called, for a pointer to its help."""
    first, second = [*arguments, "", ""][:2]
    commands = {command.name for command in app.registered_commands}
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    group = groups.get(first) if first in ("cycle", "tunings") else None
    if group and second in {command.name for command in group.registered_commands}:
        return f"{first} {second} "
    return f"{first} " if first in commands or first in groups else ""
