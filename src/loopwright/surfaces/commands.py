"""The commands on one run, each said once: a row is a command, an HTTP route with its documentation, and an MCP tool.

The signature of a row's handler is what the command takes: each keyword parameter becomes an option or argument of the
command line, a field of the request's body (or a part of its path), and an argument of the tool. The first sentence of
its docstring is the help, the rest says more where there is room for it. `{kind}` stands for what the run is.

Commands that a surface words in its own way (`run` with its dialogue, `list`, the limits of `reopen`) stay with it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from loopwright.core.cycle_names import Role
from loopwright.core.names import Mode
from loopwright.surfaces.run_kinds import KindName

if TYPE_CHECKING:
    from typing import TypeVar

    from pydantic import BaseModel

    from loopwright.core.run import R
    from loopwright.core.run_commands import RunService
    from loopwright.workflows.cycle.model import CycleState
    from loopwright.workflows.cycle.service import CycleService
    from loopwright.workflows.loop.model import LoopState
    from loopwright.workflows.loop.service import LoopService
    from loopwright.workflows.tuning.model import TuningState
    from loopwright.workflows.tuning.service import TuningService

    M = TypeVar("M", bound=BaseModel)

Kinds = tuple[KindName, ...]
CYCLE: Kinds = ("cycle",)
TUNING: Kinds = ("tuning",)
LOOPS_AND_CYCLES: Kinds = ("loop", "cycle")
ALL: Kinds = (*LOOPS_AND_CYCLES, "tuning")

Surface = Literal["cli", "http", "mcp"]
EVERYWHERE: frozenset[Surface] = frozenset({"cli", "http", "mcp"})

Effect = Literal["notes", "holds", "ends", "works"]
"""What follows: something is written down; a runner waits; something is given up for good; an agent goes to work."""

REQUIRED = Parameter.empty


@dataclass(frozen=True)
class Option:
    """Help on a parameter. On the command line it is `--name`, or `--flag`, which stands for `value`.

    `flag_kinds`: the command line offers it for these; other runs refuse it themselves. `least` and `most` bound a
    number in bodies and tools; the service has the last word.
    """

    help: str
    least: int | None = None
    most: int | None = None
    flag: str = ""
    value: str = ""
    flag_help: str = ""
    flag_kinds: Kinds = ALL


@dataclass(frozen=True)
class Argument(Option):
    """One that the command line takes by its place."""

    metavar: str = ""


@dataclass(frozen=True)
class CommandField:
    """What a command takes. `default` is REQUIRED where it has none."""

    name: str
    type: Any  # Any: a type
    default: Any  # Any: of that type
    option: Option

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED

    @property
    def is_list(self) -> bool:
        return get_origin(self.type) is tuple


@dataclass(frozen=True)
class CommandRow:
    """`handle` blocks; it is given the run's service, its id and the fields, and returns the run's new state.

    `kinds` have the command on these `surfaces`; the command line may offer it for fewer, `cli_kinds`. `done` follows
    the kind in the answer, as in `Loop paused`, or names fields: `{fix} rolled back`. `path` is below the run's
    address; `{fix_id}` in it stands for the field `fix`. `tool`: another name than `name`.
    """

    name: str
    handle: Callable[..., Any]  # Any: a state of the kind
    done: str = ""
    effect: Effect = "notes"
    kinds: Kinds = ALL
    surfaces: frozenset[Surface] = EVERYWHERE
    cli_kinds: Kinds = ALL
    path: str = ""
    tool: str = ""
    example: Mapping[str, Any] = field(default_factory=dict)  # Any: JSON

    @cached_property
    def fields(self) -> tuple[CommandField, ...]:
        return tuple(_field(p) for p in signature(self.handle).parameters.values() if p.kind is Parameter.KEYWORD_ONLY)

    def is_on(self, surface: Surface, kind: KindName) -> bool:
        """Whether runs of the kind have it there."""
        return surface in self.surfaces and kind in self.kinds and (surface != "cli" or kind in self.cli_kinds)

    @property
    def route(self) -> str:
        return self.path or f"/{self.name}"

    @property
    def tool_name(self) -> str:
        return self.tool or self.name

    def help_for(self, kind: str) -> str:
        """In a sentence."""
        return self._words[0].format(kind=kind)

    def details_for(self, kind: str) -> str:
        """What there is to say beyond that; may be empty."""
        return self._words[1].format(kind=kind)

    def what_was_done(self, subject: str, given: Mapping[str, object]) -> str:
        """Of the subject, unless the row names something else; empty where the run says it all."""
        if "{" in self.done:
            return self.done.format_map(given)
        return f"{subject} {self.done}" if self.done else ""

    @property
    def _words(self) -> tuple[str, str]:
        first, _, rest = (getdoc(self.handle) or self.name).partition("\n\n")
        return first.replace("\n", " "), rest.replace("\n", " ")


def _field(parameter: Parameter) -> CommandField:
    value_type, option = get_args(parameter.annotation)
    return CommandField(parameter.name, value_type, parameter.default, option)


def create_input(
    name: str, base: "type[M]", fields: "Iterable[CommandField]", type_of: Callable[[CommandField], Any]
) -> "type[M]":  # Any: a type
    """A model of what a command takes, on a surface that wants `type_of` each field."""
    from pydantic import Field, create_model  # the command line needs no model

    definitions: dict[str, Any] = {
        field.name: (
            type_of(field),
            Field(
                ... if field.is_required else field.default,
                description=field.option.help,
                ge=field.option.least,
                le=field.option.most,
            ),
        )
        for field in fields
    }
    return create_model(name, __base__=base, **definitions)


ModeField = Annotated[
    Mode | None,
    Option(
        "The mode to continue in; default: unchanged.",
        flag="--auto",
        value="auto",
        flag_help="Choose every step without asking.",
        flag_kinds=LOOPS_AND_CYCLES,
    ),
]


def start_run(service: "RunService[R]", id: str, *, mode: ModeField = None) -> "R":
    """Start a {kind} in the background.

    It runs in its own process.
    """
    return service.start(id, mode)


def pause_run(
    service: "RunService[R]",
    id: str,
    *,
    now: Annotated[bool, Option("Also cancel the action in progress.")] = False,
) -> "R":
    """Pause a {kind} before its next step.

    Nothing is lost.
    """
    return service.pause(id, now=now)


def resume_run(service: "RunService[R]", id: str, *, mode: ModeField = None) -> "R":
    """Resume a paused or abandoned {kind} in the background.

    Also one whose runner died.
    """
    return service.resume(id, mode)


def stop_run(service: "RunService[R]", id: str) -> "R":
    """End a {kind} for good, with its runner and everything it started.

    Changes to the project stay, and it can be reopened; of a tuning session only verified fixes stay in the skill.
    """
    import asyncio  # slow to load, and most commands have no use for it

    return asyncio.run(service.stop(id))


def answer_run(
    service: "RunService[R]",
    id: str,
    *,
    text: Annotated[str, Argument("The answer to the question it is waiting on.", metavar="TEXT")],
) -> "R":
    """Answer the question a {kind} is waiting on.

    A paused one takes the answer once it is resumed.
    """
    return service.answer(id, text)


def tell_run(
    service: "RunService[R]",
    id: str,
    *,
    text: Annotated[str, Argument("What to tell it.", metavar="TEXT")],
    now: Annotated[bool, Option("Cut its turn off for it, where it cannot be told within the turn.")] = False,
    role: Annotated[Role | None, Option("Tell only this role of a cycle: ra, ep, cd or vas.")] = None,
) -> "R":
    """Tell the agent of a {kind} something while it works.

    It hears it within its turn where it can (codex), else with its next order; a {kind} does not end before. `show`
    tells whether a message is queued, delivered or answered.
    """
    return service.tell(id, text, now=now, role=role)


def rewind_loop(
    service: "LoopService", id: str, *, to: Annotated[int, Option("Checkpoint number.", least=1, most=2**53)]
) -> "LoopState":
    """Restore files and progress from a checkpoint.

    The current state becomes a checkpoint first.
    """
    return service.rewind(id, to)


def extend_cycle(
    service: "CycleService", id: str, *, text: Annotated[str, Argument("What to add or change.", metavar="TEXT")]
) -> "CycleState":
    """Add to a cycle's task; one that is not running continues in the background.

    A running one picks it up after its iteration.
    """
    return service.extend(id, text)


def decide_cycle(
    service: "CycleService",
    id: str,
    *,
    decision: Annotated[str, Argument("Id of a pending decision.", metavar="DECISION")],
    option: Annotated[str, Argument("One of its options; any text if it has none.", metavar="OPTION")],
) -> "CycleState":
    """Make a decision that a role left to you.

    A paused cycle continues once it is resumed.
    """
    return service.decide(id, decision, option)


def resolve_blocker(
    service: "CycleService",
    id: str,
    *,
    blocker: Annotated[str, Argument("Id of an open blocker.", metavar="BLOCKER")],
    resolution: Annotated[str, Argument("How it was resolved.", metavar="TEXT")],
    workaround: Annotated[bool, Option("The blocker remains, but there is a workaround.")] = False,
) -> "CycleState":
    """Resolve what blocks a role.

    The blocked work continues.
    """
    return service.resolve(id, blocker, resolution, workaround=workaround)


def choose_rival(
    service: "CycleService",
    id: str,
    *,
    choice: Annotated[str, Argument("Id of a rival of one of its patches: rival-1, …", metavar="RIVAL")],
) -> "CycleState":
    """Replace a patch with another edit that passes the same tests.

    A finished cycle continues, to validate it.
    """
    return service.choose(id, choice)


def choose_fixes(
    service: "TuningService",
    id: str,
    *,
    fixes: Annotated[
        tuple[str, ...], Argument("Ids of the fixes to apply; the others never are. None: [].", metavar="FIX…")
    ],
) -> "TuningState":
    """Choose which of the proposed fixes are applied; the session continues in the background.

    It ends where there is nothing to apply.
    """
    return service.choose(id, fixes)


def roll_back_fix(
    service: "TuningService",
    id: str,
    *,
    fix: Annotated[str, Argument("Id of a fix in the skill's files.", metavar="FIX")],
) -> "TuningState":
    """Undo a fix in the skill's files.

    They become what they were, byte for byte; only after the session has ended. Then the skill is diagnosed again.
    """
    return service.roll_back(id, fix.upper())


BY_HAND: frozenset[Surface] = frozenset({"cli", "http"})
"""What MCP words in its own way, if at all."""

COMMANDS: tuple[CommandRow, ...] = (
    CommandRow("start", start_run, "started", "works", surfaces=BY_HAND, example={"mode": "auto"}),
    CommandRow("pause", pause_run, "paused", "holds", cli_kinds=LOOPS_AND_CYCLES, example={"now": False}),
    CommandRow("resume", resume_run, "resumed", "works", surfaces=frozenset({"http"}), example={"mode": "auto"}),
    CommandRow("stop", stop_run, "stopped", "ends"),
    CommandRow("answer", answer_run, surfaces=BY_HAND, example={"text": "Use the second schema"}),
    CommandRow("tell", tell_run, "told", kinds=LOOPS_AND_CYCLES, example={"text": "Leave the public API as it is"}),
    CommandRow("rewind", rewind_loop, kinds=("loop",), surfaces=BY_HAND, example={"to": 2}),
    CommandRow("extend", extend_cycle, "extended", "works", CYCLE, BY_HAND, example={"text": "Also check the balance"}),
    CommandRow(
        "decide",
        decide_cycle,
        "",
        "notes",
        CYCLE,
        BY_HAND,
        path="/decisions/{decision_id}",
        example={"option": "Keep the float"},
    ),
    CommandRow(
        "resolve",
        resolve_blocker,
        kinds=CYCLE,
        path="/blockers/{blocker_id}",
        example={"resolution": "The schema lies in docs/schema.md"},
    ),
    CommandRow("choose", choose_rival, kinds=CYCLE, surfaces=BY_HAND, example={"choice": "rival-1"}),
    CommandRow(
        "choose", choose_fixes, "goes on", "works", TUNING, frozenset({"http", "mcp"}), example={"fixes": ["FIX-001"]}
    ),
    CommandRow(
        "rollback",
        roll_back_fix,
        "{fix} rolled back",
        "ends",
        TUNING,
        path="/fixes/{fix_id}/rollback",
        tool="roll_back",
        example={"fix": "FIX-001"},
    ),
)
