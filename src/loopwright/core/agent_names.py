"""The names an agent can be called by, whether or not it is installed here."""

from collections.abc import Iterable

from loopwright.core.errors import Invalid

BUILT_IN = ("auto", "builtin", "bash")
PRESETS = ("codex", "claude", "gemini", "qwen", "opencode", "goose")
"""Coding agents that need no configuration, in the order in which `auto` looks for them."""
SCRIPTED = "scripted:"
"""`scripted:FILE` plays a script."""


def known_agents(configured: Iterable[str] = ()) -> tuple[str, ...]:
    """Every name, as a person is told of them; `configured` are those of the user's own."""
    return tuple(dict.fromkeys((*BUILT_IN, *PRESETS, *sorted(configured), f"{SCRIPTED}FILE")))


def is_known(name: str, configured: Iterable[str] = ()) -> bool:
    if name.startswith(SCRIPTED):
        return name != SCRIPTED
    return name in (*BUILT_IN, *PRESETS, *configured)


def check_agent(name: str, *, own: str, configured: Iterable[str] = ()) -> None:
    """Invalid for a name that no agent has. `own` is the loop's agent, which somebody has checked before."""
    if name != own and not is_known(name, configured):
        raise Invalid(f"tool: {unknown_agent(name, configured)}")


def unknown_agent(name: str, configured: Iterable[str] = ()) -> str:
    """What to say of such a name."""
    known = ", ".join(known_agents(configured))
    return f"no agent is named {name!r} (known: {known}; add others as [agents.NAME] in loopwright.toml)"
