"""The agents people use: how each is started, asked, and installed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loopwright.domain.engine_state import Policy


@dataclass(frozen=True)
class AgentCommand:
    """An agent that speaks ACP over stdin and stdout, as it is started here.

    `environment` is added to ours, `without` names variables that it does not get. `modes`: by policy, the session mode
    (or the value of the session's config option "mode") that fits it best; one that the agent does not know is left
    alone. `install` and `login` are what a person types, `package` its name on npm where it is one.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    modes: Mapping[Policy, str] = field(default_factory=dict)
    install: str = ""
    login: str = ""
    package: str | None = None
