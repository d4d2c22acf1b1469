"""What a person has a loop do next: its tasks, those that an agent proposes, and the next step out of its menu."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from loopwright.domain import loop_choosing, loop_rivals
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.errors import Advice, Conflict, Forbidden, Invalid, refusal
from loopwright.domain.ids import checked, generation_of
from loopwright.domain.loop import LoopState
from loopwright.domain.menu import MenuEntry
from loopwright.domain.rivals import RIVAL
from loopwright.domain.wording import ACTORS
from loopwright.engine.rivals import Taken, take_rival
from loopwright.engine.runs import Runs
from loopwright.engine.tasks import Fields, TaskService
from loopwright.ports import Issues, Rule


class NoIssues:
    """Nobody tracks any."""

    def issues(self) -> str:
        return ""

    def solutions(self, issue_id: str) -> str:
        return ""


NO_ISSUES = NoIssues()

TURNS, SPARE_SECONDS = 4, 120.0
"""Turns at most in which an agent proposes tasks, those among them that are repeated; and what else takes time."""


@dataclass(frozen=True)
class Talk(Runs[LoopState]):
    """The commands on what a loop does next.

    `writer`: who writes code for a loop of that agent, which may not be able to; AgentError where nobody is.
    """

    issues: Issues = NO_ISSUES
    writer: Callable[[str], str] = str

    @property
    def tasks(self) -> TaskService:
        """The commands on a loop's tasks."""
        return TaskService(self.commit, self.clock, self.processes, self.agents, self.issues, self.writer)

    async def generate(self, loop_id: str, *, tool: str | None = None, count: int = 5) -> tuple[LoopTask, ...]:
        """Tasks that an agent has proposed, in a process of its own; that may take as long as a turn of its takes."""
        from loopwright.domain.proposals import check_count  # slow to load, and most commands propose nothing

        check_count(count)
        settings = self._unmoved(loop_id, self.read(loop_id)).engine.settings
        named = ("--tool", tool) if tool else ()
        done = await self.launcher.job(
            ("tasks", loop_id, "generate", "--count", str(count), *named, "--for", self.actor),
            TURNS * (settings.action_timeout + settings.grace_timeout) + SPARE_SECONDS,
        )
        if done.exit_code < 0:  # killed: what it had started is left
            self.processes.sweep(generation_of(loop_id))
        if done.exit_code != 0:
            words = str(done.printed.get("error") or f"no tasks were generated (exit code {done.exit_code})")
            given = done.printed.get("advice")
            raise refusal(done.exit_code, given.pop("refusal") if given else words, given and Advice(**given))
        ids = {task["task_id"] for task in done.printed["data"]}
        return tuple(task for task in self.read(loop_id).engine.tasks if task.task_id in ids)

    def menu(self, loop_id: str) -> tuple[MenuEntry, ...]:
        """What an interactive loop offers now; empty while no menu is open, or nobody would take the choice."""
        menu = self.read(loop_id).engine.menu
        return menu.entries if menu and menu.choice is None and self.is_live(loop_id) else ()

    def choose(self, loop_id: str, choice: str, **given: Any) -> LoopState:  # Any: parsed JSON; the models check it
        """An interactive loop's next step, or for any that rests a rival of a patch that it has applied.

        `given` is what the choice asks for: `add` takes the fields of a task.
        """
        state = self.read(loop_id)
        if RIVAL.fullmatch(choice) and not self.is_live(loop_id):
            return self._taken(loop_id, choice)
        if self.processes.within(checked(loop_id)):
            raise Forbidden("a loop can not choose its own next step; whoever started it can")
        if state.status == "running" and not self.is_live(loop_id):
            raise Conflict(f"nobody waits for a choice: the runner of {loop_id} is gone; resume the loop")
        if choice == "add":
            return self._added(loop_id, {"tool": _tool(state, given), **given})
        if given:
            raise Invalid(f"{choice} asks for nothing more (got {', '.join(given)})")
        if choice == "raise":
            return self.commit(
                loop_id, lambda s: loop_choosing.raised(loop_choosing.offering(s, choice)), "edited",
                fields="max_iterations",
            )  # fmt: skip
        return self.commit(loop_id, lambda s: loop_choosing.chosen(s, choice), "menu_chosen", choice=choice)

    def _taken(self, loop_id: str, rival: str) -> LoopState:
        """One that has ended runs on, for the rival has to be validated; one that was only paused stays so."""

        self._unmoved(loop_id, self.read(loop_id))  # before the lease, which is a change itself

        def landed(state: LoopState, taken: Taken) -> LoopState:
            by = f"a person {ACTORS[taken.by]}" if taken.by in ACTORS else taken.by
            return loop_choosing.rival_taken(state, taken.id, by, (taken.before, taken.after))

        state = take_rival(
            self, loop_id, rival, patches=lambda s: loop_rivals.applied_patches(s.skill_state), landed=landed
        )
        return self._launched(loop_id, state) if state.status == "running" else state

    def _added(self, loop_id: str, fields: Fields) -> LoopState:
        """A new task; the menu stays open, and shows what has become possible."""

        def at_menu(id: str, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
            return self.commit(id, lambda s: rule(loop_choosing.offering(s, "add")), type, **data)

        replace(self.tasks, commit=at_menu).add(loop_id, fields)
        return self.read(loop_id)


def _tool(state: LoopState, fields: Fields) -> str:
    return "bash" if fields.get("command") else state.engine.settings.agent
