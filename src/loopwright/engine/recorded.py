"""Recording what passes between the engine and its agents: every message, and what each turn came to."""

import hashlib
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from loopwright.domain.debugging import Findings
from loopwright.domain.errors import AgentError
from loopwright.domain.protocol import ActionReport, AgentOutput, Capabilities, Message, Usage
from loopwright.domain.transcript import Able, Asked, TurnEnded, TurnFailure
from loopwright.engine.bus import Bus
from loopwright.engine.recall import Memory
from loopwright.engine.turns import Reported, Turns
from loopwright.ports import Agent, Clock


class Overheard:
    """The agent itself, but that its messages are told to the bus before it gets them."""

    def __init__(self, asked_as: str, agent: Agent, bus: Bus) -> None:
        self._asked_as, self._agent, self._bus = asked_as, agent, bus
        self.name: str = agent.name
        self.capabilities: Capabilities = agent.capabilities
        self.cancel_turn, self.close_agent = agent.cancel_turn, agent.close_agent

    async def spawn_agent(self, message: Message) -> str:
        self._tell(message, first=True)
        return await self._agent.spawn_agent(message)

    async def send_input(self, id: str, message: Message) -> None:
        self._tell(message, first=False)
        await self._agent.send_input(id, message)

    async def wait(self, ids: Sequence[str], timeout_ms: float) -> Mapping[str, AgentOutput]:
        return await self._agent.wait(ids, timeout_ms)

    def _tell(self, message: Message, *, first: bool) -> None:
        self._bus.hear(
            Asked(
                agent=self._asked_as, action=message.action, policy=message.policy, text=message.text,
                first=first, brief=message.brief if first else "",
            )
        )  # fmt: skip


class RecordedTurns(Turns):
    """Turns that tell what they came to. What an agent reports goes on without its secrets, and so does its trouble."""

    def __init__(
        self, agents: Callable[[str], Agent], recall: Memory, clock: Clock, bus: Bus,
        price: Callable[[Usage], float | None], project: str,
    ) -> None:  # fmt: skip
        super().__init__(lambda name: self._overheard(name, agents(name)), recall, clock, bus, price)
        self._ears, self._project = bus, project

    async def ask(self, name: str, message: Message) -> AgentOutput:
        with self._telling_failures(name, message):
            output = await super().ask(name, message)
        self._record_answer(name, message, output, output.report)
        return output

    async def report(
        self, name: str, message: Message, wrap_ups: Sequence[Message], ask_again: Callable[[str], str]
    ) -> Reported:
        with self._telling_failures(name, message):
            reported = await super().report(name, message, wrap_ups, ask_again)
        report = self._masked(reported.report)
        self._record_answer(name, message, reported.output, report)
        return reported._replace(report=report)

    def _overheard(self, name: str, agent: Agent) -> Agent:
        self._ears.hear(Able(agent=name, capabilities=agent.capabilities))
        return Overheard(name, agent, self._ears)

    def _masked(self, report: ActionReport) -> ActionReport:
        """Its words; names of files have to stay what they are."""
        masked = self._ears.secrets.masked_json
        return report.evolve(
            message=self._ears.masked(report.message),
            state_updates=masked(report.state_updates),
            options=tuple(self._ears.masked(option) for option in report.options),
        )

    @contextmanager
    def _telling_failures(self, name: str, message: Message) -> Iterator[None]:
        try:
            yield
        except CancelledError:
            self._record(name, message, error=TurnFailure(kind="cancelled"))
            raise
        except AgentError as error:
            words = self._ears.masked(str(error))
            until = error.until.isoformat() if error.until else None
            self._record(name, message, error=TurnFailure(kind=error.kind, message=words, until=until))
            raise AgentError(error.kind, words, until=error.until) from error

    def _record_answer(self, name: str, message: Message, output: AgentOutput, report: ActionReport | None) -> None:
        findings = _lean(output.findings) if output.findings else None
        text = "" if report else output.text
        self._record(name, message, output=output.evolve(text=text, report=report, findings=findings))

    def _record(
        self, name: str, message: Message, output: AgentOutput | None = None, error: TurnFailure | None = None
    ) -> None:
        digest = digest_of(message, self._project)
        self._ears.hear(TurnEnded(agent=name, action=message.action, digest=digest, output=output, error=error))


def digest_of(message: Message, project: str) -> str:
    """16 hex digits for the order, wherever the project lies."""
    return hashlib.sha256(message.text.replace(project, ".").encode(errors="replace")).hexdigest()[:16]


def _lean(findings: Findings) -> Findings:
    """Without whole files: they are in the checkpoints, and may hold secrets."""
    patch = findings.patch.evolve(old_text="", new_text="") if findings.patch else None
    return findings.evolve(patch=patch, rivals=())
