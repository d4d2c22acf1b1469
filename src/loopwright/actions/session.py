"""What every action works with: the loop's ports and what this process has seen for itself."""

from dataclasses import dataclass, field
from functools import partial

from loopwright.actions.messages import compose, loop_prompts
from loopwright.actions.turns import Turns, takes_prose
from loopwright.domain.claims import claims_green_tests, quoted, refused_updates
from loopwright.domain.engine_state import Incident
from loopwright.domain.loop import ActionName, LoopState, SkillState
from loopwright.domain.protocol import ActionReport, AgentOutput, Message
from loopwright.domain.testing import TestRun
from loopwright.engine.bus import Bus
from loopwright.engine.threads import in_thread
from loopwright.ports import Clock, Debugger, Person, Snapshot, Store, TestRunner, Workspace
from loopwright.prompts import Prompts


@dataclass
class Session:
    """One runner's hold on one loop.

    `verdicts`: trees that this very process has validated, and whether they passed. `first_runs`: by tree, what the
    first version of the tests said of it. `incidents` wait for the next commit; `claims` for the next validation.
    `published`: the state that the progress files show. `told`: the answer of a person that an agent has been told.
    """

    loop_id: str
    project: str
    store: Store[LoopState]
    workspace: Workspace
    tests: TestRunner
    debugger: Debugger
    turns: Turns
    clock: Clock
    bus: Bus
    epoch: int
    prompts: Prompts = field(default_factory=loop_prompts)
    interactive: bool = False
    person: Person | None = None
    verdicts: dict[str, bool] = field(default_factory=dict)
    first_runs: dict[str, TestRun] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    last_result: tuple[str, str] | None = None
    published: LoopState | None = None
    told: str | None = None

    def state(self) -> LoopState:
        return self.store.read(self.loop_id)

    def skill(self) -> SkillState:
        skill = self.state().skill_state
        assert skill is not None, "begin_action has made it"
        return skill

    def now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")

    def note(self, kind: str, message: str | None) -> None:
        """Something a person shall know of; it lands with the action's result. None: there is nothing to tell."""
        if message:
            self.incidents.append(Incident(kind=kind, message=message, at=self.now()))
            self.bus.publish("activity", message)

    def noted(self) -> tuple[Incident, ...]:
        """What was noted since the last commit; it is forgotten here."""
        taken = tuple(self.incidents)
        self.incidents.clear()
        return taken

    def told_answer(self) -> str | None:
        """A person's answer that was passed on since this was last asked."""
        told, self.told = self.told, None
        return told

    async def tree(self) -> str:
        """Hash of the work tree, without what test runs have written."""
        return await in_thread(self.workspace.tree, self.state().engine.run_writes)

    async def snapshot(self, label: str) -> Snapshot:
        return await in_thread(self.workspace.snapshot, self.loop_id, label)

    def order(self, prompt: str, **values: str) -> str:
        """The order of one action, from the prompt of that name."""
        return self.prompts.render(prompt, **values)

    async def report(
        self, agent: str, action: ActionName, order: str, message: Message
    ) -> tuple[AgentOutput, ActionReport]:
        """One turn of the session with that agent, with the contract around the order."""
        state = self.state()
        if takes_prose(self.turns.agent(agent)):
            self.told = state.engine.answer
        text = compose(
            self.prompts, state=state, action=action, order=order, project=self.project,
            continuing=self.turns.begun(agent), selected=self.interactive, previous=self.last_result,
        )  # fmt: skip
        self.bus.publish("activity", f"{agent} works on {action}")
        message = message.evolve(text=text, silence=self.state().engine.settings.silence_timeout)
        output, report, asked_again, late = await self.turns.report(
            agent, message, self._wrap_up(action, message), partial(self._again, action)
        )
        self.bus.publish("agent", output.text or report.message)
        if late:
            self.note("out_of_time", f"{action}: {agent} {late}; what it reported when it was cut off counts")
        if report.status == "none":
            words = f"{agent} gave no report on {action}, also when asked again; only what was measured counts"
            self.note("no_report", words)
        elif asked_again:
            self.note("no_report", f"{agent} answered {action} without a report of its own, and was asked once more")
        if output.truncated:
            self.note("output_cut", f"{agent} said more on {action} than is kept; the rest was left out")
        self.note("refused_update", refused_updates(action, report))
        if claims_green_tests(report):
            self.claims.append(f"{action} said {quoted(report.message)}")
        return output, report

    def _again(self, action: ActionName, problem: str) -> str:
        """What an agent is told whose report could not be read."""
        order = self.order("again", problem=problem)
        return compose(self.prompts, state=self.state(), action=action, order=order, project=self.project)

    def _wrap_up(self, action: ActionName, message: Message) -> Message | None:
        """What an agent is told whose time is up; None where it gets no grace."""
        state = self.state()
        grace = state.engine.settings.grace_timeout
        if not grace:
            return None
        text = compose(
            self.prompts, state=state, action=action, order=self.order("converge", action=action), project=self.project,
            continuing=True, selected=False, previous=(action, "out of time"),
        )  # fmt: skip
        return message.evolve(text=text, seconds=grace, silence=0)
