"""What is handed through the ports."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from loopwright.domain.conversation import AgentEvent
from loopwright.domain.endless import TestLimits
from loopwright.domain.engine_state import PermissionRequest
from loopwright.domain.transcript import Asked

S = TypeVar("S")

Difference = Literal["none", "names", "more"]
"""Of two versions of a file: comments and layout at most; names and imports besides; anything else."""


class Page(NamedTuple, Generic[S]):
    """One page of a listing, newest `updated_at` first; `total` counts all that match."""

    items: tuple[S, ...]
    total: int


class FileChange(NamedTuple):
    """`action` is create, modify or delete; `file` relative to the project, with '/'."""

    file: str
    action: str


class Snapshot(NamedTuple):
    """A commit in the private repository and the hash of its tree."""

    commit: str
    tree: str


class JobDone(NamedTuple):
    """How a command of ours ended: its exit code, and the JSON object that it printed last."""

    exit_code: int
    printed: Mapping[str, Any]  # Any: parsed JSON


@dataclass(frozen=True)
class TestOrder:
    """One run of all tests.

    `timeout` for all of it, `silence` between two signs of life (0: no limit), in seconds. `marker` tags every process
    (see workspace.marks). `on_output` hears what is printed. `at` is another folder that is laid out like the project,
    to run them there. `only` keeps to these tests where the runner can; `changed` (project-relative files, with the
    changed lines of those that are Python) asks what of that each test reaches; both only `at` another folder.
    `limits` are those of single tests; `on_news` hears of tests that take long.
    """

    __test__: ClassVar[bool] = False

    command: str
    timeout: float
    marker: str
    silence: float = 0
    on_output: Callable[[str], None] | None = None
    at: Path | None = None
    only: tuple[str, ...] = ()
    changed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    limits: TestLimits = field(default_factory=TestLimits)
    on_news: Callable[[str], None] | None = None


@dataclass(frozen=True)
class Surroundings:
    """What a runner gives to the agents it starts.

    Their processes carry `loop_id` as their mark, with the `project` where they work in another folder. `hear` gets
    all that they do, in order, in the runner's thread; `output` what programs print meanwhile, which is shown and not
    kept. `permit` asks a person, and waits; True: allowed. `earlier`: what the agent of that name was sent by earlier
    runners, as far as it need not be sent again.
    """

    loop_id: str
    hear: Callable[[AgentEvent], None]
    output: Callable[[str], None]
    permit: Callable[[PermissionRequest], Awaitable[bool]]
    project: Path | None = None
    earlier: Callable[[str], Sequence[Asked]] = lambda agent: ()


async def _nobody(request: PermissionRequest) -> bool:
    return False


NOWHERE = Surroundings("", lambda event: None, lambda text: None, _nobody)
"""No loop: nobody hears, and nobody permits anything."""
