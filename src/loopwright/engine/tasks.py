"""The commands on a loop's tasks, as all surfaces call them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from loopwright.domain import loop_tasks as tasks
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.errors import Conflict, Forbidden
from loopwright.domain.ids import checked, new_task_id
from loopwright.domain.issues import bound_solution, found_issue, read_lines, steps_of
from loopwright.domain.loop import LoopState
from loopwright.ports import Clock, Issues, Processes, Rule

Fields = Mapping[str, Any]  # Any: parsed JSON; the models check each value


class Commit(Protocol):
    """See Access.commit."""

    def __call__(self, id: str, rule: Rule[LoopState], type: str, **data: str) -> LoopState: ...


@dataclass(frozen=True)
class TaskService:
    """`agents`: names that were configured here. `writer`: see Talk."""

    commit: Commit
    clock: Clock
    processes: Processes
    agents: frozenset[str]
    issues: Issues
    writer: Callable[[str], str]

    def add(self, loop_id: str, fields: Fields) -> LoopTask:
        id, at, (given, within) = new_task_id(self.clock.token()), self._now(), self._judged(loop_id, fields)
        state = self.commit(
            loop_id, lambda s: tasks.add_task(s, id, given, at, self.agents, within=within), "task_added", task=id
        )
        return self._task(state, id)

    def edit(self, loop_id: str, task_id: str, fields: Fields) -> LoopTask:
        at, (given, within) = self._now(), self._judged(loop_id, fields)
        state = self.commit(
            loop_id, lambda s: tasks.edit_task(s, task_id, given, at, self.agents, within=within), "task_edited",
            task=task_id,
        )  # fmt: skip
        return self._task(state, task_id)

    def remove(self, loop_id: str, task_id: str) -> None:
        within = self.processes.within(checked(loop_id))
        self.commit(loop_id, lambda s: tasks.remove_task(s, task_id, within=within), "task_removed", task=task_id)

    def reorder(self, loop_id: str, ordered_ids: Sequence[str]) -> tuple[LoopTask, ...]:
        return self.commit(loop_id, lambda s: tasks.reorder_tasks(s, ordered_ids), "tasks_reordered").engine.tasks

    def import_issue(self, loop_id: str, issue_id: str, tool: str | None = None) -> tuple[LoopTask, ...]:
        """The steps of the solution that an issue is bound to, as tasks after the last one: all of them or none.

        `tool` carries them out, else whoever writes code for this loop.
        """
        issue = found_issue(read_lines(self.issues.issues()), checked(issue_id, "issue"))
        steps = steps_of(bound_solution(issue, read_lines(self.issues.solutions(issue_id))))
        ids = {step.id: new_task_id(self.clock.token()) for step in steps}
        given = [
            {
                "description": step.description, "prompt_template": step.details,
                **({"depends_on": tuple(ids[id] for id in step.needs)} if step.needs else {}),
                **({"tool": tool} if tool else {}),
            }
            for step in steps
        ]  # fmt: skip
        return self.add_all(loop_id, dict(zip(ids.values(), given, strict=True)), "issue_imported", issue=issue_id)

    def add_proposed(self, loop_id: str, descriptions: Sequence[str], agent: str) -> tuple[LoopTask, ...]:
        """What an agent has proposed, as tasks for itself, in one commit."""
        new = {new_task_id(self.clock.token()): {"description": words, "tool": agent} for words in descriptions}
        return self.add_all(loop_id, new, "tasks_generated", agent=agent)

    def add_all(self, loop_id: str, new: Mapping[str, Fields], type: str, **data: str) -> tuple[LoopTask, ...]:
        """Tasks with these ids in one commit, for whoever writes code for the loop where they name nobody."""
        at = self._now()

        def rule(state: LoopState) -> LoopState:
            named = {id: {"tool": self._tool(state, fields), **fields} for id, fields in new.items()}
            return tasks.add_tasks(state, named, at, self.agents)

        state = self.commit(loop_id, rule, type, tasks=", ".join(new), **data)
        return tuple(self._task(state, id) for id in new)

    def _tool(self, state: LoopState, fields: Fields) -> str:
        return fields.get("tool") or self.writer(state.engine.settings.agent)

    def _judged(self, loop_id: str, fields: Fields) -> tuple[dict[str, Any], bool]:
        """A task's fields, and whether the loop's own agent or command gives them.

        Such a one must not choose by what it is measured.
        """
        within = self.processes.within(checked(loop_id))
        lifted = next((name for name in ("allow_test_changes", "proof") if fields.get(name)), None)
        if lifted and within:
            raise Forbidden(f"{lifted}: a loop can not lift the checks on its own work; whoever started it can")
        return dict(fields), within

    def _task(self, state: LoopState, id: str) -> LoopTask:
        task = state.engine.task(id)
        if task is None:
            raise Conflict(f"Task {id} was removed by somebody else meanwhile")
        return task

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")
