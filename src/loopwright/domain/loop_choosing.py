"""The open menu of an interactive loop, and a person's choice from it, as pure functions over the loop's state."""

from collections.abc import Sequence

from loopwright.domain.engine_state import Waiting
from loopwright.domain.errors import Conflict, IllegalTransition, Invalid
from loopwright.domain.loop import FINISHED, LoopState, SkillState
from loopwright.domain.loop_commands import PERSONS, allowed, edit, reopen
from loopwright.domain.loop_rivals import awaits_verdict, with_rival
from loopwright.domain.menu import Menu, MenuEntry

MORE = 10
"""Iterations that raising the limit from the menu adds."""


def opened(state: LoopState, entries: Sequence[MenuEntry], at: str) -> LoopState:
    """A running loop offers these entries; a choice that waits to be taken stays while it can be chosen."""
    known = state.engine.menu
    if state.status != "running" or (known and known.entries == tuple(entries)):
        return state
    menu = Menu(since=known.since if known else at, entries=tuple(entries))
    if known and known.choice in menu.free:
        menu = menu.evolve(choice=known.choice)
    return state.evolve(engine=state.engine.evolve(menu=menu))


def offering(state: LoopState, choice: str) -> LoopState:
    """The state itself, if its menu is open and `choice` can be chosen. Invalid, IllegalTransition, Conflict."""
    engine = state.engine
    if engine.settings.mode == "auto":
        raise Invalid("this loop takes every step by itself (mode auto); there is nothing to choose")
    if state.status != "running":
        possible = tuple(command for command in PERSONS if allowed(command, state.status))
        raise IllegalTransition("choose the next step of a", state.status, possible)
    if engine.menu is None:
        raise Conflict(f"{state.loop_id} is not at its menu now; it asks again after {_under_way(state)}")
    if engine.menu.choice is not None:
        raise Conflict(f"somebody has chosen already: {engine.menu.choice}")
    entry = next((entry for entry in engine.menu.entries if entry.name == choice), None)
    if entry is None:
        raise Invalid(f"choice: {choice!r} is not offered (there are: {', '.join(engine.menu.free)})")
    if entry.blocked:
        raise Conflict(f"{choice} can not be chosen now: {entry.blocked}")
    return state


def chosen(state: LoopState, choice: str) -> LoopState:
    """Keeps a person's choice for the runner to take."""
    menu = offering(state, choice).engine.menu
    assert menu is not None, "it is offered"
    return state.evolve(engine=state.engine.evolve(menu=menu.evolve(choice=choice)))


def raised(state: LoopState) -> LoopState:
    """With a limit that allows more iterations."""
    return edit(state, {"max_iterations": state.max_iterations + MORE})


def asked_now(state: LoopState, question: str, options: Sequence[str], at: str) -> LoopState:
    """An action asks a person something, and waits; whatever was answered before is none of it."""
    if state.status in FINISHED:
        return state
    waiting = Waiting(question=question, options=tuple(options), since=at)
    return state.evolve(engine=state.engine.evolve(waiting=waiting, answer=None))


def still_asked(state: LoopState, question: str, options: Sequence[str], at: str) -> LoopState:
    """The same question again, where a resume has taken it away before it was answered."""
    open_one = state.engine.waiting is not None or state.engine.answer is not None
    return state if open_one or state.status != "running" else asked_now(state, question, options, at)


def answer_taken(state: LoopState) -> LoopState:
    """Nobody waits for an answer any more."""
    if (state.engine.waiting, state.engine.answer) == (None, None):
        return state
    return state.evolve(engine=state.engine.evolve(waiting=None, answer=None))


def taken_over(state: LoopState, *, from_afar: bool) -> LoopState:
    """Without the question of a runner that is gone, and in the mode that was asked for; what it is paused with stays.

    So does the menu, with the choice that was made from it, where the new runner is asked `from_afar` as well.
    """
    engine, skill = state.engine, state.skill_state
    if skill is not None and skill.mode != state.mode:
        state = state.evolve(skill_state=skill.evolve(mode=state.mode))
    menu = engine.menu if from_afar and engine.settings.mode == "interactive" else None
    question = None if state.status == "running" else engine.waiting
    if (engine.menu, engine.waiting) == (menu, question):
        return state
    return state.evolve(engine=engine.evolve(menu=menu, waiting=question))


def _under_way(state: LoopState) -> str:
    action = state.skill_state.current_action if state.skill_state else None
    return action.upper() if action else "what it does now"


def rival_taken(state: LoopState, id: str, by: str, commits: tuple[str, str]) -> LoopState:
    """See `with_rival`; a loop that has ended runs on, to validate it."""
    skill = state.skill_state or SkillState()
    hypotheses = with_rival(skill.debug.hypotheses, id, by, commits)
    confirmed = next((one.id for one in hypotheses if one.status == "confirmed" and awaits_verdict(one, None)), None)
    debug = skill.debug.evolve(hypotheses=hypotheses, confirmed_hypothesis=confirmed)
    state = state.evolve(skill_state=skill.evolve(debug=debug))
    if state.status not in FINISHED:
        return state
    return reopen(state.evolve(max_iterations=max(state.max_iterations, state.current_iteration + 1)))
