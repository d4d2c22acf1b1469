"""What most commands are about, a loop, a cycle or a tuning session: its name, who carries it out, how it is shown.

Everything that shows a state is imported only when it is asked for: help and errors of usage come at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar

import typer

from loopwright.core.cycle_names import ROLES
from loopwright.core.errors import ExitCode, LoopwrightError
from loopwright.surfaces import run_kinds
from loopwright.surfaces.cli.options import HERE, open_project

if TYPE_CHECKING:
    from loopwright.core.run import Run
    from loopwright.core.run_commands import RunService
    from loopwright.surfaces.cli.run_rendering import RunRendering
    from loopwright.wiring import Engine
    from loopwright.workflows.cycle.model import CycleState
    from loopwright.workflows.loop.model import LoopState
    from loopwright.workflows.tuning.model import TuningState

S = TypeVar("S", bound="Run")

Id = str
"""The parameter of a command that names what it is about; see `about`."""


class RunKind(ABC, Generic[S]):
    """`line` begins its commands; `option` names one that is there, `summary` its summary below its progress folder.

    `logs` are what can be printed of it beside the journal: files below that folder, by name; `transcripts` those of
    them that hold what passes between the engine and the agents.
    """

    line: ClassVar[str]
    option: ClassVar[str]
    summary: ClassVar[str]
    logs: ClassVar[Mapping[str, str]]
    transcripts: ClassVar[tuple[str, ...]]
    asks: ClassVar[str]
    """What an interactive one does."""

    run_kind: ClassVar[run_kinds.RunKind[Any]]  # Any: of the states of S
    """Its entry in the registry."""

    @property
    def name(self) -> str:
        """In sentences."""
        return self.run_kind.called

    @property
    def key(self) -> str:
        """What JSON calls its id."""
        return self.run_kind.key

    def service(self, engine: "Engine") -> "RunService[S]":
        return self.run_kind.service(engine)

    @property
    def again(self) -> str:
        """Takes one that is there up, in front of its id."""
        return f"{self.line} run {self.option}"

    def exit_for(self, state: S) -> ExitCode:
        """What it means for who has waited for it that it rests."""
        from loopwright.core.pause import exit_for

        return exit_for(state)

    def stopped(self, id: str, at: str) -> str:
        """What can be done with one that was ended for good. `at` ends each command."""
        return f"`{self.again} {id}{at}` would reopen it"

    def id_of(self, state: S) -> str:
        return self.run_kind.id_of(state)

    @property
    @abstractmethod
    def rendering(self) -> "RunRendering[S]":
        """How it is shown."""


class LoopKind(RunKind["LoopState"]):
    run_kind = run_kinds.LOOP
    line, option, summary = "loopwright", "--loop-id", "summary.md"
    logs: ClassVar = {name: name for name in ("transcript.ndjson", "changes.log", "debug.log")}
    transcripts = ("transcript.ndjson",)
    asks = "it asks for every step"

    @property
    def rendering(self) -> "RunRendering[LoopState]":
        from loopwright.surfaces.cli.loop_rendering import LOOP

        return LOOP


class CycleKind(RunKind["CycleState"]):
    run_kind = run_kinds.CYCLE
    line, option, summary = "loopwright cycle", "--cycle-id", "coordination/summary.md"
    logs: ClassVar = {
        **{role: f"{role}/transcript.ndjson" for role in ROLES},
        "engine": "transcript.ndjson",
        **{name: name for name in (*(f"{role}/changes.log" for role in ROLES), "cd/debug-log.ndjson")},
        **{name: f"coordination/{name}" for name in ("decisions.log", "discoveries.ndjson")},
    }
    transcripts = (*ROLES, "engine")
    asks = "it pauses when a decision is needed"

    @property
    def rendering(self) -> "RunRendering[CycleState]":
        from loopwright.surfaces.cli.cycle_rendering import CYCLE

        return CYCLE


class TuningKind(RunKind["TuningState"]):
    run_kind = run_kinds.TUNING
    line, option, summary = "loopwright tunings", "--tuning-id", "report.md"
    logs: ClassVar = {"transcript.ndjson": "transcript.ndjson"}
    transcripts = ("transcript.ndjson",)
    asks = "it asks which fixes to apply"

    @property
    def again(self) -> str:
        return f"loopwright tune {self.option}"

    def exit_for(self, state: "TuningState") -> ExitCode:
        """By its quality gate."""
        if state.engine.outcome is None:
            return ExitCode.NEEDS_PERSON
        return ExitCode.DONE if state.status == "completed" and state.quality_gate == "pass" else ExitCode.NO_SUCCESS

    def stopped(self, id: str, at: str) -> str:
        return "unverified fixes have been removed from the skill's files"

    @property
    def rendering(self) -> "RunRendering[TuningState]":
        from loopwright.surfaces.cli.tuning_rendering import TUNING

        return TUNING


LOOPS, CYCLES, TUNINGS = LoopKind(), CycleKind(), TuningKind()
AnyKind = RunKind[Any]  # Any: a command is told which at its registration, see `about`
KINDS: tuple[AnyKind, ...] = (LOOPS, CYCLES, TUNINGS)


def id_argument(kind: AnyKind) -> Any:  # Any: as typer has it
    """The argument that names one; a shell completes it with those of the current folder."""

    def known(incomplete: str) -> list[tuple[str, str]]:
        try:
            with open_project(HERE) as engine:
                items = kind.service(engine).list(limit=100).items
        except LoopwrightError:
            return []
        found = [(kind.id_of(state), state.title) for state in items]
        return [(id, title) for id, title in found if id.startswith(incomplete)]

    return typer.Argument(
        metavar="ID", show_default=False, autocompletion=known, help=f"Id of a {kind.name} (see list)."
    )


LoopId = Annotated[str, id_argument(LOOPS)]
CycleId = Annotated[str, id_argument(CYCLES)]
TuningId = Annotated[str, id_argument(TUNINGS)]


def bind_kind(kind: AnyKind, command: Callable[..., None], *, without: str | None = None) -> Callable[..., None]:
    """The command for that kind: its parameter `kind` is filled in, `id` is one of these, and its help says so.

    `without`: a parameter that it does not have for this kind.
    """

    @wraps(command)
    def called(**values: Any) -> None:  # Any: whatever the command takes
        command(kind=kind, **values)

    parameters = [p for p in signature(command).parameters.values() if p.name not in ("kind", without)]
    optional = any(p.name == "id" and p.default is None for p in parameters)
    named = {"id": Annotated[str | None if optional else str, id_argument(kind)]}
    parameters = [p.replace(annotation=named.get(p.name, p.annotation), kind=p.KEYWORD_ONLY) for p in parameters]
    called.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    called.__doc__ = (command.__doc__ or "").replace("loop", kind.name)
    return called
