"""The messages of the coordination protocol, put together from the packaged prompts."""

from loopwright.domain.loop import ActionName, LoopState
from loopwright.prompts import packaged, render

PACKAGE = "loopwright.actions"


def order(name: str, **values: str) -> str:
    """The order of one action, from the prompt of that name."""
    return render(packaged(PACKAGE, name), values).strip()


def compose(
    *,
    state: LoopState,
    action: ActionName,
    order: str,
    project: str,
    continuing: bool,
    selected: bool,
    previous: tuple[str, str] | None,
) -> str:
    """A whole message: heading, goal, rules, order, output contract.

    Goal and rules are in every message, so that nothing is forgotten when the agent's context is compacted.
    """
    body = render(
        packaged(PACKAGE, "contract"),
        {"goal": state.description or state.title, "project": project, "order": order, "action": action},
    )
    heading = ""
    if selected:
        heading = render(packaged(PACKAGE, "selected"), {"action": action})
    elif continuing:
        last, result = previous or ("INIT", "success")
        heading = render(packaged(PACKAGE, "continue"), {"previous": last, "result": result, "action": action})
    question = state.engine.answer
    told = f"\nThe answer to your question: {question}\n" if question else ""
    return "\n".join(part for part in (heading, told, body) if part)
