"""MENU: a person chooses; the table's answer is preselected, and what can not be chosen says why."""

from collections.abc import Callable

from loopwright.actions.session import Session
from loopwright.domain.engine_state import Outcome
from loopwright.domain.events import Event
from loopwright.domain.loop import ActionName, LoopState
from loopwright.domain.loop_commands import allowed, edit, leave
from loopwright.domain.loop_selector import CHOSEN, Next, blocked_because, open_tasks, passed, runnable, validated
from loopwright.ports import MenuEntry

MORE = 10
"""Iterations that raising the limit from the menu adds."""

ACTIONS: dict[str, ActionName] = {
    "develop": "DEVELOP", "debug": "DEBUG", "validate": "VALIDATE", "complete": "COMPLETE",
}  # fmt: skip
WORDS = {
    "develop": "carry out the next task",
    "debug": "look for the cause of what fails",
    "validate": "run the tests",
    "status": "show where the loop stands",
    "complete": "write the summary and end",
    "exit": "leave; the loop can be resumed",
    "raise": f"allow {MORE} more iterations",
}


def entries(state: LoopState, suggested: Next) -> tuple[MenuEntry, ...]:
    """The menu for a state. At the iteration limit only complete, exit and raising it are offered."""
    at_limit = state.current_iteration >= state.max_iterations
    names = (
        ("complete", "exit", "raise") if at_limit else ("develop", "debug", "validate", "status", "complete", "exit")
    )
    return tuple(
        MenuEntry(
            name,
            WORDS[name],
            blocked_because(state, ACTIONS[name]) if name in ACTIONS else None,
            ACTIONS.get(name) == suggested.action,
        )
        for name in names
    )


async def choose(session: Session, state: LoopState, suggested: Next) -> Next | None:
    """The person's choice as a step; None when they leave."""
    person = session.person
    assert person is not None, "interactive mode is refused without a person"
    while True:
        name = await person.choose(entries(state, suggested))
        if name in ACTIONS:
            return await _step(session, state, ACTIONS[name])
        if name == "exit":
            _commit(session, "exited", lambda s: leave(s) if allowed("exit", s.status) else s)
            return None
        if name == "raise":
            _commit(session, "edited", lambda s: edit(s, {"max_iterations": s.max_iterations + MORE}))
            state = session.state()
        else:
            await person.show(state)


async def _step(session: Session, state: LoopState, action: ActionName) -> Next:
    task = runnable(state) if action == "DEVELOP" else None
    ends_well = validated(state, await session.tree()) and passed(state) and not open_tasks(state)
    outcome: Outcome | None = ("succeeded" if ends_well else "unverified") if action == "COMPLETE" else None
    return Next(action, CHOSEN, outcome, task.id if task else None)


def _commit(session: Session, type: str, rule: Callable[[LoopState], LoopState]) -> None:
    session.store.update(session.loop_id, rule, actor="person", event=Event(type=type), epoch=session.epoch)
