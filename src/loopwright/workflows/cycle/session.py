"""What every step of a cycle works with: the ports, the roles' agents, and what this process has seen for itself."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from loopwright.core.agent_turns import AgentTurns
from loopwright.core.context import MeasuredRunContext
from loopwright.core.cycle_names import ROLES, CycleStep, Role
from loopwright.core.errors import Invalid, NotFound
from loopwright.core.ports import Clock, Debugger, Prompter, Snapshot, Store, Surveyor, Worktrees
from loopwright.core.private_files import make_private_folder
from loopwright.core.progress_files import read_text
from loopwright.core.prompts import Prompts
from loopwright.core.protocol import Capabilities, Message
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.threads import run_in_thread
from loopwright.core.transcript import AgentDiscovery
from loopwright.evidence.debugging import DebugRequest
from loopwright.evidence.proof import ProofGoal
from loopwright.policy.permissions import turn_policy
from loopwright.reports.discoveries import (
    BAD,
    BOARD,
    Discovery,
    RejectedLine,
    merge_discoveries,
    read_board,
    read_entry,
    read_rejected_lines,
)
from loopwright.reports.phase import PhaseReport
from loopwright.reports.phase import read_phase_report as read_phase
from loopwright.workflows.cycle.messages import compose_message, cycle_prompts, wrap_ups
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.standing import cycle_goal
from loopwright.workflows.orders import MessageTexts, both_ways, look_around
from loopwright.workflows.run_flow import note_answer

FILE = "discoveries.ndjson"
"""In a role's own folder: where it writes a line for each, unless it has a tool for that."""

TOLD = 5
"""Bad lines of one reading that are told one by one."""


@dataclass
class DiscoveryBoard:
    """`known` is what it says; lines that are no findings are kept aside, and told by the next `collect`."""

    store: Store[CycleState]
    id: str
    clock: Clock
    known: list[Discovery] = field(default_factory=list)
    refused: set[tuple[str, str]] = field(default_factory=set)
    untold: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        folder = self.store.progress_path(self.id) / "coordination"
        self.known = list(read_board(_text(folder, Path(BOARD).name))[0])
        self.refused = {(bad.agent, bad.given) for bad in read_rejected_lines(_text(folder, Path(BAD).name))}

    def hear(self, note: RunNote) -> None:
        """What a role reports through the tool, at once."""
        event = note.event
        if not isinstance(event, AgentDiscovery) or event.type is None or note.role is None:
            return
        try:
            found = read_entry({"type": event.type, "data": event.data or {}}, ts=self._now(), agent=note.role)
        except Invalid as error:
            self._refuse([RejectedLine(self._now(), note.role, str(error), event.title)])
        else:
            self._add([found])

    def collect(self) -> tuple[str, ...]:
        """Takes what the roles have written into their folders; words about what was set aside since the last time."""
        for role in ROLES:
            text = _text(self.store.progress_path(self.id) / role, FILE)
            found, bad = read_board(text, ts=self._now(), agent=role)
            self._add([one._replace(agent=role) for one in found])
            self._refuse([one for one in bad if (one.agent, one.given) not in self.refused])
        told, self.untold = tuple(self.untold), []
        return told

    def _add(self, found: list[Discovery]) -> None:
        new = merge_discoveries(self.known, found)
        if new:
            self.store.append_progress(self.id, BOARD, [one.line.encode(errors="replace") for one in new])
            self.known += new

    def _refuse(self, bad: list[RejectedLine]) -> None:
        if not bad:
            return
        self.store.append_progress(self.id, BAD, [one.line.encode(errors="replace") for one in bad])
        self.refused |= {(one.agent, one.given) for one in bad}
        self.untold += [f"a discovery of {one.agent} was set aside: {one.error}" for one in bad[:TOLD]]

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")


def _text(folder: Path, name: str) -> str:
    try:
        return read_text(folder, name).text
    except NotFound:
        return ""


TurnOpener = Callable[[Role, int | None, Path | None], AgentTurns]
"""The turns of a role in a lane (None: in the project itself), whose agent works in that folder."""


def lane_name(role: Role, lane: int | None) -> str:
    """Under which a session is kept: `ra`, `cd`, `cd-2`."""
    return role if lane is None else f"{role}-{lane}"


class RoleLanes:
    """Opens turns when they are first asked for; `async with` closes every session."""

    def __init__(self, opener: TurnOpener) -> None:
        self._opener = opener
        self._open: dict[str, AgentTurns] = {}

    async def __aenter__(self) -> "RoleLanes":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.rest()

    def of(self, role: Role, lane: int | None = None, at: Path | None = None) -> AgentTurns:
        """A lane's folder is the same every time."""
        name = lane_name(role, lane)
        if name not in self._open:
            self._open[name] = self._opener(role, lane, at)
        return self._open[name]

    def opened(self, role: Role, lane: int | None = None) -> AgentTurns | None:
        """None where nobody has been asked anything there."""
        return self._open.get(lane_name(role, lane))

    async def rest(self) -> None:
        """Closes every session; the next message goes on with the one that was there."""
        async with AsyncExitStack() as closing:
            for turns in self._open.values():
                closing.push_async_callback(turns.rest)


SHOWN = 10
"""Files that an incident names."""


@dataclass(kw_only=True)
class CycleSession(MeasuredRunContext[CycleState]):
    """One runner's hold on one cycle.

    `role_buses`: what each role does, under its name. `debugger` locates faults in a folder. `merging` is held
    while the project's files are changed from a lane. `documents`: what the progress folder holds, by name, as it was
    last written or accepted; `published` is the state that it shows.
    """

    worktrees: Worktrees
    surveyor: Surveyor
    lanes: RoleLanes
    role_buses: Mapping[Role, EventBus]
    board: DiscoveryBoard
    debugger: Callable[[Path], Debugger]
    prompts: Prompts = field(default_factory=cycle_prompts)
    interactive: bool = False
    person: Prompter | None = None
    merging: asyncio.Lock = field(default_factory=asyncio.Lock)
    documents: dict[str, bytes] = field(default_factory=dict)
    published: CycleState | None = None

    def proof_goal(self) -> ProofGoal:
        return cycle_goal(self.state())

    def project_debugger(self) -> Debugger:
        return self.debugger(self.workspace.root)

    def agent(self, role: Role) -> str:
        """The name of the agent that plays the role."""
        return self.state().engine.agent_of(role)

    def able(self, role: Role) -> Capabilities:
        return self.turns(role).agent(self.agent(role)).capabilities

    def turns(self, role: Role, lane: int | None = None, at: Path | None = None) -> AgentTurns:
        return self.lanes.of(role, lane, at)

    def progress(self) -> Path:
        """The folder of all documents."""
        return self.store.progress_path(self.id)

    def folder(self, role: Role) -> Path:
        """The role's own folder; it is there."""
        folder = self.progress() / role
        make_private_folder(folder)
        return folder

    def collect(self) -> None:
        """Takes what the roles have found to the board."""
        for words in self.board.collect():
            self.note("bad_discovery", words)

    async def ask(
        self,
        role: Role,
        step: CycleStep,
        order: str,
        *,
        reading: bool,
        lane: int | None = None,
        at: Path | None = None,
        debug: DebugRequest | None = None,
    ) -> PhaseReport:
        """One turn of the role with its report. `lane` and `at`: where cd works, unless in the project. AgentError.

        `debug`: what the debugger works on when the agent asks it.

        A `reading` role may write in its own folder and nowhere else, cd in the project too: what their own tool calls
        wrote elsewhere all the same is put back, however the turn ends.
        """
        ask = partial(self._texts, role, step, at)
        message = self._message(role, step, ask(order), reading=reading).evolve(debug=debug)
        turns = self.turns(role, lane, at)
        before = await self.snapshot(f"before {step.key}") if reading else None
        turns.written()
        try:
            return await self._turn(role, step, turns, message, ask)
        finally:
            await self._put_back(role, before, turns.written())

    async def _turn(
        self, role: Role, step: CycleStep, turns: AgentTurns, message: Message, texts: Callable[[str], MessageTexts]
    ) -> PhaseReport:
        """What goes wrong with the report is told."""
        agent, key, grace = self.agent(role), step.key, self.state().engine.settings.grace_timeout
        wraps = [
            message.evolve(**texts(words)._asdict(), seconds=grace, silence=0) for words in wrap_ups(self.prompts, key)
        ]
        self.role_buses[role].publish("activity", f"{agent} works on {key}")
        answer = await turns.report(
            agent,
            message,
            wraps if grace else [],
            lambda problem: both_ways(texts(self.prompts.render("again", problem=problem))),
        )
        self.role_buses[role].publish("agent", answer.output.text or answer.report.message)
        note_answer(self, agent, key, answer, "its documents count")
        return read_phase(answer.report, role)

    def _message(self, role: Role, step: CycleStep, texts: MessageTexts, *, reading: bool) -> Message:
        settings = self.state().engine.settings
        return Message(
            action=step.name,
            **texts._asdict(),
            seconds=settings.action_timeout,
            silence=settings.silence_timeout,
            policy=turn_policy(settings.permissions, reading=reading),
            folder=str(self.folder(role)),
        )

    def _texts(self, role: Role, step: CycleStep, at: Path | None, order: str) -> MessageTexts:
        return compose_message(
            self.prompts,
            state=self.state(),
            role=role,
            step=step,
            order=order,
            around=look_around(self, self.agent(role), self.state().engine.settings.test_command or "", at),
            folder=str(self.folder(role)),
        )

    async def _put_back(self, role: Role, before: Snapshot | None, wrote: frozenset[str]) -> None:
        """The project's files that a role wrote which only reads, and other roles' documents.

        What others changed is theirs.
        """
        own: list[str] = []
        if before is not None and wrote:
            now = await self.snapshot(f"after {role}")
            changed = await run_in_thread(self.workspace.changes, before.commit, now.commit)
            own = [change.file for change in changed if change.file in wrote]
        if own and before is not None:
            await run_in_thread(self.workspace.restore, before.commit, own)
        foreign = self._foreign(role, wrote)
        if foreign:
            self.store.write_progress(self.id, {name: self.documents[name] for name in foreign})
        if own or foreign:
            words = ", ".join((*own, *foreign)[:SHOWN])
            self.note("put_back", f"reverted what {role} may not write: {words}")
        if elsewhere := await self._elsewhere(wrote.difference(own)):
            self.note(
                "wrote_elsewhere",
                f"{role} wrote what it may not, and it cannot be reverted: {', '.join(elsewhere[:SHOWN])}",
            )

    async def _elsewhere(self, wrote: frozenset[str]) -> list[str]:
        """Files of which no snapshot knows, outside of the documents."""
        progress, project = self.progress(), self.workspace.root  # a worktree does not hold the documents
        root = f"{progress.relative_to(project) if progress.is_relative_to(project) else progress}/"
        known = set(await run_in_thread(self.workspace.listed))
        return [file for file in sorted(wrote) if file not in known and not file.startswith(root)]

    def _foreign(self, role: Role, wrote: frozenset[str]) -> list[str]:
        """Documents of others among what was written; those of a role at work are its own to mend."""
        root = self.progress().resolve()
        busy = {role, *(one.step.partition(".")[0] for one in self.state().engine.under_way)}
        paths = (self.workspace.root / file for file in sorted(wrote))  # those of a lane are absolute
        names = [str(path.relative_to(root)) for path in paths if path.is_relative_to(root)]
        return [name for name in names if name in self.documents and name.split("/")[0] not in busy]
