"""The commands of the table in surfaces/commands.py, as typer takes them, and what each says when it is done."""

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from loopwright.core.text import plural
from loopwright.surfaces import commands
from loopwright.surfaces.cli.kinds import CYCLES, AnyKind, id_argument
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project, project_option
from loopwright.surfaces.cli.output import print_answer, print_remark
from loopwright.surfaces.commands import Argument, CommandField, CommandRow

if TYPE_CHECKING:
    from loopwright.core.run import Run
    from loopwright.workflows.cycle.model import CycleState
    from loopwright.workflows.loop.model import LoopState


class CommandResult(NamedTuple):
    """What came of a command. `was_live`: a runner was at it before; `at` ends each suggested command."""

    row: CommandRow
    kind: AnyKind
    id: str
    given: Mapping[str, Any]  # Any: as typed
    state: Any  # Any: of the kind
    was_live: bool
    at: str


def derive_command(row: CommandRow, kind: AnyKind) -> Callable[..., None]:
    """A function that typer makes a command of: its id first, then what the row takes."""
    fields = [field for field in row.fields if not field.option.flag or kind.run_kind.name in field.option.flag_kinds]

    def command(id: str, project: Path, json: bool, **typed: Any) -> None:  # Any: as typed
        given = {field.name: _value(field, typed[field.name]) for field in fields if typed[field.name] is not None}
        with open_project(project) as engine:
            if row.effect == "works":
                kind.run_kind.load_prompts(engine)  # here a bad one is seen; its runner's words are only in a log
            service = kind.service(engine)
            live = service.is_live(id)
            if live and (remark := REMARKS.get(row.handle)):
                print_remark(remark.format(id=id))
            state = row.handle(service, id, **given)
        result = CommandResult(row, kind, id, given, state, live, project_option(project))
        print_answer(json, state, RESULT_WORDS.get(row.handle, _what_was_done)(result))

    parameters = [
        _parameter("id", Annotated[str, id_argument(kind)]),
        *(_parameter(field.name, _annotation(field), _default(field)) for field in fields),
        _parameter("project", Project, HERE),
        _parameter("json", Json, False),
    ]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # as inspect reads it
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = row.help_for(kind.name)
    return command


def derive_commands(rows: Iterable[CommandRow], kind: AnyKind) -> dict[str, Callable[..., None]]:
    """By name, in the order of the table."""
    return {row.name: derive_command(row, kind) for row in rows if row.is_on("cli", kind.run_kind.name)}


def _parameter(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:  # Any: as inspect has it
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _annotation(field: CommandField) -> Any:  # Any: a type with what typer says about it
    option, typed = field.option, list[str] if field.is_list else field.type
    if isinstance(option, Argument):
        return Annotated[typed, typer.Argument(metavar=option.metavar, show_default=False, help=option.help)]
    if option.flag:
        return Annotated[bool, typer.Option(option.flag, help=option.flag_help)]
    name = f"--{field.name.replace('_', '-')}"
    if field.type is bool:
        return Annotated[bool, typer.Option(name, help=option.help)]
    metavar = "N" if field.type in (int, float) else "TEXT"
    return Annotated[typed, typer.Option(name, metavar=metavar, help=option.help, show_default=False)]


def _default(field: CommandField) -> Any:  # Any: of the field's type
    return False if field.option.flag else field.default


def _value(field: CommandField, typed: Any) -> Any:  # Any: as typed, and as the field has it
    if field.option.flag:
        return field.option.value if typed else field.default
    return tuple(typed) if isinstance(typed, list) else typed


def how_to_follow(kind: AnyKind, state: "Run", at: str) -> str:
    """The command that follows one that goes on in the background, and what it will ask."""
    id = kind.id_of(state)
    follow = f"follow it with: {kind.line} watch {id}{at}"
    if state.engine.settings.mode == "auto":
        return follow
    return f"{follow}\n{kind.asks}; see what it offers with: {kind.line} show {id}{at}"


def taken_words(line: str, rival: str, state: "LoopState | CycleState", id: str, at: str) -> str:
    """That a rival is in the place of the patch, and what is to be done about its validation."""
    if state.status == "running":
        return f"{rival} replaced the patch and is being validated; follow it with: {line} watch {id}{at}"
    return f"{rival} replaced the patch; validate it with: {line} resume {id}{at}"


def extended_words(state: "CycleState", at: str) -> str:
    """What becomes of an extension."""
    id = state.cycle_id
    if state.engine.queue:
        return f"{id} picks it up after iteration {state.current_iteration}"
    return f"{id} extended, iteration {state.current_iteration} begins; {how_to_follow(CYCLES, state, at)}"


def _what_was_done(result: CommandResult) -> str:
    return result.row.what_was_done(result.id, result.given) or f"{result.id}: {result.row.name} is done"


def _started(result: CommandResult) -> str:
    return f"{result.id} started; {how_to_follow(result.kind, result.state, result.at)}"


def _paused(result: CommandResult) -> str:
    when = "; the action in progress finishes first (--now cancels it)"
    return (
        f"{result.id} paused{when if result.was_live and not result.given['now'] else ''}; "
        f"continue with: {result.kind.line} resume {result.id}{result.at}"
    )


def _stopped(result: CommandResult) -> str:
    return f"{result.id} stopped; {result.kind.stopped(result.id, result.at)}"


def _answered(result: CommandResult) -> str:
    if result.state.status == "running":
        return f"answer saved; the {result.kind.name} picks it up"
    return f"answer saved; deliver it with: {result.kind.line} resume {result.id}{result.at}"


def _rewound(result: CommandResult) -> str:
    kept = result.state.engine.checkpoints[-1].n
    return f"{result.id} is back at checkpoint {result.given['to']}; the previous state is kept as checkpoint {kept}"


def _applied(result: CommandResult) -> str:
    branch = result.state.engine.branch
    if not branch.applied_files:
        return f"nothing to apply: your files hold what {result.id} did"
    files = plural(branch.applied_files, "file")
    return f"{files} of {result.id} applied; they are uncommitted changes now, see: git diff"


def _branched(result: CommandResult) -> str:
    branch = result.state.engine.branch
    name = branch.named or branch.name
    return f"{name} holds what {result.id} did ({branch.tip[:10]}); see: git log {branch.base[:10]}..{name}"


def _decided(result: CommandResult) -> str:
    return f"{result.given['decision']} is decided: {result.given['option']}{_what_is_left(result)}"


def _resolved(result: CommandResult) -> str:
    word = "worked around" if result.given["workaround"] else "resolved"
    return f"{result.given['blocker']} is {word}{_what_is_left(result)}"


def _what_is_left(result: CommandResult) -> str:
    """What is open still, else how to go on."""
    undecided = [decision.id for decision in result.state.coordination.undecided]
    if undecided:
        return f"; still undecided: {', '.join(undecided)}"
    if result.state.status == "paused":
        return f"; continue with: {result.kind.line} resume {result.id}{result.at}"
    return ""


def _rival_taken(result: CommandResult) -> str:
    words = taken_words(result.kind.line, result.given["choice"], result.state, result.id, result.at)
    return f"{result.id}: {words}"


def _rolled_back(result: CommandResult) -> str:
    fix, score = result.given["fix"].upper(), result.state.quality_score
    return f"{fix} is rolled back: its files are byte for byte what they were (score {score:g})"


RESULT_WORDS: Mapping[Callable[..., Any], Callable[[CommandResult], str]] = {  # Any: as CommandRow.handle
    commands.start_run: _started,
    commands.pause_run: _paused,
    commands.stop_run: _stopped,
    commands.answer_run: _answered,
    commands.rewind_loop: _rewound,
    commands.apply_run: _applied,
    commands.branch_run: _branched,
    commands.extend_cycle: lambda result: extended_words(result.state, result.at),
    commands.decide_cycle: _decided,
    commands.resolve_blocker: _resolved,
    commands.choose_rival: _rival_taken,
    commands.roll_back_fix: _rolled_back,
}
"""What each says when it is done, by its handler; any other says what its row does."""

REMARKS: Mapping[Callable[..., Any], str] = {commands.stop_run: "asking the runner of {id} to exit"}  # Any: as above
"""What each says before, where a runner is at it."""
