"""What every action works with: the loop, its agents, and what people are told of both."""

from dataclasses import dataclass, field
from functools import partial

from loopwright.core.agent_turns import AgentTurns, takes_prose
from loopwright.core.context import MeasuredRunContext
from loopwright.core.names import ActionName
from loopwright.core.ports import Debugger, Prompter
from loopwright.core.prompts import Prompts
from loopwright.core.protocol import ActionReport, AgentOutput, Message
from loopwright.evidence.debugging import DebugRequest, list_tried_fixes
from loopwright.evidence.failures import select_failures
from loopwright.evidence.proof import ProofGoal
from loopwright.evidence.testing import TestResult
from loopwright.evidence.verdict import refused_updates
from loopwright.workflows.loop.messages import compose_message, loop_prompts
from loopwright.workflows.loop.model import LoopState, SkillState
from loopwright.workflows.loop.selector import loop_goal
from loopwright.workflows.orders import MessageTexts, both_ways, look_around
from loopwright.workflows.run_flow import note_answer


@dataclass(kw_only=True)
class LoopSession(MeasuredRunContext[LoopState]):
    """One runner's hold on one loop. `undone`: by task, what its agent said of work that was not there.

    `found`: the test command that INIT has only just found. `published`: the state that the progress files show.
    `told`: the answer of a person that an agent has been told. `reviewing`: the turns of its reviewer.
    """

    debugger: Debugger
    turns: AgentTurns
    prompts: Prompts = field(default_factory=loop_prompts)
    interactive: bool = False
    person: Prompter | None = None
    last_result: tuple[str, str] | None = None
    found: str | None = None
    published: LoopState | None = None
    told: str | None = None
    reviewing: AgentTurns | None = None
    undone: dict[str, str] = field(default_factory=dict)

    def skill(self) -> SkillState:
        skill = self.state().skill_state
        assert skill is not None, "begin_action has made it"
        return skill

    def may_change_tests(self) -> bool:
        """Also a single task may."""
        return super().may_change_tests() or any(task.allow_test_changes for task in self.state().engine.tasks)

    def proof_goal(self) -> ProofGoal:
        return loop_goal(self.state())

    def project_debugger(self) -> Debugger:
        return self.debugger

    def told_answer(self) -> str | None:
        """A person's answer that was passed on since this was last asked."""
        told, self.told = self.told, None
        return told

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
        texts = compose_message(
            self.prompts,
            state=state,
            action=action,
            order=order,
            around=look_around(self, agent, self.test_command),
            continuing=self.turns.begun(agent),
            selected=self.interactive,
            previous=self.last_result,
        )
        self.bus.publish("activity", f"{agent} works on {action}")
        silence = state.engine.settings.silence_timeout
        message = message.evolve(**texts._asdict(), silence=silence, debug=message.debug or self.debug_ground())
        answer = await self.turns.report(
            agent, message, self._wrap_ups(agent, action, message), partial(self._again, agent, action)
        )
        output, report = answer.output, answer.report
        self.bus.publish("agent", output.text or report.message)
        note_answer(self, agent, action, answer, "what was measured counts")
        if output.truncated:
            self.note("output_cut", f"{agent} said more on {action} than is kept; the rest was dropped")
        self.note("refused_update", refused_updates(action, report))
        return output, report

    @property
    def test_command(self) -> str:
        """Empty where none is known."""
        return self.state().engine.settings.test_command or self.found or ""

    def debug_request(self) -> DebugRequest:
        """What the debugger works on: the tests that failed when they were last run, and what is known of them."""
        state, command = self.state(), self.test_command
        settings, skill = state.engine.settings, state.skill_state
        hypotheses = skill.debug.hypotheses if skill else ()
        return DebugRequest(
            project=self.project,
            python=(self.tests.interpreter(command) or "") if command else "",
            test_command=command,
            failing=skill.validate_.failed_tests if skill else (),
            hypotheses=hypotheses,
            tried=list_tried_fixes(hypotheses),
            round=state.engine.debug_rounds,
            budget_seconds=settings.action_timeout * 0.8,
            loop=self.id,
            log=str(self.store.progress_path(self.id) / "debug.log"),
        )

    def debug_ground(self) -> DebugRequest | None:
        """The same for an agent's own questions; None where the debugger cannot work with these tests."""
        command = self.test_command
        return self.debug_request() if not command or self.debugger.supports(command) else None

    def failing(self) -> tuple[TestResult, ...]:
        """The tests that failed when they were last run, as far as this process or the state knows of them."""
        if self.measured is not None:
            return tuple(result for result in self.measured.run.results if result.status == "failed")
        state = self.state()
        if state.skill_state and state.skill_state.validate_.last_run_at:
            section = state.skill_state.validate_
            return select_failures(section.test_results, section.failed_tests)
        known = state.engine.baseline.tests if state.engine.baseline else {}
        return select_failures((), [key for key, test in known.items() if test.status == "failed"])

    def _again(self, agent: str, action: ActionName, problem: str) -> str:
        """What an agent is told whose report could not be read: both ways to give it."""
        return both_ways(self._interruption(agent, action, self.order("again", problem=problem), ("", "")))

    def _interruption(self, agent: str, action: ActionName, order: str, previous: tuple[str, str]) -> MessageTexts:
        return compose_message(
            self.prompts,
            state=self.state(),
            action=action,
            order=order,
            around=look_around(self, agent, self.test_command),
            continuing=bool(previous[0]),
            previous=previous,
        )

    def _wrap_ups(self, agent: str, action: ActionName, message: Message) -> tuple[Message, ...]:
        """What an agent is told whose time is up; nothing where it gets no grace."""
        state = self.state()
        grace = state.engine.settings.grace_timeout
        if not grace:
            return ()
        texts = self._interruption(agent, action, self.order("converge", action=action), (action, "out of time"))
        return (message.evolve(**texts._asdict(), seconds=grace, silence=0),)
