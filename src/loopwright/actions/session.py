"""What every action works with: the loop's ports and what this process has seen for itself."""

from dataclasses import dataclass, field

from loopwright.actions.messages import compose
from loopwright.actions.turns import Turns
from loopwright.domain.loop import ActionName, LoopState, SkillState
from loopwright.domain.protocol import ActionReport, AgentOutput, Message
from loopwright.engine.bus import Bus
from loopwright.engine.threads import in_thread
from loopwright.ports import Clock, Debugger, Person, Snapshot, Store, TestRunner, Workspace


@dataclass
class Session:
    """One runner's hold on one loop. `validated`: trees whose tests this very process has run.

    `published`: the state that the progress files show.
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
    interactive: bool = False
    person: Person | None = None
    validated: set[str] = field(default_factory=set)
    last_result: tuple[str, str] | None = None
    published: LoopState | None = None

    def state(self) -> LoopState:
        return self.store.read(self.loop_id)

    def skill(self) -> SkillState:
        skill = self.state().skill_state
        assert skill is not None, "begin_action has made it"
        return skill

    def now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")

    async def tree(self) -> str:
        """Hash of the work tree, without what test runs have written."""
        return await in_thread(self.workspace.tree, self.state().engine.run_writes)

    async def snapshot(self, label: str) -> Snapshot:
        return await in_thread(self.workspace.snapshot, self.loop_id, label)

    async def report(
        self, agent: str, action: ActionName, order: str, message: Message
    ) -> tuple[AgentOutput, ActionReport]:
        """One turn of the session with that agent, with the contract around the order."""
        text = compose(
            state=self.state(), action=action, order=order, project=self.project,
            continuing=self.turns.begun(agent), selected=self.interactive, previous=self.last_result,
        )  # fmt: skip
        self.bus.publish("activity", f"{agent} works on {action}")
        output, report = await self.turns.report(agent, message.evolve(text=text))
        self.bus.publish("agent", output.text or report.message)
        return output, report
