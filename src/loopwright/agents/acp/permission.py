"""From a request for permission to what is to be decided, and from the decision to the agent's own option. Pure."""

import posixpath
from collections.abc import Callable, Sequence

from acp import schema

from loopwright.agents.acp.calls import COMMAND_KEPT, PATHS_KEPT, Call
from loopwright.domain.permissions import Asked, Decision

PLAIN = ("allow_once", "proceed_once", "once", "reject_once", "reject", "cancel")
"""Names of the options that mean this one time and nothing else; some agents have several of one kind."""


def asked(call: Call, own_server: str, place: Callable[[str], Sequence[str]]) -> Asked:
    """What the policy has to judge. `place` gives for a path all that it may lead to."""
    command, kind = call.command, call.kind
    if command is not None and len(command) >= COMMAND_KEPT:  # its end is not known
        command, kind = None, "execute"
    paths = tuple(dict.fromkeys(real for path in call.places for real in place(path)))
    return Asked(kind, call.title, paths, command, own_tool=call.server == own_server)


def too_much(call: Call) -> Decision | None:
    """A request that names more than can be looked at."""
    crowded = max(len(call.paths), len(call.changed)) >= PATHS_KEPT
    return Decision("deny", f"it names {PATHS_KEPT} files or more; ask for fewer at a time") if crowded else None


def rebased(path: str, given: str, real: str) -> str:
    """The path as written, below the project's real root where it was written below its given one."""
    whole = posixpath.join(given, path)
    return real + whole[len(given) :] if whole == given or whole.startswith(given.rstrip("/") + "/") else path


def option(options: Sequence[schema.PermissionOption], *, allow: bool) -> str | None:
    """The id of the option to choose: this one time rather than always. None where there is none for this answer."""
    kinds = ("allow_once", "allow_always") if allow else ("reject_once", "reject_always")
    for kind in kinds:
        fitting = [each.option_id for each in options if each.kind == kind]
        if fitting:
            return next((name for name in fitting if name in PLAIN), fitting[0])
    return None
