"""The embedded agent: needs no model and no network, mends small faults, and says plainly what it can not do."""

from typing import Literal

from loopwright.agents.turnwise import TurnwiseAgent
from loopwright.domain.debugging import DebugRequest, Findings
from loopwright.domain.errors import Invalid
from loopwright.domain.protocol import ActionReport, AgentOutput, Capabilities, Message, ReportStatus
from loopwright.ports import Debugger

_AT_WORK = "Testing edits on a copy of the project."

_NO_MODEL = "The builtin agent has no model: what it can say without one the engine writes itself."

_UNABLE: dict[str, tuple[Literal["success", "failed"], str]] = {
    "INIT": ("success", "The builtin agent proposes no tasks: it mends what failing tests show."),
    "DEVELOP": ("failed", "The builtin agent can not write features: it only mends small faults that tests show."),
    "DEBUG": ("failed", "There is no failing test to measure with, and the builtin agent has no other way to debug."),
    "VALIDATE": ("success", "The engine runs the tests by itself; the builtin agent has nothing to add."),
    "COMPLETE": ("success", "The builtin agent has nothing to add to the summary."),
    "ra.analyse": ("failed", _NO_MODEL),
    "ep.explore": ("failed", _NO_MODEL),
    "ep.plan": ("failed", _NO_MODEL),
    "cd.implement": ("failed", "The builtin agent can not write features: it only mends small faults that tests show."),
    "vas.baseline": ("success", "The engine runs the tests by itself."),
    "vas.validate": ("success", "The engine runs the tests by itself; the builtin agent has nothing to add."),
    "aggregation": ("success", "The engine puts the results together by itself."),
}
"""What it answers to an order it can not carry out."""


class BuiltinAgent(TurnwiseAgent):
    """DEBUG is a search for an edit that holds; so is cd.implement where its order names failing tests.

    It changes no file: whoever asked applies the patch.
    """

    name = "builtin"
    capabilities = Capabilities(debugs=True, measures=True)

    def __init__(self, debugger: Debugger) -> None:
        super().__init__()
        self._debugger = debugger

    def at_work(self, id: str) -> AgentOutput:
        return AgentOutput(agent_id=id, running=True, text=_AT_WORK)

    async def play(self, id: str, message: Message) -> AgentOutput:
        order = message.debug
        if message.action not in ("DEBUG", "cd.implement") or order is None or not order.failing:
            return _answer(id, message, *_UNABLE.get(message.action, ("failed", _NO_MODEL)))
        if not self._debugger.supports(order.test_command):
            words = f"The builtin agent debugs Python projects with pytest or unittest, not {order.test_command!r}."
            return _answer(id, message, "failed", words)
        return await self._search(id, message, order)

    async def _search(self, id: str, message: Message, order: DebugRequest) -> AgentOutput:
        try:
            findings = await self._debugger.search(order)
        except Invalid as error:
            return _answer(id, message, "failed", str(error))
        return _answer(id, message, "success", _told(findings), findings)


def _told(findings: Findings) -> str:
    """Nothing found is an outcome, and a useful one: the ranked hypotheses say where to look."""
    note = f" ({findings.note})" if findings.note else ""
    if findings.patch is None:
        return f"No small edit mends it; the hypotheses say where to look{note}."
    left = len(findings.patch.still_failing)
    rest = f"; {left} other tests still fail" if left else ""
    return f"Found a patch: {findings.patch.description}{rest}{note}."


def _answer(
    id: str, message: Message, status: ReportStatus, words: str, findings: Findings | None = None
) -> AgentOutput:
    report = ActionReport(action=message.action, status=status, message=words)
    return AgentOutput(agent_id=id, running=False, text=words, report=report, findings=findings)
