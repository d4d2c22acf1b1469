"""`loopwright cycle …`: four roles that work on one task, in iterations."""

from collections.abc import Callable

import typer

from loopwright.cli import follow, looking, steering
from loopwright.cli.cycles import asking, changing, documents, run
from loopwright.cli.kinds import CYCLES, about
from loopwright.cli.options import need_command

COMMANDS: dict[str, Callable[..., None]] = {
    "run": run.run,
    "create": run.create,
    "start": about(CYCLES, steering.start),
    "list": about(CYCLES, looking.list_all),
    "show": about(CYCLES, looking.show),
    "watch": about(CYCLES, follow.watch),
    "logs": about(CYCLES, follow.logs),
    "diff": documents.diff,
    "documents": documents.documents,
    "pause": about(CYCLES, steering.pause),
    "resume": about(CYCLES, steering.resume),
    "stop": about(CYCLES, steering.stop),
    "reopen": about(CYCLES, steering.reopen),
    "extend": changing.extend,
    "decide": asking.decide,
    "resolve": asking.resolve,
    "choose": asking.choose,
    "answer": about(CYCLES, steering.answer_question),
    "approve": about(CYCLES, steering.approve),
    "edit": changing.edit,
    "recover": about(CYCLES, steering.recover),
    "delete": about(CYCLES, steering.delete),
}
"""In the order that `--help` lists them."""

app = typer.Typer(help="Cycles: four roles analyse, plan, build and validate, in iterations.", rich_markup_mode=None)
app.callback(invoke_without_command=True)(need_command)
