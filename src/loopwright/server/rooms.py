"""What the routes that both kinds of runs have need to know of each: where a request names one, and how it is shown."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic

from fastapi import Depends
from pydantic import BaseModel

from loopwright.domain.cycle import CycleState
from loopwright.domain.loop import LoopState
from loopwright.domain.run import R, Run
from loopwright.domain.tuning import TuningState
from loopwright.projects import Project
from loopwright.server import cycle_examples, examples, tuning_examples
from loopwright.server.answers import Answer, Json, done
from loopwright.server.asking import (
    Asked,
    asked_cycle,
    asked_loop,
    asked_tuning,
    cycle_commands,
    etag,
    loop_commands,
    tuning_commands,
)
from loopwright.server.documenting import CHANGING, Responses, answers
from loopwright.server.forms import (
    CycleForm,
    LoopForm,
    RecoveredCycleForm,
    RecoveredForm,
    RecoveredTuningForm,
    SteeredCycleForm,
    SteeredForm,
    SteeredTuningForm,
    TuningForm,
)
from loopwright.server.kinds import CYCLES, LOOPS, TUNINGS, Kind

Given = Any  # Any: what FastAPI puts in the place of a parameter


@dataclass(frozen=True)
class Room(Generic[R]):
    """`one` and `commands` are dependencies; the forms describe answers with one run: read, steered, recovered.

    `prompts` reads what its runner would say: whatever is wrong with that is told to who starts it.
    """

    kind: Kind[R]
    asked: Callable[..., Awaitable[Asked[R]]]
    service: Callable[..., Awaitable[Any]]  # Any: the commands of the kind
    prompts: Callable[[Project], object]
    form: type[BaseModel]
    steered: type[BaseModel]
    recovered: type[BaseModel]
    example: examples.Example

    @property
    def one(self) -> Given:
        """The default of a route's parameter that is the run which is asked for."""
        return Depends(self.asked)

    @property
    def commands(self) -> Given:
        """The default of a parameter that is its commands, for somebody who may have seen a version."""
        return Depends(self.service)

    def shows(self) -> Responses:
        """A route's answer that is one run."""
        return answers(self.form, self.example, CHANGING)

    def says(self, message: str) -> Responses:
        """One that is a run and a message."""
        return answers(self.steered, {**self.example, "message": self.kind.said(message)}, CHANGING)


LOOP_ROOM = Room[LoopState](
    LOOPS, asked_loop, loop_commands, lambda project: project.engine.load_prompts(),
    LoopForm, SteeredForm, RecoveredForm, examples.LOOP,
)  # fmt: skip
CYCLE_ROOM = Room[CycleState](
    CYCLES, asked_cycle, cycle_commands, lambda project: project.engine.load_cycle_prompts(),
    CycleForm, SteeredCycleForm, RecoveredCycleForm, cycle_examples.CYCLE,
)  # fmt: skip

TUNING_ROOM = Room[TuningState](
    TUNINGS, asked_tuning, tuning_commands, lambda project: project.engine.load_tuning_prompts(),
    TuningForm, SteeredTuningForm, RecoveredTuningForm, tuning_examples.TUNING,
)  # fmt: skip


def shown(
    state: Run, project: Project, *, status: int = 200, tag: str | None = None,
    location: str | None = None, **more: Json,
) -> Answer:  # fmt: skip
    """One run, with its version as ETag."""
    headers = {"etag": tag or etag(state), **({"location": location} if location else {})}
    return done(state, status=status, headers=headers, project=project.name, **more)
