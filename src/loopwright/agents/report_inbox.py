"""Where an agent's tools put its reports, and where its runner finds them."""

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from loopwright.agents.report_spool import ReportSpool, SpooledCall
from loopwright.core.errors import Invalid
from loopwright.core.protocol import ActionReport, Message
from loopwright.core.transcript import AgentDiscovery
from loopwright.evidence.debugging import DebugContext
from loopwright.reports.text import asks_person
from loopwright.reports.tools import (
    EndReview,
    JudgeFinding,
    ProposeHypotheses,
    ProposeTasks,
    ReportActionResult,
    ReportCall,
    ReportDiscovery,
    ReportFinding,
    ReportObjection,
    ReportOrder,
    ReportPart,
    ReportPhaseResult,
    ReportSkillFinding,
    is_aside,
    read_call,
)


def merge_report(said: ActionReport | None, calls: Sequence[ReportCall]) -> ActionReport | None:
    """The turn's report. The last result that was told through the tool holds; without one, `said` does.

    What was proposed through tools stands in place of the same in the text; what only the text has is kept.
    """
    results = [report for call in calls if (report := _report(call)) is not None]
    report = results[-1] if results else said
    if report is None:
        return None
    if results and said is not None and said.action == report.action:
        report = report.evolve(
            files_updated=report.files_updated or said.files_updated,
            next_action_needed=report.next_action_needed or said.next_action_needed,
            options=report.options or said.options,
            state_updates={**said.state_updates, **report.state_updates},
        )
    # the state updates that the proposals come to; each of a kind is kept once
    updates: dict[str, JsonValue] = {}
    tasks = [task for call in calls if isinstance(call, ProposeTasks) for task in call.tasks]
    causes = [call for call in calls if isinstance(call, ProposeHypotheses)]
    if tasks:
        updates["tasks"] = _listed(tasks)
    if causes:
        updates["hypotheses"] = _listed(hypothesis for call in causes for hypothesis in call.hypotheses)
    if found := [call for call in calls if isinstance(call, ReportSkillFinding)]:
        updates["findings"] = _listed(found)
    if objections := [call for call in calls if isinstance(call, ReportObjection)]:
        updates["objections"] = _listed(objections)
    if judged := [call for call in calls if isinstance(call, JudgeFinding)]:
        updates["verdicts"] = _listed(judged)
    if bugs := [call.active_bug for call in causes if call.active_bug]:
        updates["active_bug"] = bugs[-1]
    return report.evolve(state_updates={**report.state_updates, **updates})


def _report(call: ReportCall) -> ActionReport | None:
    """The result that the call tells; None where it tells something else."""
    match call:
        case ReportActionResult():
            wanted = call.next_action_needed or None
            shown: dict[str, JsonValue] = {
                "shown_by": list(call.shown_by),
                "proof": call.proof,
                "disputes": list(call.disputes),
            }
            return ActionReport(
                action=call.action,
                status="needs_input" if asks_person(wanted) else call.status,
                message=call.message,
                files_updated={file.path: file.description for file in call.files_updated},
                next_action_needed=wanted,
                options=call.options,
                state_updates={name: value for name, value in shown.items() if value},
            )
        case ReportPhaseResult():
            updates: dict[str, list[JsonValue]] = {
                "issues": list(call.issues),
                "blockers": _listed(call.blockers),
                "decisions": _listed(call.decisions),
                "shown_by": list(call.shown_by),
            }
            return ActionReport(
                action=call.phase,
                status=call.status,
                message=call.summary,
                files_updated={file.path: file.description for file in call.files_written},
                state_updates={name: entries for name, entries in updates.items() if entries},
            )
        case EndReview():
            return ActionReport(action=call.action, status="success", message=call.summary)
        case _:
            return None


def _listed(parts: Iterable[ReportPart]) -> list[JsonValue]:
    return [part.model_dump(mode="json") for part in dict.fromkeys(parts)]


SERVER = "loopwright.surfaces.mcp.report"

_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class McpServer:
    """An MCP server over stdio, as it is handed to an agent's session."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


class ReportInbox:
    """One session's reports, in a folder outside of the project that lasts as long as the session.

    What a tool proposed in a turn that ended without a report is kept for the next one of the same action: that is the
    one in which the agent is asked for its report again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._box = ReportSpool(folder)
        self._order = ReportOrder(turn=0, action="")
        self._kept: tuple[ReportCall, ...] = ()
        self._given = 0
        self._reported = True

    @property
    def server(self) -> McpServer:
        """The server that the session has to be given.

        No folder of the project can take the place of its modules: not its working directory (-P), not PYTHONPATH.
        """
        args = ("-P", "-m", SERVER, str(self._folder))
        # PYTHONPATH is empty, unless this very package was found through it
        known = os.environ.get("PYTHONPATH", "")
        is_needed = any(Path(part).resolve() == Path(__file__).parents[2] for part in known.split(os.pathsep) if part)
        return McpServer("loopwright", sys.executable, args, (("PYTHONPATH", known if is_needed else ""),))

    def open(self, message: Message) -> None:
        """A turn begins: what was reported before counts no more, and reports are held against this order. OSError."""
        calls = self._calls()
        again = not self._reported and message.action == self._order.action  # the turn is to be reported once more
        self._kept = tuple(
            call
            for n, call in enumerate(calls)
            if (again and call.only == message.action) or (_found(call, self._order.action) and n >= self._given)
        )
        self._given, self._reported = 0, False
        self._order = ReportOrder(turn=self._order.turn + 1, action=message.action, debugs=message.debug is not None)
        self._box.begin(self._order, _ground(message))

    @property
    def is_known(self) -> bool:
        """Whether the agent has asked for the tools."""
        return self._box.is_known()

    async def until_known(self, seconds: float) -> bool:
        """Waits until the agent has asked for the tools, or until that time is over; whether it has."""
        until = time.monotonic() + seconds
        while True:
            known = self._box.is_known()
            if known or time.monotonic() >= until:
                return known
            await asyncio.sleep(_LOOK_SECONDS)

    def report(self) -> ActionReport | None:
        """What this turn reported through the tools, put together; None where it reported no result."""
        return self.merged(None)

    def merged(self, said: ActionReport | None) -> ActionReport | None:
        """The report of this turn: `said` is the one that its text holds. None where neither of them tells a result."""
        report = merge_report(said, [call for call in self._calls() if not is_aside(call, self._order.action)])
        self._reported = report is not None
        return report

    def discoveries(self) -> tuple[AgentDiscovery, ...]:
        """What this turn found worth keeping; each is given once."""
        calls = self._calls()
        new, self._given = calls[self._given :], len(calls)
        return tuple(found for call in new if (found := _found(call, self._order.action)) is not None)

    def _calls(self) -> tuple[ReportCall, ...]:
        """What is kept, then this turn's; the folder is the agent's too, so that all of it is checked again."""
        letters = self._box.letters(self._order.turn)
        new = tuple(call for letter in letters if (call := _read(self._order, letter)) is not None)
        renewed = {call.name for call in new if call.only}
        return (*(call for call in self._kept if call.name not in renewed), *new)


def _ground(message: Message) -> bytes | None:
    if message.debug is None:
        return None
    return DebugContext(request=message.debug.lean, policy=message.policy).model_dump_json().encode()


def _found(call: ReportCall, action: str) -> AgentDiscovery | None:
    """What the call says that is worth keeping, whatever comes of the order."""
    match call:
        case ProposeTasks() if is_aside(call, action):
            return AgentDiscovery(title="Proposed work", text="\n".join(task.description for task in call.tasks))
        case ProposeHypotheses() if is_aside(call, action):
            return AgentDiscovery(title="Suspected cause", text="\n".join(one.description for one in call.hypotheses))
        case ReportDiscovery():
            return AgentDiscovery(title=call.title, text=call.text)
        case ReportFinding():
            return AgentDiscovery(title=call.title, type=call.type, data=call.data)
        case _:
            return None


def _read(order: ReportOrder, letter: SpooledCall) -> ReportCall | None:
    try:
        return read_call(order, letter.tool, letter.arguments)
    except Invalid:
        return None
