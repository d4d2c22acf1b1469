"""`loopwright tunings …`: sessions that diagnose and mend skills; `loopwright tune` begins one."""

from collections.abc import Callable

import typer

from loopwright.cli import follow, looking, steering
from loopwright.cli.kinds import TUNINGS, about
from loopwright.cli.options import need_command
from loopwright.cli.tunings import commands

COMMANDS: dict[str, Callable[..., None]] = {
    "list": about(TUNINGS, looking.list_all),
    "show": about(TUNINGS, looking.show),
    "watch": about(TUNINGS, follow.watch),
    "logs": about(TUNINGS, follow.logs),
    "diff": commands.diff,
    "report": commands.report,
    "choose": commands.choose,
    "answer": about(TUNINGS, steering.answer_question),
    "approve": about(TUNINGS, steering.approve),
    "rollback": commands.rollback,
    "start": about(TUNINGS, steering.start, without="auto"),
    "resume": about(TUNINGS, steering.resume, without="auto"),
    "stop": about(TUNINGS, steering.stop),
    "recover": about(TUNINGS, steering.recover),
    "delete": about(TUNINGS, steering.delete),
}
"""In the order that `--help` lists them. A session takes seconds: it is neither paused nor reopened."""

app = typer.Typer(
    help="Sessions of loopwright tune: what was found in a skill, and what was mended.", rich_markup_mode=None
)
app.callback(invoke_without_command=True)(need_command)
