"""MENU: a person chooses; the table's answer is preselected, and what cannot be chosen says why."""

import asyncio
from collections.abc import Iterator, Sequence

from loopwright.core.agent_names import BUILT_IN
from loopwright.core.errors import Conflict, NotFound
from loopwright.core.ids import new_task_id
from loopwright.core.names import ActionName
from loopwright.core.ports import Prompter
from loopwright.core.state import MenuEntry, Outcome
from loopwright.core.threads import run_in_thread
from loopwright.evidence.patch_exchange import exchange_patch
from loopwright.evidence.rivals import RIVAL, difference_words, rival_of
from loopwright.workflows.loop.commands import MORE, add_task, is_allowed, leave, raise_limit, take_rival
from loopwright.workflows.loop.model import LoopState, applied_patches
from loopwright.workflows.loop.selector import (
    CHOSEN,
    LoopFacts,
    NextAction,
    blocked_because,
    completion,
    has_passed,
    is_validated,
    next_action,
    next_task,
    normalise_state,
    open_tasks,
)
from loopwright.workflows.loop.session import LoopSession

LOOK_SECONDS = 0.2
"""How often the state is looked at while a person thinks."""

ACTIONS: dict[str, ActionName] = {
    "develop": "DEVELOP",
    "debug": "DEBUG",
    "validate": "VALIDATE",
    "review": "REVIEW",
    "complete": "COMPLETE",
}
WORDS = {
    "develop": "do the next task",
    "debug": "look for the cause of the failures",
    "validate": "run the tests",
    "review": "have the work reviewed",
    "status": "show the loop's status",
    "add": "add a task",
    "complete": "write the summary and end",
    "exit": "exit; the loop can be resumed",
    "raise": f"allow {MORE} more iterations",
}


def list_entries(state: LoopState, suggested: NextAction) -> tuple[MenuEntry, ...]:
    """The menu for a state. At the iteration limit only complete, exit and raising it are offered.

    Before that also the rivals of what was applied: each by its id.
    """
    at_limit = state.current_iteration >= state.max_iterations
    names: tuple[str, ...] = (
        ("complete", "exit", "raise")
        if at_limit
        else ("develop", "debug", "validate", "review", "status", "add", "complete", "exit")
    )
    if state.engine.settings.review is None:
        names = tuple(name for name in names if name != "review")
    rivals = () if at_limit else tuple(_rivals(state))
    return (
        *rivals,
        *(
            MenuEntry(
                name=name,
                words=WORDS[name],
                blocked=blocked_because(state, ACTIONS[name]) if name in ACTIONS else None,
                preselected=ACTIONS.get(name) == suggested.action,
            )
            for name in names
        ),
    )


def _rivals(state: LoopState) -> Iterator[MenuEntry]:
    for patch in applied_patches(state.skill_state):
        for rival in patch.comparison.rivals:
            words = f"take instead of the patch: {difference_words(patch.comparison, rival)} ({rival.description})"
            yield MenuEntry(name=rival.id, words=words)


async def ask_choice(
    session: LoopSession, state: LoopState, facts: LoopFacts, suggested: NextAction
) -> NextAction | None:
    """The person's choice as a step; None when they leave, or somebody pauses or stops the loop or its mode changes."""
    person = session.person
    assert person is not None, "interactive mode needs a person"
    while state.status == "running" and state.mode == "interactive":
        name = await _chosen(session, person, facts, list_entries(state, suggested))
        if name in ACTIONS:
            return await _step(session, state, ACTIONS[name])
        await _carry_out(session, person, state, name)
        state = normalise_state(session.state())
        suggested = next_action(state, facts) or suggested
    return None


async def _carry_out(session: LoopSession, person: Prompter, state: LoopState, name: str | None) -> None:
    """What is chosen beside the actions; after it the menu comes again, unless the loop was left."""
    match name:
        case "exit":
            session.commit(lambda s: leave(s) if is_allowed("exit", s.status) else s, "exited", "person")
        case "raise":
            session.commit(raise_limit, "edited", "person")
        case "add":
            await _add_task(session, person)
        case "status":
            await person.show(state)
        case str() if RIVAL.fullmatch(name):
            await _take(session, state, name)
        case _:
            pass


async def _chosen(session: LoopSession, person: Prompter, facts: LoopFacts, menu: Sequence[MenuEntry]) -> str | None:
    """What the person chooses; None once this menu is no longer the one that the loop would show."""
    choosing = asyncio.ensure_future(person.choose(menu))
    changing = asyncio.ensure_future(_until_it_changes(session, facts, menu))
    try:
        await asyncio.wait({choosing, changing}, return_when=asyncio.FIRST_COMPLETED)
        return choosing.result() if choosing.done() else changing.result()
    finally:
        choosing.cancel()
        changing.cancel()
        await asyncio.wait({choosing, changing})


async def _until_it_changes(session: LoopSession, facts: LoopFacts, menu: Sequence[MenuEntry]) -> None:
    """Others may pause or stop the loop, change its mode, raise its limit or change its tasks."""
    while True:
        await session.clock.sleep(LOOK_SECONDS)
        state = normalise_state(session.state())
        suggested = next_action(state, facts)
        if suggested is None or state.mode == "auto" or list_entries(state, suggested) != tuple(menu):
            return


async def _take(session: LoopSession, state: LoopState, rival: str) -> None:
    """A rival instead of the patch; where somebody has changed the file, nothing is done, and that is said."""
    patch, other = rival_of(applied_patches(state.skill_state), rival)
    try:
        taken = await run_in_thread(exchange_patch, session.workspace, session.id, patch, other, "person")
    except (Conflict, NotFound) as error:
        session.bus.publish("activity", str(error))
        return
    commits = taken.before, taken.after
    session.commit(lambda s: take_rival(s, rival, "a person", commits), "rival_taken", "person", rival=rival)


async def _add_task(session: LoopSession, person: Prompter) -> None:
    """Asks for a task; an empty answer is a change of mind."""
    fields = {"description": (await person.ask("What should be done? (empty: nothing)", ())).strip()}
    if not fields["description"]:
        return
    own = session.state().engine.settings.agent
    fields["tool"] = await person.ask("Who does it?", tuple(dict.fromkeys((own, *BUILT_IN))))
    if fields["tool"] == "bash":
        fields["command"] = (await person.ask("Which command? (empty: no task)", ())).strip()
        if not fields["command"]:
            return
    id, at = new_task_id(session.clock.token()), session.now()
    session.commit(lambda s: add_task(s, id, fields, at), "task_added", "person", task=id)


async def _step(session: LoopSession, state: LoopState, action: ActionName) -> NextAction:
    task = next_task(state) if action == "DEVELOP" else None
    ends_well = is_validated(state, await session.tree()) and has_passed(state) and not open_tasks(state)
    outcome: Outcome | None = (completion(state) if ends_well else "unverified") if action == "COMPLETE" else None
    return NextAction(action, CHOSEN, outcome, task.id if task else None)
