"""How tests speak to the misbehaving agent."""

import json
import sys
from pathlib import Path

from loopwright.core.agent_names import AgentCommand
from loopwright.core.cycle_names import StepName
from loopwright.core.names import ActionName
from loopwright.core.protocol import Message
from loopwright.core.state import Policy

PROGRAM = Path(__file__).with_name("program.py")


def command(by_policy: dict[Policy, str] | None = None, **how: object) -> AgentCommand:
    """The agent, that begins like this."""
    argv = (sys.executable, "-S", "-E", str(PROGRAM), json.dumps(how))
    return AgentCommand("misbehaving", argv, environment={"EXTRA": "given"}, without=("HIDDEN",), modes=by_policy or {})


def order(
    *steps: tuple[object, ...],
    action: ActionName | StepName = "DEVELOP",
    policy: Policy = "workspace",
    session: str | None = None,
    brief: str = "",
    folder: str = "",
) -> Message:
    """A turn in which the agent takes these steps: the names and arguments of its do_ methods."""
    return Message(action=action, text=json.dumps(steps), policy=policy, session=session, brief=brief, folder=folder)
