"""The messages of the coordination protocol, put together from the prompts."""

from pathlib import Path

from loopwright.domain.loop import ActionName, LoopState
from loopwright.prompts import Prompts

PACKAGE = "loopwright.actions"

REQUIRED = {
    "contract": frozenset({"goal", "project", "action", "order"}),
    "continue": frozenset({"previous", "result", "action"}),
    "selected": frozenset({"action"}),
    "again": frozenset({"problem"}),
    "generate": frozenset({"tasks"}),
    "develop": frozenset({"task"}),
    "examine": frozenset({"task"}),
    "debug": frozenset({"failing", "hypotheses"}),
}
"""What a project's own prompt may not leave out."""


def loop_prompts(override: Path | None = None) -> Prompts:
    """The prompts of a loop, those in the folder `override` in place of ours. Invalid names the file."""
    return Prompts(PACKAGE, REQUIRED, override)


def compose(
    prompts: Prompts,
    *,
    state: LoopState,
    action: ActionName,
    order: str,
    project: str,
    continuing: bool = False,
    selected: bool = False,
    previous: tuple[str, str] | None = None,
) -> str:
    """A whole message: heading, goal, rules, order, output contract.

    Goal and rules are in every message, so that nothing is forgotten when the agent's context is compacted.
    """
    goal = state.description or state.title
    body = prompts.render("contract", goal=goal, project=project, order=order, action=action)
    heading = ""
    if selected:
        heading = prompts.render("selected", action=action)
    elif continuing:
        last, result = previous or ("INIT", "success")
        heading = prompts.render("continue", previous=last, result=result, action=action)
    question = state.engine.answer
    told = f"The answer to your question: {question}" if question else ""
    return "\n\n".join(part for part in (heading, told, body) if part)
