"""The names an agent can be called by: those that are built in, and the ones that state files have always used."""

from loopwright.domain.errors import Invalid

BUILT_IN = ("auto", "builtin", "bash")
SEEDS = ("codex", "gemini", "qwen")
"""Written by the dashboards of old, `bash` beside them; valid in a task whether or not they are installed here."""
SCRIPTED = "scripted:"
"""`scripted:FILE` plays a script."""

KNOWN = (*BUILT_IN, *SEEDS, f"{SCRIPTED}FILE")


def check_agent(name: str, *, own: str) -> None:
    """Invalid for a name that no agent has. `own` is the loop's agent, which somebody has checked before."""
    scripted = name.startswith(SCRIPTED) and name != SCRIPTED
    if name not in (*BUILT_IN, *SEEDS, own) and not scripted:
        raise Invalid(f"tool: no agent is named {name!r} (known: {', '.join(KNOWN)})")
